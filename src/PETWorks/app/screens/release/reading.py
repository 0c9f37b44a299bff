"""The report that was written, shown by the browser: only the script and the style of our own reports may run in it."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path

from starlette.responses import HTMLResponse, Response

from PETWorks.app.answering import HERE

FOLDER = HERE.parent / "render" / "page" / "templates"


def report_answer(path: Path) -> Response:
    """Answer with a report. It is put into an origin of its own, so that it could not ask anything of this program."""
    headers = {"content-security-policy": _policy()}
    return HTMLResponse(path.read_text(encoding="utf-8"), headers=headers)


@lru_cache
def _policy() -> str:
    style, script = _digest("style.css"), _digest("script.js")
    return (  # labels of axes are placed by attributes, which can load nothing
        f"default-src 'none'; style-src '{style}'; style-src-attr 'unsafe-inline'; script-src '{script}';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-modals"
    )


def _digest(name: str) -> str:
    content = (FOLDER / name).read_text(encoding="utf-8")
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
