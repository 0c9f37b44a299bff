"""What may be shown is decided in `disclosure/`, and declared by measures; other modules that do so are listed."""

import ast
from collections.abc import Iterator

from support.imports import PACKAGE, is_below
from support.places import ROOT

HERE = ("disclosure", "shown", "measure")  # measures declare what tells of few people
DECIDING = {"THRESHOLD", "DisclosureLevel", "find_disclosure", "find_disclosure_without_audit"}
BUILT = {"CountBand", "Rounded"}  # decide where they are built, not where they are recognised

DECIDES = {  # modules that decide for themselves, with the reason; the list may only shrink
    "looks at a raw table, of which there is no evaluation": """
        anonymization.treatments hierarchies.hierarchy hierarchies.spans hierarchies.suggestion inspection.survey
        inspection.uniqueness inspection.values policy.inspection premises.attack premises.findings premises.knowledge
    """,
    "shows a raw table, as the application and `petworks inspect` do": """
        app.screens.compare app.screens.explore.answer app.screens.explore.plot app.screens.explore.strips
        app.screens.hierarchies.changes cli.hierarchy render.attack render.inspection
    """,
    "passes the threshold, or asks whether an evaluation is public": """
        app.screens.release.after cli.evaluate evaluation.evaluation render.text
    """,
    "shows in bands whom somebody would find, as `petworks attack` does": "app.screens.find",
    "counts the rows of a file, before it is known who reads": "evaluation.release",
    "sets no limit on what is shown: fewer people may not be suppressed": "anonymization.plan",
    "writes an error, whose text is the same for all": "tables.source",
}


def find_deciding(tree: ast.Module) -> Iterator[str]:
    """Yield the names by which a module decides what is shown."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in DECIDING:
            yield node.id
        elif isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            if isinstance(called, ast.Name) and called.id in BUILT:
                yield called.id


def test_what_may_be_shown_is_decided_in_one_room():
    found = set()
    for file in sorted((ROOT / "src" / PACKAGE).rglob("*.py")):
        parts = file.relative_to(ROOT / "src" / PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not is_below(name, *HERE) and any(find_deciding(ast.parse(file.read_text(encoding="utf-8")))):
            found.add(name)
    listed = [name for names in DECIDES.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    assert found - set(listed) == set(), "let disclosure/ decide, or list it with a reason"
    assert set(listed) - found == set(), "strike it from the list"


def test_the_law_finds_what_it_looks_for():
    decides = "few = people < THRESHOLD\nband = CountBand.of(people)\nother = CountBand(0, 4)\n"
    assert sorted(find_deciding(ast.parse(decides))) == ["CountBand", "CountBand", "THRESHOLD"]
    assert [
        *find_deciding(ast.parse("match one:\n    case CountBand():\n        pass\nisinstance(one, CountBand)"))
    ] == []
