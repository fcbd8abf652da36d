/* The search: a worker that answers the messages of Material's search box, with MiniSearch.
 *
 * Material's own worker takes a name apart at its joints and any of its words for a hit. Here a name is found whole,
 * a page with all the words comes before one with some, and the section that holds them is the one that is shown.
 * Nothing is read before the first question: Material sets its worker up on every page, with an index that is empty here.
 */
"use strict";

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3];
const PAGES = 20, SECTIONS = 3, TEASER = 220;
// What another form of a word counts: recompilation where recompile was asked for.
const FORM = 0.5;
// A name that is a plain word too comes after so many pages; how many of its places stand open; what each does with it.
const FIRST = 3, GROUP = 5, KINDS = ["·", "→", "…"];
// What a page weighs whose address begins so, the first that fits: what explains PyTorch comes before what tells of this book.
const WEIGHTS = [
  ["errors/", 1.5], ["module-", 1], ["glossary/", 0.8], ["i-want-to/", 0.7], ["older-texts/", 0.4], ["routes/", 0.5],
  ["contributing/", 0.03], ["source-index/", 0.05], ["proof/", 0.05], ["releases/", 0.05], ["", 0.2],
];
const weight = (location) => WEIGHTS.find(([begin]) => location.startsWith(begin))[1];
// Sections that say again what another one explains, or ask for it.
const AGAIN = /#(?:counted-claims|further-reading|prerequisites|summary|exercise.*)$/;
// A name with its joints (engine.cpp, at::add, in-place, retain_graph), or a run of Chinese.
const RUN = /[\w\u00c0-\u024f]+(?:(?:::|[./-])[\w\u00c0-\u024f]+)*|\p{Script=Han}+/gu;
const HAN = /\p{Script=Han}/u;
const SMALL = new Set((
  "a an and are at be by can do does for from how i if in is it its me my of on or so that the there this to was what " +
  "when where which who why with you your 是什么 什么是 什么 怎么 怎样 如何 为什么 哪里 的 吗"
).split(" "));

const pairs = (run) => (run.length < 3 ? [run] : [...run].slice(1).map((sign, at) => run[at] + sign));
// The words within a name: between its joints, and at the humps of CamelCase.
const words = (run) =>
  run.split(/[^A-Za-z0-9\u00c0-\u024f]+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/u).filter(Boolean).map((word) => word.toLowerCase());

/* What a word and its other forms have in common: freeze, freezing, frozen; recompile, recompilation. A rough cut, which
 * only has to be the same for all of them. */
const OTHERWISE = new Map(Object.entries({
  frozen: "freez", written: "writ", wrote: "writ", broken: "break", broke: "break", taken: "tak", hidden: "hid", lost: "los",
  indices: "index", gpus: "gpu", cpus: "cpu", embed: "embed", embeds: "embed", registration: "register", registrations: "register",
}));
const ENDINGS = (
  "izations ization izing ized izes ize iz ations ation ators ator ating ated ates ate ions ion ings ing ed es s e"
).split(" ");
const stem = (word) => {
  const one = word.replace(/ies$/, "y").replace(/(?<=[lzdn]|ch)ers?$/, "");
  const whole = word.length < 4 || /(?:ss|us|is|eed)$/.test(one);
  // What is left has a vowel: a string is no form of str.
  const ending = whole ? "" : ENDINGS.find((end) => one.endsWith(end) && /[aeiouy]/.test(one.slice(0, -end.length)) && one.length > end.length + 2) ?? "";
  return OTHERWISE.get(word) ?? one.slice(0, one.length - ending.length).replace(/y$/, "i").replace(/(.)\1$/, "$1");
};
// The words of the book, by what they have in common.
const families = new Map();
const related = (word) => {
  const found = stem(word);
  if (!families.has(found)) families.set(found, new Set());
  return families.get(found);
};

/* What a run is found by: itself, each end of it that begins at a joint, itself without hyphens, its words. */
const known = new Map();
const keys = (run) => known.get(run) ?? known.set(run, made(run)).get(run);
const made = (run) => {
  if (HAN.test(run)) return [...pairs(run), ...run];
  const whole = run.toLowerCase();
  const ends = [...whole.matchAll(/::|[./]/g)].map((joint) => whole.slice(joint.index + joint[0].length));
  const found = new Set([whole, ...ends, whole.replace(/^_+/, ""), whole.replaceAll("-", ""), ...words(run)]);
  for (const word of found) if (/^[a-z]{3,}$/.test(word)) related(word).add(word);
  return [...found];
};
const tokenize = (text) => (text.match(RUN) ?? []).flatMap(keys).filter(Boolean);

const plain = (html) =>
  html.replace(/<\/(?:p|li|pre|h\d)>/g, " ").replace(/<[^>]*>/g, "").replace(/\u200b|\[\[\w+\]\]/g, "")
    .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, "&")
    .replace(/\s+/g, " ").trim();
