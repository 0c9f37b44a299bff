"""Hints in the words of the command line: arguments and calls of Python become options, or keys of a policy.

>>> worded('pass key=, or pairing="position"', policy=False), worded("or omit seed=", policy=True)
('pass --key, or --pairing position', 'or omit seed')
>>> worded('as in Hierarchy.intervals("age", widths=[5, 10, 20], bottom=15)', policy=False)
'as in --widths 5,10,20 --bottom 15'
"""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any, cast

from PETWorks.policy.toml import written

WAYS = {  # the option of `petworks hierarchy` for each way to build one
    "intervals": "widths",
    "quantiles": "parts",
    "prefixes": "keep",
    "dates": "dates",
    "ordered": "order",
    "rare_last": "share",
    "places": "places",
}
ARGUMENTS = (
    *("original", "population", "hierarchies", "quasi_identifiers", "sensitive", "identifiers", "key", "pairing"),
    *("weight", "person", "known", "unknown_person", "suppressed", "unknown_values"),
    *("delimiter", "encoding", "sheet", "value_labels"),
    *("population_size", "sampling_fraction", "fraction", "variant", "risk", "order", "c", "highest", "at_most"),
    *("read", "write", "mask", "label"),
    *("the_rest", "recoding", "utility", "seed", "grouping", "suppress", "suppress_at_most", "suppressed_rows"),
)
ALWAYS_OPTIONS = ("memory_limit", "temporary")  # no keys of a policy
LIST = r'\["[^"]*"(?:, "[^"]*")*\]'
ARGUMENT = re.compile(rf'\b({"|".join((*ARGUMENTS, *ALWAYS_OPTIONS))})=(?:"([^"]*)"|({LIST}))?')
CALL = re.compile(r"(\A)?(Hierarchy\.(\w+)\([^()]*\))")
LEFT_OUT = ("omit ", "leave ", "leave out ")


def worded(text: str, *, policy: bool) -> str:
    """Return a hint with options in place of arguments, or with keys of a policy."""
    text = CALL.sub(lambda found: _rule(found, policy=policy), text)
    return ARGUMENT.sub(lambda found: _argument(found, policy=policy), text)


def option_of(name: str) -> str:
    """Return the option for an argument of `Release`."""
    return f"--{name.removesuffix('s') if name.endswith('identifiers') else name}".replace("_", "-")


def _argument(found: re.Match[str], *, policy: bool) -> str:
    name, value, values = found[1], found[2], found[3]
    if not policy or name in ALWAYS_OPTIONS:
        return _option(name, value, values)
    if found.string[: found.start()].endswith(LEFT_OUT) and value is None:
        return name
    return f"{name} = {values}" if values else f'{name} = "{value or "…"}"'


def _option(name: str, value: str | None, values: str | None) -> str:
    """Write an argument as an option; a list as an option that is repeated."""
    if values:
        short = f"-{name[0]}"
        repeated = " ".join(f"{short} {shlex.quote(one)}" for one in ast.literal_eval(values))
        return f"{repeated} (repeat {short} for each column)"
    return option_of(name) + (f" {shlex.quote(value)}" if value else "")


def _rule(found: re.Match[str], *, policy: bool) -> str:
    """Write an example of a rule as options of `petworks hierarchy`, or as keys of [hierarchies.<column>]."""
    lead, kind = "" if found[1] is None else "as in ", found[3]
    call = cast("ast.Call", ast.parse(found[2], mode="eval").body)
    given = [("", one) for one in call.args[1:]] + [(one.arg, one.value) for one in call.keywords]
    (_, main), *others = [(name, ast.literal_eval(one)) for name, one in given]
    if policy or kind not in WAYS:
        return lead + ", ".join(f"{name} = {written(value)}" for name, value in [(kind, main), *others])
    return lead + " ".join(f"--{name} {_typed(value)}" for name, value in [(WAYS[kind], main), *others])


def _typed(value: Any) -> str:  # noqa: ANN401
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list) else str(value))
