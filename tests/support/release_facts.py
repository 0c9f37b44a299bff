"""Parts of the facts of a release and of the view of an evaluation, which several rooms build, change or compare."""

from PETWorks.disclosure.level import find_disclosure
from PETWorks.disclosure.report import EvaluationView
from PETWorks.facts.classes import Classes, ClassParts, SizeGroups
from PETWorks.facts.roles import Roles
from PETWorks.facts.what_if import Generalisation, find_affordable_generalisations, generalise_columns, suppress_classes
from PETWorks.shown import CountBand

__all__ = [
    "ClassParts",
    "Classes",
    "CountBand",
    "EvaluationView",
    "Generalisation",
    "Roles",
    "SizeGroups",
    "find_affordable_generalisations",
    "find_disclosure",
    "generalise_columns",
    "suppress_classes",
]
