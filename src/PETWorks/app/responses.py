"""Responses: pages, fragments of pages and refusals, in the reader's language.

Errors of the library are shown to people who do not program: without Python, and without the path of the folder.

>>> from PETWorks.errors import HierarchyError
>>> error = HierarchyError("5 does not divide", where="/home/ann/visits/age.csv", hint="write 5, 10, as in f(x=5)")
>>> describe_error(error, Path("/home/ann/visits")), advise(error)
('age.csv: 5 does not divide', 'write 5, 10')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from PETWorks.app.problems import translate_problem
from PETWorks.app.project.draft import Change, find_step
from PETWorks.errors import PETWorksError
from PETWorks.measure.registry import measures
from PETWorks.measure.steps import Name
from PETWorks.policy.templates import templates
from PETWorks.presentation import Language
from PETWorks.render.fill import TAGS, fill
from PETWorks.render.page.markup import PAGE
from PETWorks.render.words import LANGUAGES, words

if TYPE_CHECKING:
    from PETWorks.app.session import Session

PYTHON = re.compile(r"\w\(|\w=|\bsuppress_at_most\b")  # a call, an argument
CLAUSES = re.compile(r"(, (?:or |as in )?)")


def describe_error(error: PETWorksError, folder: Path | None = None) -> str:
    """Return what is wrong, and where."""
    return error.summarise().replace(f"{folder}/", "") if folder else error.summarise()


def advise(error: PETWorksError) -> str:
    """Return what to do, up to the first clause that is Python: the screen has fields instead."""
    if not PYTHON.search(error.hint):
        return error.hint
    kept = [*takewhile(lambda one: not PYTHON.search(one), CLAUSES.split(error.hint))]
    return "".join(kept[: len(kept) // 2 * 2 - 1]) if kept[1:] else ""


HERE = Path(__file__).parent
LANGUAGE, THEME, VEIL = "petworks_language", "petworks_theme", "petworks_veil"  # cookies
THEMES = ("light", "dark")
FRAME = "frame.html"
BY_ROWS = tuple(map(find_step, ("open", "columns", "hierarchies")))  # steps that count rows
EXPLORE = find_step("explore")  # whose suppression may count rows
Say = Callable[..., Markup]


def render_page(request: Request, template: str, *, step: int = 0, status: int = 200, **figures: Any) -> Response:  # noqa: ANN401
    """Respond with a whole page. `step` is its number, 1 to 7; `figures` are the variables of its template."""
    text = _load_templates().get_template(template).render(build_context(request, step=step, **figures))
    return HTMLResponse(text, status)


def render_fragments(
    request: Request,
    template: str,
    names: Sequence[str],
    *,
    to: str,
    step: int = 0,
    **figures: Any,  # noqa: ANN401
) -> Response:
    """Respond with the parts of a page that changed; without JavaScript, redirect to the page `to`.

    A name is a block of the template, a block of the frame ("steps", "dock"), or a template ("columns_row.html"). Each
    must be an element with an id: the script replaces the element that has the same id.
    """
    if not wants_fragments(request):
        return RedirectResponse(to, 303)
    environment, known = _load_templates(), build_context(request, step=step, **figures)
    dock = (
        ["dock"] if request.method != "GET" and "dock" not in names else []
    )  # holds the revision that the next form must send
    parts = []
    for name in [*names, *dock]:
        if name.endswith(".html"):
            parts.append(environment.get_template(name).render(known))
        else:
            found = environment.get_template(template)
            found = found if name in found.blocks else environment.get_template(FRAME)
            parts.append("".join(found.blocks[name](found.new_context(known))))
    return HTMLResponse("\n".join(parts))


def redirect(request: Request, address: str) -> Response:
    """Redirect to another page. The script gets the address in a header, since fetch follows redirects silently."""
    if wants_fragments(request):
        return HTMLResponse("", headers={"x-go": address})
    return RedirectResponse(address, 303)


def wants_fragments(request: Request) -> bool:
    """Return True if the page's script sent the request, False if the browser did."""
    return request.headers.get("x-fragments") == "1"


def render_refusal(request: Request, status: int, key: str, **figures: Any) -> Response:  # noqa: ANN401
    """Respond that something cannot be done: a page with the problem, its meaning, and what to do."""
    say = make_say(language_of(request))
    again = status < HTTPStatus.INTERNAL_SERVER_ERROR  # after a server error, the bar of steps may fail, too
    known: dict[str, Any] = {} if again else {"steps": request.app.state.running.steps(None, say)}
    message = {"title": say(f"{key}_title", **figures), "lead": say(f"{key}_lead", **figures)}
    return render_page(request, "refused.html", status=status, message=message, **known)