const safe = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// Chinese names of terms and the English ones, which most articles use.
const terms = new Map();
let index, sections;

const setup = (docs) => {
  const pages = new Map(docs.filter((doc) => !doc.location.includes("#")).map((doc) => [doc.location, doc]));
  sections = docs.map((doc, id) => {
    const page = pages.get(doc.location.split("#")[0]) ?? doc;
    const [title, text] = [plain(doc.title), plain(doc.text)];
    const [, named, english] = (doc.location.startsWith("glossary/#") && title.match(/^(.+) · (.+)$/)) || [];
    if (named) terms.set(named, words(english).map((word) => word.replace(/ing$/, "")));
    return {id, page, location: doc.location, title, text, on: page === doc ? "" : plain(page.title), boost: weight(doc.location) * (AGAIN.test(doc.location) ? 0.5 : 1)};
  });
  index = new MiniSearch({
    fields: ["title", "on", "text"],
    tokenize,
    processTerm: (term) => term,
    searchOptions: {
      tokenize: (term) => [term],
      boost: {title: 4, on: 2},
      boostDocument: (id) => sections[id].boost,
      prefix: (term) => term.length > 2 && !HAN.test(term),
      combineWith: "OR",
    },
  });
  // MiniSearch looks each word of a text up in its tree, where most of the time went: one that is there is remembered.
  const tree = index._index, fetch = tree.fetch.bind(tree), there = new Map();
  tree.fetch = (word, initial) => there.get(word) ?? there.set(word, fetch(word, initial)).get(word);
  index.addAll(sections);
  delete tree.fetch;
};

// A run of Chinese in parts: the names of terms, and what stands between them.
const parted = (run) => (HAN.test(run) && terms.size ? run.split(new RegExp(`(${[...terms.keys()].join("|")})`, "u")).filter(Boolean) : [run]);

/* The words of a query, each as the ways in which it may be met; small words count where there are no others. */
const asked = (query) => {
  const runs = (query.match(RUN) ?? []).flatMap(parted);
  const large = runs.filter((run) => !SMALL.has(run.toLowerCase()));
  return (large.length ? large : runs).map((run) => {
    if (HAN.test(run)) {
      return {run, ways: [pairs(run), ...(terms.has(run) ? [terms.get(run)] : [])]};
    }
    const whole = run.toLowerCase(), parts = words(run);
    if (parts.length > 1) return {run, ways: [[whole], [whole.replaceAll("-", "")], parts]};
    return {run, ways: [[whole]], forms: [...related(whole)].filter((word) => word !== whole)};
  });
};

const find = (query, options) => {
  const terms = asked(query);
  const flat = query.toLowerCase().replace(/\s+/g, " ").trim();
  const asking = new Set(flat.split(" "));
  // Ids are English in each language: that of a section which is about what is asked for, whatever its title.
  const id = terms.map(({ways}) => ways.at(-1).join("-")).join("-");
  const tree = {
    combineWith: "OR",
    queries: terms.map(({ways, forms = []}) => ({
      combineWith: "OR",
      queries: [
        ...ways.map((way) => ({combineWith: "AND", queries: way})),
        ...forms.map((word) => ({queries: [word], prefix: false, fuzzy: 0, boostTerm: () => FORM})),
      ],
    })),
  };
  const met = (hit) => terms.map(({ways, forms = []}) =>
    ways.some((way) => way.every((term) => hit.queryTerms.includes(term))) || forms.some((word) => hit.queryTerms.includes(word)));
  const hits = index.search(tree, options).map((hit) => {
    const section = sections[hit.id], held = met(hit);
    const title = section.title.toLowerCase();
    let score = hit.score * (held.filter(Boolean).length / terms.length) ** 3;
    if (title === flat) score *= 4;
    else if (title.includes(flat)) score *= 2.5;
    if (section.text.toLowerCase().includes(flat)) score *= 2;
    if (section.location.endsWith(`#${id}`)) score *= 2.5;
    // A term that is one of the words asked for, or some.
    if (section.location.startsWith("glossary/#") && title !== flat && title.split(" ").every((word) => asking.has(word))) score *= 3;
    return {section, score, held: Object.fromEntries(terms.map(({run}, at) => [run, held[at]])), words: hit.terms};
  });
  // A word that stands nowhere may be misspelt.
  if (!options && !hits.some(({held}) => Object.values(held).every(Boolean))) {
    return find(query, {fuzzy: (term) => HAN.test(term) ? 0 : Math.min(2, Math.floor(term.length / 5))});
  }
  return hits.sort((one, other) => other.score - one.score);
};

