"""The page of the policy file: its keys are those that the code reads."""

from __future__ import annotations

import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from reference_measures import slug
from reference_words import Words, code, escaped, fence, filled, joined, table

from PETWorks import demo as demo_folder
from PETWorks.hierarchies.dates import CALENDARS
from PETWorks.hierarchies.dates import LEVELS as PERIODS
from PETWorks.hierarchies.places import LEVELS as AREAS
from PETWorks.measure.parameter import find_limits, find_parameters
from PETWorks.measure.registry import measures
from PETWorks.policy import toml as settings
from PETWorks.policy.policy import Policy
from PETWorks.settings.section import Section, meanings
from PETWorks.settings.section import declared as find_settings
from PETWorks.settings.sections import (
    DATA,
    MAKING,
    ROLES,
    EarlierEdition,
    LedgerFile,
    OriginalQuery,
    ReportFiles,
    SignOff,
)

PLACES = (
    *(
        "",
        "data",
        "data.sha256",
        "prepare",
        "prepare.column",
        "derive",
        "hierarchies",
        "roles",
        "require",
        "accept",
        "adversary",
        "earlier",
        "removed",
        "not_shown",
    ),
    *("anonymize", "anonymize.pinned", "treat", "report", "signoff", "ledger"),
)
HEADS = {
    "": "",
    "data": "[data]",
    "data.sha256": "[data.sha256]",
    "prepare": "[prepare]",
    "prepare.column": "[prepare.<column>]",
    "derive": "[derive.<column>]",
    "treat": "[treat.<column>]",
    "hierarchies": "[hierarchies.<column>]",
    "roles": "[roles]",
    "require": "[[require]]",
    "accept": "[[accept]]",
    "adversary": "[[adversary]]",
    "earlier": "[[earlier]]",
    "removed": "[[removed]]",
    "not_shown": "[[not_shown]]",
    "anonymize": "[anonymize]",
    "anonymize.pinned": "[[anonymize.pinned]]",
    "report": "[report]",
    "signoff": "[signoff]",
    "ledger": "[ledger]",
}
OF_SETTINGS: dict[str, tuple[type[Section], ...]] = {  # the sections of settings in each table
    "data": (*DATA, OriginalQuery),
    "roles": ROLES,
    "earlier": (EarlierEdition,),
    "anonymize": MAKING,
    "report": (ReportFiles,),
    "signoff": (SignOff,),
    "ledger": (LedgerFile,),
}
OF_HIERARCHIES = {  # the ways to build a hierarchy, and what stands beside them
    "intervals": "a list of numbers",
    **dict.fromkeys(("bottom", "top", "origin"), "a number"),
    **dict.fromkeys(("quantiles", "prefixes"), "a list of whole numbers"),
    "mask": "text",
    "keep_from": '`"left"`, `"right"`',
    "dates": ", ".join(f'`"{one}"`' for one in PERIODS),
    **dict.fromkeys(("read", "write"), ", ".join(f'`"{one}"`' for one in CALENDARS)),
    "ordered": "a list of values",
    "sizes": "a list of whole numbers",
    "rare_last": 'a list of shares, as in ["1%", "5%"]',
    "label": "text",
    "parents": "a table of values and their groups",
    "places": ", ".join(f'`"{one}"`' for one in AREAS),
    "file": "text",
}
SOME_TEXT, SOME_NUMBER, SOME_FLAG, SOME_TABLE = "text", "a whole number", "true or false", "a table"
OF_COLUMNS: dict[str, dict[str, str]] = {  # the keys of tables that no section of settings has
    "prepare": {
        "header_row": SOME_NUMBER,
        "names": 'a list of names, as in ["age", "sex"]',
        "skip_last": SOME_NUMBER,
        "duplicates": '`"remove"`',
        "trim": SOME_FLAG,
        "short_years": '`"roc"`, `"western"`',
    },
    "prepare.column": {
        "trim": SOME_FLAG,
        "width": '`"half"`',
        "missing": "a list of values",
        "spellings": "a table of values and their groups",
        "variants": '`"tw"`',
        "code": '`"ICD-10"`',
        "date": '`"any"`, `"iso"`, `"roc"`, `"slashes"`, `"dots"`, `"digits"`',
        "short_years": '`"roc"`, `"western"`',
        "order": '`"ymd"`, `"dmy"`, `"mdy"`',
        "number": SOME_FLAG,
        "fill_from_person": SOME_FLAG,
        "otherwise": '`"missing"`',
        "check": '`"tw-id"`, `"tw-business-number"`, `"iban"`, `"card"`',
        "not_after": SOME_TEXT,
    },
    "derive": dict.fromkeys(("years", "days", "place", "part"), SOME_TABLE),
    "treat": {
        "remove": SOME_FLAG,
        "mask": SOME_FLAG,
        "pseudonym": SOME_TABLE,
        "shift": SOME_TABLE,
        "round": "a number",
        "top": "a number",
        "bottom": "a number",
        "as_it_is": SOME_TEXT,
        "generalise": SOME_FLAG,
        "otherwise": '`"missing"`',
    },
}
PINNED = '[[anonymize.pinned]]\nname = "A"\nlevels = { sex = 1 }\n[[not_shown]]\nwhat = "a contract"\n'
PINNED += '[[accept]]\npremise = "rest"\ncolumns = ["workclass"]\nwhy = "known to nobody outside"\n'
PINNED += '[[adversary]]\nname = "colleague"\nknows = ["sex"]\n'
PINNED += '[[removed]]\nmeasure = "k-anonymity"\nk = 10\nwhy = "too costly"\n'


