/* Copies code so that it runs: the code alone, without line numbers, remarks, prompts and what a terminal printed.
 *
 * Every block and every listing gets a button. What is selected by hand across the lines of a listing is copied
 * without the remarks that stand between them.
 */
(() => {
  const zh = document.documentElement.lang.startsWith("zh");
  const COPY = zh ? "复制" : "Copy", COPIED = zh ? "已复制" : "Copied";
  const PROMPT = /^(?:\$|>>>|\.\.\.|\(gdb\)|\(Pdb\)) /;

  /** The lines of a listing, or of a part of one; a blank keeps an empty line open. */
  const listed = (part) => [...part.querySelectorAll(".it-text")].map((line) => line.textContent.trimEnd()).join("\n");

  /** What a reader types of a session: the lines with a prompt, and those that go on after a backslash. */
  const typed = (session) => {
    let on = false;
    return session.split("\n").filter((line) => {
      const kept = on || PROMPT.test(line);
      on = kept && line.endsWith("\\");
      return kept;
    }).map((line) => line.replace(PROMPT, "")).join("\n");
  };

  const text = (block) => {
    if (block.matches(".it-code")) return listed(block);
    const code = block.textContent.trimEnd();
    return block.querySelector(".gp") ? typed(code) : code;
  };

  const write = async (copied) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(copied);
    // A site that is not served over https has no clipboard.
    const area = Object.assign(document.createElement("textarea"), {value: copied, className: "it-copy-area"});
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("the browser refused");
  };

  const button = (block) => {
    const made = Object.assign(document.createElement("button"), {type: "button", className: "it-copy", title: COPY});
    made.setAttribute("aria-label", COPY);
    made.onclick = async () => {
      await write(text(block) + "\n");
      made.classList.add("it-copied");
      made.title = COPIED;
      made.setAttribute("aria-label", COPIED);
      setTimeout(() => {
        made.classList.remove("it-copied");
        made.title = COPY;
        made.setAttribute("aria-label", COPY);
      }, 2000);
    };
    return made;
  };

  const start = () => {
    for (const code of document.querySelectorAll(".md-typeset pre > code")) {
      if (!code.parentNode.querySelector(".it-copy")) code.parentNode.append(button(code));
    }
    for (const code of document.querySelectorAll(".it-code")) {
      const head = code.closest("figure").querySelector(".it-head");
      if (!head.querySelector(".it-copy")) head.querySelector(".it-meta").append(button(code));
    }
  };

  document.addEventListener("copy", (event) => {
    const chosen = document.getSelection();
    if (!chosen.rangeCount) return;
    const range = chosen.getRangeAt(0);
    const within = (node, selector) => (node.closest ? node : node.parentNode).closest(selector);
    const code = within(range.commonAncestorContainer, ".it-code");
    if (!code || within(range.commonAncestorContainer, ".it-note, .it-text")) return;
    event.clipboardData.setData("text/plain", listed(range.cloneContents()));
    event.preventDefault();
  });

  if (window.document$) window.document$.subscribe(start);
  else start();
})();
