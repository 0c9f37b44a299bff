"""The reference cases of releases whose rows do not pair: small tables, and nine releases of Adult made by rule."""

import csv
import json
from fractions import Fraction
from functools import cache

import pytest

import PETWorks as pw
from support.places import ROOT, SHARED

FILE = SHARED / "golden" / "unpaired.json"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the reference values stand outside the repository")
GOLDEN = json.loads(FILE.read_text()) if FILE.exists() else {"tiny": [], "adult": []}
NEAR = 1e-8
AGREEMENT = "agreement (original, hold-out)"


def tiny(*measures):
    """Return the small cases of some measures."""
    return [pytest.param(one, id=one["case"]) for one in GOLDEN["tiny"] if one["measure"] in measures]


def build(inputs):
    """Build the release of a small case."""
    names = inputs["columns"]

    def table(rows):
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

    holdout = table(inputs["holdout"]) if "holdout" in inputs else None
    return pw.Release(
        table(inputs["release"]),
        original=table(inputs["original"]),
        holdout=holdout,
        synthetic=True,
        quasi_identifiers=inputs.get("keys", names),
        insensitive=[name for name in names if name not in inputs.get("keys", names)],
    )


def same(found, expected):
    """Return True if a value is the expected fraction, or as near as floats are."""
    if expected is None or found is None:
        return found is expected
    if isinstance(expected, str):
        return Fraction(found) == Fraction(expected)
    return found == expected or abs(float(found) - expected) <= NEAR * abs(expected)


def check_comparison(result, expected):
    """Compare what is told of original and hold-out."""
    if expected is None:
        assert "hold-out" not in result.parts
        return
    excess, others = result.parts["excess"], result.parts["hold-out"].figures
    assert [excess.figures["a"], excess.figures["n"]] == expected["original"]
    assert [others["b"], others["h"]] == expected["holdout"]
    assert excess.exact == Fraction(expected["excess"])
    assert same(result.parts["chance"].best_known, expected["p"])
    if "excess_at_most" in expected:
        assert result.parts["excess at most"].exact == Fraction(expected["excess_at_most"])


COPIES = {"unique_rows": "unique", "unique_rows_copied": "unique_copied", "released_rows_that_copy": "released"}
UNIQUES = {"unique_in_original": "unique", "unique_in_release": "released_unique", "uniques_found": "found"}


def check_copies(result, expected):
    assert {ours: result.figures[ours] for ours in COPIES.values()} == {
        ours: expected[theirs] for theirs, ours in COPIES.items()
    }
    assert result.figures["people"] == expected["rows_copied"]
    check_comparison(result, expected.get("compared"))


def check_uniques(result, expected):
    assert {ours: result.figures[ours] for ours in UNIQUES.values()} == {
        ours: expected[theirs] for theirs, ours in UNIQUES.items()
    }
    assert result.figures["people"] == expected["replicated"]
    check_comparison(result, expected.get("compared"))


@pytest.mark.parametrize("case", tiny("ExactCopies"))
def test_copies(case):
    result = build(case["inputs"]).ask("ExactCopies")
    assert result.exact == Fraction(case["expected"]["value"])
    check_copies(result, case["expected"])


@pytest.mark.parametrize("case", tiny("ReplicatedUniques"))
def test_uniques(case):
    result = build(case["inputs"]).ask("ReplicatedUniques")
    assert result.exact == Fraction(case["expected"]["value"])
    check_uniques(result, case["expected"])


ATTRIBUTE = {
    "keys_found": "found",
    "disclosive": "disclosive",
    "right": "people",
    "right_uncommon": "uncommon",
    "disclosive_in_original": "disclosive_in_original",
    "right_and_certain": "certain",
}
SHARES = {"precision": "precision", "cap": "CAP", "cap_found": "CAP found", "tcap": "TCAP", "cap_blind": "blind"}


def check_attribute(result, expected):
    for theirs, ours in ATTRIBUTE.items():
        if theirs in expected:
            assert result.figures[ours] == expected[theirs], theirs
    for theirs, ours in SHARES.items():
        if theirs in expected:
            assert same(result.parts[ours].exact, expected[theirs]), theirs
    if "mode_right" in expected:
        assert result.figures["mode"] == Fraction(expected["mode_right"])
    check_comparison(result, expected.get("compared"))


@pytest.mark.parametrize("case", tiny("AttributeDisclosure"))
def test_attributes(case):
    result = build(case["inputs"]).ask(pw.AttributeDisclosure(target=case["inputs"]["target"]))
    assert result.exact == Fraction(case["expected"]["value"])
    check_attribute(result, case["expected"])


