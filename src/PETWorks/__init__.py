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

    from PETWorks.anonymization.anonymized_table import AnonymizedTable, Made
    from PETWorks.anonymization.compare import compare
    from PETWorks.anonymization.input_table import Table
    from PETWorks.anonymization.make import anonymize
    from PETWorks.errors import PETWorksError
    from PETWorks.evaluation.comparison import Comparison
    from PETWorks.evaluation.evaluation import Evaluation
    from PETWorks.evaluation.release import Release
    from PETWorks.hierarchies.hierarchy import Hierarchy
    from PETWorks.hierarchies.suggestion import suggest_hierarchies
    from PETWorks.inspection.inspection import InspectedColumn, Inspection
    from PETWorks.inspection.survey import inspect
    from PETWorks.legacy import PETAnonymization, PETValidation, output, report
    from PETWorks.measure.registry import measures
    from PETWorks.measure.result import Result
    from PETWorks.policy.policy import Policy
    from PETWorks.policy.templates import template, templates
    from PETWorks.settings.sections import Engine, Person, Reading, Search, Writing

    __version__: str

if TYPE_CHECKING:  # the same for every measure
    # begin: measures, typed (written by tools/lists.py)
    from PETWorks.measure.privacy.alpha_k_anonymity import AlphaKAnonymity
    from PETWorks.measure.privacy.beta_likeness import BetaLikeness
    from PETWorks.measure.privacy.delta_disclosure import DeltaDisclosure
    from PETWorks.measure.privacy.delta_presence import DeltaPresence
    from PETWorks.measure.privacy.k_anonymity import KAnonymity
    from PETWorks.measure.privacy.k_map import KMap
    from PETWorks.measure.privacy.l_diversity import LDiversity
    from PETWorks.measure.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
    from PETWorks.measure.privacy.profitability import Profitability
    from PETWorks.measure.privacy.t_closeness import TCloseness
    from PETWorks.measure.risk.attribute_disclosure import AttributeDisclosure
    from PETWorks.measure.risk.attribute_risk import AttributeRisk
    from PETWorks.measure.risk.class_sizes import ClassSizes
    from PETWorks.measure.risk.context_risk import ContextRisk
    from PETWorks.measure.risk.differencing import Differencing
    from PETWorks.measure.risk.exact_copies import ExactCopies
    from PETWorks.measure.risk.independent_belief import IndependentBelief
    from PETWorks.measure.risk.individual_risk import IndividualRisk
    from PETWorks.measure.risk.interval_disclosure import IntervalDisclosure
    from PETWorks.measure.risk.joint_anonymity import JointAnonymity
    from PETWorks.measure.risk.joint_diversity import JointDiversity
    from PETWorks.measure.risk.linkability import Linkability
    from PETWorks.measure.risk.m_invariance import MInvariance
    from PETWorks.measure.risk.membership_risk import MembershipRisk
    from PETWorks.measure.risk.nearest_linkage import NearestLinkage
    from PETWorks.measure.risk.population_uniqueness import PopulationUniqueness
    from PETWorks.measure.risk.pram_odds import PramOdds
    from PETWorks.measure.risk.re_identification import ReidentificationRisk
    from PETWorks.measure.risk.replicated_uniques import ReplicatedUniques
    from PETWorks.measure.risk.sample_uniqueness import SampleUniqueness
    from PETWorks.measure.risk.special_uniques import SpecialUniques
    from PETWorks.measure.utility.aecs import AECS
    from PETWorks.measure.utility.ambiguity import Ambiguity
    from PETWorks.measure.utility.discernibility import Discernibility
    from PETWorks.measure.utility.granularity import Granularity
    from PETWorks.measure.utility.margin_distance import MarginDistance
    from PETWorks.measure.utility.non_uniform_entropy import NonUniformEntropy
    from PETWorks.measure.utility.precision import Precision
    from PETWorks.measure.utility.regression_overlap import RegressionOverlap
    from PETWorks.measure.utility.shares import Shares
    from PETWorks.measure.utility.squared_error import SquaredError
    from PETWorks.measure.utility.transfer_accuracy import TransferAccuracy
    from PETWorks.measure.utility.utility_bias import UtilityBias
    # end: measures, typed

__all__ = [  # noqa: RUF022 (in two parts)
    "AnonymizedTable",
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
    "Engine",
    "Person",
    "Reading",
    "Search",
    "Table",
    "Writing",
    # begin: measures, exported (written by tools/lists.py)
    "AECS",
    "AlphaKAnonymity",
    "Ambiguity",
    "AttributeDisclosure",
    "AttributeRisk",
    "BetaLikeness",
    "ClassSizes",
    "ContextRisk",
    "DeltaDisclosure",
    "DeltaPresence",
    "Differencing",
    "Discernibility",
    "ExactCopies",
    "Granularity",
    "IndependentBelief",
    "IndividualRisk",
    "IntervalDisclosure",
    "JointAnonymity",
    "JointDiversity",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "Linkability",
    "MInvariance",
    "MarginDistance",
    "MembershipRisk",
    "NearestLinkage",
    "NonUniformEntropy",
    "PSensitiveKAnonymity",
    "PopulationUniqueness",
    "PramOdds",
    "Precision",
    "Profitability",
    "RegressionOverlap",
    "ReidentificationRisk",
    "ReplicatedUniques",
    "SampleUniqueness",
    "Shares",
    "SpecialUniques",
    "SquaredError",
    "TCloseness",
    "TransferAccuracy",
    "UtilityBias",
    # end: measures, exported
]

_HOMES = {
    "Accept": "premises.accept",
    "Adversary": "premises.adversary",
    "attack": "premises.attack",
    "Writing": "settings.sections",
    "Table": "anonymization.input_table",
    "Search": "settings.sections",
    "Reading": "settings.sections",
    "Person": "settings.sections",
    "Engine": "settings.sections",
    "AnonymizedTable": "anonymization.anonymized_table",
    "Comparison": "evaluation.comparison",
    "Evaluation": "evaluation.evaluation",
    "Hierarchy": "hierarchies.hierarchy",
    "InspectedColumn": "inspection.inspection",
    "Inspection": "inspection.inspection",
    "Made": "anonymization.anonymized_table",
    "PETAnonymization": "legacy",
    "PETValidation": "legacy",
    "PETWorksError": "errors",
    "Policy": "policy.policy",
    "Premise": "premises.premise",
    "Premises": "premises.premise",
    "Release": "evaluation.release",
    "Result": "measure.result",
    "anonymize": "anonymization.make",
    "compare": "anonymization.compare",
    "inspect": "inspection.survey",
    "measures": "measure.registry",
    "output": "legacy",
    "report": "legacy",
    "suggest_hierarchies": "hierarchies.suggestion",
    "template": "policy.templates",
    "templates": "policy.templates",
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
