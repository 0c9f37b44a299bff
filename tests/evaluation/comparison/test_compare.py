"""Releases of one original, side by side: values, people who gain and lose, and nothing about few people."""

import json
import random
from collections import Counter

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.disclosure.comparison import find_dominators
from PETWorks.errors import HierarchyError, PairingError, ParameterError, RoleError, SourceError
from support.output import display_width
from support.process import petworks

AGES = {"age": [(str(age), f"{age // 10}0s", "*") for age in range(20, 60)]}
MANY = 400


def people(seed=1, rows=MANY):
    draw = random.Random(seed)
    return {
        "age": [str(draw.randrange(20, 60)) for _ in range(rows)],
        "sex": [draw.choice("fm") for _ in range(rows)],
        "disease": [draw.choice(["flu", "cold", "asthma"]) for _ in range(rows)],
    }


def lifted(table, level=1, sex=True, hidden=()):  # noqa: FBT002
    rows = range(len(table["age"]))
    trees = {leaf: row for row in AGES["age"] for leaf in row[:1]}
    return {
        "age": ["*" if row in hidden else trees[table["age"][row]][level] for row in rows],
        "sex": [table["sex"][row] if sex and row not in hidden else "*" for row in rows],
        "disease": table["disease"],
    }


ORIGINAL = people()
ABOUT = {
    "original": ORIGINAL,
    "hierarchies": AGES,
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["disease"],
}
FINE, COARSE = lifted(ORIGINAL), lifted(ORIGINAL, sex=False)


def released(table, **about):
    return pw.Release(table, **(ABOUT | about))


def both(one=FINE, other=COARSE, **about):
    return released(one, **about), released(other, **about)


def compared(*tables, names=("one", "other"), **about):
    return pw.compare(*both(*tables, **about), names=names, requirements=[pw.KAnonymity(5)])


def naive_changes(one, other, columns=("age", "sex")):
    """Count by definition: the size of each person's class in both releases; suppressed people are in none."""
    rows = [list(zip(*(table[name] for name in columns), strict=True)) for table in (one, other)]
    sizes = [Counter(labels) for labels in rows]
    found = Counter()
    for labels in zip(*rows, strict=True):
        before, after = (0 if set(label) == {"*"} else size[label] for label, size in zip(labels, sizes, strict=True))
        if before and after:
            found["grew" if after > before else "shrank" if after < before else "same"] += 1
        elif before or after:
            found["suppressed" if before else "published"] += 1
    return {kind: found[kind] for kind in ("grew", "shrank", "suppressed", "published")}


@pytest.mark.parametrize("seed", range(6))
def test_who_gains_and_loses_by_definition(seed):
    draw = random.Random(seed)
    original = people(seed, 60)
    tables = [
        lifted(original, draw.randrange(3), draw.random() < 0.5, draw.sample(range(60), draw.choice([0, 3, 20])))
        for _ in range(2)
    ]
    comparison = compared(*tables, original=original)
    told = comparison.view(show_small_classes=True).candidates
    assert (told[0].changes, told[1].changes) == (None, naive_changes(*tables))
    exact, shown = told[1].changes, comparison.view().candidates[1].changes
    few = {kind for kind, many in exact.items() if 0 < many < 5}
    if len(few & {"suppressed", "published"}) == 1:  # the suppressed rows of both are told: it follows
        few -= {"suppressed", "published"}
    assert {kind: str(many) for kind, many in shown.items()} == {
        kind: "fewer than 5" if kind in few else str(many) for kind, many in exact.items()
    }


def test_those_who_follow_from_the_suppressed_of_both_are_told():
    """Two are suppressed in the second only: 2 - 0. Where three and four are, in one each, neither follows."""
    original = people(1, 60)
    for first, second, expected in (((), (1, 2), (2, 0)), ((0, 1, 2), (3, 4, 5, 6), ("fewer than 5", "fewer than 5"))):
        tables = [lifted(original, 2, True, list(rows)) for rows in (first, second)]
        changes = compared(*tables, original=original).view().candidates[1].changes
        assert [str(changes[kind]) for kind in ("suppressed", "published")] == [*map(str, expected)]


