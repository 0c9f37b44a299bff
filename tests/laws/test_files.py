"""A module has several importers, or a reason to be a file; a file of tests has a name that no other has.

How much a function may hold is a limit of the linter (`pyproject.toml`), not of lines.
"""

from collections import Counter

from support.imports import find_importers, is_below
from support.places import ROOT

PACKAGE = ROOT / "src" / "PETWorks"
MEASURES = ("measure.privacy", "measure.risk", "measure.utility")  # one file, one measure

ONE_IMPORTER = {  # modules with exactly one importer, by the reason that they are files; the list may only shrink
    "found by its name: a command, a recoding, or a format": """
        anonymization.recodings.local anonymization.recodings.microaggregate
        cli.inspect render.formats.json render.formats.markdown tables.formats.parquet
    """,
    "imported only when it is needed, so that other calls start faster": "app.serve evaluation.storage facts.saved",
    "read and checked on its own: it guards every request, project or workbook, signs, or opens commitments": """
        app.request_guard cli.commitments tables.formats.workbooks.checks user.trust
    """,
    "a method of its own, too long to stand with what calls it": """
        anonymization.local.parts anonymization.local.recode anonymization.microaggregation.aggregate
        anonymization.microaggregation.groups facts.fit facts.population
        measure.formulas.nearest_agreement measure.formulas.special_uniques measure.formulas.superpopulation
        tables.formats.workbooks.writing tables.found_rows
        evaluation.editions facts.changed_cells tables.numbered
    """,
    "a question of its own about the rows of a table, answered for the premises": """
        premises.free_text premises.limits premises.names premises.numbers
    """,
    "a part of an output, too long to stand with the whole": """
        anonymization.explanation app.problems app.screens.columns.view app.screens.explore.answer
        app.screens.explore.trade app.screens.explore.view app.screens.hierarchies.changes
        app.screens.open.view app.screens.prepare.view app.screens.release.view render.page.risk
    """,
    "what one output tells, apart from the numbers of its command": "disclosure.certificate",
    "a room does not know who imports it": "hierarchies.spans measure.figures",
}


def test_a_module_with_one_importer_is_listed_with_its_reason():
    one = {name for name, importers in find_importers().items() if len(importers) == 1}
    found = {name for name in one if not is_below(name, *MEASURES) and not (PACKAGE / name.replace(".", "/")).is_dir()}
    listed = [name for names in ONE_IMPORTER.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    assert found - set(listed) == set(), "fold it into its importer, or list it with a reason"
    assert set(listed) - found == set(), "strike it from the list"


def test_no_two_files_of_tests_have_the_same_name():
    """Pytest cannot import both in one run."""
    names = Counter(file.name for file in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, files in names.items() if files > 1] == []


def test_no_module_of_tests_has_the_name_of_a_folder_of_tests():
    """Pytest puts the folder of each test file first on the path, where the module would hide the folder."""
    folders = {path.name for path in (ROOT / "tests").rglob("*") if path.is_dir()}
    assert [str(path) for path in (ROOT / "tests").rglob("*/*.py") if path.stem in folders] == []