/* The text with the words that were met marked. */
const marked = (text, found) => {
  const any = [...new Set(found)].sort((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!any.length) return safe(text);
  return text.split(new RegExp(`(${any.join("|")})`, "giu"))
    .map((part, at) => (at % 2 ? `<mark>${safe(part)}</mark>` : safe(part))).join("");
};

/* What stands about the query in a section, or about the longest of its words. */
const teaser = (text, flat, found) => {
  const low = text.toLowerCase();
  const longest = (words) => [...words].sort((one, other) => other.length - one.length);
  const at = [flat, ...longest(flat.split(" ").filter((word) => !SMALL.has(word))), ...longest(found)]
    .map((word) => low.indexOf(word)).find((place) => place >= 0) ?? 0;
  const begin = at < TEASER / 2 ? 0 : text.indexOf(" ", at - TEASER / 2) + 1;
  const shown = text.slice(begin, begin + TEASER);
  return (begin ? "… " : "") + marked(shown, found) + (begin + TEASER < text.length ? " …" : "");
};

/* The names of PyTorch: where each is shown, called on a recorded path, or spoken of. A name may be asked for by its end,
 * and as it is called from outside: `aten::add.Tensor`, `torch.autograd.graph._engine_run_backward()`. */
let symbols;
const ends = (name, wanted) => name === wanted || name.endsWith(`.${wanted}`) || name.endsWith(`::${wanted}`);
const named = (query) => {
  let wanted = query.trim().replace(/\(.*$/, "").toLowerCase();
  if (!/^[\w.:~]{3,}$/.test(wanted)) return [];
  const outside = /^(?:torch|aten|at|c10)(?:\.|::)/.test(wanted);
  for (;;) {
    const found = symbols.filter(([name]) => ends(name.toLowerCase(), wanted));
    const [, rest] = wanted.match(/^\w+(?:\.|::)(.+)$/) ?? [];
    if (found.length || !outside || !rest) return found;
    wanted = rest;
  }
};
/* One group for a name, as Material draws it: an article in each line, best first; its head lists all places of it. */
const group = (query, score) => {
  const seen = new Map();
  for (const [name, ...places] of named(query)) {
    for (const [kind, path, section, anchor] of places) {
      const page = section.split("#")[0];
      if (!seen.has(page) || kind < seen.get(page).kind) seen.set(page, {kind, name, path, section, anchor});
    }
  }
  const found = [...seen.values()].sort((one, other) => one.kind - other.kind);
  if (!found.length) return [];
  const lines = found.map(({kind, name, path, section, anchor}, at) => {
    const {title, on} = sections.find(({location}) => location === section) ?? {title: "", on: ""};
    const [page] = section.split("#");
    return {
      location: anchor ? `${page}#${anchor}` : section, title: `<code>${safe(name)}</code> ${KINDS[kind]} ${safe(on)}: ${safe(title)}`,
      text: safe(path), terms: {}, score: at < GROUP ? score : 0,
    };
  });
  const name = query.trim().replace(/\(.*$/, "");
  return [[...lines, {location: `source-index/?find=${encodeURIComponent(name)}`, title: `<code>${safe(name)}</code>`, text: "", terms: {}, score: 0}]];
};

const answer = (query) => {
  const flat = query.toLowerCase().replace(/\s+/g, " ").trim();
  const groups = new Map();
  for (const hit of flat ? find(query) : []) {
    const {page} = hit.section;
    if (!groups.has(page)) groups.set(page, []);
    groups.get(page).push(hit);
  }
  // A page with several sections that fit is about what was asked.
  const worth = (hits) => hits.slice(0, SECTIONS).reduce((sum, {score}, at) => sum + score / 2 ** at, 0);
  const best = [...groups].sort(([, one], [, other]) => worth(other) - worth(one)).slice(0, PAGES);
  const items = best.map(([page, hits]) => {
    const first = hits[0].score;
    const shown = hits.map(({section, score, held, words}, at) => ({
      location: section.location,
      title: marked(section.title, words),
      text: teaser(section.text, flat, words),
      terms: held,
      // Material folds what is below the first: the best few stand open.
      score: at < SECTIONS && score > first / 4 ? first : score,
    }));
    if (hits.every(({section}) => section.location !== page.location)) {
      shown.push({location: page.location, title: safe(plain(page.title)), text: "", terms: {}, score: 0});
    }
    return shown;
  });
  // What is written as code is asked for by its name; a plain word may be one as well.
  const code = /\w[_.:(]|_\w|[a-z\d][A-Z]/.test(query.trim());
  items.splice(code ? 0 : FIRST, 0, ...group(query, code ? 1e6 : 1));
  return {items};
};

let reading;
const read = async () => {
  importScripts("minisearch.js"); // beside this file
  const [docs, names] = await Promise.all(["sections", "symbols"].map(async (name) =>
    (await fetch(new URL(`../search/${name}.json`, self.location))).json()));
  symbols = names;
  setup(docs);
};

let latest; // the questions that came while the index was read are not all answered
const ask = async (query) => {
  latest = query;
  if (query) await (reading ??= read());
  if (query === latest) self.postMessage({type: RESULT, data: query ? answer(query) : {items: []}});
};

self.addEventListener("message", ({data: {type, data}}) => {
  if (type === SETUP) self.postMessage({type: READY});
  else if (type === QUERY) ask(data);
});