def policy_page(word: Words) -> str:
    """Describe every key."""
    parts = [f"# {word['policy']}", word["policy_intro"], f"## {word['policy_example']}", word["policy_example_text"]]
    parts += [fence("toml", demo_folder.write_policy(word.language))]
    for place in PLACES:
        parts += [f"## {code(HEADS[place]) if place else word['top']}"]
        if place == "require":
            parts += [word["require_text"]]
        if place in (
            "anonymize",
            "hierarchies",
            "accept",
            "adversary",
            "earlier",
            "removed",
            "not_shown",
            "signoff",
            "ledger",
        ):
            parts += [word[f"{place}_text"]]
        rows = []
        for key, what in keys()[place].items():
            if f"{place}.{key}".lstrip(".") in HEADS:
                continue
            value = what if word.locale == "en" else word.of("types", what)
            meant = meanings(*OF_SETTINGS.get(place, ()), language=word.language)
            meaning = escaped(meant[key]) if key in meant else word.of("policy", f"{place}.{key}".lstrip("."))
            rows.append([code(key), value, meaning])
        parts += [table([word["key"], word["value"], word["meaning"]], rows)]
    parts += [f"## {word['require_limits']}", _limits(word)]
    by_code = ", ".join(kind.words[word.language].title for kind in measures().values() if _needs_function(kind))
    parts += [filled(word["sides_text"], {"function": by_code})]
    return joined(parts)


@lru_cache
def keys() -> dict[str, dict[str, str]]:
    """Load the policy of the demonstration; return every key that the code reads, by table, with its allowed values."""
    found: dict[str, dict[str, str]] = {place: {} for place in PLACES}

    class Noted(settings.TomlSection):
        def _read_key(self, key: str, what: str, fits: Any) -> Any:  # noqa: ANN401
            found.get(_place(self._place), {}).setdefault(key, what)
            return super()._read_key(key, what, fits)

        def word(self, key: str, *words: str) -> str | None:
            said = super().word(key, *words)
            found[_place(self._place)][key] = ", ".join(f'`"{one}"`' for one in words)
            return said

    with tempfile.TemporaryDirectory() as folder, _replaced(Noted):
        demo_folder.write_folder(Path(folder), "en")
        path = Path(folder) / "policy.toml"
        path.write_text(path.read_text(encoding="utf-8") + PINNED, encoding="utf-8")
        Policy(path)
    found["hierarchies"] = OF_HIERARCHIES
    found |= OF_COLUMNS
    for place, sections in OF_SETTINGS.items():
        found[place] |= {name: one.kind.expected for name, one in find_settings(*sections).items()}
    return found


def _place(where: str) -> str:
    return re.sub(r"[\[\]\s\d]", "", where.replace("sha256", "SHA")).replace("SHA", "sha256")


class _replaced:  # noqa: N801 (used as a statement)
    """A context manager that replaces the class of settings."""

    def __init__(self, kind: type[settings.TomlSection]) -> None:
        self.kind = kind

    def __enter__(self) -> None:
        from PETWorks.policy import policy

        self.own = settings.TomlSection
        settings.TomlSection = policy.TomlSection = self.kind  # type: ignore[misc,attr-defined]

    def __exit__(self, *_: object) -> None:
        from PETWorks.policy import policy

        settings.TomlSection = policy.TomlSection = self.own  # type: ignore[misc,attr-defined]


def _limits(word: Words) -> str:
    rows = []
    for kind in measures().values():
        if _needs_function(kind) or not (find_limits(kind) or kind.list_required()):
            continue
        sides = "<br>".join(f"{code(name)}: {word[side]}" for name, side in find_limits(kind).items()) or word["always"]
        others = ", ".join(code(name) for name in find_parameters(kind) if name not in find_limits(kind)) or "–"
        title = kind.words[word.language].title
        name = f"[{escaped(title)}](measures/{slug(kind)}.md)" + (
            f"<br>{code(kind.name)}" if title != kind.name else ""
        )
        rows.append([name, sides, others])
    return table([word["name"], word["limits"], word["others"]], rows)


def _needs_function(kind: type) -> bool:
    return any(one.kind == "function" for one in find_parameters(kind).values())
