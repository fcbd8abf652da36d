"""Python-Markdown extensions that draw the book from proven sources.

``markdown_extensions: [inside_torch.render]`` is all that a site needs: links to ``src:`` addresses, the
fences of the article format and measured numbers in the prose. Nothing here knows the site generator.
"""

from __future__ import annotations

from inside_torch.render.extension import InsideTorch, makeExtension

__all__ = ["InsideTorch", "makeExtension"]
