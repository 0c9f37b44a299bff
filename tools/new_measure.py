"""Write the file of a new measure, to be filled in: ``python tools/new_measure.py privacy my_measure``.

The file is complete in shape, so that what is still to be said is found by the tests rather than by readers.
"""

from __future__ import annotations

import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "PETWorks" / "measure"
FAMILIES = {
    "privacy": (
        "Privacy",
        "Bound, Facts, Number, Page, Privacy, Ratios, Side, Step, Words, number",
        '''\
    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the score of every class."""
        yield Bound(*self.limit_of("limit"), Ratios(facts.classes.sizes), facts.classes)

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield how one class got its score."""
        yield Step("computed", {"score": bound.scores.best_known(index)})
''',
    ),
    "risk": (
        "Risk",
        "Facts, Figure, Number, Page, Result, Risk, Side, Step, Words, build_grouping_step, number",
        '''\
    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the figures; the first is the value of the measure."""
        yield Figure("value", Fraction(len(facts.classes)), self.limit)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield how the figures are computed."""
        yield build_grouping_step(result.measured)
        yield Step("computed", {"score": result.exact})
''',
    ),
    "utility": (
        "Utility",
        "Facts, Loss, Page, Result, Step, Utility, Words",
        '''\
    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield how much was lost of how much could be."""
        yield Loss(Fraction(facts.scope.suppressed), Fraction(facts.scope.rows))

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield what was lost."""
        yield Step("computed", {"score": result.exact})
''',
    ),
}
LIMITS = {
    "privacy": "    limit: Number | None = number(default=None, limit=Side.AT_LEAST, least=0, kw_only=False)\n\n",
    "risk": "    limit: Number | None = number(default=None, limit=Side.AT_MOST, least=0, kw_only=False)\n\n",
    "utility": "",
}
TEMPLATE = '''"""{title}: TODO what it measures.

Definition
    TODO

Formula
    TODO

Example
    TODO two sentences, and a figure from the paper.

    >>> from PETWorks import Release
    >>> result = Release({{"year": ["197*", "198*", "198*"]}}).ask({kind}())
    >>> print(result.exact)
    TODO

Reading
    TODO which way is better, and what the number does not tell.

Reference
    TODO with a DOI.
"""

from __future__ import annotations

from collections.abc import Iterator
{fraction}from typing import ClassVar

from PETWorks.measure.plugin import {imports}


class {kind}({base}):
    """TODO one line."""

{limit}    name: ClassVar[str] = "{title}"
    examples: ClassVar = ({{}},)
{parts}    words: ClassVar = {{
        "en": Words(
            "{title}",
            "TODO a sentence with {{value}}.",
            "TODO what the value is called",
            {{
                "computed": "TODO {{score}}.",
                "untold": "TODO what the number does not tell.",
                "improve": "TODO what would improve it.",
            }},{names}
        ),
        "zh_TW": Words(
            "TODO",
            "TODO {{value}}。",
            "TODO",
            {{"computed": "TODO {{score}}。", "untold": "TODO。", "improve": "TODO。"}},{names}
            page=Page(summary="TODO", definition="TODO", formula="TODO", example="TODO", reading="TODO"),
        ),
    }}

{body}'''


def main(family: str, name: str) -> None:
    """Write the file, unless there is one."""
    if family not in FAMILIES or not name.isidentifier():
        raise SystemExit(f"usage: make measure FAMILY={'|'.join(FAMILIES)} NAME=my_measure")
    path = SOURCE / family / f"{name}.py"
    if path.exists():
        raise SystemExit(f"there is a measure already: {path}")
    base, imports, body = FAMILIES[family]
    risk = family == "risk"
    text = TEMPLATE.format(
        title=name.replace("_", " "),
        kind="".join(word.capitalize() for word in name.split("_")),
        base=base,
        imports=imports,
        body=body,
        limit=LIMITS[family],
        fraction="" if family == "privacy" else "from fractions import Fraction\n",
        parts='    fixed_parts: ClassVar = ("value",)\n' if risk else "",
        names='\n            parts={"value": "TODO"},' if risk else "",
    )
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {path}: fill in what says TODO, then run make lists and make test")


if __name__ == "__main__":
    main(*(sys.argv[1:] if len(sys.argv) == 3 else ("", "")))  # noqa: PLR2004 (family and name)
