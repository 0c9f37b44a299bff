"""Style sheets, script and icon: files of ours that hold nothing of any table."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import HERE

REPORT = HERE.parent / "render" / "page" / "templates" / "style.css"  # comes first; not copied
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}


@lru_cache
def files() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each file, by its name in addresses."""
    found = {path.name: path for path in sorted((HERE / "static").iterdir()) if path.suffix in KINDS}
    paths: dict[str, Path] = {**found, "report.css": REPORT}
    return {name: (path.read_bytes(), KINDS[path.suffix]) for name, path in paths.items()}


def send(request: Request) -> Response:
    """Answer with a file."""
    found = files().get(request.path_params["name"])
    if found is None:
        return Response(status_code=404, media_type="text/plain; charset=utf-8")
    return Response(found[0], headers={"content-type": found[1]})


ROUTES = [Route("/static/{name}", send)]
