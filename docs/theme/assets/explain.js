/* Paste your error: which entries of "Find an error" a text fits, best first. Nothing leaves the page.
 *
 * An entry is known by its heading and by what its programs print. scripts/inside_torch/book/error_finder.py says
 * more, and does the same in a terminal.
 */
(() => {
  const FRAME = 0.2, LEAST = 0.4, WEIGHT = 18, WHOLE = 0.9, CLOSE = 0.4, FEW = 4, MOST = 5;
  // A line of a traceback, without the name of the process that wrote it; and how the message of an error begins.
  const LINE = /^(?:\s*\[\w+\]:?)?(\s*)(.*)$/s;
  const RAISED = /^[^A-Za-z0-9_]*[A-Za-z0-9_.]*(?:Error|Exception|Warning|Interrupt)(?:: |$)/;
  const zh = document.documentElement.lang.startsWith("zh");
  const say = (english, chinese) => (zh ? chinese : english);

  const words = (text) => (text.toLowerCase().match(/[a-z0-9_]+/g) ?? []).filter((word) => /^[a-z_]./.test(word));
  const marks = (text) => {
    const all = words(text);
    return [...all, ...all.slice(1).map((word, number) => `${all[number]} ${word}`)];
  };

  const entries = (page) => [...page.querySelectorAll("h3[id]")].map((heading) => {
    const title = [...heading.childNodes].filter((node) => !node.classList?.contains("headerlink"))
      .map((node) => node.textContent).join("");
    const messages = [title];
    let told = null;
    for (let next = heading.nextElementSibling; next && !/^H[23]$/.test(next.tagName); next = next.nextElementSibling) {
      const printed = [...next.querySelectorAll(".it-printed")].map((line) => line.textContent.replace(/^#> ?/, ""));
      messages.push(...printed.filter((line) => words(line).length >= FEW));
      if (next.tagName === "P") told ??= next;
    }
    const known = messages.map((message) => new Set(message.split("…").flatMap(marks)));
    return { title, id: heading.id, told, known };
  });

  /* What each word and pair of words of a text counts: those in the frames of a traceback little. */
  const weighed = (text) => {
    const message = [], frames = [];
    let above = -1; // how far in the frame of the line above stands, if that is one
    for (const line of text.split("\n")) {
      const [, blank, rest] = line.match(LINE);
      const frame = rest.startsWith('File "');
      // Its source, mostly; a frame of typed code or of a library has none, and the message follows.
      const source = above >= 0 && blank.length >= above && !RAISED.test(rest);
      (frame || source ? frames : message).push(line);
      above = frame ? blank.length : -1;
    }
    const found = new Map(marks(frames.join(" ")).map((mark) => [mark, FRAME]));
    for (const mark of marks(message.join(" "))) found.set(mark, 1);
    return found;
  };

  const fitting = (all, text) => {
    const held = new Map();
    for (const { known } of all) {
      for (const mark of new Set(known.flatMap((one) => [...one]))) held.set(mark, (held.get(mark) ?? 0) + 1);
    }
    const weight = (mark) => Math.log(1 + all.length / held.get(mark));
    const there = weighed(text);
    const score = (one) => {
      if (![...one].some((mark) => mark.includes(" ") && there.get(mark) === 1)) return 0;
      let shared = 0, whole = 0;
      for (const mark of one) {
        shared += weight(mark) * (there.get(mark) ?? 0);
        whole += weight(mark);
      }
      const share = shared / whole;
      return share >= WHOLE || (share >= LEAST && shared * share >= WEIGHT) ? shared * share : 0;
    };
    const found = all.map((entry) => ({ entry, score: Math.max(...entry.known.map(score)) })).filter((fit) => fit.score);
    found.sort((one, other) => other.score - one.score);
    return found.slice(0, MOST).filter((fit) => fit.score >= CLOSE * found[0].score).map((fit) => fit.entry);
  };

  const start = () => {
    const page = document.querySelector(".md-content__inner:has(> h1#errors)");
    if (!page || page.querySelector(".it-explain")) return;
    const all = entries(page);
    const label = say("Paste your error here, the whole traceback if you like", "把报错粘贴到这里，整段 traceback 也可以");
    const box = document.createElement("textarea");
    Object.assign(box, { className: "it-explain", rows: 4, placeholder: label, spellcheck: false });
    box.setAttribute("aria-label", label);
    const said = document.createElement("div");
    said.className = "it-explained";
    said.setAttribute("role", "status");
    box.oninput = () => {
      const found = box.value.trim() ? fitting(all, box.value) : [];
      const list = document.createElement("ol");
      for (const { title, id, told } of found) {
        const link = Object.assign(document.createElement("a"), { href: `#${id}`, textContent: title });
        const item = document.createElement("li");
        item.append(link, ...(told ? [told.cloneNode(true)] : []));
        list.append(item);
      }
      const none = say("No entry fits. The search at the top knows the articles too.", "没有匹配的条目。页面顶部的搜索也包含所有文章。");
      said.replaceChildren(...(found.length ? [list] : box.value.trim() ? [none] : []));
    };
    page.querySelector("h1 ~ p").after(box, said);
    if (box.value) box.oninput();  // what a browser kept on the way back
  };

  if (window.document$) window.document$.subscribe(start);
  else start();
})();