def test_values_stand_side_by_side_and_the_best_is_marked():
    comparison = compared()
    rows = {(row.measure.name, row.part): row for row in comparison.view().rows}
    for (name, part), row in rows.items():
        for release, cell in zip(both(), row.cells, strict=True):
            result = release.ask(pw.KAnonymity(5) if name == "k-anonymity" else name)
            assert cell.value == (result.parts[part] if part else result).value
    assert rows["k-anonymity", ""].required
    assert rows["granularity", ""].best == (True, False)
    assert rows["re-identification", "average"].best == (False, True)
    assert [row.best for row in comparison.view().columns] == [(False, False), (True, False)]


def test_no_total_score_and_what_is_equal_is_best_nowhere():
    comparison = compared(FINE, FINE)
    view = comparison.view()
    assert not any(row.differs or any(row.best) for row in (*view.rows, *view.columns))
    assert comparison.front == ["one", "other"]
    assert "The candidates differ in no value." in comparison.text().replace("\n", " ")
    assert set(view.candidates[1].changes.values()) == {0}


def test_the_front():
    assert find_dominators([(1, 5), (2, 3), (2, 6), (2, 3), (None, 1)]) == [None, None, 0, None, None]
    wasteful = lifted(ORIGINAL, sex=False, hidden=range(40))
    comparison = pw.compare(*both(), released(wasteful), names=["fine", "coarse", "wasteful"])
    assert comparison.front[:2] == ["fine", "coarse"]


def test_made_releases_bring_their_goals():
    about = {key: ABOUT[key] for key in ("hierarchies", "quasi_identifiers", "sensitive")}
    made = [
        pw.anonymize(ORIGINAL, **about, goals=pw.KAnonymity(5), suppress_at_most="50%", recoding=how)
        for how in ("global", "local")
    ]
    comparison = pw.compare(*made, names=["global", "local"])
    assert [row.measure for row in comparison.view().required] == [pw.KAnonymity(5)]
    assert all(one.requirements_hold for one in comparison.evaluations)


# What may not be compared


def test_rows_in_another_order():
    order = list(range(MANY))
    random.Random(0).shuffle(order)
    shuffled = {name: [cells[row] for row in order] for name, cells in FINE.items()}
    with pytest.raises(PairingError, match="do not seem to"):
        compared(FINE, shuffled).view()


def test_other_originals():
    other = people(2)
    with pytest.raises(SourceError, match=r'one and other have different originals: "age" differs in \d+ of 400 rows'):
        pw.compare(released(FINE), released(lifted(other), original=other), names=["one", "other"])
    short = {name: cells[:50] for name, cells in ORIGINAL.items()}
    with pytest.raises(SourceError, match="have different originals: the rows cannot be paired"):
        pw.compare(released(FINE), released(lifted(short), original=short))
    backwards = {name: cells[::-1] for name, cells in ORIGINAL.items()}
    with pytest.raises(SourceError, match="in the same order"):
        pw.compare(released(FINE), released(lifted(backwards), original=backwards))
    with pytest.raises(SourceError, match="only one of"):
        pw.compare(released(FINE), released(FINE, original=None))


def test_other_roles_and_hierarchies():
    with pytest.raises(RoleError, match="have different roles: sex: quasi identifiers of only one"):
        pw.compare(released(FINE), released(FINE, quasi_identifiers=["age"]))
    flat = {"age": [(*row[:1], "*") for row in AGES["age"]]}
    with pytest.raises(HierarchyError, match='different hierarchies of "age"'):
        pw.compare(released(FINE), released(FINE, hierarchies=flat))


def test_what_is_passed_is_checked():
    for wrong, told in (((released(FINE),), "1 release"), ((released(FINE), FINE), "is not a release")):
        with pytest.raises(ParameterError, match=told):
            pw.compare(*wrong)
    for names in (["one"], ["one", "one"]):
        with pytest.raises(ParameterError, match="2 different names"):
            pw.compare(*both(), names=names)


