"""The base class of all measures: parameters in, a result out.

A measure is a frozen dataclass; its fields are its parameters. It belongs to one of three families. The base class of
the family turns what the measure yields into a result:

- privacy yields *bounds*: a score for every class, and the side of the limit where every score must be (`bounds.py`);
- utility yields *losses*: the amount lost and the amount that could be lost, by column or overall (`losses.py`);
- risk yields *figures*: named values (`figures.py`).

A measure reads `Facts` and nothing else: no rows, no files, no engine. Its result is computed once for each `Facts`.
`Words` are a measure's own templates in one language; each measure's file has them in every language.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeVar, dataclass_transform

from PETWorks.errors import NotAskableError
from PETWorks.exact.limit import Limit
from PETWorks.exact.sums import Bits, Roots
from PETWorks.facts.classes import Groups, Unit
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import FEW_SUPPRESSED, NEVER_HOLDS, UNMARKED_FULL_GENERALISATION, Name, Note
from PETWorks.measure.parameter import (
    column,
    columns,
    find_limits,
    find_parameters,
    flag,
    formula,
    function,
    model,
    number,
    table,
    values,
    word,
)
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.steps import Step
from PETWorks.tables.counting.tally import IntArray


class Page(NamedTuple):
    """A measure's page in the docs; each line is a paragraph. The English page is the docstring of the module."""

    summary: str
    definition: str
    formula: str
    example: str
    reading: str


@dataclass(frozen=True)
class Words:
    """The templates of a measure in one language; figures replace what is in braces (see `render/fill.py`).

    `sentence` states a result in words, `measured` names its value ("smallest class"). `steps` has a template for each
    kind of step that only this measure has: "untold" is what the number does not tell, "improve" what would improve it.
    """

    title: str
    sentence: str
    measured: str = ""
    steps: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)  # names of the parts of a result that are not columns
    terms: Mapping[str, str] = field(default_factory=dict)  # translations of figures that are words, such as "ordered"
    short: Mapping[str, str] = field(default_factory=dict)  # shorter terms, for narrow columns
    notes: Mapping[str, str] = field(default_factory=dict)  # a sentence for each kind of note
    decided: str = ""  # the figure that decided the value, for a narrow column; "": the deciding classes
    parameters: Mapping[str, str] = field(default_factory=dict)  # the meaning of each parameter
    people: str = ""  # the sentence where people have several rows; "": the same
    page: Page | None = None
    reference: str = ""  # the reference with translated remarks; "": that of the docstring


T = TypeVar("T")


class Need(StrEnum):
    """An input that a measure requires."""

    ORIGINAL = "original"
    SENSITIVE = "sensitive"
    POPULATION = "population"
    POPULATION_SIZE = "population_size"
    WEIGHT = "weight"
    HOLDOUT = "holdout"
    EARLIER = "earlier"


class ReleasedRows(StrEnum):
    """What a measure assumes about released rows."""

    PEOPLE = "people"  # each is a person, and a class is a group of people
    RECODED = "recoded"  # each is a row of the original, with cells that are more general
    ANY = "any"  # nothing is taken for granted


ROW_OBSTACLES = {  # why a measure has no value of rows that do not pair, for the caller
    "not_people": "the rows of this table are not people; a class of one is nobody",
    "needs_recoding": "it compares generalised rows with their original rows, and this table has none",
    "needs_pairing": "it compares rows with their original rows, and these do not pair",
}


