"""The names that an author of measures imports. The built-in measures import them from here too.

A measure is one file with one class. The class belongs to a family (`Privacy`, `Utility`, `Risk`, or `Figures` for
anything else), declares its parameters with `number`, `word`, `flag`, `column`, `values`, `table`, `formula` or
`function`, carries its `Words` in every language, and yields bounds, losses or figures from `Facts`. CONTRIBUTING shows
how to add one to PETWorks; a package of your own names itself in the entry-point group ``petworks.measures``.
"""

from PETWorks.errors import FunctionError, NotAskableError, ParameterError, PopulationError
from PETWorks.exact.limit import Limit, Number, Side, parse_number
from PETWorks.exact.scores import FloatArray, Largest, Logarithms, Ratios, Scores, find_largest
from PETWorks.exact.sums import Bits
from PETWorks.facts.cells import Cells, LevelCodes
from PETWorks.facts.classes import Groups, Unit
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Cell, Name, Note, Scope
from PETWorks.facts.spread import Spread
from PETWorks.facts.what_if import overall_is_fixed, population_nests
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.measure.base import Measure, Need, Page, ReleasedRows, Words
from PETWorks.measure.bounds import Bound, Privacy, build_grouping_step, build_size_step, build_value_steps
from PETWorks.measure.figures import Figure, Figures, Risk
from PETWorks.measure.formulas.diversity import build_diversity_step, explain_counting
from PETWorks.measure.formulas.floors import excess, shortfall
from PETWorks.measure.formulas.smallest_classes import SmallestClasses
from PETWorks.measure.losses import (
    MOST_COLUMNS,
    CellFactors,
    CellLosses,
    Loss,
    Utility,
    build_column_step,
    build_scale_step,
    find_costliest,
    withhold_score,
)
from PETWorks.measure.parameter import (
    column,
    columns,
    flag,
    formula,
    function,
    model,
    number,
    parse_formula,
    table,
    values,
    word,
)
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.steps import LISTED, Amounts, Step, Terms
from PETWorks.shown import THRESHOLD, Disclosure, DisclosureLevel
from PETWorks.tables.counting.tally import IntArray, Mask, cell_text, sum_by_group

# former names of the above
Ladder = LevelCodes
Part = ResultPart
alike = build_size_step
by_value = build_value_steps
column_loss = build_column_step
costliest = find_costliest
counted_values = build_diversity_step
counting_values = explain_counting
grouped = build_grouping_step
placed = build_scale_step
untold = withhold_score

__all__ = [
    "LISTED",
    "MOST_COLUMNS",
    "THRESHOLD",
    "Amounts",
    "Bits",
    "Bound",
    "Cell",
    "CellFactors",
    "CellLosses",
    "Cells",
    "Disclosure",
    "DisclosureLevel",
    "Facts",
    "Figure",
    "Figures",
    "FloatArray",
    "FunctionError",
    "Groups",
    "Hierarchy",
    "IntArray",
    "Ladder",
    "Largest",
    "LevelCodes",
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
    "PopulationError",
    "Privacy",
    "Ratios",
    "ReleasedRows",
    "Result",
    "ResultPart",
    "Risk",
    "Scope",
    "Scores",
    "Side",
    "SmallestClasses",
    "Spread",
    "Step",
    "Terms",
    "Unit",
    "Utility",
    "Words",
    "alike",
    "build_column_step",
    "build_diversity_step",
    "build_grouping_step",
    "build_scale_step",
    "build_size_step",
    "build_value_steps",
    "by_value",
    "cell_text",
    "column",
    "column_loss",
    "columns",
    "costliest",
    "counted_values",
    "counting_values",
    "excess",
    "explain_counting",
    "find_costliest",
    "find_largest",
    "flag",
    "formula",
    "function",
    "grouped",
    "model",
    "number",
    "overall_is_fixed",
    "parse_formula",
    "parse_number",
    "placed",
    "population_nests",
    "shortfall",
    "sum_by_group",
    "table",
    "untold",
    "values",
    "withhold_score",
    "word",
]