# What may be told


def outputs(comparison):
    return [comparison.text(), comparison.text("zh_TW"), comparison.to_html(), comparison.to_json()]


def test_counts_are_exact_where_labels_are_shared_by_many():
    view = compared().view()
    assert view.may.counts
    rows = Counter(FINE["age"])
    assert {row.value: row.after for row in view.values[0][0].listed} == rows


def test_a_single_person_cannot_be_subtracted():
    """Release B lacks one person of A: counts of either would tell who."""
    one_more = {"age": "59", "sex": "f", "disease": "flu"}
    crowd = {name: [*cells, one_more[name]] for name, cells in ORIGINAL.items()}
    one, other = lifted(crowd), lifted(crowd, hidden=[MANY])
    view = compared(one, other, original=crowd).view()
    assert not view.may.labels
    assert view.values == ()
    for text in outputs(compared(one, other, original=crowd)):
        assert "50s" not in text


def test_a_class_of_one_person_that_differs():
    lone = {name: [*cells, {"age": "25", "sex": "x", "disease": "flu"}[name]] for name, cells in ORIGINAL.items()}
    one, other = lifted(lone), lifted(lone, sex=False)
    comparison = compared(one, other, original=lone)
    assert not comparison.view().may.labels
    assert all('"x"' not in text for text in outputs(comparison))
    assert comparison.view(show_small_classes=True).may.counts


def test_ranges_where_few_share_their_labels_of_a_column():
    """Both releases are 5-anonymous, but the suppressed people differ, three of them in a decade."""
    decades = {label: [row for row in range(MANY) if FINE["age"][row] == label] for label in FINE["age"]}
    one = lifted(ORIGINAL, hidden=[*decades["20s"][:10], *decades["40s"][:10]])
    other = lifted(ORIGINAL, hidden=[*decades["20s"][:7], *decades["30s"][:10]])
    comparison = compared(one, other)
    view = comparison.view()
    assert all(evaluation.requirements_hold for evaluation in comparison.evaluations)
    assert view.may.labels
    assert not view.may.counts
    assert {str(row.after) for table in view.values[0] for row in table.listed} <= {"20-49", "50-99", "100-199"}


def test_what_one_release_withholds_no_other_tells():
    """Three people of a decade are suppressed in A, and in B too: B's counts of the original would tell A's loss."""
    decades = {label: [row for row in range(MANY) if FINE["age"][row] == label] for label in FINE["age"]}
    few = [*decades["20s"][:3], *decades["30s"][:10]]
    one, other = lifted(ORIGINAL, hidden=few), lifted(ORIGINAL, hidden=[*few, *decades["20s"][3:20]])
    view = compared(one, other).view()
    ages = view.values[0]
    assert [row.after for row in ages[0].listed] == [Counter(one["age"])[row.value] for row in ages[0].listed]
    assert {row.before for table in ages for row in table.listed} == {None}


def test_the_view_holds_no_facts():
    view = compared().view()
    assert all(result.facts is None for row in view.rows for result in row.results)


def test_rows_that_pair_by_a_key_name_no_value():
    table = {**ORIGINAL, "id": [str(row) for row in range(MANY)]}
    one, other = ({**released, "id": table["id"]} for released in (FINE, COARSE))
    comparison = pw.compare(*both(one, other, original=table, key="id"), names=["one", "other"])
    view = comparison.view()
    assert (view.paired, view.may.labels, view.candidates[1].changes) == (False, False, None)
    assert "do not pair by position" in comparison.text()


def test_without_an_original_only_protection_is_compared():
    comparison = pw.compare(*both(original=None), names=["one", "other"])
    assert {row.measure.name for row in comparison.view().rows} >= {"k-anonymity", "re-identification"}
    assert comparison.joint is None


# Formats


