"""The view of step 1: the table as it was read, or why it cannot be read, and what else can be opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, get_args

from PETWorks.app.files import FileBrowser, FileEntry, FolderListing
from PETWorks.app.session import Session, Work
from PETWorks.errors import EncodingError, MalformedError, PETWorksError, PolicyError, SourceError
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.inspection.survey import Survey
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.inspection import InspectionWriter
from PETWorks.render.page.markup import PAGE
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Reading, ValueLabels
from PETWorks.tables.formats import list_kinds
from PETWorks.tables.opening import TableSource

ENCODINGS = ("utf-8", "cp950", "big5hkscs", "gb18030", "cp1252", "shift_jis", "utf-16")
DELIMITERS = (";", ",", "tab", "|")
COLUMNS_PER_PAGE = 100  # columns on a page
MAX_FAULTS = 20  # problems of a file
MAX_WARNINGS = 12  # warnings of a table
MIN_ROWS = 5
FIRST_ROWS = 5  # rows that are shown unchanged on request
WORKBOOKS = (".xlsx", ".xls", ".ods")
LABELLED = ("SPSS", "Stata")


def parse_part(text: str) -> int:
    """Return the number of a page of columns, from 1; 1 if the text is no number."""
    return max(int(text), 1) if text.isascii() and text.isdecimal() and len(text) < 7 else 1  # noqa: PLR2004


class Fact(NamedTuple):
    """An entry of the card: the key of its label, its figure, and the setting that changes it, or ""."""

    key: str
    figure: object
    setting: str = ""


@dataclass(frozen=True)
class Trouble:
    """The problems that prevent reading a table, without cells, and the settings that may solve them."""

    problems: Sequence[PETWorksError]
    settings: Sequence[str] = ()
    sheets: Sequence[str] = ()

    @classmethod
    def of(cls, error: PETWorksError, source: TableSource | None = None, path: Path | None = None) -> Trouble:
        """Collect the problems of a table."""
        problems: Sequence[PETWorksError] = error.problems if isinstance(error, PolicyError) else ()
        if isinstance(error, MalformedError | EncodingError) and source:
            problems = [*source.find_faults(MAX_FAULTS)]
        sheets = _list_sheets(path) if path and path.suffix.casefold() in WORKBOOKS else ()
        settings = ["sheet"] if sheets else []
        if isinstance(error, MalformedError | EncodingError) and not sheets:
            settings = ["encoding", "delimiter"]
        return cls(problems or [error], settings, sheets)

    @property
    def several(self) -> bool:
        """True if the only problem is that the workbook has several sheets."""
        return len(self.sheets) > 1 and len(self.problems) == 1 and "sheets" in self.problems[0].problem

    @property
    def cut(self) -> bool:
        """True if there may be more problems than are shown."""
        return len(self.problems) >= MAX_FAULTS


@dataclass(frozen=True)
class OpenedColumn:
    """A column of the table, with its most frequent values or their pattern."""

    column: InspectedColumn
    number: int

    @property
    def name(self) -> Name:
        """The name of the column."""
        return Name(self.column.name)

    @property
    def values(self) -> Sequence[tuple[Cell, int]]:
        """The most frequent values, with their numbers of people."""
        return [(Cell(value), people) for value, people in self.column.common]

    @property
    def more(self) -> int:
        """The number of values that are not shown."""
        return self.column.distinct - len(self.column.common)


@dataclass(frozen=True)
class OpenView:
    """The view of the screen; `state` is empty, browse, busy, stopped, failed, refused or read."""

    state: str
    listing: FolderListing
    projects: Sequence[FileEntry]
    root: str
    file: Name | None = None
    rows: int = 0
    columns: int = 0
    facts: Sequence[Fact] = ()
    warnings: Sequence[str] = ()  # keys of words
    notes: Sequence[str] = ()  # warnings of the inspection, as HTML
    notes_left_out: int = 0  # further ones
    listed: Sequence[OpenedColumn] = ()
    part: int = 1
    parts: int = 1
    trouble: Trouble | None = None
    work: Work[Survey] | None = None
    number: int | None = None  # of a table that could not be opened
    reading: Mapping[str, str] = field(default_factory=dict)
    sheets: Sequence[str] = ()
    labels: Sequence[str] = ()
    first: Sequence[Sequence[Cell | None]] = ()
    names: Sequence[Name] = ()
    changed: bool = False  # True: the table changed since it was counted before
    encodings: Sequence[str] = ENCODINGS
    delimiters: Sequence[str] = DELIMITERS

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of files that can be opened."""
        return list_kinds()

    @classmethod
    def make_empty(cls, browser: FileBrowser, number: int = 0, session: Session | None = None) -> OpenView:
        """Return the view without an open table, or while the user looks for another one."""
        state = "empty" if session is None else "browse"
        return cls(state, browser.list_folder(number), browser.list_projects(), browser.root.name)

    @classmethod
    def _of(cls, browser: FileBrowser, session: Session, state: str, **figures: object) -> OpenView:
        file = Name(Path(session.draft.original or "").name)
        reading = _fill_reading(session.draft.data)
        known = {"file": file, "reading": reading, **figures}
        return cls(state, browser.list_folder(), browser.list_projects(), browser.root.name, **known)  # type: ignore[arg-type]

    @classmethod
    def make_busy(cls, browser: FileBrowser, session: Session, work: Work[Survey]) -> OpenView:
        """Return the view while the table is read."""
        return cls._of(browser, session, "busy", work=work, columns=len(session.raw_table.source.columns))

    @classmethod
    def make_stopped(cls, browser: FileBrowser, session: Session) -> OpenView:
        """Return the view after reading was stopped."""
        return cls._of(browser, session, "stopped")

    @classmethod
    def make_failed(
        cls, browser: FileBrowser, session: Session, trouble: Trouble, reading: Mapping[str, str] | None = None
    ) -> OpenView:
        """Return the view if the project's table cannot be read."""
        figures = {} if reading is None else {"reading": _fill_reading({**session.draft.data, **reading})}
        return cls._of(browser, session, "failed", trouble=trouble, sheets=trouble.sheets, **figures)

    @classmethod
    def make_refused(
        cls, browser: FileBrowser, trouble: Trouble, number: int | None, reading: Mapping[str, str]
    ) -> OpenView:
        """Return the view if a table could not be opened, so that no project was created."""
        found = browser.list_folder(), browser.list_projects(), browser.root.name
        return cls(
            "refused", *found, trouble=trouble, number=number, reading=_fill_reading(reading), sheets=trouble.sheets
        )

    @classmethod
    def make_read(
        cls, browser: FileBrowser, session: Session, survey: Survey, part: int, language: str, *, rows: bool
    ) -> OpenView:
        """Return the view of a table that was read."""
        found, source = survey.inspection, survey.source
        parts = -(-len(found) // COLUMNS_PER_PAGE)
        part = min(part, parts)
        first = (part - 1) * COLUMNS_PER_PAGE
        listed = [
            OpenedColumn(one, number)
            for number, one in enumerate(found.columns[first : first + COLUMNS_PER_PAGE], first + 1)
        ]
        findings = InspectionWriter(language, PAGE)
        few = ["open_few_rows"] if found.rows < MIN_ROWS else []
        path = session.table_path
        return cls._of(
            browser,
            session,
            "read",
            rows=found.rows,
            columns=len(found),
            facts=[*_list_facts(survey, path)],
            warnings=few,
            notes=[findings.write_note(note) for note in found.warnings[:MAX_WARNINGS]],
            notes_left_out=max(0, len(found.warnings) - MAX_WARNINGS),
            listed=listed,
            part=part,
            parts=parts,
            sheets=_list_sheets(path) if source.form[0] == "workbook" else (),
            labels=get_args(ValueLabels) if source.form[0] in LABELLED else (),
            first=_read_first_rows(source, found.columns) if rows else (),
            names=[Name(one.name) for one in found.columns[:COLUMNS_PER_PAGE]],
            changed=session.differs_from_last_count,
        )


def _fill_reading(reading: Mapping[str, object]) -> Mapping[str, str]:
    """Return the settings for reading a table, with blanks for missing ones."""
    return {**dict.fromkeys(declared(Reading), ""), **{name: str(text) for name, text in reading.items()}}


def _list_facts(survey: Survey, path: Path) -> Sequence[Fact]:
    found, form = survey.inspection, survey.inspection.form
    facts = [Fact("open_fact_kind", Name(form[0]), "value_labels" if form[0] in LABELLED else "")]
    if form[0] == "CSV":
        mark = form[2].strip('"')
        facts = [
            Fact("open_fact_encoding", Name(form[1]), "encoding"),
            Fact("open_fact_delimiter", Name(mark), "delimiter"),
        ]
        facts += [Fact("open_fact_header", None), Fact("open_fact_ragged", 0)]
    elif form[0] == "workbook":
        facts = [Fact("open_fact_sheet", Name(form[1]), "sheet" if len(_list_sheets(path)) > 1 else "")]
    facts.append(Fact("open_fact_blank", sum(one.missing for one in found)))
    if (twice := _count_duplicates(survey)) is not None:
        facts.append(Fact("open_fact_twice", twice))
    return facts


def _count_duplicates(survey: Survey) -> int | None:
    """Return the number of rows that equal an earlier row in all columns; None if that was not counted."""
    found = survey.inspection
    if any(one.unique + one.missing >= found.rows and one.missing < 2 for one in found):  # noqa: PLR2004
        return 0
    if survey.joint is None or survey.apart:
        return None
    return found.rows - len(survey.joint.counts)


def _list_sheets(path: Path) -> Sequence[str]:
    from PETWorks.tables.formats.workbooks.sheets import read_sheet_names

    try:
        return read_sheet_names(path)
    except SourceError:
        return ()


def _read_first_rows(source: TableSource, columns: Sequence[InspectedColumn]) -> Sequence[Sequence[Cell | None]]:
    """Return the first rows, unchanged."""
    names = [one.name for one in columns[:COLUMNS_PER_PAGE]]
    batch = next(iter(source.batches(names)), [])
    cells = [
        [None if (text := one.values[code]) is None else Cell(text) for code in one.codes[:FIRST_ROWS]] for one in batch
    ]
    return [*zip(*cells, strict=True)]
