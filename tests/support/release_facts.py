"""Parts of the facts of a release and of the view of an evaluation, which several rooms build, change or compare."""

from PETWorks.disclosure.evaluation import disclose_front, disclose_making
from PETWorks.disclosure.level import find_disclosure
from PETWorks.disclosure.report import EvaluationView
from PETWorks.evaluation.provenance import Alternative, Front, SuppressedAmount
from PETWorks.evaluation.requirement import NotShown, Requirement
from PETWorks.facts.classes import Classes, ClassParts, SizeGroups
from PETWorks.facts.roles import Roles
from PETWorks.facts.what_if import Generalisation, find_affordable_generalisations, generalise_columns, suppress_classes
from PETWorks.shown import CountBand

__all__ = [
    "Alternative",
    "ClassParts",
    "Classes",
    "CountBand",
    "EvaluationView",
    "Front",
    "Generalisation",
    "NotShown",
    "Requirement",
    "Roles",
    "SizeGroups",
    "SuppressedAmount",
    "disclose_front",
    "disclose_making",
    "find_affordable_generalisations",
    "find_disclosure",
    "generalise_columns",
    "suppress_classes",
]
