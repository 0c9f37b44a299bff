"""How well are these people hidden, and how much is the data still worth?

    import PETWorks as pw

    release = pw.Release("released.csv", original="original.csv", hierarchies="hierarchies/")
    print(release.evaluate())

Every measure is here by the name of its class, such as `pw.TCloseness`. Names are loaded when first used, so that
importing PETWorks costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PETWorks.answer.evaluation import Evaluation
    from PETWorks.errors import PETWorksError
    from PETWorks.facts.hierarchy import Hierarchy
    from PETWorks.legacy import PETValidation, report
    from PETWorks.measure.registry import measures
    from PETWorks.measure.result import Result
    from PETWorks.policy.policy import Policy
    from PETWorks.release import Release

__all__ = [
    "Evaluation",
    "Hierarchy",
    "PETValidation",
    "PETWorksError",
    "Policy",
    "Release",
    "Result",
    "measures",
    "report",
]

_HOMES = {
    "Evaluation": "answer.evaluation",
    "Hierarchy": "facts.hierarchy",
    "PETValidation": "legacy",
    "PETWorksError": "errors",
    "Policy": "policy.policy",
    "Release": "release",
    "Result": "measure.result",
    "measures": "measure.registry",
    "report": "legacy",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if home := _HOMES.get(name):
        return getattr(import_module(f"PETWorks.{home}"), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("petworks")
    if name[:1].isupper():
        for kind in import_module("PETWorks.measure.registry").measures().values():
            if kind.__name__ == name:
                return kind
        from PETWorks.errors import did_you_mean

        raise AttributeError(f"PETWorks has no {name!r}; {did_you_mean(name, __dir__())}")
    raise AttributeError(f"module 'PETWorks' has no attribute {name!r}")


def __dir__() -> list[str]:
    kinds = import_module("PETWorks.measure.registry").measures().values()
    return sorted([*__all__, "__version__", *(kind.__name__ for kind in kinds)])
