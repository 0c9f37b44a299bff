"""The functions that disclose and display results.

`presentation` loads this module by name, so lower packages do not import it.

Each function is imported when it is first used: a command needs few of them.
"""

from importlib import import_module
from typing import Any

HOMES = {
    "account_text": "blocks",
    "as_html": "tables",
    "as_rich": "tables",
    "comparison": "comparison",
    "coverage_text": "inspection",
    "evaluation_json": "formats.json",
    "evaluation_text": "text",
    "explanation_text": "blocks",
    "inspection_json": "inspection",
    "inspection_text": "inspection",
    "note_text": "text",
    "report_page": "page",
    "result_text": "text",
    "suggestion_text": "inspection",
}
STAGE = {
    "disclose": "evaluation",
    "disclose_comparison": "comparison",
    "disclose_evaluation": "evaluation",
    "disclose_result": "results",
}
NAMES = {
    "write_file": ("render.atomic_write", "write_whole"),
    **{name: (f"render.{home}", name) for name, home in HOMES.items()},
    **{name: (f"disclosure.{home}", name) for name, home in STAGE.items()},
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 (one of several functions)
    """Return a function that discloses or displays results."""
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own_name = NAMES[name]
    function = getattr(import_module(f"PETWorks.{home}"), own_name)
    globals()[name] = function
    return function
