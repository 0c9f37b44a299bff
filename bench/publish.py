"""Write the results into the pages of the docs, and draw the plot: ``python bench/publish.py``.

So no number on those pages is typed by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import plot
from figures import Figure, Verdict, figure, growth, growth_verdict
from figures import best as best_time
from words import BASELINES, CASES, CONTESTANTS, HEADS, PHRASES

RESULTS = Path(__file__).with_name("results.json")
DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"en": DOCS / "explanation" / "benchmarks.md", "zh-TW": DOCS / "explanation" / "benchmarks.zh-TW.md"}
PICTURES = {"light": "benchmarks", "dark": "benchmarks-dark"}
BY = "written by bench/publish.py"
BUSY = 0.25  # load per core, before measuring, above which times are called provisional
KILOBYTE, MILLION, GIGABYTE = 1_000, 1_000_000, 1_000_000_000


def table(results: Mapping[str, Any], language: str) -> str:
    """Write the table of ratios, with the target below each figure."""
    lines = [_line(figure(record), language) for record in results["results"]]
    if exponent := growth(results, "petworks"):
        ours = beside(number(exponent), [growth_verdict(exponent)], language)
        floor = number(growth(results, "floor") or 0)
        lines.append([_what(CASES[language]["growth"], "growth", language), "", ours, floor, "", ""])
    return "\n\n".join([markdown(HEADS[language]["table"], lines, right=(1, 2, 3, 4, 5)), *doubts(results, language)])


def _what(name: str, case: str, language: str) -> str:
    against = BASELINES[language].get(case)
    return f"{name}<br>{PHRASES[language]['against'].format(against)}" if against else name


def _line(one: Figure, language: str) -> list[str]:
    """Write the cells of a case's line."""
    say, name = PHRASES[language], CASES[language][one.case]
    none = say["none"]
    if one.seconds is None:
        why = say["skipped"].format(one.why)
        return [f"{_what(name, one.case, language)}<br>{why}", rows(one.rows), none, none, none, none]
    kinds = ("seconds", "peak", "page")
    by_kind = {kind: [verdict for verdict in one.verdicts if verdict.kind == kind] for kind in kinds}
    others = [verdict for verdict in one.verdicts if verdict.kind not in by_kind]
    what = _what(name if one.measures is None else say["measures"].format(name, one.measures), one.case, language)
    if one.page:
        what = beside(f"{what}<br>{say['page'].format(one.page / KILOBYTE)}", by_kind["page"], language)
    return [
        what,
        rows(one.rows),
        beside(time(one.seconds, language), by_kind["seconds"], language),
        none if one.baseline is None else time(one.baseline, language),
        beside(_ratio(one, language), others, language),
        beside(size(one.peak), by_kind["peak"], language),
    ]


def beside(shown: str, verdicts: Iterable[Verdict], language: str) -> str:
    """Write a figure, and its targets below it."""
    return "<br>".join([shown, *(target(verdict, language) for verdict in verdicts)])


def doubts(results: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield the reasons, if any, why the times are not reliable."""
    say, facts = PHRASES[language], results["machine"]
    if not facts["rounds"]:
        yield say["once"]
    if facts["load"][0] > BUSY * facts["cores"]:
        yield say["busy"].format(facts["load"][0])


def _ratio(one: Figure, language: str) -> str:
    say = PHRASES[language]
    if one.ratio is None:
        return say["none"]
    return say["ratio"].format(number(1 / one.ratio if one.case == "pycanon" else one.ratio))


def target(verdict: Verdict, language: str) -> str:
    """Write a target, with a mark for met or not met."""
    say, limit = PHRASES[language], verdict.limit
    aimed = {
        "ratio": "≤ " + say["ratio"].format(f"{limit:g}"),
        "faster": "≥ " + say["ratio"].format(f"{limit:g}"),
        "seconds": "≤ " + say["seconds"].format(f"{limit:g}"),
        "peak": f"≤ {limit / GIGABYTE:g} GB",
        "page": f"≤ {limit / KILOBYTE:g} KB",
        "growth": f"≤ {limit:g}",
    }[verdict.kind]
    return f"{aimed} {'✓' if verdict.met else '**✗**'}"


def every(results: Mapping[str, Any], language: str) -> str:
    """Write the table with the best time of every contestant."""
    say, lines = PHRASES[language], []
    for record in results["results"]:
        for name, came in record["contestants"].items():
            taken = came.get("seconds")
            why = came.get("skipped") or came.get("failed")
            best = time(best_time(record, name) or 0, language) if taken else say["skipped"].format(why)
            what = CASES[language][record["case"]], rows(record["rows"]), CONTESTANTS[language][name]
            busy = time(min(came["processor"]), language) if came.get("processor") else ""
            lines.append([*what, best, busy, str(len(taken or ())), size(came.get("peak"))])
    return markdown(HEADS[language]["every"], lines, right=(1, 3, 4, 5, 6))


def machine(results: Mapping[str, Any], language: str) -> str:
    """Write the table that describes the machine."""
    say, facts = PHRASES[language], results["machine"]
    shown = facts | {
        "memory": f"{facts['memory'] / GIGABYTE:.0f} GB",
        "versions": "<br>".join(f"{name} {version}" for name, version in facts["versions"].items()),
        "load": " · ".join(map(str, facts["load"])),
    }
    names = ("processor", "cores", "memory", "system", "python", "versions", "load", "date")
    return markdown(HEADS[language]["machine"], [[say[name], str(shown[name])] for name in names])


def markdown(head: Iterable[str], lines: Iterable[Iterable[str]], right: Iterable[int] = ()) -> str:
    """Write a table in Markdown; the columns `right` are aligned to the right."""
    head = list(head)
    rule = ["---:" if place in set(right) else "---" for place in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines))


def time(seconds: float, language: str) -> str:
    """Write seconds, with three significant digits."""
    return PHRASES[language]["seconds"].format(number(seconds))


def number(value: float) -> str:
    """Write a number with three significant digits."""
    hundred = 100
    return f"{value:,.0f}" if value >= hundred else f"{float(f'{value:.3g}'):g}"


def rows(count: int) -> str:
    """Write a number of rows; whole millions as "1 M"."""
    return f"{count // MILLION:,} M" if count % MILLION == 0 else f"{count:,}"


def size(peak: int | None) -> str:
    """Write a peak of memory in MB."""
    return "" if peak is None else f"{peak / MILLION:,.0f} MB"


def pages(results: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the path and the new content of each page and picture."""
    for language, path in PAGES.items():
        text = path.read_text(encoding="utf-8")
        for name, writer in (("table", table), ("every", every), ("machine", machine)):
            before, mark, rest = text.partition(f"<!-- {name}: {BY} -->\n")
            _, end, after = rest.partition("<!-- end -->")
            text = f"{before}{mark}\n{writer(results, language)}\n\n{end}{after}"
        yield path, text
        for shade, name in PICTURES.items():
            picture = DOCS / "images" / path.with_suffix(".svg").name.replace("benchmarks", name)
            yield picture, plot.drawn(results, shade, PHRASES[language]["seconds"])


def main() -> None:
    """Write all pages and pictures."""
    for path, text in pages(json.loads(RESULTS.read_text(encoding="utf-8"))):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
