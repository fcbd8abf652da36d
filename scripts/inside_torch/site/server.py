"""A local web server for the built site, which tells open pages when to load again."""

from __future__ import annotations

import http.server
import json
import mimetypes
import posixpath
import sys
import threading
import urllib.parse
from pathlib import Path
from typing import Any

from inside_torch.errors import BookError

CHANGES = "/.changes"
LIVE = "/.live.js"
# A file of its own, since the pages' policy lets no inline script run but the theme's.
FOLLOW = """
(() => {
  const show = (fault) => {
    document.getElementById("__fault")?.remove();
    if (!fault) return;
    const box = document.body.appendChild(document.createElement("pre"));
    box.id = "__fault";
    box.role = "alert";
    box.textContent = fault;
    box.style.cssText = "position:fixed;inset:auto 0 0 0;z-index:99;margin:0;padding:1rem;max-height:50vh;" +
      "overflow:auto;background:#5c1010;color:#fff;font:13px/1.5 monospace;white-space:pre-wrap";
  };
  const seen = Number(document.currentScript.dataset.seen);
  const changes = new EventSource("/.changes");
  changes.onmessage = (event) => {
    const { version, fault } = JSON.parse(event.data);
    if (version !== seen) location.reload();
    show(fault);
  };
  addEventListener("pagehide", () => changes.close());
})();
"""


class SiteServer(http.server.ThreadingHTTPServer):
    """Serves the folder ``root``; pages loaded from it follow ``publish``."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, root: Path, port: int, live: bool = False) -> None:
        """``port`` 0 takes a free one. With ``live`` a script is added to each page that is served."""
        self.root = root
        self.live = live
        self.version = 1
        self.fault = ""
        self.changed = threading.Condition()
        self.closing = False
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise BookError("serve", f"port {port}: {error.strerror}", "a free port: --port 8001") from None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def publish(self, root: Path | None = None, fault: str = "") -> None:
        """Show ``fault`` on every open page, and load it again where there is a new ``root`` or no fault."""
        with self.changed:
            self.fault = fault
            if root or not fault:
                self.root = root or self.root
                self.version += 1
            self.changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a reader who left before all was sent."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def start(self) -> SiteServer:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def close(self) -> None:
        with self.changed:
            self.closing = True
            self.changed.notify_all()
        self.shutdown()
        self.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: SiteServer

    def do_GET(self) -> None:
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if self.server.live and path == CHANGES:
            self._follow()
            return
        if self.server.live and path == LIVE:
            self._answer(200, FOLLOW.encode(), {"Content-Type": "text/javascript; charset=utf-8"})
            return
        inside = posixpath.normpath(f"/{path}").lstrip("/")  # a request may begin with no slash
        file = self.server.root / inside
        if file.is_dir():
            if not path.endswith("/"):
                self._answer(301, b"", {"Location": urllib.parse.quote(path) + "/"})
                return
            file /= "index.html"
        shown: Path | None = file
        status = 200
        if not file.is_file():
            language = inside.partition("/")[0]
            pages = [self.server.root / language / "404.html", self.server.root / "404.html"]
            shown, status = next((page for page in pages if page.is_file()), None), 404
        # With nothing built yet, an empty page can still show the fault that is in the way.
        body = shown.read_bytes() if shown else b"<!doctype html><title>404</title><body>Not found.</body>"
        if self.server.live and (not shown or shown.suffix == ".html"):
            script = f'<script src="{LIVE}" data-seen="{self.server.version}"></script>'
            head, end, tail = body.rpartition(b"</body>")
            body = head + script.encode() + end + tail if end else body
        kind = mimetypes.guess_type(shown.name if shown else "404.html")[0] or "application/octet-stream"
        if kind.startswith("text/") or kind == "application/json":
            kind += "; charset=utf-8"
        self._answer(status, body, {"Content-Type": kind, "Cache-Control": "no-cache"})

    do_HEAD = do_GET

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _follow(self) -> None:
        """Server-sent events: the state now, then each change of it."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        sent = None
        try:
            while not self.server.closing:
                with self.server.changed:
                    state = {"version": self.server.version, "fault": self.server.fault}
                    if state == sent:
                        self.server.changed.wait(timeout=15)
                        state = {"version": self.server.version, "fault": self.server.fault}
                self.wfile.write(
                    b": alive\n\n" if state == sent else f"data: {json.dumps(state)}\n\n".encode()
                )
                self.wfile.flush()
                sent = state
        except OSError:
            return  # the page was left

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""
