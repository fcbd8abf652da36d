"""What a page may do, told to the browser: a Content-Security-Policy with the hash of each inline script."""

from __future__ import annotations

import base64
import hashlib
import re

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL | re.IGNORECASE)
_CHARSET = re.compile(r"<meta charset=[^>]*>", re.IGNORECASE)


def with_policy(page: str) -> str:
    """The page with a policy after its charset: scripts, data and pictures of this site alone.

    Inline scripts run by their hashes, so a script that finds its way into a text does not. Styles may stand
    in the page, since Mermaid writes them into its drawings.
    """
    hashes = dict.fromkeys(
        f"'sha256-{base64.b64encode(hashlib.sha256(match['text'].encode()).digest()).decode()}'"
        for match in _SCRIPT.finditer(page)
        if "src=" not in match["attributes"] and "application/json" not in match["attributes"]
    )
    policy = "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *hashes]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self'",
            "manifest-src 'self'",
            "base-uri 'self'",
            "form-action 'none'",
        ]
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return _CHARSET.sub(lambda charset: charset[0] + meta, page, count=1)
