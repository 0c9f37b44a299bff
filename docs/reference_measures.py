"""The pages of the measures: from their docstrings, parameters, words and examples."""

from __future__ import annotations

import doctest
import io
import sys
import textwrap
from contextlib import redirect_stdout
from functools import lru_cache
from typing import Any

from reference_words import Words, code, escaped, fence, filled, joined, listed, table

from PETWorks.cli.parameters import write_bounds, write_option
from PETWorks.evaluation.release import Release
from PETWorks.measure.base import Measure, Need, to_plain
from PETWorks.measure.parameter import Parameter, find_limits, find_parameters
from PETWorks.measure.registry import measures
from PETWorks.measure.result import Result

LONG = 88  # a docstring line shorter than this ends a paragraph
NEEDED = {
    Need.ORIGINAL: ("original", "--original"),
    Need.SENSITIVE: ("sensitive", "--sensitive"),
    Need.POPULATION: ("population", "--population"),
    Need.POPULATION_SIZE: ("population_size", "--population-size"),
    Need.WEIGHT: ("weight", "--weight"),
    Need.HOLDOUT: ("holdout", "--holdout"),
    Need.EARLIER: ("earlier", "--earlier"),
}


def slug(kind: type[Measure]) -> str:
    """Return the name of a measure's page: that of its file, with hyphens."""
    return kind.__module__.rpartition(".")[2].replace("_", "-")


def index_page(word: Words) -> str:
    """List all measures, by family."""
    parts = [f"# {word['measures']}", filled(word["measures_intro"], {"count": len(measures())})]
    for family in ("privacy", "risk", "utility"):
        rows = []
        for kind in (one for one in measures().values() if one.family == family):
            own = kind.words[word.language]
            name = f"[{escaped(own.title)}](measures/{slug(kind)}.md)"
            if own.title != kind.name:
                name += f"<br>{code(kind.name)}"
            sides = "<br>".join(f"{word[side]} `{name}`" for name, side in find_limits(kind).items())
            needs = "<br>".join(code(NEEDED[need][0]) for need in Need if need in kind.needs)
            rows.append([name, escaped(own.measured), _better(kind, word), sides or "–", needs or "–"])
        heads = [word[one] for one in ("name", "measured", "better", "limits", "needs")]
        parts += [f"## {word[family]}", table(heads, rows)]
    return joined(parts)


def measure_page(kind: type[Measure], word: Words) -> str:
    """Describe one measure."""
    own, page = kind.words[word.language], sections(kind)
    given = {name: text.splitlines() for name, text in own.page._asdict().items()} if own.page else page
    title = own.title if own.title == kind.name else f"{own.title}（{kind.name}）"
    needs = [filled(word["need"], {"name": name, "option": flag}) for name, flag in needed(kind)]
    said = {
        "family": word[kind.family],
        "measured": escaped(own.measured),
        "better": _better(kind, word),
        "needs": ", ".join(needs) or word["none"],
        "called": filled(word["called_text"], {"name": kind.name, "python": kind.__name__}),
    }
    closing = [
        f"**{word[step]}**{word['colon']}{escaped(own.steps[step])}"
        for step in ("untold", "improve")
        if step in own.steps
    ]
    return joined(
        [
            f'---\ntitle: "{own.title}"\n---',  # in the navigation
            f"# {escaped(title)}",
            *map(escaped, listed(given["summary"])),
            "\n".join(f"- **{word[name]}**{word['colon']}{text}" for name, text in said.items()),
            f"## {word['definition']}",
            *map(escaped, listed(given["definition"])),
            f"## {word['formula']}",
            fence(" { .text .formula }", "\n".join(listed(given["formula"]))),
            f"## {word['example']}",
            *map(escaped, listed(given["example"])),
            fence("pycon", page["code"]),
            f"## {word['steps']}",
            word["steps_text"],
            fence("text", str(example_result(kind).explain(word.language))),
            f"## {word['reading']}",
            *map(escaped, listed(given["reading"])),
            *closing,
            f"## {word['parameters']}",
            *_parameters(kind, word),
            f"## {word['reference']}",
            *map(escaped, [own.reference] if own.reference else listed(page["reference"])),
        ]
    )


def needed(kind: type[Measure]) -> list[tuple[str, str]]:
    """Return what a measure needs: the names in Python and on the command line."""
    return [NEEDED[need] for need in Need if need in kind.needs]


