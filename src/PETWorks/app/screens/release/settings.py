"""How the release is to be written: name, format, rows, identifiers. All of it is text in the policy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from secrets import randbelow

from PETWorks.app.desk import Desk
from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.release.after import RECORD
from PETWorks.facts.roles import Role
from PETWorks.presentation import Language

FORMATS = {"csv": ".csv", "excel": ".csv", "parquet": ".parquet"}  # "excel": with a byte-order mark
NAME = re.compile(r"""[^\\/:*?"<>|.\x00-\x1f\x7f][^\\/:*?"<>|\x00-\x1f\x7f]{0,99}""")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # which Windows cannot open
SEEDS = 2**31


@dataclass(frozen=True)
class Settings:
    """What the policy says about writing."""

    name: str  # without the ending
    form: str
    suppressed: str  # "keep" or "remove"
    order: str  # "original" or "shuffled"
    identifiers: str  # "mark" or "drop"
    folder: str = ""  # before the name, if the policy has one

    @classmethod
    def of(cls, draft: Draft) -> Settings:
        """Read the settings of a draft."""
        path, making = PurePath(str(draft.data.get("released", "released.csv"))), draft.making
        form = "parquet" if path.name.endswith(".parquet") else "csv"
        if form == "csv" and making.get("output_encoding") == "utf-8-sig":
            form = "excel"
        return cls(
            name=path.name.removesuffix(".parquet").removesuffix(".gz").removesuffix(".csv"),
            form=form,
            suppressed=str(making.get("suppressed_rows", "keep")),
            order=str(making.get("order", "original")),
            identifiers="drop" if making.get("drop_identifiers") else "mark",
            folder="" if path.parent == PurePath() else str(path.parent),
        )

    @property
    def file(self) -> str:
        """The name of the file."""
        return f"{self.name}{FORMATS[self.form]}"


def settings_of(form: Form, before: Settings) -> Settings:
    """Read a form."""

    def one_of(name: str, words: Sequence[str], default: str) -> str:
        found = form.get(name, default)
        if found not in words:
            raise BadRequestError(f"the field {name!r} is not one of its words")
        return found

    return Settings(
        name=form.get("name", before.name).strip(),
        form=one_of("form", tuple(FORMATS), before.form),
        suppressed=one_of("suppressed", ("keep", "remove"), before.suppressed),
        order=one_of("order", ("original", "shuffled"), before.order),
        identifiers=one_of("identifiers", ("mark", "drop"), before.identifiers),
        folder=before.folder,
    )


def have_several_rows(desk: Desk) -> bool:
    """Return True if people have several rows, or may have: then rows can be neither removed nor shuffled."""
    if not (person := desk.draft.data.get("person")):
        return False
    found = desk.inspected
    return found is None or person not in desk.columns or found[person].distinct < found.rows


def wrong_name(settings: Settings, desk: Desk) -> str:
    """Return what is wrong with the name of the file, as a key of the words; "" if nothing is."""
    if not NAME.fullmatch(settings.name) or RESERVED.fullmatch(settings.name) or settings.name.endswith((" ", ".")):
        return "release_wrong_name"
    target = desk.folder / settings.folder / settings.file
    return "release_wrong_input" if target.resolve() == desk.table_path.resolve() else ""


def with_settings(draft: Draft, settings: Settings) -> Draft:
    """Return a draft with these settings. A shuffled order gets a seed, so that it can be repeated."""
    shuffled = settings.order == "shuffled"
    released = str(PurePath(settings.folder) / settings.file).replace("\\", "/")
    draft = draft.with_data(released=released)
    draft = draft.with_making("output_encoding", "utf-8-sig" if settings.form == "excel" else None)
    draft = draft.with_making("suppressed_rows", "remove" if settings.suppressed == "remove" else None)
    draft = draft.with_making("order", "shuffled" if shuffled else None)
    draft = draft.with_making("seed", draft.making.get("seed", randbelow(SEEDS)) if shuffled else None)
    return draft.with_making("drop_identifiers", settings.identifiers == "drop" or None)


def with_reports(draft: Draft, language: Language) -> Draft:
    """Return a draft that names a report and a record, and the language that the report shows first."""
    report = {"language": language, "html": "report.html", "json": RECORD, **draft.section("report")}
    return draft.with_section("report", report)


@dataclass(frozen=True)
class Cell:
    """A column, its role, and what becomes of it."""

    column: str
    role: Role | None
    what: str  # a key of the words
    level: int | None = None


def columns_of(desk: Desk) -> list[Cell]:
    """Return what becomes of each column."""
    levels, local = desk.draft.making.get("levels", {}), desk.draft.making.get("recoding") == "local"
    roles, dropped = desk.draft.roles_of(desk.columns), bool(desk.draft.making.get("drop_identifiers"))
    found = []
    for column in desk.columns:
        role = roles.get(column)
        if role is Role.QUASI_IDENTIFIER:
            by_level = "release_column_level" if levels.get(column) else "release_column_kept"  # of level 0
            what = "release_column_local" if local else by_level if column in levels else "release_column_open"
        elif role is Role.IDENTIFIER:
            what = "release_column_dropped" if dropped else "release_column_marked"
        else:
            what = "release_column_undecided" if role is None else "release_column_kept"
        found.append(Cell(column, role, what, levels.get(column)))
    return found
