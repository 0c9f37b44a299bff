"""The functions that display results. `presentation` loads this module by name, so lower packages do not import it."""

from PETWorks.render.atomic_write import write_whole as write_file
from PETWorks.render.blocks import account_text, explanation_text
from PETWorks.render.comparison import comparison
from PETWorks.render.formats.json import evaluation_json
from PETWorks.render.inspection import coverage_text, inspection_json, inspection_text, suggestion_text
from PETWorks.render.page import report_page
from PETWorks.render.tables import as_html, as_rich
from PETWorks.render.text import evaluation_text, note_text, result_text

__all__ = [
    "account_text",
    "as_html",
    "as_rich",
    "comparison",
    "coverage_text",
    "evaluation_json",
    "evaluation_text",
    "explanation_text",
    "inspection_json",
    "inspection_text",
    "note_text",
    "report_page",
    "result_text",
    "suggestion_text",
    "write_file",
]