def test_text_fits_a_terminal_in_both_languages():
    comparison = pw.compare(*both(), released(lifted(ORIGINAL, 2)), names=["一" * 30, "other", "third"])
    for language in ("en", "zh_TW"):
        text = comparison.text(language)
        assert max(map(display_width, text.splitlines())) <= 80
    assert str(comparison) == comparison.text()


def test_json_and_markdown():
    comparison = compared()
    document = json.loads(comparison.to_json())
    assert document["schema"] == "petworks/comparison/1"
    assert [one["letter"] for one in document["releases"]] == ["A", "B"]
    assert document["requirements"][0]["values"][0]["limit"] == "5"
    markdown = comparison.to_markdown()
    assert "| k-anonymity<br>at least 5 |" in markdown
    assert not any(label in markdown for label in ("20s", "level"))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_frame(library):
    frame = compared().to_frame(library)
    columns = list(frame.column_names if library == "pyarrow" else frame.columns)
    assert columns == ["measure", "part", "release", "value", "exact", "side", "limit", "holds", "best"]
    assert len(frame) == 2 * len(compared().view().rows)
    assert np.isfinite([value for value in list(frame["value"]) if library != "pyarrow"]).all()


def test_hostile_names_are_escaped():
    page = compared(names=["<script>", "&"]).to_html()
    assert "<bdi>&lt;script&gt;</bdi>" in page


@pytest.fixture
def folder(tmp_path):
    for name, table in (("original", ORIGINAL), ("fine", FINE), ("coarse", COARSE)):
        rows = [",".join(table), *map(",".join, zip(*table.values(), strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    (tmp_path / "policy.toml").write_text(
        'version = 1\ntitle = "Two"\n[data]\nreleased = "none.csv"\noriginal = "original.csv"\n[roles]\n'
        'quasi_identifiers = ["age", "sex"]\nsensitive = ["disease"]\n[[require]]\nmeasure = "k-anonymity"\nk = 30\n'
        '[[accept]]\npremise = "covered"\ncolumns = ["disease"]\nwhy = "it is known to all"\n'
        '[data.sha256]\nreleased = "' + "0" * 64 + '"\n'
    )
    return tmp_path


def test_the_command(folder):
    tables = folder / "fine.csv", folder / "coarse.csv"
    ran = petworks("compare", *tables, "--policy", folder / "policy.toml")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "fine.csv" in ran.stdout
    page = folder / "compare.html"
    ran = petworks("compare", *tables, "--policy", folder / "policy.toml", "-o", page, "--lang", "zh_TW")
    assert ran.returncode == 0
    page = page.read_text()
    assert 'data-lang="zh-Hant-TW"' in page
    assert str(folder) not in page
    ran = petworks("compare", *tables, "--policy", folder / "policy.toml", "--audience", "public", "--format", "html")
    assert "20s" not in ran.stdout
    assert petworks("compare", tables[0], "--policy", folder / "policy.toml").returncode == 2
    assert petworks("compare", *tables, "--policy", folder / "policy.toml", "-o", tables[0]).returncode == 2


def test_what_puts_values_in_doubt_is_told_with_the_release_that_it_concerns():
    shifted = FINE | {"age": ["50s" if age == "20s" and not row % 20 else age for row, age in enumerate(FINE["age"])]}
    comparison = compared(FINE, shifted)
    letters = [letters for letters, _ in comparison.view().notes]
    assert set(letters) == {"B"}
    for language, told in {"en": "B: Warning:", "zh_TW": "B：警告："}.items():
        assert told in comparison.text(language)
        assert told in comparison.to_markdown(language)
        assert told in comparison.to_html(language=language)
    notes = json.loads(comparison.to_json())["notes"]
    assert [one["releases"] for one in notes] == [["B"]] * len(letters)
    assert "arning" not in compared().text()


def test_what_concerns_all_releases_is_told_once():
    shifted = FINE | {"age": ["50s" if age == "20s" and not row % 20 else age for row, age in enumerate(FINE["age"])]}
    notes = compared(shifted, shifted).view().notes
    assert {letters for letters, _ in notes} == {""}
    assert len(notes) == 1
