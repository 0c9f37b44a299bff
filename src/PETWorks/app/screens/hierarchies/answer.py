"""The answer of the screen of hierarchies: which are complete, and whether the next step is open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from PETWorks.app.answering import Say, speaker
from PETWorks.app.screens.hierarchies.present import FILE, NONE, Hierarchies, Present
from PETWorks.errors import MANY
from PETWorks.explain.step import Name
from PETWorks.hierarchies.holders import together
from PETWorks.measure.registry import find

HAND = "parents"
TILES = ("intervals", "ordered", "prefixes", "dates", "places", HAND, "rare_last", "quantiles", FILE, NONE)


class Entry(NamedTuple):
    """A quasi-identifier in the list of all."""

    number: int
    name: Name
    state: str  # the icon: "holds", "note", "fails" or "waits"
    words: Markup


@dataclass(frozen=True)
class Answer:
    """All quasi-identifiers, and the one that is looked at."""

    all: Hierarchies
    present: Present
    language: str
    small: bool = False  # True: values of few people may be shown

    @cached_property
    def say(self) -> Say:
        """What fills the words of the application."""
        return speaker(self.language, rows=self.all.survey.person is not None)

    @property
    def least(self) -> int:
        """How many people a value must have to be named."""
        return 1 if self.small else MANY

    @cached_property
    def _bad(self) -> list[Present]:
        return [one for one in self.all if not self.all.is_good(one)]

    @cached_property
    def _waiting(self) -> list[Present]:
        return [one for one in self.all if one.waits]

    @property
    def state(self) -> str:
        """Whether the next step is open."""
        return "fails" if self._bad else "waits" if self._waiting else "holds"

    @property
    def title(self) -> Markup:
        """The answer."""
        every, done = len(self.all), len(self.all) - len(self._bad)
        if self._bad:
            first = next((one for one in self._bad if one.name == self.present.name), self._bad[0])
            found = "hierarchies_leaves_out" if first.hierarchy else "hierarchies_broken"
            key = "hierarchies_absent" if first.absent else found
            return self.say(key, done=done, all=every, column=Name(first.name), values=first.lacking)
        if self._waiting:
            return self.say("hierarchies_waiting", waiting=len(self._waiting), all=every)
        return self.say("hierarchies_done" if every > 1 else "hierarchies_done_one", all=every)

    @property
    def lead(self) -> Markup:
        """What the answer means."""
        first = next((one for one in self._bad if one.name == self.present.name), (*self._bad, None)[0])
        if first is None:
            key = "hierarchies_lead_waiting" if self._waiting else "hierarchies_lead_done"
            return self.say(key, combinations=self.all.combinations)
        if first.absent:
            return self.say("hierarchies_lead_absent", column=Name(first.name), measure=self._measure(first))
        if first.coverage is None:
            return self.say("hierarchies_lead_broken", column=Name(first.name))
        people, rows = first.coverage.lacking_people, together(first.counts)
        return self.say("hierarchies_lead", column=Name(first.name), people=people, rows=rows, share=people / rows)

    @property
    def shut(self) -> Markup:
        """Why the next step is shut; nothing if it is open."""
        names = [Name(one.name) for one in self._bad if not one.absent]  # which another requirement may settle
        return self.say("hierarchies_door", columns=names) if names else Markup()

    @property
    def entries(self) -> list[Entry]:
        """The quasi-identifiers."""
        return [Entry(one.number, Name(one.name), self._state(one), self._told(one)) for one in self.all]

    def _measure(self, one: Present) -> str:
        """Return the name of the measure that asks for a hierarchy."""
        return find(one.needed_by).words[self.language].title

    def _state(self, one: Present) -> str:
        if one.hierarchy is None or one.absent:
            return "fails"
        return "waits" if one.waits else "holds" if self.all.is_good(one) else "note"

    def _told(self, one: Present) -> Markup:
        if one.absent:
            return self.say("hierarchies_entry_absent", measure=self._measure(one))
        if one.hierarchy is None:
            return self.say("hierarchies_entry_broken")
        if one.waits and one.suggestion.rule:
            return self.say("hierarchies_entry_suggested", builder=self.builder_name(one.suggestion.rule.kind))
        levels = one.hierarchy.height
        if one.lacking:
            return self.say("hierarchies_entry_lacks", levels=levels, values=one.lacking)
        return self.say("hierarchies_entry", levels=levels, builder=self.builder_name(one.kind))

    def builder_name(self, kind: str) -> Markup:
        """Write the name of a builder within a sentence."""
        return self.say(f"hierarchies_made_{kind}" if kind in TILES else "hierarchies_made_unknown")
