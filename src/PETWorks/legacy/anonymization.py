"""Making a release as before: `PETAnonymization` and `output`, with the arguments that earlier scripts use."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.errors import GoalError, ParameterError, shown
from PETWorks.facts.roles import Role, given_roles, role_of
from PETWorks.facts.sidecar import find_sidecar
from PETWorks.legacy.arguments import check_arguments, technique_of, translated
from PETWorks.making.given import share_of_rows
from PETWorks.making.make import by_role, make
from PETWorks.making.plan import Plan
from PETWorks.making.recoding import Recoding
from PETWorks.making.sample import population_recoding, require_part
from PETWorks.making.table import RawTable
from PETWorks.making.writing import Writing
from PETWorks.release import Release
from PETWorks.render.atomic_write import replacing
from PETWorks.sources import OpenedTable, open_source

RATE = "maxSuppressionRate"
DATA = ("dataHierarchy", "attributeTypes")  # from the YAML beside the data, if not passed
SUBSET = "subsetData"


@dataclass(frozen=True)
class Model:
    """How an old name is translated: to the measure that is the goal, and old arguments to its parameters."""

    measure: str
    arguments: Mapping[str, str]
    sensitive: bool = False  # True: sensitive attributes are judged; otherwise they are insensitive
    of_subset: bool = False  # True: a subset of the rows is judged, and the data is its population


MODELS = {
    "k-anonymity": Model("k-anonymity", {"k": "k"}),
    "l-diversity": Model("l-diversity", {"l": "l"}, sensitive=True),
    "t-closeness": Model("t-closeness", {"t": "t"}, sensitive=True),
    "d-presence": Model("δ-presence", {"dMin": "d_min", "dMax": "d_max"}, of_subset=True),
}


def PETAnonymization(  # noqa: N802 (the name is part of the old interface)
    originalData: Any,  # noqa: ANN401, N803
    tech: str,
    *settings: Any,  # noqa: ANN401
    **arguments: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 (a pandas frame)
    """Make a release with the arguments of the old interface, as a pandas frame of text; `tech` names the model.

    `dataHierarchy`, `attributeTypes` and `maxSuppressionRate` follow, by position or name; without the first two, roles
    and hierarchies are those of the YAML beside the data. The models are "k-anonymity" (`k`), "l-diversity" (`l`),
    "t-closeness" (`t`) and "d-presence" (`dMin`, `dMax`, and `subsetData`: the rows of the data that are released; the
    data is their population, and comes back as a whole). Columns without a role become "*".
    """
    model = technique_of(tech, MODELS, "privacy model")
    given = _named(settings, arguments)
    check_arguments(tech, given, (*model.arguments, *([SUBSET] if model.of_subset else []), RATE), DATA)
    goal, rate = translated(model, given), share_of_rows(given[RATE], RATE)
    beside = find_sidecar(originalData)
    roles = given_roles(given.get("attributeTypes"), None, None, None, None) or (beside.roles if beside else [])
    hierarchies = given.get("dataHierarchy")
    if hierarchies is None and beside:
        hierarchies = beside.hierarchies
    data = OpenedTable(originalData, open_source(originalData, "originalData"))
    columns = by_role(data.source, [(name, _role(role, model)) for name, role in roles], "identifier")
    original = _original(data, hierarchies, **columns)
    plan = Plan((goal,), rate, utility=None, allow_few=True)
    try:
        if model.of_subset:
            recoding = _by_subset(original, data, given[SUBSET], hierarchies, plan)
        else:
            recoding = make(original, plan).recoding
    except GoalError as error:
        raise GoalError(error.problem, where=error.where, hint=f"ask for less, or raise {RATE}") from error
    return Writing(data.source, original.roles, recoding).frame("pandas", as_text=True)


def _named(settings: Sequence[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Name the arguments that were passed by position: the rate alone, or hierarchies, roles and rate."""
    names = (RATE,) if len(settings) == 1 and RATE not in arguments else (*DATA, RATE)
    if len(settings) > len(names):
        problem = f"{len(settings)} arguments are passed by position after tech, but there are at most {len(names)}"
        raise ParameterError(problem, hint=f"these are {', '.join(names)}; pass the others by name")
    named = dict(zip(names, settings, strict=False))
    if twice := [name for name in named if name in arguments]:
        raise ParameterError(f"{twice[0]} is passed twice, by position and by name")
    return {**named, **arguments}


def _role(given: object, model: Model) -> Role:
    role = role_of(given)
    hidden = role is Role.SENSITIVE_ATTRIBUTE and not model.sensitive
    return Role.INSENSITIVE_ATTRIBUTE if hidden else role


def _original(table: OpenedTable, hierarchies: Any, **settings: Any) -> Release:  # noqa: ANN401
    """Return a table as a release of itself; the YAML beside it was read already."""
    return Release(table, original=table, hierarchies=hierarchies, pairing="position", sidecar=False, **settings)


def _by_subset(original: Release, data: OpenedTable, subset: Any, hierarchies: Any, plan: Plan) -> Recoding:  # noqa: ANN401
    """Make the release of a subset, judged against all of the data, and generalise all of the data like it."""
    part = OpenedTable(subset, open_source(subset, SUBSET))
    columns = original.roles.quasi_identifiers
    sample = _original(part, hierarchies, population=data, quasi_identifiers=columns)
    require_part(part.source, data.source, SUBSET)
    made = make(sample, plan)
    return population_recoding(RawTable.of(original._facts), made.levels, made.facts)  # noqa: SLF001 (of our own)


def output(frame: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401
    """Write what `PETAnonymization` returned to a CSV file with semicolons, whole or not at all."""
    if not hasattr(frame, "to_csv"):
        raise ParameterError(f"output needs what PETAnonymization returned, not {shown(frame)}")
    with replacing(path) as file:
        frame.to_csv(file, sep=";", index=False, encoding="utf-8", lineterminator="\n")
