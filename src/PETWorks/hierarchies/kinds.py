"""Rules by the name that they have in a policy, where the section [hierarchies.<column>] holds one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.hierarchies.dates import Dates
from PETWorks.hierarchies.intervals import Intervals
from PETWorks.hierarchies.ordered import Ordered
from PETWorks.hierarchies.parents import Parents
from PETWorks.hierarchies.places import Places
from PETWorks.hierarchies.prefixes import Prefixes
from PETWorks.hierarchies.quantiles import Quantiles
from PETWorks.hierarchies.rare_last import RareLast
from PETWorks.hierarchies.rule import Rule

KINDS: Mapping[str, type[Rule]] = {
    one.kind: one for one in (Intervals, Quantiles, Prefixes, Dates, Ordered, RareLast, Parents, Places)
}


def rule_of(name: str, settings: Mapping[str, Any]) -> Rule:
    """Build a rule from what `Rule.settings` returns.

    >>> rule_of("age", {"intervals": [5, 10], "bottom": 15}).settings()
    {'intervals': [5, 10], 'bottom': 15}
    """
    kinds = [key for key in settings if key in KINDS]
    if len(kinds) != 1:
        found = " and ".join(kinds) if kinds else "no way to build it"
        hint = "name one of " + ", ".join(KINDS) if kinds else did_you_mean([*settings], KINDS)
        raise ParameterError(f'the hierarchy of "{name}" has {found}', hint=hint)
    kind = KINDS[kinds[0]]
    others = {key: value for key, value in settings.items() if key != kind.kind}
    known = {one.name: one for one in fields(kind) if one.name not in ("name", kind.main)}
    if unknown := [key for key in others if key not in known]:
        hint = did_you_mean(unknown, known) if known else f"{kind.kind} stands alone"
        raise UnknownNameError(f'unknown key "{unknown[0]}" beside {kind.kind}', hint=hint)
    lacking = [key for key, one in known.items() if one.default is MISSING and key not in others]
    if lacking:
        raise ParameterError(f'missing key "{lacking[0]}" beside {kind.kind}', hint=kind.example())
    return kind(name, **{kind.main: settings[kind.kind]}, **others)
