"""The names that an author of measures, and of file formats of tables, imports."""

from PETWorks.errors import CellText, EncodingError, MalformedError, Quantity, SourceError
from PETWorks.measure.plugin import *  # noqa: F403
from PETWorks.measure.plugin import __all__ as _of_measures
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.rewriting.cells import Rewriting
from PETWorks.tables.source import TableSource, check_column_names
from PETWorks.tables.text_form import convert_column, encode, encode_cells, write_cells

__all__ = [  # noqa: PLE0604 (names are text)
    *_of_measures,
    "Batch",
    "CellText",
    "EncodingError",
    "FileFormat",
    "MalformedError",
    "Quantity",
    "Reading",
    "Rewriting",
    "TableSource",
    "SourceError",
    "convert_column",
    "check_column_names",
    "encode",
    "encode_cells",
    "write_cells",
]
