"""Which limits of requirements a table can fail, and which sensitive columns they cover.

>>> from PETWorks import KAnonymity, LDiversity
>>> find_working_limits(KAnonymity(k=1)), find_working_limits(KAnonymity(k=5))
((), ('k',))
>>> [covers_sensitive(one, "diagnosis") for one in (KAnonymity(k=5), LDiversity(l=2), LDiversity(l=2, sensitive="hiv"))]
[False, True, False]
"""

from __future__ import annotations

from PETWorks.measure.base import Measure, Need
from PETWorks.measure.parameter import find_limits, find_parameters
from PETWorks.measure.risk.attribute_disclosure import AttributeDisclosure
from PETWorks.measure.risk.context_risk import ContextRisk

SIZE_LIMITS = ("k",)  # limits on the sizes of classes, which cover no sensitive column


def find_working_limits(measure: Measure) -> tuple[str, ...]:
    """Return the limits of a measure that the caller set and that a table can fail."""
    if isinstance(measure, ContextRisk) and measure.cannot_fail:
        return ()
    if measure.always_judges:
        return tuple(find_limits(type(measure))) or (measure.name,)
    known = find_parameters(type(measure))
    given = {name: limit for name in find_limits(type(measure)) if (limit := getattr(measure, name)) is not None}
    return tuple(name for name, limit in given.items() if not known[name].never_fails(limit))


def protects_people(measure: Measure) -> bool:
    """Return True for a privacy or risk measure with a limit that a table can fail."""
    return measure.family != "utility" and bool(find_working_limits(measure))


def covers_sensitive(measure: Measure, column: str) -> bool:
    """Return True if such a limit restricts what a sensitive column discloses."""
    if isinstance(measure, AttributeDisclosure):  # of releases whose rows do not pair
        return (measure.target is None or column in measure.target) and bool(find_working_limits(measure))
    if measure.family != "privacy" or Need.SENSITIVE not in measure.needs:
        return False
    if getattr(measure, "sensitive", None) not in (None, column):
        return False
    return any(name not in SIZE_LIMITS for name in find_working_limits(measure))