@lru_cache
def sections(kind: type[Measure]) -> dict[str, Any]:
    """Return the sections of a measure's docstring."""
    head, *lines = (sys.modules[kind.__module__].__doc__ or "").strip().splitlines()
    found: dict[str, list[str]] = {}
    for line in lines:
        if line and not line.startswith(" "):
            current = found.setdefault(line.lower(), [])
        elif found:
            current.append(line)
    texts = {name: textwrap.dedent("\n".join(body)).strip("\n") for name, body in found.items()}
    prose, _, example = texts.pop("example").partition("\n\n>>>")
    summary = head.partition(": ")[2]
    imported = f"from PETWorks import Release, {kind.__name__}"
    shown = f">>>{example}".replace("from PETWorks import Release", imported)
    return {
        "summary": summary[0].upper() + summary[1:],
        **{name: _paragraphs(text) for name, text in texts.items()},
        "example": _paragraphs(prose),
        "code": shown,
    }


def _paragraphs(text: str) -> list[str]:
    """Join the lines of each paragraph."""
    found, before = list[str](), ""
    for line in text.splitlines():
        if line and len(before) >= LONG:
            found[-1] += f" {line.strip()}"
        elif line:
            found.append(line.strip())
        before = line
    return found


@lru_cache
def example_result(kind: type[Measure]) -> Result:
    """Run the example of a measure; return its first result."""
    module = sys.modules[kind.__module__]
    found: list[Result] = []
    ask = Release.ask

    def noted(self: Release, measure: Any) -> Result:  # noqa: ANN401
        found.append(ask(self, measure))
        return found[-1]

    names = dict(vars(module))
    Release.ask = noted  # type: ignore[method-assign]
    try:
        with redirect_stdout(io.StringIO()):
            for example in doctest.DocTestParser().get_examples(module.__doc__ or ""):
                exec(compile(example.source, module.__name__, "single"), names)  # noqa: S102 (as the doctest does)
    finally:
        Release.ask = ask  # type: ignore[method-assign]
    return next(one for one in found if isinstance(one.measure, kind))


def _better(kind: type[Measure], word: Words) -> str:
    side = str(example_result(kind).side or "")
    return word["higher" if side in ("at least", "more than") else "lower"] if side else "–"


def _parameters(kind: type[Measure], word: Words) -> list[str]:
    if not find_parameters(kind):
        return [word["no_parameters"]]
    rows = []
    for name, parameter in find_parameters(kind).items():
        default = word["required"] if parameter.required else _default(parameter.default)
        told = [filled(word["limit"], {"side": word[parameter.side]})] if parameter.side else []
        told += [own[name]] if name in (own := kind.words[word.language].parameters) else []
        rows.append([code(name), code(write_option(name)), may_be(parameter, word), default, word["colon"].join(told)])
    heads = [word[one] for one in ("parameter", "option", "may_be", "default", "meaning")]
    return [table(heads, rows), *_policy(kind, word)]


def may_be(parameter: Parameter, word: Words) -> str:
    """Write the allowed values of a parameter."""
    match parameter.kind:
        case "number":
            told = " ".join([word["number"], *write_bounds(parameter)])
            for english in ("at least", "more than", "at most"):
                told = told.replace(english, word[english])
            return told.replace(" to ", " – ")
        case "word":
            return word["one_of"].join(map(code, parameter.words))
        case kind:
            return word[{"text": "column", "values": "list"}.get(kind, kind)]


def _default(default: object) -> str:
    return "–" if default is None else code(str(default).lower() if isinstance(default, bool) else str(default))


def _policy(kind: type[Measure], word: Words) -> list[str]:
    """Show the measure as a requirement, if it can be one."""
    if not find_limits(kind) and not kind.list_required():
        return []
    if any(one.kind == "function" for one in find_parameters(kind).values()):
        return []
    example = next((one for one in kind.examples if set(one) & {*find_limits(kind), *kind.list_required()}), None)
    if example is None:
        return []
    if not set(example) & {*find_limits(kind)} and not kind.list_required():
        return []
    lines = [f'measure = "{kind.name}"', *(f"{name} = {_toml(value)}" for name, value in example.items())]
    return [word["as_policy"], fence("toml", "\n".join(["[[require]]", *lines]))]


def _toml(value: object) -> str:
    match to_plain(value):
        case bool() as flag:
            return str(flag).lower()
        case dict() as table:
            return f"{{ {', '.join(f'{name} = {_toml(one)}' for name, one in table.items())} }}"
        case str() as text if text.replace(".", "", 1).isdigit():
            return text
        case str() as text:
            return f'"{text}"'
        case other:
            return str(other)