@pytest.mark.parametrize("case", tiny("Linkability"))
def test_links(case):
    given = case["inputs"]
    result = build(given).ask(pw.Linkability(first=given["first"], second=given["second"]))
    assert (result.exact, result.figures["people"]) == (
        Fraction(case["expected"]["value"]),
        case["expected"]["linked"],
    )
    check_comparison(result, case["expected"].get("compared"))


def check_membership(result, expected):
    assert result.exact == Fraction(expected["value"])
    assert result.parts["agreement"].exact == Fraction(expected["agreement_auc"])
    rates, top = result.parts["TPR"].figures, result.parts["top"]
    assert (rates["tp"], rates["fp"]) == (expected["true_positives"], expected["false_positives"])
    assert [top.figures["x"], top.figures["y"]] == expected["top"]
    assert same(top.best_known, expected["p_top"])


@pytest.mark.parametrize("case", tiny("MembershipRisk"))
def test_membership(case):
    given, expected = case["inputs"], case["expected"]
    result = build(given).ask(pw.MembershipRisk(false_positives=given.get("fpr", "1%")))
    check_membership(result, expected)
    assert result.figures["deviation"] == Fraction(expected["z_squared"])
    assert (result.figures["above"] == "yes") == expected["above_chance"]
    both = [expected["agreement_original"], expected["agreement_holdout"]]
    seen = {key: "/".join(str(one.get(key, 0)) for one in both) for key in {**both[0], **both[1]}}
    assert result.figures["agreement"] == seen


def check_margins(result, expected):
    assert result.exact == Fraction(expected["largest"])
    for theirs, ours in {"mean": "mean", "ratio_largest": "ratio", "ratio_mean": "mean ratio"}.items():
        assert same(result.parts[ours].best_known, expected[theirs]), theirs


@pytest.mark.parametrize("case", tiny("MarginDistance"))
def test_margins(case):
    result = build(case["inputs"]).ask(pw.MarginDistance(ways=case["inputs"]["ways"], levels={"zip": 0}))
    check_margins(result, case["expected"])


def check_transfer(result, expected):
    right = [result.parts[name].figures["right"] for name in ("of the release", "of the original")]
    assert right == [expected["release_right"], expected["original_right"]]
    once = result.parts["chance"].figures
    assert [once["only_original"], once["only_release"]] == [expected["only_original"], expected["only_release"]]
    assert same(result.parts["chance"].best_known, expected["p"])


@pytest.mark.parametrize("case", tiny("TransferAccuracy"))
def test_transfer(case):
    result = build(case["inputs"]).ask(pw.TransferAccuracy(target=case["inputs"]["target"]))
    assert (result.exact, result.parts["loss"].exact) == (
        Fraction(case["expected"]["value"]),
        Fraction(case["expected"]["loss"]),
    )
    check_transfer(result, case["expected"])


def build_numbers(inputs):
    """Build a release whose rows pair, of numbers that were perturbed."""
    tables = [
        {name: [row[place] for row in inputs[table]] for place, name in enumerate(inputs["columns"])}
        for table in ("release", "original")
    ]
    return pw.Release(tables[0], original=tables[1], pairing="position")


@pytest.mark.parametrize("case", tiny("NearestLinkage"))
def test_nearest_rows(case):
    result = build_numbers(case["inputs"]).ask("NearestLinkage")
    assert (result.exact, result.figures["alone"]) == (
        Fraction(case["expected"]["value"]),
        case["expected"]["alone"],
    )


@pytest.mark.parametrize("case", tiny("IntervalDisclosure"))
def test_intervals(case):
    result = build_numbers(case["inputs"]).ask(pw.IntervalDisclosure(ranks=case["inputs"]["share"]))
    assert result.exact == Fraction(case["expected"]["value"])
    assert result.figures["by_column"] == {name: Fraction(share) for name, share in case["expected"]["columns"].items()}


@pytest.mark.parametrize("case", tiny("PramOdds"))
def test_matrices(case):
    given, expected = case["inputs"], case["expected"]
    released = {"ill": [value for row in given["matrix"].values() for value in row]}
    released["age"] = ["1"] * len(released["ill"])
    original = {"ill": [value for value, many in given["counts"].items() for _ in range(many)]}
    original["age"] = ["1"] * len(original["ill"])
    asked = pw.PramOdds(matrix=given["matrix"], target="ill", counts=given["counts"])
    stated = pw.Release(released, pairing="none").ask(asked)
    counted = pw.Release(released, original=original, pairing="none", quasi_identifiers=["age"], sensitive=["ill"]).ask(
        pw.PramOdds(matrix=given["matrix"])
    )
    for result in (stated, counted):
        assert result.exact == Fraction(expected["posterior"])
        assert same(result.parts["odds gain"].exact, expected["odds_gain"])
        assert same(result.parts["ratio"].exact, expected["likelihood_ratio"])


