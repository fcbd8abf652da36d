"""What a page may do: run the scripts of this site, and none that finds its way into a text."""

from __future__ import annotations

import base64
import hashlib
import re

from inside_torch.site.policy import with_policy

PAGE = '<html><head><meta charset="utf-8"><script>a()</script><script src="x.js"></script></head></html>'
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def test_an_inline_script_runs_by_its_hash():
    hashed = base64.b64encode(hashlib.sha256(b"a()").digest()).decode()
    directive = POLICY.search(with_policy(PAGE))[1].split("; ")[1]
    assert directive == f"script-src 'self' 'sha256-{hashed}'"


def test_data_in_a_script_element_needs_no_leave():
    page = PAGE.replace("<script>", '<script type="application/json">')
    assert "sha256" not in with_policy(page)


def test_every_page_has_a_policy_before_any_script(site):
    pages = list(site.folder.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text("utf-8")
        policy = POLICY.search(text)
        assert policy and policy.start() < text.index("<script"), page
        assert "script-src 'self' 'sha256-" in policy[1] and "unsafe-eval" not in policy[1]


def test_a_script_in_a_text_does_not_run(tab):
    page = tab.open("en/")
    page.evaluate(
        """() => {
          const part = document.createElement("div");
          part.innerHTML = '<img src="data:," onerror="window.ran = 1">'
            + '<a id="bad" href="javascript:window.ran=2">x</a>';
          document.querySelector("article").append(part);
          const script = document.createElement("script");
          script.textContent = "window.ran = 3";
          document.body.append(script);
        }"""
    )
    # One refusal on the console for each of the three: then they have had their chance.
    refusal = "Content Security Policy"
    with page.expect_console_message(lambda said: refusal in said.text):
        page.locator("#bad").click()
    assert page.evaluate("window.ran") is None
    assert sum(refusal in fault for fault in tab.faults) == 3
    tab.faults.clear()  # the console says what was refused
