"""Step 1, open: which table is it about?"""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import page
from PETWorks.app.desk import Desk
from PETWorks.app.running import Standing


def standing(desk: Desk, say: Callable[..., Markup]) -> Standing:  # noqa: ARG001
    """Tell the size of the table."""
    return Standing(done=True)


def show(request: Request) -> Response:
    """Show the table that is open, and what else can be opened."""
    return page(request, "open.html", step=1)


ROUTES = [Route("/", show)]
