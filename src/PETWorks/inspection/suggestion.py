"""Suggest the role of a column, with reasons; or no role, and the question that a person has to answer.

The name of a column indicates a topic, in English or Chinese; the words are in `topics.toml`.

>>> [one.name if (one := find_topic(name)) else None for name in ("dateOfBirth", "出生年月日", "ZIP", "wage", "x1")]
['birth', 'birth', 'postal_code', 'money', None]

The values of a column may be places of Taiwan.

>>> classify_place("台北市"), classify_place("東區"), classify_place("花蓮縣秀林鄉富世村"), classify_place("東京")
('county', 'township', 'township', None)
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from PETWorks.facts.notes import Cell, Note
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.places import read_known_places, read_place
from PETWorks.inspection.values import WHOLE as SUGGESTION_WHOLE
from PETWorks.inspection.values import ColumnValues, Kind, Match, find_date_form, find_matches
from PETWorks.shown import THRESHOLD as SUGGESTION_MANY

MIN_PLACE_SHARE = 0.8  # the share of people whose values must be places
MAX_PLACES = 10_000  # a column with more different values has addresses, not places


def find_place_form(values: ColumnValues) -> tuple[str, float] | None:
    """Return the kind of place of most values ("county", "township"), and the share of people who have one; or None."""
    if not 0 < len(values.texts) <= MAX_PLACES:
        return None
    people = Counter[str]()
    for text, count in zip(values.texts, values.counts.tolist(), strict=True):
        if kind := classify_place(text):
            people[kind] += count
    share = people.total() / values.people
    return (people.most_common(1)[0][0], share) if share >= MIN_PLACE_SHARE else None


def classify_place(text: str) -> str | None:
    """Return "county" or "township"; None for a text that does not begin with a place."""
    if place := read_place(text):
        return "township" if place.district else "county"
    return "township" if text.replace("台", "臺") in _list_townships() else None


@cache
def _list_townships() -> frozenset[str]:
    """Return the names of townships and districts, including those that several counties have."""
    return frozenset(place.district for place in read_known_places()[1].values())


BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+|(?<=\d)(?=[A-Za-z])")
WHOLE_NAME = "="  # before a word that must be the whole name


class Topic(NamedTuple):
    """The topic of a column, the role that it suggests, and the sentences that give the reasons."""

    name: str
    role: Role
    why: str
    law: str = ""  # the sentence about the law that names it


@cache
def _read_topics() -> list[Topic]:
    return [Topic(name, Role(one["role"]), one["why"], one.get("law", "")) for name, one in _read_words().items()]


@cache
def _read_words() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8"))


@cache
def _rank_phrases(language: str) -> dict[str, tuple[int, int]]:
    """Return the rank of each phrase of a language: longer phrases first, then in the order of the topics."""
    found = [(phrase, place) for place, one in enumerate(_read_words().values()) for phrase in one[language]]
    return {_normalise_phrase(phrase): (-len(phrase.split()), place) for phrase, place in reversed(found)}


def _normalise_phrase(phrase: str) -> str:
    """Return a phrase as it is found in names, word by word: HbA1c is "hba1 c"."""
    return WHOLE_NAME * phrase.startswith(WHOLE_NAME) + " ".join(_split_words(phrase))


def _split_words(name: str) -> list[str]:
    return BOUNDARY.sub(" ", name).casefold().split()


@cache
def _find_longest_phrase() -> int:
    return max(len(phrase.split()) for phrase in _rank_phrases("english"))


def find_topic(column: str) -> Topic | None:
    """Return the topic of a name: of the longest English phrase, else the first that fits; None if none does.

    A name is read word by word: the word "age" is not in "language".
    """
    words = _split_words(column)
    ends = [(start, end) for start in range(len(words)) for end in range(start + 1, start + 1 + _find_longest_phrase())]
    phrases = {" ".join(words[start:end]) for start, end in ends} | {WHOLE_NAME + " ".join(words)}
    found = [_rank_phrases("english")[phrase] for phrase in phrases if phrase in _rank_phrases("english")]
    if not column.isascii():
        found += [
            rank for part, rank in _rank_phrases("chinese").items() if part in column or part == WHOLE_NAME + column
        ]
    return _read_topics()[min(found)[1]] if found else None


NEARLY_ALL_SHARE = 0.95  # the share of different values from which on a column is nearly unique
MIN_ROWS = 20  # the rows that this needs
MIN_FREE_TEXT_LENGTH = 25  # the mean length, in characters, from which on text that is mostly different is free text
FREE_TEXT_SHARE = 0.5
MIN_SHARED_PEOPLE = 10  # people of each value, on average, from which on values hardly identify a person
DATE_TOPICS = ("birth", "death", "date")  # topics of dates, which may be written as digits only
NUMBERS = "numbers_rows"  # the reason for a number that may be a person's, or that of something else


class RoleSuggestion(NamedTuple):
    """A role (None: a question) and the reasons. `naming` is True if values may name people, so that none is shown."""

    role: Role | None
    reasons: tuple[Note, ...]
    naming: bool = False


@dataclass(frozen=True)
class Evidence:
    """The evidence on a column: its values, their kind, the topic of its name, and their most frequent form."""

    name: str
    values: ColumnValues
    kind: Kind

    @cached_property
    def topic(self) -> Topic | None:
        """The topic of the name; None if it suggests an identifier although the values are yes and no."""
        topic = find_topic(self.name)
        return None if topic and topic.role is Role.IDENTIFIER and self.kind is Kind.YES_NO else topic

    @cached_property
    def found(self) -> Match | None:
        """The most frequent form of the values, with its share."""
        return next(find_matches(self.values), None)

    @property
    def looks(self) -> tuple[Note, ...]:
        """The most frequent form of the values, if there is one."""
        if self.found:
            return (_build_looks_note(self.found.finder.name, self.found.share, self.found.right),)
        return (_build_looks_note(*self.place),) if self.place else ()

    @cached_property
    def place(self) -> tuple[str, float] | None:
        """The kind of place of Taiwan of most values, and the share of people who have one."""
        return find_place_form(self.values) if self.kind is Kind.TEXT and not self.free_text else None

    @property
    def different(self) -> Note:
        """The note on the number of distinct values."""
        distinct, people = self.values.distinct, self.values.people
        return (
            Note("all_different") if distinct == people else Note("different", {"distinct": distinct, "people": people})
        )

    @property
    def spread(self) -> Iterator[Note]:
        """The range of numbers, between bounds that five people or more share, and how many values few people have."""
        if self.kind is Kind.NUMBER and (shared := find_common_range(self.values)):
            yield Note("range", {"low": Cell(shared[0]), "high": Cell(shared[1])})
        if rare := int((self.values.counts < SUGGESTION_MANY).sum()):
            yield Note("rare", {"values": rare, "people": self.values.few})

    @property
    def free_text(self) -> bool:
        """True for long, mostly different texts, which may contain anything."""
        values = self.values
        return (
            self.kind is Kind.TEXT
            and values.length >= MIN_FREE_TEXT_LENGTH
            and values.distinct > FREE_TEXT_SHARE * values.people
        )

    @property
    def nearly_unique(self) -> bool:
        """True if nearly all rows have different values, and there are enough rows to decide."""
        values = self.values
        return values.people >= MIN_ROWS and values.distinct >= NEARLY_ALL_SHARE * values.people

    @property
    def may_name_people(self) -> bool:
        """True if values may identify people by themselves; an ambiguous form only if few people have each value."""
        found = self.found.finder if self.found and self.found.finder.role is Role.IDENTIFIER else None
        return self.free_text or self.nearly_unique or bool(found and (found.telling or not self.shared))

    @property
    def shared(self) -> bool:
        """True if each value is shared by so many people that it hardly identifies anybody."""
        return self.values.people > MIN_SHARED_PEOPLE * self.values.distinct


def suggest_role(column: Evidence) -> RoleSuggestion:
    """Suggest a role by the first rule that applies; if none does, suggest a question."""
    return next(filter(None, (rule(column) for rule in RULES)), None) or _ask(column)


def _judge_free_text(column: Evidence) -> RoleSuggestion | None:
    if not column.free_text:
        return None
    return RoleSuggestion(
        None, (Note("free_text", {"length": round(column.values.length)}), column.different), naming=True
    )


def _judge_identifier_form(column: Evidence) -> RoleSuggestion | None:
    found = column.found
    if not (found and found.finder.telling and found.finder.role is Role.IDENTIFIER):
        return None
    return RoleSuggestion(Role.IDENTIFIER, (*column.looks, column.different), naming=True)


def _judge_identifier_name(column: Evidence) -> RoleSuggestion | None:
    """Judge by the name: numbers of people may repeat, but a value that many people share identifies nobody."""
    if not (topic := column.topic) or topic.role is not Role.IDENTIFIER:
        return None
    values, said = column.values, Note("name_says", {"topic": topic.name})
    unclear = topic.why == NUMBERS and not column.nearly_unique
    if unclear or column.shared:
        mean = round(values.people / max(values.distinct, 1), 1)
        return RoleSuggestion(None, (said, *column.looks, Note("names_whom", {"mean": mean})), naming=True)
    return RoleSuggestion(Role.IDENTIFIER, (said, *column.looks, Note(topic.why), column.different), naming=True)


def _judge_attribute_name(column: Evidence) -> RoleSuggestion | None:
    if not (topic := column.topic) or topic.role is Role.IDENTIFIER:
        return None
    form = find_date_form(column.values, compact=topic.name in DATE_TOPICS)
    looks = (_build_looks_note(*form),) if form else column.looks
    why = [Note(kind) for kind in (topic.why, topic.law) if kind]
    reasons = (Note("name_says", {"topic": topic.name}), *looks, *why, *column.spread)
    return RoleSuggestion(topic.role, reasons, naming=column.may_name_people and column.kind is not Kind.DATE)


def _judge_unique_values(column: Evidence) -> RoleSuggestion | None:
    """Judge by uniqueness: codes, texts and whole numbers that nearly all differ are identifiers."""
    if not column.nearly_unique or column.kind is Kind.DATE:
        return None
    whole = column.values.distinct == column.values.people and column.values.count_share(SUGGESTION_WHOLE) == 1
    measures = column.kind is Kind.NUMBER and not whole
    role, why = (None, "names_or_measures") if measures else (Role.IDENTIFIER, NUMBERS)
    return RoleSuggestion(role, (*column.looks, column.different, Note(why)), naming=True)


def _judge_attribute_form(column: Evidence) -> RoleSuggestion | None:
    if not (column.found and column.found.finder.telling):
        return None
    return RoleSuggestion(column.found.finder.role, (*column.looks, Note(column.found.finder.why), *column.spread))


def _judge_place(column: Evidence) -> RoleSuggestion | None:
    if not column.place:
        return None
    return RoleSuggestion(Role.QUASI_IDENTIFIER, (*column.looks, Note("others_know"), *column.spread))


def _judge_date(column: Evidence) -> RoleSuggestion | None:
    if not (form := find_date_form(column.values)):
        return None
    return RoleSuggestion(Role.QUASI_IDENTIFIER, (_build_looks_note(*form), Note("public_records"), *column.spread))


def _ask(column: Evidence) -> RoleSuggestion:
    values = column.values
    if values.distinct <= 1:
        return RoleSuggestion(None, (Note("one_value" if values.distinct else "no_value"),))
    kind = column.looks or (Note("no_kind", {"distinct": values.distinct, "share": values.common_share}),)
    return RoleSuggestion(None, (*kind, *column.spread, Note("could_know")), naming=column.may_name_people)


def _build_looks_note(form: str, share: float, right: float | None = None) -> Note:
    checked = {} if right is None else {"right": right}
    return Note("looks_checked" if checked else "looks", {"form": form, "share": share, **checked})


RULES = (
    _judge_identifier_form,
    _judge_identifier_name,
    _judge_free_text,
    _judge_attribute_name,
    _judge_unique_values,
    _judge_attribute_form,
    _judge_place,
    _judge_date,
)


def find_common_range(values: ColumnValues) -> tuple[str, str] | None:
    """Return the smallest and largest number that at least five people have; None unless there are two such numbers."""
    numbers = {}
    for place in np.flatnonzero(values.counts >= SUGGESTION_MANY).tolist():
        try:
            numbers[float(values.texts[place].replace(",", ""))] = values.texts[place]
        except ValueError:  # one of the few cells that are no numbers
            continue
    return (numbers[min(numbers)], numbers[max(numbers)]) if len(numbers) > 1 else None
