"""The shape of a measure: frozen parameters in, a result out.

A measure is a frozen dataclass; its fields are its parameters. It belongs to one of three families, and the family
turns what it yields into a result, once for all measures:

- privacy yields *bounds*: a score for every class, and the side of a limit on which all must be (`bound.py`);
- utility yields *losses*: how much was lost of how much could be, for each column or overall (`loss.py`);
- risk yields *figures*: named values (`figure.py`).

A measure sees `Facts` and nothing else: no rows, no files, no engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from PETWorks.exact.limit import Limit
from PETWorks.exact.log_sum import Bits
from PETWorks.explain.step import Step
from PETWorks.facts.facts import Facts
from PETWorks.measure.result import Part, Result


class Need(StrEnum):
    """What a measure cannot do without."""

    ORIGINAL = "original"
    SENSITIVE = "sensitive"
    POPULATION = "population"
    POPULATION_SIZE = "population_size"


class Words(NamedTuple):
    """A measure's own words in one language.

    Its title, a sentence that reads its result out, what its value is called (``smallest class``), and a template for
    each kind of step that is its own. ``untold`` says what the number does not tell, ``improve`` what would improve it.
    """

    title: str
    sentence: str
    measured: str = ""
    steps: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Measure(ABC):
    """A question that can be asked of a release."""

    name: ClassVar[str]
    family: ClassVar[str]
    needs: ClassVar[frozenset[Need]] = frozenset()
    pairs: ClassVar[bool] = False  # looks at released cells beside their originals, where there is an original
    scales: ClassVar[bool] = False  # changes when every row is written twice
    examples: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)  # parameters that are worth asking with
    fixed_parts: ClassVar[tuple[str, ...]] = ()  # parts of results that are not columns
    words: ClassVar[Mapping[str, Words]]

    def __post_init__(self) -> None:
        """Check the parameters."""
        for one in fields(self):
            if parameter := one.metadata.get("parameter"):
                object.__setattr__(self, one.name, parameter.read(getattr(self, one.name), one.name))

    @classmethod
    def is_called(cls, name: str) -> bool:
        """Whether a name is the measure's, or its class's; capitals do not matter, nor hyphens within the latter."""
        letters = "".join(filter(str.isalnum, name.casefold()))
        return name.casefold() == cls.name.casefold() or letters == cls.__name__.casefold()

    @classmethod
    def required(cls) -> list[str]:
        """Name the parameters that must be given."""
        return [one.name for one in fields(cls) if one.default is MISSING and one.default_factory is MISSING]

    def parameters(self) -> dict[str, Any]:
        """Give the parameters as plain values, from which an equal measure can be made."""
        return {one.name: plain(getattr(self, one.name)) for one in fields(self)}

    @abstractmethod
    def evaluate(self, facts: Facts) -> Result:
        """Answer for a release."""

    @abstractmethod
    def explain(self, result: Result) -> Iterator[Step]:
        """Say step by step how a result came about."""

    def closing(self) -> Iterator[Step]:
        """Say what the number does not tell, and what would improve it, where the measure has words for that."""
        for kind in ("untold", "improve"):
            if kind in self.words["en"].steps:
                yield Step(kind)


def verdict(part: Part) -> Step:
    """Compare a value with its limit."""
    figures = {
        "value": part.exact if part.exact is not None else part.value,
        "limit": part.limit,
        "classes": part.failing_classes,
        "people": part.failing_rows,
    }
    if part.holds is None:
        return Step("unjudged hopeless" if part.value is None else f"unjudged {part.side}".strip(), figures)
    if part.holds:
        return Step("holds nothing" if part.value is None else f"holds {part.side}", figures)
    if part.value is None:
        return Step("fails hopeless", figures)
    return Step(f"fails {part.side}{', classes' if part.failing_classes else ''}", figures)


def all_hold(parts: Iterable[Part]) -> bool | None:
    """Whether everything that was judged holds; None if nothing was."""
    verdicts = [part.holds for part in parts if part.holds is not None]
    return all(verdicts) if verdicts else None


def plain(value: Any) -> Any:  # noqa: ANN401
    """Turn an exact number into what JSON can say."""
    if isinstance(value, Limit):
        return value.written if value.written is not None else plain(value.exact)
    if callable(value):
        return f"{value.__module__}:{value.__qualname__}"
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    return float(value) if isinstance(value, Bits | Decimal) else value


def keyed(parts: Iterable[tuple[str, Part]]) -> dict[str, Part]:
    """Put parts by name into a mapping; a column may have the name of another part, and is then told from it."""
    found: dict[str, Part] = {}
    for name, part in parts:
        key = name
        while key in found:
            key += "'"
        found[key] = part
    return found
