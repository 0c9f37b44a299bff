"""The names that an author of measures imports. The built-in measures import them from here too.

A measure is one file with one class. The class belongs to a family (`Privacy`, `Utility`, `Risk`, or `Figures` for
anything else), declares its parameters with `number`, `word`, `flag`, `column`, `values`, `table` or `function`,
carries its `Words` in every language, and yields bounds, losses or figures from `Facts`. CONTRIBUTING shows how to add
one to PETWorks; a package of your own names itself in the entry-point group ``petworks.measures``.
"""

from PETWorks.errors import NotAskableError, ParameterError
from PETWorks.exact.limit import Limit, Number, Side
from PETWorks.exact.scores import FloatArray, Logarithms, Ratios, Scores, largest
from PETWorks.exact.sums import Bits
from PETWorks.facts.cells import Cells, Ladder
from PETWorks.facts.classes import Groups
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Cell, Name, Note, Scope
from PETWorks.facts.spread import Spread
from PETWorks.facts.what_if import overall_is_fixed, population_nests
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.measure.base import Measure, Need, Page, Words
from PETWorks.measure.bounds import LISTED, Bound, Privacy, alike, by_value, grouped
from PETWorks.measure.figures import Figure, Figures, Risk
from PETWorks.measure.formulas.diversity import counted_values, counting_values
from PETWorks.measure.formulas.floors import excess, shortfall
from PETWorks.measure.losses import (
    MOST_COLUMNS,
    CellFactors,
    CellLosses,
    Loss,
    Utility,
    column_loss,
    costliest,
    placed,
    untold,
)
from PETWorks.measure.parameter import column, flag, function, number, table, values, word
from PETWorks.measure.result import Part, Result
from PETWorks.measure.steps import Amounts, Step, Terms
from PETWorks.tables.counting.tally import IntArray, Mask, cell_text

__all__ = [
    "LISTED",
    "MOST_COLUMNS",
    "Amounts",
    "Bits",
    "Bound",
    "Cell",
    "CellFactors",
    "CellLosses",
    "Cells",
    "Facts",
    "Figure",
    "Figures",
    "FloatArray",
    "Groups",
    "Hierarchy",
    "IntArray",
    "Ladder",
    "Limit",
    "Logarithms",
    "Loss",
    "Mask",
    "Measure",
    "Name",
    "Need",
    "NotAskableError",
    "Note",
    "Number",
    "Page",
    "ParameterError",
    "Part",
    "Privacy",
    "Ratios",
    "Result",
    "Risk",
    "Scope",
    "Scores",
    "Side",
    "Spread",
    "Step",
    "Terms",
    "Utility",
    "Words",
    "alike",
    "by_value",
    "cell_text",
    "column",
    "column_loss",
    "costliest",
    "counted_values",
    "counting_values",
    "excess",
    "flag",
    "function",
    "grouped",
    "largest",
    "number",
    "overall_is_fixed",
    "placed",
    "population_nests",
    "shortfall",
    "table",
    "untold",
    "values",
    "word",
]
