"""Evaluations to be written in every format: of a small table, of the storyboard's, of hostile and of wide ones."""

from __future__ import annotations

from functools import lru_cache

import PETWorks as pw
from laws.samples import SAMPLES
from PETWorks import Evaluation
from PETWorks.plugin import Note
from support.places import SHARED
from support.release_facts import NotShown, Requirement  # noqa: F401 (for other modules)

HOSTILE = [
    "<script>alert(1)</script>",
    "a|b`c``d\\|e",
    "line\nbreak\r\n# heading\n| x |",
    "\u202eright-to-left\u2066",
    "null\0 bell\x07 \ufffe \ud800",
    "**bold** [link](http://x) ![i](y) &amp; ]]> --> \"quoted\" 'single'",
    "{braces} %s [red]markup[/red]",
    "emoji 🧑‍🔬",
    "欄位名稱" * 12,
    "x" * 9_000,
    "@team #1 ~~no~~ <!-- c -->",
    "`",
    " edges ",
]


def small() -> pw.Release:
    """Five people, two people, and one row that is suppressed."""
    sexes, diseases = ["f"] * 5 + ["m"] * 2 + ["*"], ["flu"] * 3 + ["cold"] * 2 + ["flu"] * 3
    ages, exact = ["3x"] * 5 + ["4x"] * 2 + ["*"], ["31", "32", "33", "34", "35", "41", "42", "43"]
    tree = [(age, f"{age[0]}x", "*") for age in exact]
    return pw.Release(
        {"sex": sexes, "age": ages, "disease": diseases},
        original={"sex": [*sexes[:7], "m"], "age": exact},
        quasi_identifiers=["sex", "age"],
        sensitive=["disease"],
        hierarchies={"age": tree, "sex": [("f", "*"), ("m", "*")]},
    )


def judged(release: pw.Release) -> Evaluation:
    """Two requirements that fail, two that hold, and one whose limit is built in."""
    return release.evaluate(
        pw.KAnonymity(k=3),
        pw.Profitability(cost=4, gain=300, loss=300, benefit=1200),
        pw.TCloseness(t="0.3"),
        pw.ReidentificationRisk(average="0.5"),
        pw.Precision(at_least="0.25"),
    )


def unasked() -> Evaluation:
    """One requirement that fails, one that could not be evaluated, one that holds; each with a reason (`why`)."""
    results = small().evaluate(pw.KAnonymity(k=3), pw.Precision(at_least="0.25")).results
    return Evaluation(
        results,
        requirements=[
            Requirement(pw.Precision(at_least="0.25"), results[1], why="what the data is needed for, " * 4),
            Requirement(pw.KMap(k=3), problem=Note("needs_population"), why="data release rule 8"),
            Requirement(pw.KAnonymity(k=3), results[0], why="rule 7"),
            Requirement(pw.KMap(k=2), problem=Note("error", {"text": "a.csv: 2 values <b>x</b>", "guarded": "a.csv"})),
        ],
        title="Small",
    )


def suppressed(*, original: bool = True) -> pw.Release:
    """A release that publishes nothing."""
    table = {"sex": ["*"] * 4, "age": ["*"] * 4, "disease": ["flu", "cold"] * 2}
    before = {"sex": ["f", "f", "m", "m"], "age": ["1", "2", "3", "4"]} if original else None
    return pw.Release(table, original=before, quasi_identifiers=["sex", "age"], sensitive=["disease"])


def hostile(name: str = "") -> pw.Release:
    """A table with all kinds of hostile names and cells, or with one of them as every name and cell."""
    names = [name, f"{name} of the sensitive"] if name else HOSTILE
    table = {one: [one, one, f"{one}2", "*"] if one in names[:-1] else ["1", "2", "2", "x"] for one in names}
    return pw.Release(table, original=table, quasi_identifiers=names[:-1], sensitive=names[-1:], sidecar=False)


def wide(columns: int = 200) -> pw.Release:
    """A table of many columns."""
    names = [f"a column of some length, number {one}" for one in range(columns)]
    table = {name: [str(row * one % 7) for row in range(60)] for one, name in enumerate(names)}
    return pw.Release(table, original=table, quasi_identifiers=names[1:], sensitive=names[:1])


def adult() -> Evaluation:
    """The storyboard's release, with its requirements."""
    folder = SHARED / "datasets" / "adult"
    release = pw.Release(
        SHARED / "golden" / "l3_occupation_qi6.csv.gz",
        original=folder / "adult.csv",
        hierarchies=folder / "adult_hierarchy",
        quasi_identifiers=["sex", "age", "race", "marital-status", "education", "native-country"],
        sensitive=["occupation"],
    )
    return release.evaluate(
        pw.KAnonymity(k=5),
        pw.TCloseness(t="0.4"),
        pw.LDiversity(l=3),
        pw.ReidentificationRisk(average="0.05"),
        pw.Profitability(cost=4, gain=300, loss=300, benefit=1200),
        pw.Precision(at_least="0.6"),
    )


@lru_cache
def all_sorts() -> dict[str, Evaluation]:
    """Evaluations of all kinds, unguarded."""
    return {
        "judged": judged(small()),
        "measured": small().evaluate(),
        "unasked": unasked(),
        "suppressed": judged(suppressed()),
        "suppressed, measured": suppressed(original=False).evaluate(),
        "hostile": hostile().evaluate(),
        "hostile, judged": hostile().evaluate(pw.KAnonymity(k=5), pw.LDiversity(l=9), pw.Precision(at_least=1)),
        "wide": wide().evaluate("k-anonymity", "t-closeness", "re-identification", "Precision", "shares"),
        "nothing": Evaluation([]),
        **{f"sample {number}": sample.release().evaluate() for number, sample in enumerate(SAMPLES)},
    }