def test_every_small_case_is_tried():
    tried = {"ExactCopies", "ReplicatedUniques", "AttributeDisclosure", "Linkability", "MembershipRisk"}
    tried |= {"MarginDistance", "TransferAccuracy", "NearestLinkage", "IntervalDisclosure", "PramOdds", "bins"}
    tried |= {"RegressionOverlap", "upper bound (Clopper-Pearson, one-sided)", "excess over the hold-out"}
    assert {one["measure"] for one in GOLDEN["tiny"]} == tried


@cache
def adult():
    """Return the header, the original and the hold-out of Adult."""
    with (ROOT / "data" / "adult.csv").open(encoding="utf-8") as file:
        first = file.readline()
        delimiter = ";" if first.count(";") > first.count(",") else ","
        file.seek(0)
        header, *rows = csv.reader(file, delimiter=delimiter)
    header, rows = [name.strip() for name in header], [[cell.strip() for cell in row] for row in rows]
    kept = [row for place, row in enumerate(rows) if place % 5 != 4]
    return header, kept, rows[4::5]


def rotate(rows):
    """Deal the columns independently."""
    size, step = len(rows), len(rows) // 10
    return [[rows[(i + j * step) % size][j] for j in range(len(rows[0]))] for i in range(size)]


def leak(rows, percent):
    """Deal the columns independently, and publish some rows as they are."""
    return [row if i % 100 < percent else dealt for i, (row, dealt) in enumerate(zip(rows, rotate(rows), strict=True))]


def draw(rows):
    """Draw rows with a linear congruential generator."""
    found, state = [], 12345
    for _ in rows:
        state = (1103515245 * state + 12345) % 2**31
        found.append(rows[(state >> 8) * len(rows) >> 23])
    return found


def swap(rows, header):
    """Give every tenth row the age and sex of another."""
    places, found = [header.index("age"), header.index("sex")], [list(row) for row in rows]
    for i in range(0, len(rows), 10):
        for place in places:
            found[i][place] = rows[(i + 1009) % len(rows)][place]
    return found


def released(case):
    """Make the release of a case by its rule."""
    header, rows, _ = adult()
    kind = case.removeprefix("Adult split, ")
    made = {"copy": lambda: rows, "rotation": lambda: rotate(rows), "bootstrap": lambda: draw(rows)}
    made["swap"] = lambda: swap(rows, header)
    return leak(rows, int(kind.split()[1].rstrip("%"))) if kind.startswith("leak") else made[kind]()


@cache
def build_adult(case):
    """Build the release of a case of Adult."""
    header, rows, others = adult()

    def table(some):
        return dict(zip(header, map(list, zip(*some, strict=True)), strict=True))

    return pw.Release(
        table(released(case)),
        original=table(rows),
        holdout=table(others),
        synthetic=True,
        quasi_identifiers=GOLDEN["rule"]["keys"],
        sensitive=["occupation", "salary-class"],
    )


@pytest.mark.parametrize("case", [pytest.param(one, id=one["case"]) for one in GOLDEN["adult"]])
def test_adult(case):
    release, expected = build_adult(case["case"]), case["expected"]
    check_copies(release.ask("ExactCopies"), expected["ExactCopies"])
    check_uniques(release.ask("ReplicatedUniques"), expected["ReplicatedUniques"])
    for name in ("occupation", "salary-class"):
        check_attribute(release.ask(pw.AttributeDisclosure(target=name)), expected[f"AttributeDisclosure {name}"])
    result = release.ask("MembershipRisk")
    check_membership(result, expected["MembershipRisk"])
    assert same(float(result.figures["deviation"]), expected["MembershipRisk"]["z"] ** 2)
    seen = {key: "/".join(map(str, pair)) for key, pair in expected["MembershipRisk"][AGREEMENT].items()}
    assert result.figures["agreement"] == seen
    for ways, margins in expected["MarginDistance"].items():
        check_margins(release.ask(pw.MarginDistance(ways=int(ways), levels={"age": 0})), margins)
    check_transfer(release.ask(pw.TransferAccuracy(target="salary-class")), expected["TransferAccuracy salary-class"])
