"""The results of several measures, and the verdicts on requirements."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from PETWorks.errors import NotAskableError, UnknownNameError, did_you_mean
from PETWorks.evaluation.provenance import Front, Provenance, ProvenanceSource
from PETWorks.evaluation.remedies import Advice, advise, find_failing_classes
from PETWorks.evaluation.requirement import NotShown, Requirement
from PETWorks.facts.commitment import Commitment, draw_secret, find_secret
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note
from PETWorks.facts.record import InputRecord, PolicyInput, build_record
from PETWorks.measure.result import Displayed, FailingRows, InLanguage, Result
from PETWorks.premises.premise import Premises, PremiseVerdict
from PETWorks.presentation import Language, presenter
from PETWorks.shown import THRESHOLD, DisclosureLevel
from PETWorks.tables.counting.tally import Mask
from PETWorks.tables.frames import Library


class Evaluation(Displayed, FailingRows, Sequence[Result]):
    """The results of several measures, by position or by name, and why other measures were skipped.

    `requirements` are the measures with limits, including those that could not be evaluated.
    """

    def __init__(
        self,
        results: Sequence[Result],
        skipped: Mapping[str, Note] | None = None,
        requirements: Sequence[Requirement] | None = None,
        title: str = "",
        record: InputRecord | None = None,
        *,
        facts: Facts | None = None,
        making: Provenance | None = None,
    ) -> None:
        self.results = tuple(results)
        self.skipped = dict(skipped or {})
        judged = [Requirement(result.measure, result) for result in results if result.holds is not None]
        self.requirements = tuple(judged if requirements is None else requirements)
        self.title = title
        self.policy: PolicyInput | None = None  # the file that the requirements come from
        self.not_shown: tuple[NotShown, ...] = ()  # requirements of its sources that no table can show
        self.provenance_source: ProvenanceSource | None = None  # of a release that PETWorks made
        self.front: Front | None = None  # of alternative releases, for reports and the record
        self.recorded: Provenance | None = None  # of a record beside the release; a report shows its front
        self.premise_source: Callable[[], Premises] | None = None  # checks the premises, when they are first asked for
        self.judges_premises = False  # True: a premise that does not hold fails the verdict
        self.secret: str | None = None  # of the record that is kept, the key of the commitments in its reports
        self.commitments_shown: tuple[Commitment, ...] = ()  # of a copy without facts
        self._original_digest = True  # False: the record that is kept leaves the original's digest out
        self._record, self._facts, self._making = record, facts, making

    @property
    def all_results(self) -> tuple[Result, ...]:
        """The results, then those of requirements that are not among them."""
        required = (one.result for one in self.requirements if one.result is not None)
        return tuple(dict.fromkeys([*self, *required]))

    @property
    def holds(self) -> bool | None:
        """True if every requirement and premise holds; None if there is no requirement, or one was not evaluated.

        A premise that does not hold fails a check, whatever the requirements say.
        """
        if self.premises_fail:
            return False
        return self.requirements_hold

    @property
    def premises_fail(self) -> bool:
        """True if premises are part of the verdict, and one does not hold."""
        return self.judges_premises and not self.premises.holds

    @property
    def requirements_hold(self) -> bool | None:
        """True if every requirement holds; None if there is none, if one was not evaluated, or if that is withheld."""
        told = [one.holds for one in self.requirements if not one.verdict_withheld]
        if None in told or not self.requirements:
            return None
        return False if False in told else True if len(told) == len(self.requirements) else None

    @cached_property
    def premises(self) -> Premises:
        """The premises: what the verdicts take for granted about the rest of the file. They are checked on first use.

        Empty if no release was measured, or if disclosure control came first.
        """
        return self.premise_source() if self.premise_source else Premises()

    def set_premises(self, premises: Premises) -> None:
        """Set premises that come from disclosure control or from a file; they are not checked again."""
        vars(self)["premises"] = premises

    @property
    def has_premises(self) -> bool:
        """True if the premises are part of the verdict, or were read before."""
        return self.judges_premises or "premises" in vars(self)

    @property
    def doubts_people(self) -> bool:
        """True if it is judged whether the people are counted rightly, and nobody could tell so from the table."""
        return self.judges_premises and any(
            one.name == "people" and one.verdict is not PremiseVerdict.HOLDS for one in self.premises
        )

    @property
    def warnings(self) -> tuple[Note, ...]:
        """Doubts about values and cells, such as rows that do not seem to pair; each once, leading ones first."""
        found = [note for result in self.all_results for note in result.warnings]
        if self.judges_premises and self.premises.formulas:
            found.append(self.premises.formulas)
        once = (note for place, note in enumerate(found) if note not in found[:place])
        return tuple(sorted(once, key=lambda note: not note.leading))

    @property
    def facts(self) -> Facts | None:
        """The facts of the measured release; None after disclosure control."""
        return self._facts or next((result.facts for result in self if result.facts is not None), None)

    @property
    def provenance(self) -> Provenance | None:
        """The provenance of the release; None if PETWorks did not make it."""
        found = self.provenance_source.provenance if self.provenance_source else self._making
        return found if found is None or self.front is None else replace(found, front=self.front)

    @property
    def record(self) -> InputRecord | None:
        """The files that were measured, their digests, and how they were read; None if no release was measured."""
        if self.facts is None:
            return self._record
        record = replace(self._built_record, secret=self.secret)
        return record if self._original_digest else record.without_original_digest()

    @cached_property
    def _built_record(self) -> InputRecord:
        assert self.facts is not None  # noqa: S101 (asked by `record`)
        return build_record(self.facts, self.policy)

    @property
    def commitments(self) -> tuple[Commitment, ...]:
        """What reports state of the files if a record is kept: the release's SHA-256, and commitments to the others."""
        record = self.record if self.secret else None
        return record.commitments if record else self.commitments_shown

    @cached_property
    def advice(self) -> Advice | None:
        """The remedies for failing requirements, computed once."""
        return advise(self.requirements, self.facts)

    def guarded(self, least: int = THRESHOLD) -> Evaluation:
        """Return the evaluation without figures that disclose which classes have fewer than `least` people."""
        shown: Evaluation = presenter().disclose_evaluation(self, least, record=self.record)
        return shown

    def public(self) -> Evaluation:
        """Return a public evaluation: verdicts, limits, rounded values; no value of a column, no class, no count."""
        shown: Evaluation = presenter().disclose(self, "public")
        return shown

    @property
    def is_public(self) -> bool:
        """True if `public` returned this evaluation."""
        return any(result.disclosure.level is DisclosureLevel.PUBLIC for result in self.all_results)

    def _find_failing(self) -> tuple[Facts, Mask]:
        if (facts := self.facts) is None:
            hint = "call it on the evaluation that Release.evaluate, Release.check or Policy.check returned"
            problem = "the rows are not known: this evaluation is guarded, or no release was measured"
            raise NotAskableError(problem, hint=hint)
        failing = (one.measure for one in self.requirements if one.holds is False)
        return facts, find_failing_classes(failing, facts)

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Result]: ...
    def __getitem__(self, key: int | str | slice) -> Result | Sequence[Result]:
        """Return a result by its position or by its measure's name."""
        if not isinstance(key, str):
            return self.results[key]
        for result in self:
            if result.measure.is_called(key):
                return result
        if key in self.skipped:
            raise UnknownNameError(f'"{key}" was not evaluated', hint=str(self.skipped[key]))
        raise UnknownNameError(f'there is no result of "{key}"', hint=did_you_mean(key, [one.name for one in self]))

    def __contains__(self, key: object) -> bool:
        """Return True if this result, or one of a measure with this name, is here."""
        return key in self.results or (isinstance(key, str) and any(one.measure.is_called(key) for one in self))

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        """Iterate over the results in the order in which they were evaluated."""
        return iter(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        results = self.all_results
        return {
            "title": self.title,
            "warnings": [note.to_dict() for note in self.warnings],
            "scope": results[0].scope.to_dict() if results else None,
            "holds": self.holds,
            **(self.premises if self.has_premises else Premises()).to_dict(),
            "requirements": [one.to_dict(results) for one in self.requirements],
            "not_shown": [one.to_dict() for one in self.not_shown],
            "results": [result.to_dict() for result in results],
            "skipped": {name: note.to_dict() for name, note in self.skipped.items()},
            "making": self.provenance and self.provenance.to_dict(),
        }

    def to_json(self, *, original_digest: bool = True) -> str:
        """Write everything as a JSON document that follows the published schema.

        `original_digest=False` leaves the original's digest out.
        """
        return presenter().evaluation_json(self, original_digest=original_digest)

    def to_frame(self, *, parts: bool = False, library: Library | None = None) -> Any:  # noqa: ANN401 (any library)
        """Return the results as a frame, a row for each; with `parts`, also a row for each attribute or limit.

        A requirement that could not be evaluated has a row with its problem. `library` is "pandas", "polars" or
        "pyarrow"; by default the one in which the release was passed, and for files the first that is installed.
        """
        from PETWorks.evaluation.frames import build_results_frame

        return build_results_frame(self, parts=parts, library=library)

    def prepare_record(self, path: str | os.PathLike[str], *, original_digest: bool = True) -> None:
        """Give the evaluation the secret of the record that will be written to a path; once it has one, it keeps it.

        It is the secret of the record that is there already if its original, population and hierarchies are the same;
        otherwise a new one is drawn. Reports written from now on have commitments, which that record opens.
        """
        if not self.use_record(path, original_digest=original_digest) and self.record and self.record.hides_digests:
            self.secret = draw_secret()

    def use_record(self, path: str | os.PathLike[str], *, original_digest: bool = True) -> bool:
        """Use the secret of an earlier record; return True if the evaluation has a secret now.

        The secret is used only if the original, the population and the hierarchies are the same: a secret that somebody
        may know must not protect other files.
        """
        if self.secret is None and self.facts is not None:
            self._original_digest = original_digest
            self.secret = find_secret(Path(path), self.record.to_dict()) if self.record else None
        return self.secret is not None

    def write_record(self, path: str | os.PathLike[str], *, original_digest: bool = True) -> Path:
        """Write the record, a JSON file for `petworks verify` that is not to be handed over; return its path.

        Only its owner can read it. It has the digests of all files, and the secret that opens the commitments in the
        reports written after it.
        `original_digest=False` leaves the original's digest out.
        """
        self.prepare_record(path, original_digest=original_digest)
        return presenter().write_file(path, self.guarded().to_json(original_digest=original_digest), private=True)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to a JSON file, from which `Evaluation.load` builds the evaluation again; return its path.

        The file is complete: it describes every class, also small ones, and has the values of the original and of the
        population. Only its owner can read it; keep it where you keep the original. All missing counts are computed
        first.
        """
        from PETWorks.evaluation.storage import write_saved

        if self.facts is not None and self.facts.has_earlier:
            problem = "an evaluation beside earlier releases cannot be saved"
            raise NotAskableError(problem, hint="write the record, or a report: to_json, to_html")
        return presenter().write_file(path, write_saved(self), private=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Evaluation:
        """Build an evaluation from a file that `save` wrote: it has the same output in every format, but no rows."""
        from PETWorks.evaluation.storage import build_saved

        return build_saved(path)

    @overload
    def to_html(
        self,
        path: None = None,
        *,
        language: Language = "en",
        show_small_classes: bool = False,
        original_digest: bool = True,
        command: str = "",
        front: Front | None = None,
    ) -> str: ...
    @overload
    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        language: Language = "en",
        show_small_classes: bool = False,
        original_digest: bool = True,
        command: str = "",
        front: Front | None = None,
    ) -> Path: ...
    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        language: Language = "en",
        show_small_classes: bool = False,
        original_digest: bool = True,
        command: str = "",
        front: Front | None = None,
    ) -> str | Path:
        """Write the report, one self-contained HTML page, to a file and return its path; without a path, the page.

        `language` is the one that is shown first. `original_digest=False` leaves the original's digest out. `command`
        is the command that made the report; the page shows it so that it can be repeated. `front`, of an anonymised
        table, is shown beside how the release was made; without it no search starts.
        """
        page = presenter().report_page(
            self if front is None else self._with_front(front),
            language=language,
            show_small_classes=show_small_classes,
            original_digest=original_digest,
            command=command,
        )
        return page if path is None else presenter().write_file(path, page, private=show_small_classes)

    def _with_front(self, front: Front) -> Evaluation:
        if self.provenance is None:
            problem = "there is no front to show: this evaluation is not of a release that PETWorks made, or is public"
            raise NotAskableError(problem, hint="pass it to the evaluation of what pw.anonymize returned")
        other = copy(self)
        other.front = front
        return other

    def text(self, language: Language = "en") -> str:
        """Write the results for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        return presenter().evaluation_text(self, language)

    def in_language(self, language: Language) -> InLanguage:
        """Return the evaluation as an object that is printed and displayed in a language."""
        return InLanguage(self, language)

    def __str__(self) -> str:
        """Write the results for people, in English."""
        return self.text()

    __repr__ = __str__