AFFORDABLE_UNASKED = 2 * 10**6  # the most effort of a measure that nobody asked for by name; about 0.1 s


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(number, word, flag, column, columns, formula, function, model, table, values),
)
class Measure(ABC):
    """A property of a release that can be measured. Subclasses are frozen dataclasses; their fields are parameters.

    Parameters are passed by name. The main parameter of a measure may also be passed by position: ``KAnonymity(5)``.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    against: ClassVar[str] = ""  # the disclosure it protects against: "identity", "attribute" or "membership"
    needs: ClassVar[frozenset[Need]] = frozenset()
    rows: ClassVar[ReleasedRows] = ReleasedRows.PEOPLE  # what released rows are to it
    unit: ClassVar[Unit] = Unit.PEOPLE  # what it counts where people have several rows
    pairs: ClassVar[bool] = False  # True: if there is an original, compares released cells with their original cells
    by_hierarchy: ClassVar[Mapping[str, str]] = {}  # values of parameters that need hierarchies of sensitive attributes
    always_judges: ClassVar[bool] = False  # True: the definition of the measure includes a limit
    scales: ClassVar[bool] = False  # True: the value changes when every row is duplicated
    examples: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)  # parameters for examples and tests
    of_sizes: ClassVar[bool] = False  # True: values follow from the sizes of classes, except `people_parts`
    of_levels: ClassVar[bool] = False  # True: values follow from the levels of cells, and disclose how many are on each
    people_parts: ClassVar[tuple[str, ...]] = ()  # parts of results whose values are numbers of people
    fixed_parts: ClassVar[tuple[str, ...]] = ()  # parts of results that are not columns
    private_parts: ClassVar[tuple[str, ...]] = ()  # parts of results that the public never gets
    for_unpaired: ClassVar[bool] = False  # True: of a release whose rows pair, it is evaluated only if asked for
    for_editions: ClassVar[bool] = False  # True: evaluated unasked only beside earlier releases
    population_if: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # values of parameters with which it uses a population
    variant_figure: ClassVar[str] = ""  # the figure of a result that names the form of the measure, such as "distance"
    words: ClassVar[Mapping[str, Words]]
    _former_names: ClassVar[Mapping[str, str]] = {  # methods that plug-ins may still override by these names
        "closing": "conclude",
        "crowd_asked": "requested_suppressed_people",
        "discreet": "withhold",
        "size_asked": "requested_size",
        "smallest_to_go": "count_smallest_to_suppress",
    }

    def __init_subclass__(cls) -> None:
        """Make every measure a frozen dataclass; an override under a former name overrides the present method."""
        super().__init_subclass__()
        for former, name in cls._former_names.items():
            if former in vars(cls):
                setattr(cls, name, vars(cls)[former])
        dataclass(frozen=True, kw_only=True)(cls)

    def __post_init__(self) -> None:
        """Check the parameters."""
        for name, parameter in find_parameters(type(self)).items():
            object.__setattr__(self, name, parameter.read(getattr(self, name), name))

    @classmethod
    def is_called(cls, name: str) -> bool:
        """Return True if this is the name of the measure or of its class; ignores case, and hyphens in a class name."""
        letters = "".join(filter(str.isalnum, name.casefold()))
        return name.casefold() == cls.name.casefold() or letters == cls.__name__.casefold()

    @classmethod
    def list_required(cls) -> list[str]:
        """Return the names of the parameters that must be passed."""
        return [name for name, parameter in find_parameters(cls).items() if parameter.required]

    @classmethod
    def example_call(cls) -> str:
        """Write the call that builds the measure, with its required parameters and its limits.

        >>> from PETWorks import KAnonymity
        >>> KAnonymity.example_call()
        'KAnonymity(k=…)'
        """
        names = [
            name for name, one in find_parameters(cls).items() if one.required or (one.side and name != "at_least")
        ]
        return f"{cls.__name__}({', '.join(f'{name}=…' for name in names)})"

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as plain values, from which an equal measure can be built."""
        return {name: to_plain(getattr(self, name)) for name in find_parameters(type(self))}

    @property
    def judges(self) -> bool:
        """True if the parameters set a limit."""
        return self.always_judges or any(getattr(self, name) is not None for name in find_limits(type(self)))

    @property
    def _doubts(self) -> Iterator[Note]:
        """Warn if every limit that was set is at the end of the score range: no table can fail it."""
        known = find_parameters(type(self))
        given = {name: limit for name in find_limits(type(self)) if (limit := getattr(self, name)) is not None}
        if given and not self.always_judges and all(known[name].never_fails(limit) for name, limit in given.items()):
            told = ", ".join(f"{name} {limit}" for name, limit in given.items())
            yield Note("never_fails", {"measure": Name(f"{self.name} ({told})")}, warning=True, leading=True)

    @property
    def uses_population(self) -> bool:
        """True if a population, if given, changes the result."""
        asked = (getattr(self, name) in words for name, words in self.population_if.items())
        return any(asked) or not self.needs.isdisjoint({Need.POPULATION, Need.POPULATION_SIZE})

    @property
    def requested_size(self) -> int | None:
        """The class size that a limit requires; None if no limit does."""
        return None

    @property
    def requested_suppressed_people(self) -> int | None:
        """The minimum number of people among suppressed rows; None if this measure sets none.

        Fewer would disclose a person who is known to be in the table and matches no class.
        """
        return self.requested_size

    def count_smallest_to_suppress(self, sizes: IntArray) -> int:  # noqa: ARG002
        """Return a lower bound on the smallest classes to suppress before the measure can hold.

        `sizes` are those of all classes, in ascending order. A search calls it only while the measure fails, to skip
        steps.
        """
        return 1

    def estimate_effort(self, facts: Facts) -> int:  # noqa: ARG002
        """Return the effort of evaluating it on a table that was read: the number of combinations to regroup.

        Above `AFFORDABLE_UNASKED`, it is evaluated only if it is requested by name.
        """
        return 0

    def find_groups(self, facts: Facts) -> Groups:
        """Return the classes of a release, whose sizes are in the unit of the measure."""
        return facts.groups(self.unit)

    @classmethod
    def find_row_obstacle(cls, facts: Facts) -> str:
        """Return why it has no value for rows that do not pair, as the kind of a note; "" if it has one."""
        if facts.synthetic and cls.rows is not ReleasedRows.ANY:
            return "not_people" if cls.rows is ReleasedRows.PEOPLE else "needs_recoding"
        return "needs_pairing" if facts.unpaired and cls.rows is ReleasedRows.RECODED else ""

    def evaluate(self, facts: Facts) -> Result:
        """Return the result for a release; it is computed once for each `Facts`."""
        if why := self.find_row_obstacle(facts):
            hint = "ask what the file tells of the people it was made from: ReplicatedUniques, AttributeDisclosure"
            raise NotAskableError(ROW_OBSTACLES[why], hint=hint).name_measure(self.name)
        return self._cache(facts, self, lambda: self._with_notes(self._compute(facts), facts))

    def _cache(self, facts: Facts, key: Hashable, work: Callable[[], T]) -> T:
        """Return the cached result of `work`; an error about a missing input names the measure."""
        try:
            return facts.cache(key, work)
        except NotAskableError as error:
            raise error.name_measure(self.name) from error.__cause__

    def _with_notes(self, result: Result, facts: Facts) -> Result:
        """Add notes that put the value in doubt: limits that cannot fail, rows that do not pair, and others."""
        pairing = facts.columns.pairing if self.pairs else None
        perturbed = facts.unpaired and not facts.synthetic and self.rows is ReleasedRows.PEOPLE
        notes = [Note("perturbed")] if perturbed else []
        notes += [*(facts.population_notes if self.uses_population else ()), *(pairing.notes if pairing else ())]
        if not any(note.leading for note in result.notes if note not in facts.remarks):  # a measure may know more
            notes += self._doubts
        if self.requested_suppressed_people and 0 < facts.scope.suppressed_people < self.requested_suppressed_people:
            notes.append(Note(FEW_SUPPRESSED, {"size": Limit.of(self.requested_suppressed_people)}))
        if self.requested_size and facts.scope.everybody < self.requested_size:
            notes.append(Note(NEVER_HOLDS, {"size": Limit.of(self.requested_size)}, warning=True))
        notes += [Note(UNMARKED_FULL_GENERALISATION)] if facts.has_unmarked_full_generalisation else []
        return replace(result, notes=(*result.notes, *notes)) if notes else result

    @abstractmethod
    def _compute(self, facts: Facts) -> Result:
        """Compute the result for a release."""

    @abstractmethod
    def explain(self, result: Result) -> Iterator[Step]:
        """Yield the steps that explain how a result was computed."""

    def withhold(self, result: Result) -> Result:
        """Withhold figures specific to this measure that would disclose small classes; subclasses override it.

        `result.disclosure` states what may be shown.
        """
        return result

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return a size that the verdict on a part may tell apart from smaller ones, of the smallest class.

        Such as k: if the limit is kept, no class is smaller. 1: the verdict tells of no size.
        """
        return 1

    def tells_of_few(self, result: Result) -> bool:  # noqa: ARG002
        """Return True if values of the result would disclose something of fewer than five people to the public."""
        return False

    def conclude(self) -> Iterator[Step]:
        """Yield the closing steps: what the number does not show and what would improve it, if there are such words."""
        for kind in ("untold", "improve"):
            if kind in self.words["en"].steps:
                yield Step(kind)


def build_verdict(part: ResultPart) -> Step:
    """Build the step that compares a value with its limit."""
    figures = {
        "value": part.best_known,
        "limit": part.limit,
        "classes": part.failing_classes,
        "people": part.failing_people,
    }
    if part.holds is None:
        return Step("unjudged hopeless" if part.value is None else f"unjudged {part.side}".strip(), figures)
    if part.holds:
        return Step("holds nothing" if part.value is None else f"holds {part.side}", figures)
    if part.value is None:
        return Step("fails hopeless" if part.failing_classes else "fails unbounded", figures)
    return Step(f"fails {part.side}{', classes' if part.failing_classes else ''}", figures)


def all_hold(parts: Iterable[ResultPart]) -> bool | None:
    """Return True if every verdict holds; None if there is no verdict."""
    verdicts = [part.holds for part in parts if part.holds is not None]
    return all(verdicts) if verdicts else None


def to_plain(value: Any) -> Any:  # noqa: ANN401
    """Convert a parameter to a JSON value, from which an equal parameter is read."""
    if isinstance(value, Limit):
        return value.written if value.written is not None else to_plain(value.exact)
    if isinstance(value, Mapping):
        return {name: to_plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return list(value)
    if callable(value):
        return f"{value.__module__}:{value.__qualname__}"
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    return float(value) if isinstance(value, Bits | Roots) else value


def name_parts(parts: Iterable[tuple[str, ResultPart]]) -> dict[str, ResultPart]:
    """Return the parts by name. A duplicate name gets a prime, since a column may be called "k"."""
    found: dict[str, ResultPart] = {}
    for name, part in parts:
        key = name
        while key in found:
            key += "'"
        found[key] = part
    return found