def language_of(request: Request) -> Language:
    """Return the language of the cookie, else the one the application was started in."""
    asked = request.cookies.get(LANGUAGE, "")
    language: Language = asked if asked in LANGUAGES else request.app.state.running.language  # type: ignore[assignment]
    return language


def make_say(language: str, *, rows: bool = False) -> Say:
    """Return the function that fills phrases of the application as HTML; with `rows`, phrases for counts of rows."""
    return partial(_fill_phrase, language, rows)


def counts_rows(session: Session | None, step: int) -> bool:
    """Return True if people have several rows and the figures of a step count rows, not people."""
    if session is None or not session.draft.data.get("person"):
        return False
    return step in BY_ROWS or (step == EXPLORE and session.draft.making.get("suppress", "rows") == "rows")


def _fill_phrase(language: str, rows: bool, key: str, /, **figures: Any) -> Markup:  # noqa: ANN401, FBT001
    word = words(language)
    key = f"{key}_rows" if rows and f"{key}_rows" in word.app else key
    return Markup(fill(word.app[key], figures, word, PAGE))  # noqa: S704 (all parts are escaped)


def _format_figure(language: str, value: Any) -> Markup:  # noqa: ANN401
    """Format one figure: a number, a name, a cell, or None for a missing one."""
    word = words(language)
    if value is None:
        return Markup(PAGE.text(word.missing))  # noqa: S704 (escaped)
    return Markup(fill("{value}", {"value": value}, word, PAGE))  # noqa: S704 (escaped)


def _format_size(many: int) -> str:
    """Format the size of a file."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if many >= factor:
            return f"{many / factor:.1f} {unit}"
    return f"{many} B"


def describe_change(change: Change, language: str) -> Markup:
    """Describe a change in words. Texts among its figures are names, or keys of words for roles and measures."""
    word = words(language)
    titles = {f"measure_{name}": kind.words[language].title for name, kind in measures().items()}
    titles |= {f"template_{name}": word.app.get(f"requirements_template_{name}", name) for name in templates()}
    if change.key not in word.app:  # written by another version
        return Markup(PAGE.text(change.kind))  # noqa: S704 (escaped)
    figures = {
        name: _translate_figure(name, value, word.app, word.inspection, titles)
        for name, value in change.figures.items()
    }
    return Markup(fill(word.app[change.key], figures, word, PAGE))  # noqa: S704 (all parts are escaped)


def _translate_figure(name: str, value: Any, *known: Mapping[str, str]) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        word = next((one[key] for one in known if (key := f"{name}_{value}") in one), None)
        return Name(value) if word is None else word
    return [Name(one) for one in value] if isinstance(value, list) else value


def build_context(request: Request, *, step: int, **figures: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the variables of all templates: words, language, theme, the bar of steps, the dock."""
    running, language = request.app.state.running, language_of(request)
    session = running.session
    say = make_say(language, rows=counts_rows(session, step))
    theme = request.cookies.get(THEME, "")
    known = {
        "say": say,
        "language": language,
        "tag": TAGS[language],
        "theme": theme if theme in THEMES else "",
        "veiled": request.cookies.get(VEIL) == "1",
        "session": session,
        "revision": session.revision if session else "",
        "step": step,
        "counts_rows": step in (*BY_ROWS, EXPLORE),
        "suppresses_rows": step == EXPLORE,
        "steps": figures.get("steps") or running.steps(session, say),
        "path": request.url.path,
        "changed": "changed" in request.query_params,
        "small": running.shows_small(request),
        "last": describe_change(session.project.journal.past[-1].change, language) if session else "",
        "untrusted": session is not None and not session.project.trusted,
        "live": "",
        "sheets": (),
        "describe_change": partial(describe_change, language=language),
        "figure": partial(_format_figure, language),
        "size": _format_size,
        "problem_of": lambda error: _mark_coverable(describe_error(error, session.folder if session else None)),
        "advice": lambda error: _mark_coverable(advise(error)),
        "translated": lambda error: _mark_coverable(translate_problem(error, language) or ""),
    }
    known |= figures
    return {**known, "m": _load_templates().get_template("macros.html").make_module(known)}


def _mark_coverable(text: str) -> Markup:
    """Mark a message that may name columns, so that the button "Hide all" covers it."""
    return Markup("<bdi>{}</bdi>").format(text) if text else Markup()


@lru_cache
def _load_templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {"Name": Name}
    environment.filters |= {"name": Name}
    return environment
