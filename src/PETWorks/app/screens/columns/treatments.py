"""What is done to each column: the treatments to choose from, those that do not fit with why, and what a form writes.

Keys are made and chosen here, and never shown: a key is known by its name.

>>> read_settings({"treatment": "round", "round": "500", "top": "99%"})
{'round': 500, 'top': '99%'}
>>> read_settings({"treatment": "mask", "keep": ""}), read_settings({"treatment": "shift", "key": "a", "within": "90"})
({'mask': True}, {'shift': {'within': '90 days', 'key': 'a'}})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from PETWorks.app.project.draft import Draft, Table
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.inspection.values import Kind
from PETWorks.policy.toml import DecimalLiteral
from PETWorks.settings.treatments import Mask, Numbers, read_treatment
from PETWorks.tables.mapped import UnreadableError
from PETWorks.tables.treat import MaskMap, NumberMap, make_pseudonym
from PETWorks.user.keys import KeyKind, list_keys

OFFERED = ("remove", "pseudonym", "mask", "generalise", "round", "top", "shift", "as_it_is")
FIELDS: Mapping[str, tuple[str, ...]] = {  # of treatments that need more than their name
    "pseudonym": ("key", "new_key", "scope", "kept_by", "until"),
    "mask": ("keep",),
    "round": ("round", "top", "bottom"),
    "top": ("top", "bottom", "round"),
    "shift": ("within", "key", "new_key", "scope", "kept_by", "until"),
    "as_it_is": ("reason",),
}
NEEDED = {"pseudonym": "key", "round": "round", "top": "top", "shift": "key", "as_it_is": "reason"}
DEFAULTS = {"within": "90", "top": "99%"}
NUMBERS = ("round", "top", "bottom")
SHOWN_NUMBER = "0123456"  # a number of nobody, for the example of a pseudonym
SHOWN_DATES = ("2026-03-07 … 2026-04-18", "2026-01-12 … 2026-02-23")


class OfferedTreatment(NamedTuple):
    """A treatment to choose, and the key of why it does not fit, or ""."""

    word: str
    misfit: str


@dataclass(frozen=True)
class ColumnTreatmentForm:
    """The treatment of a column: as the policy has it, or as it was sent and is not complete."""

    word: str  # "" for what is done without a treatment
    offered: tuple[OfferedTreatment, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    problem: PETWorksError | None = None
    example: tuple[str, str] | None = None
    is_set: bool = True  # False: the fields are still to be filled in

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the treatment."""
        return FIELDS.get(self.word, ())


def find_misfit(name: str, word: str, role: Role | None, kind: Kind, person: str | None) -> str:
    """Return the key of why a treatment does not fit a column; "" if it fits."""
    quasi, naming = role is Role.QUASI_IDENTIFIER, role is Role.IDENTIFIER or name == person
    if word == "generalise":
        return "" if quasi else "quasi"
    if word in ("pseudonym", "shift") and quasi:
        return "known"
    if word in ("round", "top", "shift", "as_it_is") and naming:
        return "naming"
    if word == "shift":
        return "person" if person is None else "" if kind is Kind.DATE else "dates"
    if word in ("round", "top"):
        return "" if kind is Kind.NUMBER else "numbers"
    return ""


def find_word(settings: Table) -> str:
    """Return the word of a treatment as it is offered; "" if there is none."""
    return next((word for word in OFFERED if word in settings), "top" if "bottom" in settings else "")


def find_values(settings: Table) -> dict[str, str]:
    """Return what the fields of a treatment hold."""
    word = find_word(settings)
    given = settings.get(word)
    if isinstance(given, Mapping):
        return {name: str(one).removesuffix(" days") for name, one in given.items()}
    if word in NUMBERS:
        return {name: str(settings[name]) for name in NUMBERS if name in settings}
    return {"reason": str(given)} if word == "as_it_is" else {}


def read_settings(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the table of a policy from the fields of a form; it may lack what is needed."""
    word = form["treatment"]
    given = {name: form[name].strip() for name in FIELDS.get(word, ()) if form.get(name, "").strip()}
    given.pop("new_key", None)
    match word:
        case "mask":
            return {"mask": {"keep": _read_number(given["keep"])} if given else True}
        case "round" | "top":
            return {name: _read_number(one) for name, one in given.items()}
        case "as_it_is":
            return {"as_it_is": given.get("reason", "")}
        case "shift":
            return {"shift": {**given, "within": f"{given.get('within', DEFAULTS['within'])} days"}}
        case "pseudonym":
            return {"pseudonym": given}
    return {word: True}


def _read_number(text: str) -> int | str:
    if text.isascii() and text.isdecimal() and len(text) < 19:  # noqa: PLR2004
        return int(text)
    return text if text.endswith("%") else DecimalLiteral(text)


def list_secret_keys() -> tuple[str, ...]:
    """Return the names of the user's keys that make pseudonyms."""
    return tuple(one.name for one in list_keys() if one.kind is KeyKind.SECRET)


def build_treatment_form(
    column: InspectedColumn, role: Role | None, draft: Draft, asked: ColumnTreatmentForm | None
) -> ColumnTreatmentForm:
    """Return the treatment of a column with what can be chosen."""
    settings, person = draft.treatments.get(column.name, {}), draft.data.get("person")
    offered = tuple(
        OfferedTreatment(word, find_misfit(column.name, word, role, column.kind, person)) for word in OFFERED
    )
    word = asked.word if asked else find_word(settings)
    keys = list_secret_keys() if "key" in FIELDS.get(word, ()) else ()
    values = asked.values if asked else find_values(settings)
    example = None if asked else find_example(column, settings)
    problem = asked.problem if asked else None
    return ColumnTreatmentForm(word, offered, values, keys, problem, example, is_set=asked is None)


def find_example(column: InspectedColumn, settings: Table) -> tuple[str, str] | None:
    """Return a value before and after its treatment: one that five people have, or one that is made up."""
    word = find_word(settings)
    if word == "pseudonym":
        return SHOWN_NUMBER, make_pseudonym(bytes(32), "", SHOWN_NUMBER)
    if word == "shift":
        return SHOWN_DATES
    try:
        treatment = read_treatment(settings, column.name) if settings else None
        step: Any = None
        if isinstance(treatment, Mask) and treatment.keep:
            step = MaskMap(column.name, treatment.keep, "*")
        elif isinstance(treatment, Numbers) and "%" not in f"{treatment.top} {treatment.bottom}":
            step = NumberMap(column.name, treatment.step, treatment.top, treatment.bottom)  # type: ignore[arg-type]
        for value, _ in column.common if step else ():
            if value is not None and (after := step.convert((value,))) and after != value:
                return value, after
    except (PETWorksError, UnreadableError):
        return None
    return None
