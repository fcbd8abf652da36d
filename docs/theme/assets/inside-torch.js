/* Comforts for the notes; the page is whole without them.
 *
 * A note on several lines lights all of them, and a note that was pushed below its line is joined to it by a drop.
 * A claim tells its count, and a term its meaning, when it is touched. What is pasted into the search by mouse is
 * searched for. A line of code that goes on below is set in from its own beginning. What opens a part of the
 * navigation has a name. The other language is a link to the same section.
 */
(() => {
  const light = (event) => {
    const code = event.target.closest?.(".it-code--noted");
    const part = event.target.closest?.("[data-notes]");
    const wanted = part && event.type !== "pointerleave" ? part.dataset.notes.split(" ") : [];
    for (const line of (code ?? document).querySelectorAll(".it-line--noted")) {
      line.classList.toggle("it-lit", line.dataset.notes.split(" ").some((note) => wanted.includes(note)));
    }
  };

  const join = (code) => {
    // All is measured before anything is set: each change would have the page laid out anew for the next measure.
    const drops = [...code.querySelectorAll(".it-note")].map((note) => {
      const line = note.closest(".it-line");
      const down = note.getBoundingClientRect().top - line.getBoundingClientRect().top - line.clientTop;
      return { note, line, down, pushed: getComputedStyle(note).float !== "none" && down > 1 };
    });
    let lane = -1;
    for (const { note, line, down, pushed } of drops) {
      // Of drops that follow each other the later ones stand nearer to the code, so that no two cross.
      lane = pushed ? Math.min(lane + 1, 4) : -1;
      line.style.setProperty("--it-lane", Math.max(lane, 0));
      note.style.setProperty("--it-drop", pushed ? `${down.toFixed(1)}px` : "0px");
    }
  };

  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => join(entry.target)));
  const start = () => {
    sizes.disconnect();
    document.querySelectorAll(".it-code--noted").forEach((code) => sizes.observe(code));
    for (const line of document.querySelectorAll('pre > code > span[id^="__span"]')) {
      const indent = line.textContent.search(/[^ ]/);
      if (indent > 0) line.style.setProperty("--i", indent);
    }
    const word = document.documentElement.lang.startsWith("zh") ? "展开：" : "Open: ";
    for (const opener of document.querySelectorAll(".md-nav__container > label")) {
      opener.setAttribute("role", "button");
      opener.setAttribute("aria-label", word + opener.parentElement.innerText.trim());
      opener.setAttribute("aria-expanded", opener.control.checked);
    }
  };

  // Where nothing can hover, the first touch of a claim or a term shows what it tells, the second leads on.
  let told = null;
  const tell = (event) => {
    const teller = event.target.closest?.("a.it-claim, a.it-term");
    if (teller && teller !== told && matchMedia("(hover: none)").matches) {
      event.preventDefault();
      event.stopPropagation();
      teller.focus();
    }
    told = teller;
  };

  // Material's search listens to keys alone.
  const asks = (box) => box.matches?.(".md-search__input") && box.dispatchEvent(new Event("keyup"));
  const pasted = (event) => asks(event.target);

  // The search reads its index at the first question; an empty one that shows nothing is asked before the reader's.
  const opened = ({target}) => {
    if (!target.matches?.(".md-search__input") || target.value) return;
    for (const value of ["\u200b", ""]) {
      target.value = value;
      asks(target);
    }
  };

  const unfolded = ({target}) => {
    const opener = target.matches?.(".md-nav__toggle") && target.parentElement.querySelector(":scope > .md-nav__container > label");
    if (opener) opener.setAttribute("aria-expanded", target.checked);
  };

  // The other language is told by the address, which instant navigation changes while the header stays; the section is kept.
  const {base} = JSON.parse(document.getElementById("__config").textContent);
  const top = new URL(`${base}/`, location.href).href;
  const turn = ({target}) => {
    const choice = target.closest?.(".md-select__link");
    if (choice && document.head.querySelector("link[rel=canonical]")) {
      choice.href = new URL(`../${choice.hreflang}/${location.href.slice(top.length)}`, top);
    }
  };

  document.addEventListener("click", turn, true);
  document.addEventListener("click", tell, true);
  document.addEventListener("change", unfolded);
  document.addEventListener("input", pasted);
  document.addEventListener("focusin", opened);
  document.addEventListener("pointerover", light);
  if (window.document$) window.document$.subscribe(start);
  else start();
})();
