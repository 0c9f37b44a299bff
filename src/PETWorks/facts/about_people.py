"""What facts tell about people who have several rows: whose rows they are, and what results must say about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Mask, Tally, Value
from PETWorks.facts.memo import kept
from PETWorks.facts.notes import Crowd, Name, Note
from PETWorks.facts.pseudonyms import joining_column

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


class AboutPeople:
    """The part of facts that is about people. Nothing of it is there if every row is one person."""

    if TYPE_CHECKING:

        @property
        def released(self) -> Tally:
            """The quasi-identifiers and sensitive attributes of the release."""

        def suppressed(self, tally: Tally) -> Mask:
            """Return a mask of the combinations of which all quasi-identifiers are suppressed."""

    @property
    def _facts(self) -> Facts:
        return self  # type: ignore[return-value]

    @kept
    def all_persons(self) -> Persons | None:
        """Whose rows the combinations of `released` are; None if no column says so."""
        facts = self._facts
        if not facts.fits or (persons := facts._tallies.persons) is None:  # noqa: SLF001 (a part of it)
            return None
        if facts.named_persons[0] is None and persons.several:
            _ = facts.columns.pairing  # the original says whose rows they are: rows that do not pair are an error
        return persons

    @kept
    def persons(self) -> Persons | None:
        """Whose rows the combinations of `released` are; None if nobody has several rows."""
        return self.all_persons if self.all_persons is not None and self.all_persons.several else None

    @kept
    def paired_persons(self) -> Persons | None:
        """Whose rows the combinations of `paired` are; None if nobody has several rows."""
        return None if self.persons is None else self._facts._tallies.paired_persons  # noqa: SLF001

    @property
    def joint_persons(self) -> Persons | None:
        """Whose rows the combinations of `joint` are; None if nobody has several rows."""
        return self.paired_persons if self._facts.has_original else self.persons

    @cached_property
    def published_persons(self) -> Persons | None:
        """Whose rows the combinations of `published` are; None if nobody has several rows."""
        return None if self.persons is None else self.persons.where(~self.suppressed(self.released))

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        return self._facts._tallies.named_persons  # noqa: SLF001

    @property
    def one_class_each(self) -> bool:
        """True if it is known that nobody is in several classes, however detailed the release is."""
        return self.persons is None

    @cached_property
    def crowd(self) -> Crowd | None:
        """How many people there are, in all, in classes and with suppressed rows; None: every row is one."""
        facts, outline = self._facts, self._facts._outline  # noqa: SLF001 (a part of it)
        if self.persons is not None:
            people, suppressed = self.persons.occurring, self.persons.where(self.suppressed(self.released)).occurring
        elif outline is not None and outline.several:
            people, suppressed = outline.people, outline.suppressed_people
        else:
            return None
        return Crowd(facts.known, people, facts.classes.everybody, facts.classes.rows, suppressed)

    @cached_property
    def people_notes(self) -> tuple[Note, ...]:
        """What is said beside every result that counts people: what is known of them, and what joins their rows."""
        if (crowd := self.crowd) is None:
            return ()
        facts = self._facts
        rows = facts.scope.rows - facts.scope.suppressed
        figures = {"people": crowd.published, "rows": rows, "pairs": crowd.pairs, "classes": len(facts.classes)}
        notes = [Note(f"known_{crowd.known}", figures)]
        if crowd.known == "one" and (column := self._joining_column) is not None:
            notes.append(Note("joinable", {"column": column}, warning=True))
        return tuple(notes)

    @property
    def population_notes(self) -> tuple[Note, ...]:
        """What is said beside every result that looks at a population: who its people are taken to be."""
        doubtful = self.crowd is not None and self.population_lacks_persons
        return (Note("population_rows", warning=True),) if doubtful else ()

    @property
    def _joining_column(self) -> Name | None:
        """The column of the release that joins the rows of people, as far as it is known; None if there is none.

        If only the sizes of classes are known, a column of the release that names persons is taken to join rows.
        """
        outline = self._facts._outline  # noqa: SLF001 (a part of it)
        if outline is None:
            return joining_column(self._facts)
        named = isinstance(outline.person, str) and outline.unnamed < outline.rows
        return Name(outline.person) if named else None

    @property
    def population_lacks_persons(self) -> bool:
        """True if a population does not say whose rows it has: each is taken for one person."""
        population, person = self._facts._tables.population, self._facts._tables.people.column  # noqa: SLF001
        return population is not None and person is not None and person not in population.columns
