"""Everything as text: the policy, the command line, Python; and the journal of what was done."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import fragments, page, wants_fragments
from PETWorks.app.as_text import LONGEST, commands, listing_columns, policy_lines, python
from PETWorks.app.desk import opened


def show(request: Request) -> Response:
    """Show the text sheet, as a page or as a part of one."""
    desk = opened(request)
    draft, project = desk.draft, desk.project
    small = request.app.state.running.shows_small(request)
    hidden = () if small else listing_columns(draft)
    lines, size, shown = policy_lines(project.text, project.before, hidden), 0, []
    for line in lines:
        size += len(line.text) + 1
        if size > LONGEST:
            break
        shown.append(line)
    figures: dict[str, Any] = {"lines": shown, "cut": len(lines) - len(shown), "hidden": bool(hidden)}
    figures |= {"commands": commands(draft, desk.folder), "python": python(draft)[:LONGEST]}
    if wants_fragments(request):
        return fragments(request, "text.html", ["text_sheet"], to="/text", **figures)
    return page(request, "text.html", journal=project.journal, **figures)


ROUTES = [Route("/text", show)]
