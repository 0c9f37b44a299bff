"""While the table is being looked at, screens that need what is found say so, and ask again by themselves."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.app.answering import fragments, page, wants_fragments
from PETWorks.app.desk import Desk

TEMPLATE = "columns_busy.html"
PATIENCE = 0.3  # seconds that a page waits for work before it says that it is busy


def still_looking(request: Request, desk: Desk, step: int) -> Response | None:
    """Return the page that says that the table is being looked at; None if that is done."""
    path, work = request.url.path, desk.survey
    if work.wait(PATIENCE):
        if wants_fragments(request) and request.query_params.get("busy"):  # the whole page is new
            return Response(headers={"X-Go": path}, media_type="text/html")
        return None
    address = f"{path}?busy=1"
    if wants_fragments(request):
        return fragments(request, TEMPLATE, ["busy"], to=path, step=step, work=work, address=address)
    return page(request, TEMPLATE, step=step, work=work, address=address)
