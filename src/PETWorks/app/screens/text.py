"""The text sheet: the policy, the commands and the Python that do the same; and the journal."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.as_text import LONGEST, commands, listing_columns, policy_lines, python
from PETWorks.app.responses import render_fragments, render_page, wants_fragments
from PETWorks.app.session import require_session


def show(request: Request) -> Response:
    """Show the text sheet, as a page or as a part of another."""
    session = require_session(request)
    draft, project = session.draft, session.project
    small = request.app.state.running.shows_small(request)
    hidden = () if small else listing_columns(draft)
    lines, size, shown = policy_lines(project.text, project.previous_text, hidden), 0, []
    for line in lines:
        size += len(line.text) + 1
        if size > LONGEST:
            break
        shown.append(line)
    figures: dict[str, Any] = {"lines": shown, "cut": len(lines) - len(shown), "hidden": bool(hidden)}
    figures |= {"commands": commands(draft, session.folder), "python": python(draft)[:LONGEST]}
    if wants_fragments(request):
        return render_fragments(request, "text.html", ["text_sheet"], to="/text", **figures)
    return render_page(request, "text.html", journal=project.journal, **figures)


ROUTES = [Route("/text", show)]
