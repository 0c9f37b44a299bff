"""Suggest hierarchies: for each column, a rule that fits its values, with the reason.

Nothing is applied: rules are suggestions, and unclear cases are questions. The same values always get the same
suggestion. A kind of values is recognised if all but a twentieth of the people have such a value. The ends of intervals
do not reveal the extreme values: five people or more have a value up to each of them.

>>> found = suggest_hierarchies({"age": [str(number) for number in range(17, 91)] * 5})
>>> print(found["age"])
age: 74 different numbers: intervals of 5, 10, 20.
>>> found["age"].rule
Intervals(name='age', widths=(5, 10, 20), bottom=0, top=100, origin=None)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PETWorks.exact.limit import format_decimal
from PETWorks.hierarchies.dates import Dates, Day, read_date, write_period
from PETWorks.hierarchies.hierarchy import TOP
from PETWorks.hierarchies.number_rules import Intervals, read_units
from PETWorks.hierarchies.places import Places, read_place
from PETWorks.hierarchies.rule import Rule
from PETWorks.hierarchies.value_rules import Ordered, Prefixes
from PETWorks.hierarchies.values import count_values
from PETWorks.presentation import Language, presenter
from PETWorks.shown import THRESHOLD
from PETWorks.tables.opening import open_source

Counts = Mapping[str, int]
FEW_VALUES = 10  # a column of at most so many values needs no hierarchy
MAX_INTERVALS = 20  # groups that the narrowest intervals make at most
CODE_NAMES = re.compile(r"zip|post|code|fips|icd|area|代碼|代號|郵遞|區號|碼$", re.IGNORECASE)
NOMINAL_NAMES = re.compile(
    r"(?:^|[^a-z])(?:code|class|category|type|kind|recode)s?(?:$|[^a-z])|碼$|代號|類別|職類|行業別", re.IGNORECASE
)
CODE = re.compile(r"[A-Za-z]{1,2}[0-9]{2}[0-9A-Za-z.]*", re.ASCII)
SCALES = (  # words in their order; similar scales have other words for the same steps
    (
        "preschool|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|hs-grad|some-college|assoc-voc|assoc-acdm|bachelors|masters|"
        "prof-school|doctorate"
    ),
    "none|primary|elementary|secondary|high school|vocational|college|university|bachelor|master|doctorate|phd",
    "不識字|自修|國小|小學|國中|初中|初職|高中|高職|高中職|五專|二專|三專|專科|大學|學士|研究所|碩士|博士",
    "very low|low|medium|moderate|high|very high",
    "mild|moderate|severe|profound",
    "strongly disagree|disagree|neutral|agree|strongly agree",
    "輕度|中度|重度|極重度",
    "低|中低|中|中高|高",
    "非常不同意|不同意|普通|同意|非常同意",
    "xs|s|m|l|xl|xxl",
)


@dataclass(frozen=True)
class Guess:
    """The kind of the values, the figures that explain it, and a rule for it, if any."""

    kind: str
    rule: Rule | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    question: bool = False  # True: somebody who knows the data must decide


def find_dates(name: str, counts: Counts) -> Guess | None:
    """Suggest a rule for dates; years alone are numbers.

    A period that forms no more groups than a coarser one is left out.
    """
    read = {value: read_date(value) for value in counts}
    known = [day for day in read.values() if day]
    if not _fits_most(counts, lambda value: bool(read[value])) or not any(day.month for day in known):
        return None
    roc, both = any(day.roc for day in known), len({day.roc for day in known}) > 1
    one_year = len({day.year for day in known}) == 1
    above = ("quarter", "half-year") if one_year else ("year", "five years", "decade")
    if not (periods := _choose_periods(known, ("day", "month", *above), roc=roc and not both)):
        return describe_others(name, counts)
    sure = all(day.sure for day in known) or any(day.roc and day.sure for day in known)
    rule = Dates(name, tuple(periods), None if sure else "roc", "iso" if both else None)
    return Guess("dates_roc" if roc else "dates", rule, {"levels": [*rule.periods]}, question=not sure or both)


def _choose_periods(days: Sequence[Day], periods: Sequence[str], *, roc: bool) -> list[str]:
    """Return the periods that form fewer groups of dates than the period before, and more than one."""
    different, found, before = {*days}, list[str](), len(days)
    for period in periods:
        groups = len({write_period(day, period, roc=roc) for day in different})
        if 1 < groups < before:
            found, before = [*found, period], groups
    return found


def find_places(name: str, counts: Counts) -> Guess | None:
    """Suggest a rule for places of Taiwan."""
    read = {value: read_place(value) for value in counts}
    if not _fits_most(counts, lambda value: bool(read[value])):
        return None
    known = {value: place for value, place in read.items() if place}
    longer = any(len(value) > len(place.county + place.district) for value, place in known.items())
    districts = any(place.district for place in known.values())
    areas = ("district", "county", "region") if longer else ("county", "region") if districts else ("region",)
    return Guess("places", Places(name, areas), {"levels": [*areas]})


def find_codes(name: str, counts: Counts) -> Guess | None:
    """Suggest prefixes for codes of digits of one length, or of a letter and digits: the first ones mean most."""
    lengths = {len(value) for value in counts}
    digits = all(value.isascii() and value.isdigit() for value in counts) and len(lengths) == 1
    length = max(lengths)
    named = bool(CODE_NAMES.search(name)) or any(value.startswith("0") for value in counts)
    if not (digits and length >= (3 if named else 5)) and not _fits_most(
        counts, lambda value: bool(CODE.fullmatch(value))
    ):
        return None
    keep = (3, 1) if length >= 5 else tuple(range(length - 1, 0, -1))  # noqa: PLR2004
    question = not named and digits
    return Guess("codes", Prefixes(name, keep, _choose_mask(counts)), {"keep": [*keep]}, question=question)


def find_nominal_codes(name: str, counts: Counts) -> Guess | None:
    """Find whole numbers that the name of the column calls codes: they are names, and no quantities."""
    if len(counts) <= FEW_VALUES or not NOMINAL_NAMES.search(name):
        return None
    return Guess("nominal", question=True) if _fits_most(counts, str.isdecimal) else None


def find_numbers(name: str, counts: Counts) -> Guess | None:
    """Suggest intervals for numbers: of 1, 2 or 5 times a power of ten, the narrowest that form at most twenty."""
    values = [*counts]
    covered, found, digits = read_units(values)
    is_number = {values[place] for place in covered}
    if not _fits_most(counts, lambda value: value in is_number) or len(is_number) <= FEW_VALUES:
        return None
    by_number = dict[int, int]()
    for place, number in zip(covered, found.tolist(), strict=True):
        by_number[number] = by_number.get(number, 0) + counts[values[place]]
    low, high = _find_end(sorted(by_number.items())), _find_end(sorted(by_number.items(), reverse=True))
    widths = _choose_widths(high - low)
    bottom, top = low // widths[-1] * widths[-1], (high // widths[-1] + 1) * widths[-1]
    told = {"widths": [format_decimal(width, digits) for width in widths]}
    return Guess(
        "numbers", Intervals(name, _write_numbers(widths, digits), *_write_numbers((bottom, top), digits)), told
    )


def find_ordinal(name: str, counts: Counts) -> Guess | None:
    """Suggest a question for words with an order, such as levels of education: only an expert can order them."""
    folded = {value.casefold(): value for value in counts}
    for scale in SCALES:
        steps = scale.split("|")
        known = [folded[step] for step in steps if step in folded]
        if len(known) >= 3 and _fits_most(counts, lambda value, steps=steps: value.casefold() in steps):  # type: ignore[misc]  # noqa: PLR2004
            sizes = (2, 4) if len(known) > 4 else (2,)  # noqa: PLR2004
            return Guess("ordinal", Ordered(name, tuple(known), sizes), question=True)
    return None


def describe_others(name: str, counts: Counts) -> Guess:  # noqa: ARG001
    """Describe other columns: few values, values that are nearly all different, or words."""
    people = sum(counts.values())
    if len(counts) <= FEW_VALUES:
        return Guess("few")
    return Guess("different" if len(counts) * 2 > people else "words", question=True)


GUESSES: Sequence[Callable[[str, Counts], Guess | None]] = (
    find_dates,
    find_places,
    find_codes,
    find_nominal_codes,
    find_numbers,
    find_ordinal,
    describe_others,
)


def _fits_most(counts: Counts, fits: Callable[[str], bool]) -> bool:
    """Return True if all but a twentieth of the people have a value that fits."""
    wrong = sum(people for value, people in counts.items() if not fits(value))
    return wrong * 20 <= sum(counts.values()) and wrong < sum(counts.values())


def _choose_widths(span: int) -> tuple[int, ...]:
    """Return widths of 1, 2 or 5 times a power of ten that nest, the widest at most half of the span.

    >>> _choose_widths(73), _choose_widths(1000), _choose_widths(12)
    ((5, 10, 20), (50, 100, 200), (1, 2))
    """
    nice = [step * 10**power for power in range(len(str(span)) + 1) for step in (1, 2, 5)]
    first = next(width for width in nice if width * MAX_INTERVALS >= span)
    widths = [first]
    for width in nice:
        if width >= 2 * widths[-1] and width % widths[-1] == 0 and width * 2 <= span:
            widths.append(width)
    return tuple(widths)


def _write_numbers(found: Sequence[int], digits: int) -> tuple[Any, ...]:
    return tuple(one if not digits else format_decimal(one, digits) for one in found)


def _find_end(people: Sequence[tuple[int, int]]) -> int:
    """Return the first of ordered numbers up to which there are at least five people."""
    together = 0
    for number, count in people:
        together += count
        if together >= THRESHOLD:
            return number
    return people[0][0]


def _choose_mask(counts: Counts) -> str:
    """Return a character that does not occur in any value, to mask characters with."""
    return next(mark for mark in "*#?-_" if not any(mark in value for value in counts))


@dataclass(frozen=True)
class Suggestion:
    """A rule for a column, and the reason. Without a rule, values are kept or suppressed.

    If `question` is True, somebody who knows the data must decide whether the rule fits, or group values by hand.
    """

    name: str
    kind: str  # of the values: dates, dates_roc, places, codes, numbers, ordinal, few, different, words
    rule: Rule | None
    question: bool
    values: int
    figures: Mapping[str, Any] = field(default_factory=dict)

    def text(self, language: Language = "en") -> str:
        """Write the kind of the values and the suggestion, without any value of the table."""
        return presenter().suggestion_text(self, language)

    def __str__(self) -> str:
        """Write it in English."""
        return self.text()


class Suggestions(Mapping[str, Suggestion]):
    """Suggestions by column."""

    def __init__(self, found: Iterable[Suggestion]) -> None:
        self._found = {one.name: one for one in found}

    def __getitem__(self, name: str) -> Suggestion:
        """Return the suggestion for a column."""
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the columns."""
        return iter(self._found)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._found)

    @property
    def rules(self) -> list[Rule]:
        """The suggested rules that need no decision, to pass as hierarchies."""
        return [one.rule for one in self.values() if one.rule and not one.question]

    def text(self, language: Language = "en") -> str:
        """Write a line for each column."""
        return "\n".join(one.text(language) for one in self.values())

    def __str__(self) -> str:
        """Write it in English."""
        return self.text()


def suggest_hierarchies(
    table: Any,  # noqa: ANN401 (any kind of table)
    *,
    quasi_identifiers: Iterable[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Suggestions:
    """Suggest a hierarchy for each quasi-identifier of a table, by default for every column, with the reason."""
    source = open_source(table, "table", delimiter, encoding)
    names = list(source.columns if quasi_identifiers is None else quasi_identifiers)
    source.require(names, "of which a hierarchy is suggested")
    return Suggestions(suggest_rule(name, counts) for name, counts in count_values(source, names).items())


def suggest_rule(name: str, counts: Mapping[str | None, int]) -> Suggestion:
    """Suggest a hierarchy for the values of a column, with their counts."""
    known = {value: count for value, count in counts.items() if value is not None and value != TOP}
    guesses = (guess(name, known) for guess in (GUESSES if known else GUESSES[-1:]))
    found = next(one for one in guesses if one)
    return Suggestion(name, found.kind, found.rule, found.question, len(known), found.figures)
