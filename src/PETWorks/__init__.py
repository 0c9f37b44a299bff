"""How well are these people hidden, and how much is the data still worth?

    import PETWorks as pw

    release = pw.Release("released.csv", original="original.csv", hierarchies="hierarchies/")
    print(release.evaluate())

Every measure is available by the name of its class, such as `pw.TCloseness`, also those of installed plug-ins. Names
are imported when first used, so that importing PETWorks is fast.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing takes longer to import than all else here
if TYPE_CHECKING:  # for type checkers and editors, which cannot see __getattr__
    from typing import Any

    from PETWorks.answer.evaluation import Evaluation
    from PETWorks.comparing import compare
    from PETWorks.comparison.comparison import Comparison
    from PETWorks.errors import PETWorksError
    from PETWorks.hierarchies.hierarchy import Hierarchy
    from PETWorks.hierarchies.suggestion import suggest_hierarchies
    from PETWorks.inspection.inspect import inspect
    from PETWorks.inspection.inspection import InspectedColumn, Inspection
    from PETWorks.legacy.anonymization import PETAnonymization, output
    from PETWorks.legacy.validation import PETValidation, report
    from PETWorks.making.made import Made
    from PETWorks.making.make import anonymize
    from PETWorks.measure.registry import measures
    from PETWorks.measure.result import Result
    from PETWorks.policy.policy import Policy
    from PETWorks.policy.templates.template import template, templates
    from PETWorks.release import Release

    __version__: str

if TYPE_CHECKING:  # the same for every measure
    # begin: measures, typed (written by tools/lists.py)
    from PETWorks.privacy.alpha_k_anonymity import AlphaKAnonymity
    from PETWorks.privacy.beta_likeness import BetaLikeness
    from PETWorks.privacy.delta_disclosure import DeltaDisclosure
    from PETWorks.privacy.delta_presence import DeltaPresence
    from PETWorks.privacy.k_anonymity import KAnonymity
    from PETWorks.privacy.k_map import KMap
    from PETWorks.privacy.l_diversity import LDiversity
    from PETWorks.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
    from PETWorks.privacy.profitability import Profitability
    from PETWorks.privacy.t_closeness import TCloseness
    from PETWorks.risk.attribute_risk import AttributeRisk
    from PETWorks.risk.class_sizes import ClassSizes
    from PETWorks.risk.context_risk import ContextRisk
    from PETWorks.risk.individual_risk import IndividualRisk
    from PETWorks.risk.population_uniqueness import PopulationUniqueness
    from PETWorks.risk.re_identification import ReidentificationRisk
    from PETWorks.risk.sample_uniqueness import SampleUniqueness
    from PETWorks.risk.special_uniques import SpecialUniques
    from PETWorks.utility.aecs import AECS
    from PETWorks.utility.ambiguity import Ambiguity
    from PETWorks.utility.discernibility import Discernibility
    from PETWorks.utility.granularity import Granularity
    from PETWorks.utility.non_uniform_entropy import NonUniformEntropy
    from PETWorks.utility.precision import Precision
    from PETWorks.utility.shares import Shares
    from PETWorks.utility.squared_error import SquaredError
    from PETWorks.utility.utility_bias import UtilityBias
    # end: measures, typed

__all__ = [  # noqa: RUF022 (in two parts)
    "Comparison",
    "Evaluation",
    "Hierarchy",
    "InspectedColumn",
    "Inspection",
    "Made",
    "PETAnonymization",
    "PETValidation",
    "PETWorksError",
    "Policy",
    "Release",
    "Result",
    "anonymize",
    "compare",
    "inspect",
    "measures",
    "output",
    "report",
    "suggest_hierarchies",
    "template",
    "templates",
    # begin: measures, exported (written by tools/lists.py)
    "AECS",
    "AlphaKAnonymity",
    "Ambiguity",
    "AttributeRisk",
    "BetaLikeness",
    "ClassSizes",
    "ContextRisk",
    "DeltaDisclosure",
    "DeltaPresence",
    "Discernibility",
    "Granularity",
    "IndividualRisk",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "NonUniformEntropy",
    "PSensitiveKAnonymity",
    "PopulationUniqueness",
    "Precision",
    "Profitability",
    "ReidentificationRisk",
    "SampleUniqueness",
    "Shares",
    "SpecialUniques",
    "SquaredError",
    "TCloseness",
    "UtilityBias",
    # end: measures, exported
]

_HOMES = {
    "Comparison": "comparison.comparison",
    "Evaluation": "answer.evaluation",
    "Hierarchy": "hierarchies.hierarchy",
    "InspectedColumn": "inspection.inspection",
    "Inspection": "inspection.inspection",
    "Made": "making.made",
    "PETAnonymization": "legacy.anonymization",
    "PETValidation": "legacy.validation",
    "PETWorksError": "errors",
    "Policy": "policy.policy",
    "Release": "release",
    "Result": "measure.result",
    "anonymize": "making.make",
    "compare": "comparing",
    "inspect": "inspection.inspect",
    "measures": "measure.registry",
    "output": "legacy.anonymization",
    "report": "legacy.validation",
    "suggest_hierarchies": "hierarchies.suggestion",
    "template": "policy.templates.template",
    "templates": "policy.templates.template",
}

if not TYPE_CHECKING:

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
        return sorted({*__all__, "__version__", *(kind.__name__ for kind in kinds)})
