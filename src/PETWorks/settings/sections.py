"""The settings of PETWorks, section by section. Their meanings are in `words.en.toml` and `words.zh_TW.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, ClassVar, Literal

from PETWorks.errors import ParameterError
from PETWorks.exact.limit import Limit, Number
from PETWorks.presentation import AudienceName, Language
from PETWorks.settings.preparing import Derivation, Preparation
from PETWorks.settings.section import (
    Converted,
    Section,
    declare_day,
    declare_delimiter,
    declare_derivations,
    declare_duration,
    declare_editions,
    declare_flag,
    declare_levels,
    declare_marker,
    declare_measure,
    declare_names,
    declare_path,
    declare_preparation,
    declare_share,
    declare_size,
    declare_text,
    declare_treatments,
    declare_weights,
    declare_whole,
    declare_word,
)
from PETWorks.settings.treatments import Treatment

Pairing = Literal["position", "key", "none"]
Known = Literal["one", "all"]
UnknownPerson = Literal["together", "each"]
EditionPairing = Literal["position"]
UnknownRows = Literal["each", "together", "nobody"]
UnknownValues = Literal["error", "generalised"]
ValueLabels = Literal["text", "codes"]
RestRole = Literal["error", "insensitive", "quasi_identifier", "identifier"]
Recoding = Literal["global", "local", "microaggregate"]  # for type checkers; `list_recodings` finds further files
Grouping = Literal["halving", "mdav"]
Suppress = Literal["rows", "people"]
SuppressedRows = Literal["keep", "remove"]
Order = Literal["original", "shuffled"]
Encoding = Literal["utf-8", "utf-8-sig"]
Hierarchies = "str | os.PathLike[str] | Mapping[str, Any] | Sequence[Hierarchy | Rule]"


def list_recodings() -> tuple[str, ...]:
    """Return the names of all recodings: those of the modules and packages in the folder `anonymization/recodings`.

    Their names suffice for the setting, so that none is imported.
    """
    folder = Path(__file__).parents[1] / "anonymization" / "recodings"
    return tuple(sorted(module.name.rstrip("_") for module in iter_modules([str(folder)])))


class InputFiles(Section):
    """The tables, and the hierarchies of their columns."""

    table: ClassVar[str] = "data"

    released: Any = declare_path(default=None, option="", required=True)
    original: Any = declare_path(default=None)
    population: Any = declare_path(default=None)
    holdout: Any = declare_path(default=None)
    hierarchies: Any = declare_path(default=None, metavar="FOLDER", annotation=Hierarchies)


class EarlierReleases(Section):
    """Earlier releases of the same people, which a policy has under [[earlier]]."""

    table: ClassVar[str] = "data"

    earlier: Converted[Sequence[Any] | None, tuple[Any, ...]] = declare_editions(default=(), policy=False)


class KeyFile(Section):
    """What says who the rows of this release are of, beside earlier ones."""

    table: ClassVar[str] = "data"

    key_file: Any = declare_path(default=None)


class EarlierEdition(Section):
    """A release that is out already, and what says who its rows are of. What is not given is as in the new release."""

    table: ClassVar[str] = "earlier"

    released: Any = declare_path(default=None, option="", required=True)
    original: Any = declare_path(default=None, option="")
    key: str | None = declare_text(default=None, metavar="COLUMN", option="")
    key_file: Any = declare_path(default=None, option="")
    pairing: EditionPairing | None = declare_word(EditionPairing, default=None, option="")
    pseudonym: bool = declare_flag(default=False, option="")
    unknown_person: UnknownRows | None = declare_word(UnknownRows, default=None, option="")
    disjoint: bool = declare_flag(default=False, option="")
    quasi_identifiers: Converted[Iterable[str] | None, tuple[str, ...]] = declare_names(default=(), option="")
    sensitive: Converted[Iterable[str] | None, tuple[str, ...]] = declare_names(default=(), option="")
    hierarchies: Any = declare_path(default=None, metavar="FOLDER", annotation=Hierarchies, option="")
    suppressed: str | None = declare_text(default=None, option="")
    delimiter: str | None = declare_delimiter(default=None, option="")
    encoding: str | None = declare_text(default=None, metavar="NAME", option="")
    sheet: str | None = declare_text(default=None, metavar="NAME", option="")

    def check(self) -> None:
        """Raise an error if what says who the rows are of is missing twice, or said twice."""
        named = [name for name in ("key_file", "key", "pairing") if getattr(self, name) is not None]
        if len(named) > 1 and self.key_file is not None:
            problem = f"{named[0]} and {named[1]} both say who the rows of an earlier release are of"
            raise ParameterError(problem, hint="omit one of them")


class OriginalQuery(Section):
    """The query whose result is the original, in place of a file."""

    table: ClassVar[str] = "data"

    query: str | None = declare_text(default=None, option="")


class RowPairing(Section):
    """What the rows stand for, and how rows of original and release pair."""

    table: ClassVar[str] = "data"

    key: str | None = declare_text(default=None, metavar="COLUMN")
    pairing: Pairing | None = declare_word(Pairing, default=None)
    synthetic: bool = declare_flag(default=False)
    weight: str | None = declare_text(default=None, metavar="COLUMN")

    def check(self) -> None:
        """Raise an error if synthetic rows are to pair, or if a key is set that pairing does not use."""
        if self.synthetic and (self.key is not None or self.pairing not in (None, "none")):
            given = f'pairing="{self.pairing}"' if self.key is None else "key="
            problem = "synthetic rows belong to nobody, so they cannot pair with others"
            raise ParameterError(problem, hint=f"omit {given}, or synthetic")
        if self.pairing == "none" and self.key is not None:
            raise ParameterError('pairing="none" and a key contradict each other', hint="omit one of them")
        if self.pairing not in (None, "none") and (self.pairing == "key") != (self.key is not None):
            lacking = self.key is None
            hint = 'pass key=, or pairing="position"' if lacking else 'pass pairing="key", or omit key='
            problem = f"rows pair by {self.pairing}, but {'no' if lacking else 'a'} key is given"
            raise ParameterError(problem, hint=hint)


class Person(Section):
    """Which person each row belongs to, and what an adversary knows of a person."""

    table: ClassVar[str] = "data"

    person: str | None = declare_text(default=None, metavar="COLUMN", kw_only=False)
    known: Known = declare_word(Known, default="one")
    unknown_person: UnknownPerson | None = declare_word(UnknownPerson, default=None)

    def check(self) -> None:
        """Raise an error if settings about persons are set without a person column."""
        if self.person is None and (self.unknown_person is not None or self.known != "one"):
            given = (
                f'known="{self.known}"' if self.unknown_person is None else f'unknown_person="{self.unknown_person}"'
            )
            hint = f"name the column of the persons in person=, or leave out {given}"
            raise ParameterError("no column of persons is named, so every row is one person", hint=hint)


class CellReading(Section):
    """How cells of the release are read."""

    table: ClassVar[str] = "data"

    suppressed: str = declare_marker(default="*")
    unknown_values: UnknownValues = declare_word(UnknownValues, default="error")


class Reading(Section):
    """How tables are read; None means that it is detected, or the default."""

    table: ClassVar[str] = "data"

    delimiter: str | None = declare_delimiter(default=None)
    encoding: str | None = declare_text(default=None, metavar="NAME")
    sheet: str | None = declare_text(default=None, metavar="NAME")
    value_labels: ValueLabels | None = declare_word(ValueLabels, default=None)


class Preparing(Section):
    """The preparation of the original, and columns that are derived from others."""

    table: ClassVar[str] = "data"

    prepare: Converted[Mapping[str, Any], Preparation] = declare_preparation(default={}, option="", policy=False)
    derive: Converted[Mapping[str, Any], Mapping[str, Derivation]] = declare_derivations(
        default={}, option="", policy=False
    )

    def __bool__(self) -> bool:
        """Return True if anything is prepared or derived."""
        return bool(self.prepare) or bool(self.derive)


class RoleLists(Section):
    """The columns of each role."""

    table: ClassVar[str] = "roles"

    quasi_identifiers: Converted[Iterable[str] | None, tuple[str, ...]] = declare_names(
        default=(), option="--quasi-identifier", short="-q"
    )
    sensitive: Converted[Iterable[str] | None, tuple[str, ...]] = declare_names(default=(), short="-s")
    identifiers: Converted[Iterable[str] | None, tuple[str, ...]] = declare_names(
        default=(), option="--identifier", short="-i"
    )
    insensitive: Converted[Iterable[str] | None, tuple[str, ...]] = declare_names(default=())


class OtherColumns(Section):
    """The role of columns that are not named."""

    table: ClassVar[str] = "roles"

    the_rest: RestRole = declare_word(RestRole, default="error", option="")


class Search(Section):
    """What may be done to a table so that it meets its goals."""

    table: ClassVar[str] = "anonymize"

    suppress_at_most: Converted[Number, Limit] = declare_share(default=0, option="", form=False)
    utility: Any = declare_measure(default=None, option="")
    recoding: Recoding = declare_word(list_recodings(), default="global", option="", form=False)
    grouping: Grouping | None = declare_word(Grouping, default=None, option="")
    parts: bool = declare_flag(default=False, option="")
    coarsest: Mapping[str, int] = declare_levels(default={}, option="", form=False)
    finest: Mapping[str, int] = declare_levels(default={}, option="", form=False)
    levels: Mapping[str, int] = declare_levels(default={}, option="", form=False)
    weights: Converted[Mapping[str, Number], Mapping[str, Fraction]] = declare_weights(
        default={}, option="", form=False
    )
    suppress: Suppress = declare_word(Suppress, default="rows", option="")
    time_limit: Converted[str | float | None, float | None] = declare_duration(default=None)
    polish_rounds: int | None = declare_whole(default=None, option="", form=False)

    def check(self) -> None:
        """Raise an error for a setting that the chosen recoding does not have."""
        if self.grouping and self.recoding != "microaggregate":
            raise ParameterError("grouping is for microaggregation only", hint='pass recoding="microaggregate"')
        if self.parts and self.recoding != "local":
            raise ParameterError("parts is for local recoding only", hint='pass recoding="local", or omit parts')


class Writing(Section):
    """How a release is written."""

    table: ClassVar[str] = "anonymize"

    suppressed_rows: SuppressedRows = declare_word(SuppressedRows, default="keep", option="", form=False)
    drop_identifiers: bool = declare_flag(default=False, option="", form=False)
    order: Order = declare_word(Order, default="original", option="", form=False)
    seed: int | None = declare_whole(default=None, option="", form=False)
    output_encoding: Encoding | None = declare_word(Encoding, default=None, option="", form=False)
    treat: Converted[Mapping[str, Any], Mapping[str, Treatment]] = declare_treatments(
        default={}, option="", policy=False
    )  # [treat.<column>] of a policy

    def check(self) -> None:
        """Raise an error if a seed is set although rows are not shuffled."""
        if self.seed is not None and self.order != "shuffled":
            raise ParameterError("a seed is for a shuffled order only", hint='pass order="shuffled", or omit seed=')


class ReportFiles(Section):
    """The report files that a check writes, their language, and who may read them."""

    table: ClassVar[str] = "report"

    language: Language | None = declare_word(Language, default=None, option="--lang")
    html: str | None = declare_text(default=None, option="")
    junit: str | None = declare_text(default=None, option="")
    markdown: str | None = declare_text(default=None, option="")
    json: str | None = declare_text(default=None, option="")
    record: str | None = declare_text(default=None, option="")
    audience: AudienceName | None = declare_word(AudienceName, default=None)
    show_small_classes: bool = declare_flag(default=False)


MAX_SIGNED_LENGTH = 120  # characters of a text on the page that is signed


class LedgerFile(Section):
    """The ledger of all releases of a dataset."""

    table: ClassVar[str] = "ledger"

    file: str | None = declare_text(default=None, option="")
    dataset: str | None = declare_text(default=None, option="")
    key: str | None = declare_text(default=None, metavar="COLUMN", option="")


class SignOff(Section):
    """What the page that is signed says of a release, besides what was measured; what is None is a line to write on."""

    table: ClassVar[str] = "signoff"

    agency: str | None = declare_text(default=None, option="")
    case: str | None = declare_text(default=None, option="")
    purpose: str | None = declare_text(default=None, option="")
    legal_basis: str | None = declare_text(default=None, option="")
    recipient: str | None = declare_text(default=None, option="")
    from_: str | None = declare_day(default=None, option="")
    until: str | None = declare_day(default=None, option="")
    review: str | None = declare_day(default=None, option="")

    def check(self) -> None:
        """Raise an error if a text is too long for one page, or if the use ends before it begins."""
        for name, value in self.values().items():
            if value is not None and len(value) > MAX_SIGNED_LENGTH:
                problem = f"{name} has {len(value)} characters, and the page that is signed has room for"
                hint = "shorten it, and attach the rest"
                raise ParameterError(f"{problem} {MAX_SIGNED_LENGTH}", where="[signoff]", hint=hint)
        if self.from_ and self.until and self.until < self.from_:
            hint = "exchange them, or correct one"
            raise ParameterError(f"until, {self.until}, is before from, {self.from_}", where="[signoff]", hint=hint)


class Engine(Section):
    """The memory that counting may take, and the folder for what does not fit."""

    table: ClassVar[str] = ""

    memory_limit: str | int | None = declare_size(default=None, policy=False)
    temporary: Any = declare_path(default=None, metavar="FOLDER", annotation="str | os.PathLike[str]", policy=False)


DATA = (InputFiles, KeyFile, RowPairing, Person, CellReading, Reading)  # the sections of [data]
MAKING = (Search, Writing)  # those of [anonymize]
ROLES = (RoleLists, OtherColumns)  # those of [roles]
SECTIONS = (
    EarlierEdition,
    EarlierReleases,
    OriginalQuery,
    *DATA,
    Preparing,
    *ROLES,
    *MAKING,
    ReportFiles,
    SignOff,
    LedgerFile,
    Engine,
)
