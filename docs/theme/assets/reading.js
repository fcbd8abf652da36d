/* The reader's own route and what is read of it, kept in this browser.
 *
 * The pages are whole without it: the routes lead the way by themselves, and the foot of an article stays empty.
 */
(() => {
  const KEY = "inside-torch.reading";
  const {articles, routes} = window.insideTorch;
  const zh = document.documentElement.lang.startsWith("zh");
  const say = (en, other) => (zh ? other : en);
  // The top of this language's site; taken once, since instant navigation keeps the first page's configuration.
  const {base} = JSON.parse(document.getElementById("__config").textContent);
  const top = new URL(`${base}/`, location.href);
  const to = (page) => new URL(`${page}/`, top).href;

  const clean = (kept) => ({
    route: typeof kept?.route === "string" ? kept.route : "",
    last: typeof kept?.last === "string" ? kept.last : "",
    at: /^[\w-]+$/.test(kept?.at ?? "") ? kept.at : "",
    read: Object.fromEntries(
      Object.entries(kept?.read ?? {}).filter(([slug, day]) => /^[\w/-]+$/.test(slug) && /^\d{4}-\d\d-\d\d$/.test(day))
    ),
  });
  const load = () => {
    try {
      return clean(JSON.parse(localStorage.getItem(KEY)));
    } catch {
      return clean(null); // no storage, or not ours
    }
  };
  const keep = (state) => {
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      // a browser that keeps nothing: the page works, and forgets
    }
  };
  const save = (state) => {
    keep(state);
    draw();
  };

  const make = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const button = (text, onclick) => make("button", {type: "button", className: "md-button", onclick}, text);
  const link = (slug, text) => make("a", {href: to(slug)}, text);
  const chosen = (state) => routes.find((route) => route.id === state.route);
  const left = (state, path) => path.filter((slug) => !state.read[slug]);
  const time = (slugs) => {
    const minutes = slugs.reduce((sum, slug) => sum + articles[slug][1], 0);
    const [h, m] = [Math.floor(minutes / 60), minutes % 60];
    const hours = h ? [say(`${h} h`, `${h} 小时`)] : [];
    return [...hours, ...(m || !h ? [say(`${m} min`, `${m} 分钟`)] : [])].join(" ");
  };
  const progress = ({path}, rest) => {
    const done = path.length - rest.length;
    return rest.length
      ? say(`${done} of ${path.length} read, ${time(rest)} left`, `${path.length} 篇中已读 ${done} 篇，还剩 ${time(rest)}`)
      : say(`all ${path.length} read`, `${path.length} 篇全部读完`);
  };

  /* The foot of an article: mark it, and go on along the route. */
  const foot = (state) => {
    const aside = document.querySelector("aside.reading");
    const slug = aside?.dataset.slug;
    // Two ways on, one under the other, confuse: the order of the navigation is told to those who follow no route.
    document.body.classList.toggle("it-on-route", Boolean(chosen(state)?.path.includes(slug)));
    if (!aside) return;
    if (state.last !== slug && articles[slug]) keep(Object.assign(state, {last: slug, at: ""}));
    const read = state.read[slug];
    const mark = button(read ? say("Read ✓", "已读 ✓") : say("Mark as read", "标为已读"), () => {
      const now = load();
      if (now.read[slug]) delete now.read[slug];
      else now.read[slug] = new Date().toISOString().slice(0, 10);
      save(now);
    });
    mark.setAttribute("aria-pressed", String(Boolean(read)));
    const route = chosen(state);
    const place = route ? route.path.indexOf(slug) : -1;
    const way = make("nav", {className: "reading-way"});
    way.setAttribute("aria-label", say("Your route", "你的路线"));
    if (route) {
      const rest = left(state, route.path);
      way.append(
        make("p", {}, link(route.page, route.title), say(": ", "："), progress(route, rest))
      );
      const before = route.path[place - 1];
      const after = place >= 0 ? route.path[place + 1] : rest[0];
      if (place > 0) way.append(make("p", {}, "← ", link(before, articles[before][0])));
      if (after) way.append(make("p", {}, link(after, articles[after][0]), " →"));
      if (!rest.length) way.append(make("p", {}, link("routes", say("Choose another route", "选另一条路线"))));
      if (place < 0) way.append(make("p", {}, say("This article is not on it.", "本文不在这条路线上。")));
    } else {
      way.append(make("p", {}, link("routes", say("Choose a reading route", "选一条阅读路线"))));
    }
    aside.replaceChildren(mark, way);
    aside.hidden = false;
  };

  /* The navigation and the modules' pages: what is read. */
  const marks = (state) => {
    for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link[href], article ol strong > a[href]")) {
      const slug = link.origin + link.pathname === link.href && link.href.slice(top.href.length, -1);
      link.classList.toggle("it-read", Boolean(state.read[slug]));
    }
  };

  /* A route's page: what is read of it, and the ways to take that elsewhere. */
  const parts = (state) => {
    for (const part of document.querySelectorAll("[data-route]")) {
      const route = routes.find((one) => one.id === part.dataset.route);
      part.querySelector(".reading")?.remove();
      if (!route?.path.length) continue; // nothing of it is written yet
      for (const item of part.querySelectorAll("li[data-slug]")) {
        item.classList.toggle("it-read", Boolean(state.read[item.dataset.slug]));
      }
      const rest = left(state, route.path);
      const bar = make("progress", {max: route.path.length, value: route.path.length - rest.length});
      bar.setAttribute("aria-label", say("Articles read", "已读文章"));
      const own = state.route === route.id;
      const tools = make(
        "div",
        {className: "reading"},
        make("p", {}, bar, " ", progress(route, rest)),
        button(own ? say("Your route ✓", "你的路线 ✓") : say("Follow this route", "走这条路线"), () =>
          save({...load(), route: own ? "" : route.id})
        )
      );
      if (rest[0]) tools.append(make("p", {}, say("Next: ", "下一篇："), link(rest[0], articles[rest[0]][0])));
      part.querySelector(".it-route-chart").before(tools);
    }
    files();
  };

  /* Out to a file, and in from one. */
  const files = () => {
    const all = document.querySelector(".it-route");
    if (!all || all.querySelector(".reading-files")) return;
    const said = make("p", {role: "status"});
    const out = button(say("Save my progress to a file", "把进度存为文件"), () => {
      const text = URL.createObjectURL(new Blob([JSON.stringify(load())], {type: "application/json"}));
      make("a", {href: text, download: "inside-torch-reading.json"}).click();
      URL.revokeObjectURL(text);
    });
    const pick = make("input", {type: "file", accept: "application/json,.json", hidden: true, onchange: async () => {
      try {
        const kept = JSON.parse(await pick.files[0].text());
        if (typeof kept?.read !== "object" || kept.read === null) throw new Error();
        const given = clean(kept), own = load();
        save({...own, route: given.route || own.route, read: {...own.read, ...given.read}});
        said.textContent = say(
          `Taken over: ${Object.keys(given.read).length} articles marked as read.`,
          `已读入：${Object.keys(given.read).length} 篇文章标为已读。`
        );
      } catch {
        said.textContent = say("That file holds no progress of this book.", "该文件里没有本书的阅读进度。");
      }
      pick.value = "";
    }});
    const into = button(say("Load it from a file", "从文件读入"), () => pick.click());
    all.append(make("div", {className: "reading-files"}, out, into, pick, said));
  };

  /* The landing page: go on where you were. */
  const home = (state) => {
    const place = document.querySelector(".reading-continue");
    if (!place) return;
    const route = chosen(state);
    const open = articles[state.last] && !state.read[state.last] ? state.last : route && left(state, route.path)[0];
    place.hidden = !open;
    if (open) {
      const where = link(open, articles[open][0]);
      if (open === state.last && state.at) where.hash = state.at;
      place.replaceChildren(say("Continue where you left: ", "接着上次读："), where);
    }
  };

  /* The section of an article that is read now. */
  const follow = () => {
    const slug = document.querySelector("aside.reading")?.dataset.slug;
    const state = load();
    if (!slug || state.last !== slug) return;
    const above = [...document.querySelectorAll("article :is(h2, h3)[id]")].filter((head) => head.getBoundingClientRect().top < innerHeight / 3);
    const at = above.at(-1)?.id ?? "";
    if (at !== state.at) keep({...state, at});
  };
  addEventListener("scrollend", follow);

  /* The index of the source: a search by path, by symbol, or by the places that a text names: `engine.cpp:1190:5`,
   * a link to GitHub, the frames of a traceback. What is searched for stands in the address. */
  const PLACE = /([\w./-]+\.\w+)(?:"?,? line |:|#l|\()(\d+)/g;
  // A line whose file is not told: `#L1190`, `:1190:5`.
  const LINE = /^(?:#?l|:|line )(\d+)(?:[-:]\S*)?$/;
  const index = () => {
    const all = document.querySelector(".it-sources");
    if (!all || document.querySelector(".it-sources-search")) return;
    const label = say("A path, a symbol, file:line, a link or a traceback", "路径、符号、“文件:行号”、链接或回溯");
    const input = make("input", {type: "search", className: "it-sources-search", placeholder: label});
    input.setAttribute("aria-label", label);
    const said = make("p", {role: "status"});
    const files = [...all.children].map((file) => ({
      file, path: file.dataset.path.toLowerCase(), rows: [...file.querySelectorAll("li")],
    }));
    const show = (wanted) => {
      let shown = 0;
      for (const {file, path, rows} of files) {
        let held = 0;
        for (const row of rows) held += !(row.hidden = !wanted(path, row));
        file.hidden = !held;
        file.open = Boolean(input.value.trim()) && held > 0;
        shown += !file.hidden;
      }
      return shown;
    };
    const find = () => {
      const text = input.value.trim().toLowerCase();
      const places = [...text.matchAll(PLACE)].map(([, path, line]) => [path, Number(line)]);
      const fits = (path, named) => named === path || named.endsWith(`/${path}`) || path.endsWith(`/${named}`);
      const holds = (row, line) => Number(row.dataset.first) <= line && line <= Number(row.dataset.last);
      const [, line] = text.match(LINE) ?? [];
      if (line) {
        const found = show((path, row) => holds(row, Number(line)));
        return [found, say(
          `Line ${line} is explained in ${found} ${found === 1 ? "file" : "files"}. Put the file's name before it: engine.cpp:${line}`,
          `${found} 个文件的第 ${line} 行有讲解。可在前面加上文件名：engine.cpp:${line}`)];
      }
      if (!places.length) {
        const name = text.replace(/#l?\d*$/, "");
        const found = show((path, row) => path.includes(name) || name.endsWith(`/${path}`) || row.textContent.toLowerCase().includes(name));
        return [found, text && say(`${found} ${found === 1 ? "file" : "files"}`, `${found} 个文件`)];
      }
      const found = show((path, row) => places.some(([named, line]) => fits(path, named) && holds(row, line)));
      if (found) return [found, say(`${found} ${found === 1 ? "file" : "files"}`, `${found} 个文件`)];
      return [show((path) => places.some(([named]) => fits(path, named))),
        say("No article explains that line. What is explained of the file:", "没有文章讲到这一行。该文件中讲到的有：")];
    };
    const update = () => {
      const [found, told] = find();
      said.textContent = found ? told : say(
        "Nothing is explained of it yet. Try the file's name alone, or a function's; the search of the site (press /) goes through the text.",
        "还没有讲到它。可以只输入文件名或函数名；站内搜索（按 /）会查正文。");
      const address = new URL(location.href);
      if (input.value) address.searchParams.set("find", input.value);
      else address.searchParams.delete("find");
      history.replaceState(history.state, "", address);
    };
    input.oninput = update;
    document.querySelector("h1").after(input, said);
    input.value = new URL(location.href).searchParams.get("find") ?? "";
    if (input.value) update();
    if (!location.hash && matchMedia("(hover: hover)").matches) input.focus({preventScroll: true});
  };

  const draw = () => {
    const state = load();
    index();
    foot(state);
    marks(state);
    parts(state);
    home(state);
  };
  window.addEventListener("storage", (event) => event.key === KEY && draw());
  if (window.document$) window.document$.subscribe(draw);
  else draw();
})();
