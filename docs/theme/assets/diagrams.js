/* Draws the diagrams of a page: div.mermaid, after direct loads and after instant navigation.
 *
 * Mermaid is loaded once, from this site, when the first diagram comes near; then all of the page are drawn, those
 * in sight first. Their places are kept until then. The colours are Material's CSS variables, so that the palette
 * toggle recolours what is drawn already.
 */
(() => {
  const settings = JSON.parse(document.getElementById("__diagrams").textContent);
  const script = new URL(settings.script, location.href).href;
  const css = `
    .node rect, .node circle, .node ellipse, .node polygon, .node path, .labelBkg
      { fill: var(--md-mermaid-node-bg-color); stroke: var(--md-mermaid-node-fg-color); }
    .nodeLabel, .nodeLabel p, .label, .label text, .cluster span, .cluster text, .classTitle, .titleText,
    .flowchartTitleText, .classDiagramTitleText, .statediagramTitleText
      { color: var(--md-mermaid-label-fg-color); fill: var(--md-mermaid-label-fg-color); }
    a .nodeLabel, a .nodeLabel p { text-decoration: underline; text-underline-offset: .35em; }
    .edgeLabel, .edgeLabel p, .edgeLabel rect, .classLabel .box, .label div .edgeLabel
      { background-color: var(--md-mermaid-label-bg-color); fill: var(--md-mermaid-label-bg-color);
        color: var(--md-mermaid-edge-color); opacity: 1; }
    .edgeLabel text, .cardinality, .edgeTerminals, .edgeTerminals span
      { fill: var(--md-mermaid-edge-color); color: var(--md-mermaid-edge-color); }
    .edgePath .path, .flowchart-link, .relation, .transition, .relationshipLine
      { stroke: var(--md-mermaid-edge-color); fill: none; }
    marker, marker path, .marker, .arrowheadPath
      { fill: var(--md-mermaid-edge-color) !important; stroke: var(--md-mermaid-edge-color) !important; }
    marker.aggregation path, marker.extension path { fill: var(--md-mermaid-label-bg-color) !important; }
    .cluster rect, .statediagram-cluster rect
      { fill: var(--md-mermaid-cluster-bg-color) !important; stroke: var(--md-mermaid-cluster-fg-color) !important; }
    .node .divider, .divider path, g.classGroup line { stroke: var(--md-mermaid-node-fg-color); }
    .node circle.state-start, .node .fork-join, .end-state-inner
      { fill: var(--md-mermaid-edge-color); stroke: var(--md-mermaid-edge-color); }
    .actor { fill: var(--md-mermaid-sequence-actor-bg-color); stroke: var(--md-mermaid-sequence-actor-border-color); }
    text.actor, text.actor > tspan { fill: var(--md-mermaid-sequence-actor-fg-color); stroke: none; }
    .diagram-actor { cursor: pointer; }
    .diagram-actor text, a text.actor { text-decoration: underline; }
    .actor-line { stroke: var(--md-mermaid-sequence-actor-line-color); }
    .messageLine0, .messageLine1 { stroke: var(--md-mermaid-sequence-message-line-color); }
    .messageText { fill: var(--md-mermaid-sequence-message-fg-color); stroke: var(--md-default-bg-color);
      stroke-width: 5px; stroke-linejoin: round; paint-order: stroke; }
    foreignObject { overflow: visible; }
    .loopLine { stroke: var(--md-mermaid-sequence-loop-border-color); }
    .labelBox { fill: var(--md-mermaid-sequence-label-bg-color); stroke: var(--md-mermaid-sequence-loop-border-color); }
    .labelText, .labelText > tspan, .loopText, .loopText > tspan
      { fill: var(--md-mermaid-sequence-loop-fg-color); stroke: none; }
    .note { fill: var(--md-mermaid-sequence-note-bg-color); stroke: var(--md-mermaid-sequence-note-border-color); }
    .noteText, .noteText > tspan { fill: var(--md-mermaid-sequence-note-fg-color); stroke: none; }
    .activation0, .activation1, .activation2
      { fill: var(--md-mermaid-cluster-bg-color); stroke: var(--md-mermaid-cluster-fg-color); }
    .sequenceNumber { fill: var(--md-mermaid-sequence-number-fg-color); }`;

  let mermaid;
  const load = () => mermaid ??= new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = script;
    element.onload = () => {
      window.mermaid.initialize({
        ...settings.arguments,
        startOnLoad: false,
        suppressErrorRendering: true,
        fontFamily: getComputedStyle(document.body).getPropertyValue("--md-text-font-family"),
        themeCSS: css,
      });
      resolve(window.mermaid);
    };
    element.onerror = () => reject(new Error(`${script} did not load`));
    document.head.append(element);
  });

  // The links of a participant are a menu, whose opening Mermaid's strict level drops with every other script.
  const open = (menu) => {
    const x = menu.querySelector(".actorPopupMenuPanel").getAttribute("x");
    const actor = menu.ownerSVGElement.querySelector(`rect.actor-top:not(.actorPopupMenuPanel)[x="${x}"]`)?.parentNode;
    if (!actor) return;
    const toggle = () => {
      const hidden = menu.getAttribute("display") === "none";
      menu.setAttribute("display", hidden ? "block" : "none");
      actor.setAttribute("aria-expanded", hidden);
    };
    actor.classList.add("diagram-actor");
    actor.setAttribute("role", "button");
    actor.setAttribute("tabindex", "0");
    actor.setAttribute("aria-expanded", "false");
    actor.addEventListener("click", toggle);
    actor.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle();
    });
  };

  // Mermaid leaves room for the menus, closed as they are: the drawing is as wide as what is seen of it, and a menu
  // that would go beyond its edge moves in.
  const trim = (svg) => {
    const seen = svg.getBBox(), view = svg.viewBox.baseVal, right = seen.x + seen.width + 10;
    if (right >= view.x + view.width) return;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${right - view.x} ${view.height}`);
    svg.style.maxWidth = `${right - view.x}px`;
    for (const menu of svg.querySelectorAll(".actorPopupMenu")) {
      const panel = menu.querySelector(".actorPopupMenuPanel");
      const over = Number(panel.getAttribute("x")) + Number(panel.getAttribute("width")) + 4 - right;
      if (over > 0) menu.setAttribute("transform", `translate(${-over} 0)`);
    }
  };

  /* A drawing at its full size, over the page: by a click on its ground, or by the button beside it. */
  const zh = document.documentElement.lang.startsWith("zh");
  const enlarge = (svg) => {
    const dialog = document.createElement("dialog");
    dialog.className = "it-large";
    dialog.setAttribute("aria-label", svg.querySelector("title")?.textContent ?? "");
    const large = dialog.appendChild(svg.cloneNode(true));
    large.style.maxWidth = large.style.minWidth = `${svg.viewBox.baseVal.width}px`;
    dialog.addEventListener("click", (event) => event.target.closest("a") || dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  const enlargeable = (host, svg) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "it-enlarge";
    button.title = zh ? "放大" : "Enlarge";
    button.setAttribute("aria-label", button.title);
    button.textContent = "⤢";
    button.addEventListener("click", () => enlarge(svg));
    host.after(button);
    host.addEventListener("click", ({target}) => target.closest("a, .diagram-actor, .actorPopupMenu") || enlarge(svg));
  };

  const finish = (host) => {
    const svg = host.querySelector("svg");
    enlargeable(host, svg);
    if (svg.querySelector(".actorPopupMenu")) trim(svg);
    // A wide diagram scrolls rather than shrinks beyond reading.
    svg.style.minWidth = `${Math.round(0.7 * svg.viewBox.baseVal.width)}px`;
    for (const link of svg.querySelectorAll("a")) {
      if ((link.href.baseVal ?? link.href).startsWith("#")) {
        link.removeAttribute("target"); // a block of this page
        continue;
      }
      link.setAttribute("target", "_blank"); // dropped by the strict level as well
      link.setAttribute("rel", "noopener");
    }
    svg.querySelectorAll(".actorPopupMenu").forEach(open);
    if (host.scrollWidth > host.clientWidth) {
      host.tabIndex = 0;
      // A flowchart's trunk stands in its middle; a sequence begins at its left.
      if (svg.getAttribute("aria-roledescription")?.startsWith("flowchart")) {
        host.scrollLeft = (host.scrollWidth - host.clientWidth) / 2;
      }
    }
  };

  // Mermaid writes handlers into the drawing that its strict level takes out again. The page's policy refuses them in
  // the meantime, each with an error in the console: they are not set in the first place.
  const set = Element.prototype.setAttribute;
  const render = async (source) => {
    const { render } = await load();
    Element.prototype.setAttribute = function (name, value) {
      if (!/^on/i.test(name)) set.call(this, name, value);
    };
    try {
      return await render(`diagram-${++count}`, source);
    } finally {
      Element.prototype.setAttribute = set;
    }
  };

  // A label is measured when it is drawn: in the face that it is read in, which may still be on its way.
  const faces = () => Promise.all([
    ...["400", "700", "italic 400"].map((style) => document.fonts.load(`${style} 1rem "Inside Torch Text"`)),
    document.fonts.load('400 1rem "Inside Torch Code"'),
  ]).catch(() => {}).then(() => document.fonts.ready);

  let count = 0;
  const drawAll = async () => {
    near.disconnect();
    const far = (host) => Math.max(0, host.getBoundingClientRect().top - innerHeight, -host.getBoundingClientRect().bottom);
    const hosts = [...document.querySelectorAll("div.mermaid:not([data-diagram])")].sort((one, other) => far(one) - far(other));
    if (hosts.length) await faces();
    for (const host of hosts) {
      if (host.dataset.diagram) continue; // drawn by an earlier call in the meantime
      host.dataset.diagram = "waiting";
      const source = host.textContent;
      try {
        const { svg, bindFunctions } = await render(source);
        if (!host.isConnected) return; // left by instant navigation
        host.innerHTML = svg;
        bindFunctions?.(host);
        finish(host);
        host.dataset.diagram = "drawn";
      } catch (error) {
        host.dataset.diagram = "failed"; // the source stays to be read
        console.error(`diagram ${count}: ${error.message}`);
      }
    }
  };

  let drawing;
  const draw = () => drawing = Promise.resolve(drawing).then(drawAll); // after what is being drawn
  const near = new IntersectionObserver((seen) => seen.some(({isIntersecting}) => isIntersecting) && draw(), {rootMargin: "100% 0%"});
  window.document$.subscribe(() => {
    near.disconnect();
    document.querySelectorAll("div.mermaid:not([data-diagram])").forEach((host) => near.observe(host));
  });
  // By the keyboard a page is printed when its drawings are made.
  addEventListener("keydown", async (event) => {
    const asked = event.key.toLowerCase() === "p" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!asked || !document.querySelector('div.mermaid:not([data-diagram="drawn"], [data-diagram="failed"])')) return;
    event.preventDefault();
    await draw();
    print();
  });
  // All of them: before the page is printed, and for those who measure it.
  for (const event of ["beforeprint", "drawdiagrams"]) addEventListener(event, draw);
})();
