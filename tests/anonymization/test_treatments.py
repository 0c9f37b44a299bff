"""Treatments of columns: as their definitions say on any table, in every format, and again by `petworks verify`."""

from __future__ import annotations

import csv
import json
import pickle
from base64 import b64decode
from datetime import date
from fractions import Fraction
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_treatments as naive
from PETWorks.errors import ParameterError, PETWorksError, SourceError, UnknownNameError
from support.process import petworks, petworks_process

NUMBERS = st.one_of(
    st.none(),
    st.integers(-40, 4000).map(str),
    st.decimals(-5, 5, places=2).map(str),
    st.sampled_from(["250", "750", "1e3", "+7", ".5", "5.", "-0.00"]),
)
DATES = st.one_of(st.none(), st.dates(date(1950, 1, 1), date(2030, 1, 1)).map(str))
PEOPLE = st.sampled_from(["Ann", "林", "B 7", "x", "y", "z", "Ω", "0", "1", "2"])
ROWS = st.lists(st.tuples(PEOPLE, NUMBERS, DATES), min_size=1, max_size=60)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Give the user a folder with two keys."""
    place = tmp_path_factory.mktemp("config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(place))
        for name in ("study", "other"):
            assert petworks("key", "new", name, env={"XDG_CONFIG_HOME": str(place)}).returncode == 0
        yield place


def secret(folder, name="study") -> bytes:
    return b64decode(json.loads((folder / "petworks" / "keys" / f"{name}.json").read_text())["key"])


def table(rows) -> dict[str, list]:
    columns = zip(*rows, strict=True)
    return {**dict(zip(("who", "fee", "visit"), map(list, columns), strict=True)), "sex": ["f"] * len(rows)}


def made(rows, treat, **options):
    options = {"insensitive": ["fee", "visit"], "person": "who", "goals": pw.KAnonymity(1)} | options
    return pw.anonymize(table(rows), quasi_identifiers=["sex"], treat=treat, **options)


def released(one) -> dict[str, list]:
    columns = one.frame("pyarrow").to_pydict()
    return {name: [None if cell is None else str(cell) for cell in cells] for name, cells in columns.items()}


EACH = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@EACH
@given(ROWS, st.sampled_from(["", "clinic", "診所"]))
def test_pseudonyms_are_the_defined_ones(folder, rows, scope):
    own = {"key": "study", "scope": scope} if scope else {"key": "study"}
    found = released(made(rows, {"who": {"pseudonym": own}, "fee": {"pseudonym": own}}))
    key = secret(folder)
    assert found["who"] == [naive.pseudonym(key, scope, who) for who, _, _ in rows]
    assert found["fee"] == [naive.pseudonym(key, scope, fee) for _, fee, _ in rows]


def test_another_key_or_scope_gives_none_in_common():
    rows = [(f"P{number}", "1", None) for number in range(300)]
    ways = [{"key": "study", "scope": "a"}, {"key": "study", "scope": "b"}, {"key": "other", "scope": "a"}]
    found = [set(released(made(rows, {"who": {"pseudonym": way}}))["who"]) for way in ways]
    assert [len(one) for one in found] == [300, 300, 300]
    assert len(set.union(*found)) == 900
    assert all(len(code) == 16 and code.isascii() and code == code.lower() for code in set.union(*found))


@EACH
@given(ROWS, st.sampled_from([7, 30, 180]))
def test_dates_of_a_person_move_by_the_defined_days(folder, rows, within):
    found = released(made(rows, {"visit": {"shift": {"key": "study", "within": f"{within} days"}}}))["visit"]
    key = secret(folder)
    assert found == [naive.shifted(visit, naive.offset(key, "", who, within)) for who, _, visit in rows]


def test_offsets_of_a_thousand_keys_are_uniform():
    """Chi-square over 15 offsets: 14 degrees of freedom, 36.12 is exceeded by one in a thousand; the keys are fixed."""
    counts = dict.fromkeys(range(-7, 8), 0)
    for number in range(1000):
        counts[naive.offset(number.to_bytes(32, "big"), "", "Ann", 7)] += 1
    expected = 1000 / 15
    assert sum((many - expected) ** 2 / expected for many in counts.values()) < 36.12


def test_a_time_behind_the_date_stays():
    rows = [("Ann", None, "2026-03-01T08:30:00"), ("Ann", None, "2026-03-04"), ("Ann", None, "2026-03-01 09:00")]
    first, second, third = released(made(rows, {"visit": {"shift": {"key": "study", "within": "7 days"}}}))["visit"]
    assert first.endswith("T08:30:00")
    assert third == first.replace("T08:30:00", " 09:00")
    assert (date.fromisoformat(second) - date.fromisoformat(first[:10])).days == 3


@EACH
@given(
    ROWS,
    st.sampled_from([None, "500", "0.5", "0.05", "3"]),
    st.sampled_from([None, "1000", "2.5"]),
    st.sampled_from([None, "0", "-3.5"]),
)
def test_numbers_are_rounded_and_bounded(rows, step, top, bottom):
    given = {name: one for name, one in (("round", step), ("top", top), ("bottom", bottom)) if one}
    if given:
        found = released(made(rows, {"fee": given}))["fee"]
        limits = [None if one is None else Fraction(one) for one in (step, top, bottom)]
        assert found == [naive.treated(fee, *limits) for _, fee, _ in rows]


@EACH
@given(ROWS, st.sampled_from(["50%", "90%", "99.5%"]), st.sampled_from([None, "10"]), st.booleans())
def test_a_bound_that_is_a_share_of_the_people(rows, share, step, by_person):
    numbers = [None if fee is None else Fraction(fee) for _, fee, _ in rows]
    numbers = [one if one is None or step is None else naive.rounded(one, Fraction(step)) for one in numbers]
    people = [who for who, _, _ in rows] if by_person else range(len(rows))
    few = len({who for who, one in zip(people, numbers, strict=True) if one is not None}) < 5
    others = {} if by_person else {"person": None, "identifiers": ["who"]}
    for word, bottom in (("top", False), ("bottom", True)):
        treat = {"fee": {word: share, **({"round": step} if step else {})}}
        if few:
            with pytest.raises(SourceError, match="no bound has five people beyond it"):
                made(rows, treat, **others)
            continue
        limit = naive.bound(numbers, people, Fraction(share[:-1]) / 100, bottom=bottom)
        bounds = (None, limit) if bottom else (limit, None)
        by_hand = [naive.treated(fee, None if step is None else Fraction(step), *bounds) for _, fee, _ in rows]
        assert released(made(rows, treat, **others))["fee"] == by_hand


def test_masks_and_removed_columns():
    rows = [("Ann", "12345", None), ("林", "7", "x"), ("B", None, "y")]
    one = made(rows, {"fee": {"mask": {"keep": 2}}, "visit": {"remove": True}})
    assert released(one) == {"who": ["*"] * 3, "fee": ["12*", "7*", None], "sex": ["f"] * 3}
    two = made(rows, {"fee": {"mask": True}, "who": {"remove": True}}, drop_identifiers=True)
    assert released(two) == {"fee": ["*"] * 3, "visit": [None, "x", "y"], "sex": ["f"] * 3}


def test_a_removed_column_needs_no_role():
    table = {"sex": ["f", "m"] * 5, "note": ["call 0912"] * 10, "born": ["2000-01-01"] * 10}
    asked = {"quasi_identifiers": ["sex"], "goals": pw.KAnonymity(5), "treat": {"note": {"remove": True}}}
    derived = {"year": {"part": {"of": "born", "keep": "year"}}}
    made = pw.anonymize(table, **asked, derive=derived, insensitive=["year"])
    assert [*made.frame("pandas").columns] == ["sex", "year"]


def test_goals_are_judged_on_treated_values():
    """Ten different fees are diverse; rounded, there are two."""
    rows = [(f"P{number}", str(number * 100), None) for number in range(10)]
    options = {"insensitive": ["visit"], "sensitive": ["fee"]}
    assert made(rows, {}, goals=pw.LDiversity(10), **options).evaluate("l-diversity")[0].value == 10
    one = made(rows, {"fee": {"round": 500}}, goals=pw.LDiversity(2), **options)
    assert {*released(one)["fee"]} == {"0", "500", "1000"}
    assert one.evaluate("l-diversity")[0].value == 3


def test_a_quasi_identifier_has_treated_numbers_as_its_first_level():
    ages = ["17", "18", "22", "23", "61", "64", "68", "90", "93", "97", "99", "101"]
    original = {"age": ages, "ill": ["y"] * 12}
    options = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "goals": pw.KAnonymity(2)}
    hierarchy = pw.Hierarchy.intervals("age", [20, 40])
    one = pw.anonymize(
        original, hierarchies=[hierarchy], treat={"age": {"round": 5, "top": 90}}, levels={"age": 1},
        suppress_at_most=1, **options,
    )  # fmt: skip
    assert released(one)["age"] == ["*", "20", "20", *["*"] * 4, *["≥ 90"] * 5]
    assert one.levels == {"age": 1}
    free = pw.anonymize(original, hierarchies=[hierarchy], treat={"age": {"round": 5, "top": 90}}, **options)
    tree = free.facts.hierarchies["age"]
    assert (tree.height, tree.lift("22", 1), tree.lift("17", 1), tree.lift("18", 1)) == (4, "20", "15", "20")
    assert tree.lift("99", 1) == "≥ 90"
    assert [tree.lift("64", level) for level in range(4)] == ["64", "65", "60-79", "40-79"]
    assert [tree.lift("93", level) for level in range(4)] == ["93", "≥ 90", "≥ 90", "80-119"]
    assert free.levels["age"] >= 1
    assert free.release.ask("Precision").value < 1
    assert set(released(free)["age"]).isdisjoint({"22", "61", "97"})


def test_without_a_hierarchy_rounded_values_are_kept():
    original = {"age": ["21", "22", "38", "41"], "ill": ["y"] * 4}
    one = pw.anonymize(
        original, quasi_identifiers=["age"], sensitive=["ill"], goals=pw.KAnonymity(2), treat={"age": {"round": 10}}
    )
    assert released(one)["age"] == ["20", "20", "40", "40"]
    assert one.release.ask("granularity").value == 1 - (2 / 4 - 1 / 4) / (1 - 1 / 4)


WRONG = [
    ({"feee": {"remove": True}}, UnknownNameError, 'no column "feee".*did you mean "fee"'),
    ({"fee": {"mask": False}}, ParameterError, "mask must be a table"),
    ({"fee": {"remove": True, "mask": True}}, ParameterError, "one treatment, not remove and mask"),
    ({"fee": {}}, ParameterError, "no treatment is named"),
    ({"fee": {"rounded": 5}}, UnknownNameError, 'did you mean "round"'),
    ({"fee": {"round": 0}}, ParameterError, "round must be above 0"),
    ({"fee": {"top": 5, "bottom": 5}}, ParameterError, "bottom 5 must be below top 5"),
    ({"fee": {"top": "100%"}}, ParameterError, "below 100%"),
    ({"visit": {"shift": {"key": "study", "within": "6 days"}}}, ParameterError, "within must be 7 to"),
    ({"visit": {"shift": {"within": "60 days"}}}, ParameterError, 'missing "key"'),
    ({"who": {"pseudonym": {"key": "studdy"}}}, UnknownNameError, 'no key "studdy".*\n.*did you mean "study"'),
    ({"who": {"pseudonym": {"key": "study", "until": "soon"}}}, ParameterError, "until must be a date"),
    ({"who": {"as_it_is": "why not"}}, ParameterError, "cannot be published as it is"),
    ({"who": {"mask": {"keep": 1}}}, ParameterError, "names the persons"),
    ({"fee": {"as_it_is": " "}}, ParameterError, "needs a reason"),
    ({"fee": {"generalise": True}}, ParameterError, "only quasi-identifiers are generalised"),
    ({"sex": {"pseudonym": {"key": "study"}}}, ParameterError, "pseudonym is not for quasi-identifiers"),
    ({"sex": {"shift": {"key": "study", "within": 9}}}, ParameterError, "shift is not for quasi-identifiers"),
    ({"sex": {"round": 5}}, PETWorksError, "3 values? (is|are) not plain numbers|1 value is not plain numbers"),
    ({"fee": {"round": 5, "otherwise": "guess"}}, ParameterError, "otherwise cannot be"),
    ({"fee": {"remove": True, "otherwise": "missing"}}, ParameterError, "otherwise has no effect"),
]


@pytest.mark.parametrize(("treat", "kind", "problem"), WRONG)
def test_wrong_treatments_are_errors(treat, kind, problem):
    with pytest.raises(kind, match=f"(?s){problem}") as caught:
        made([("Ann", "5", None), ("Bob", "6", None)], treat)
    assert "Ann" not in str(caught.value)


def test_cells_that_cannot_be_read_are_counted_not_quoted():
    rows = [("Ann", "447元", "3/4/2026"), ("Ann", "5", "2026-03-01"), (None, "n/a", "2026-03-01")]
    options = {"unknown_person": "together"}
    with pytest.raises(SourceError, match="2 cells are not plain numbers: rows 1, 3") as caught:
        released(made(rows, {"fee": {"round": 5}}, **options))
    assert "447" not in str(caught.value)
    with pytest.raises(SourceError, match=r"2 cells are not dates .*: rows 1, 3"):
        released(made(rows, {"visit": {"shift": {"key": "study", "within": 9}}}, **options))
    kept = {"fee": {"round": 5, "otherwise": "missing"}}
    assert released(made(rows, kept, **options))["fee"] == [None, "5", None]


def test_a_key_that_others_can_read_is_refused(folder):
    path = folder / "petworks" / "keys" / "other.json"
    path.chmod(0o644)
    try:
        with pytest.raises(PETWorksError, match="other users can read"):
            made([("Ann", "5", None)], {"who": {"pseudonym": {"key": "other"}}})
    finally:
        path.chmod(0o600)


POLICY = """version = 1
[data]
original = "visits.csv"
released = "released.csv"
person = "who"
hierarchies = "trees"
[roles]
quasi_identifiers = ["age"]
sensitive = ["fee", "twin"]
identifiers = ["phone"]
insensitive = ["visit", "ward", "note"]
[[require]]
measure = "k-anonymity"
k = 3
[[require]]
measure = "l-diversity"
l = 2
[anonymize]
suppress_at_most = "20%"
[treat.who]
pseudonym = { key = "study", scope = "clinic", kept_by = "records office", until = 2028-11-30 }
[treat.visit]
shift = { key = "study", within = "30 days" }
[treat.fee]
round = 500
top = "95%"
[treat.phone]
mask = { keep = 4 }
[treat.note]
remove = true
[treat.twin]
remove = true
[treat.ward]
as_it_is = "known to nobody outside"
[treat.age]
round = 5
top = 60
[report]
html = "report.html"
record = "record.json"
"""


def write_visits(place: Path, rows: int = 240) -> None:
    """Write visits of several people, with a quoted cell, and a hierarchy of ages that is a file."""
    lines = ['who,age,visit,fee,phone,ward,"note",twin']
    for number in range(rows):
        who = number // 3
        cells = [f"P{who:03d}", 20 + who % 45, f"2026-0{1 + number % 9}-1{number % 9}", (number * 37) % 9000]
        lines.append(",".join(map(str, [*cells, f"0912{number:06d}", f'"w, {number % 3}"', f"x{number}", number % 4])))
    (place / "visits.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "trees").mkdir()
    leaves = "".join(f"{age};{age // 10 * 10}-;*\n" for age in range(15, 70))
    (place / "trees" / "x_hierarchy_age.csv").write_text(leaves, encoding="utf-8")
    (place / "policy.toml").write_text(POLICY, encoding="utf-8")


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


def test_the_whole_way_by_a_policy(tmp_path, folder):
    write_visits(tmp_path)
    env = {"XDG_CONFIG_HOME": str(folder)}
    run = petworks_process("anonymize", "policy.toml", cwd=tmp_path, env=env)
    assert "The requirements hold" in run.stdout, run.stderr  # premises are accepted by people who know the table
    before, after, key = read_csv(tmp_path / "visits.csv"), read_csv(tmp_path / "released.csv"), secret(folder)
    assert [*after[0]] == ["who", "age", "visit", "fee", "phone", "ward"]
    for old, new in zip(before, after, strict=True):
        assert new["who"] == naive.pseudonym(key, "clinic", old["who"])
        assert new["visit"] == naive.shifted(old["visit"], naive.offset(key, "", old["who"], 30))
        assert (new["phone"], new["ward"]) == (old["phone"][:4] + "*", old["ward"])
    assert "The requirements hold" in petworks("check", "policy.toml", cwd=tmp_path, env=env).stdout
    again = petworks("verify", "record.json", cwd=tmp_path, env=env)
    assert (again.returncode, "made again" in again.stdout) == (0, True), again.stdout + again.stderr
    recorded = {
        one["column"]: one for one in json.loads((tmp_path / "record.json").read_text())["making"]["treatments"]
    }
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    schema = files("PETWorks").joinpath("render", "evaluation.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(record, json.loads(schema))
    assert recorded["who"]["key"] == sha256(key).hexdigest()[:16]
    assert recorded["ward"]["example"] == ["w, 0", "w, 0"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("rounded to multiples of", "照原值發布，理由", recorded["visit"]["key"]))
    by_policy = pw.Policy(tmp_path / "policy.toml", purpose="anonymize").anonymize()
    by_policy.write(tmp_path / "python.csv")
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "released.csv").read_bytes()
    look_for_the_key(tmp_path, key)
    assert key not in pickle.dumps(by_policy.original.facts)


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_the_account_names_every_treatment(language):
    rows = [(f"P{number % 20}", str(number * 30), "2026-03-01") for number in range(100)]
    treat = {
        "who": {"pseudonym": {"key": "study"}},
        "fee": {"round": 500, "top": "90%"},
        "visit": {"mask": {"keep": 4}},
    }
    one = made(rows, treat)
    words = {"en": ["pseudonyms", "multiples of", "larger numbers", "first 4 characters"]}
    words["zh_TW"] = ["代碼", "倍數", "較大的數值", "前 4 個字元"]
    text = str(one.explain(language)).replace("\n", "").replace(" ", "")
    assert all(word.replace(" ", "") in text for word in words[language])
    assert [found.column for found in one.treatments] == [*treat]
    assert one.treatments[1].example is None  # no fee is that of five people
    assert one.treatments[1].top == "≥ " + max(
        (cell for cell in released(one)["fee"] if "≥" in cell), key=len
    ).removeprefix("≥ ")


def look_for_the_key(place: Path, key: bytes) -> None:
    """Fail if the key stands in a file, in any of its usual forms."""
    from base64 import b64encode

    forms = [key, key.hex().encode(), b64encode(key).rstrip(b"="), str(list(key))[1:-1].encode()]
    for path in place.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [form for form in forms if form in content], path


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl", "a.arrow"])
def test_every_format_has_the_same_cells(tmp_path, folder, name):
    rows = [(f"P{number % 7}", str(number * 30), "2026-03-01") for number in range(40)]
    one = made(rows, {"who": {"pseudonym": {"key": "study"}}, "fee": {"round": 100}, "visit": {"mask": {"keep": 4}}})
    one.write(tmp_path / name)
    assert pw.Release(tmp_path / name, quasi_identifiers=["sex"]).evaluate("k-anonymity")[0].value == 40
    two = pw.anonymize(tmp_path / name, goals=pw.KAnonymity(1), quasi_identifiers=["sex"], the_rest="insensitive")
    assert released(two) == released(one)


def test_unknown_treatments_of_a_policy_name_their_place(tmp_path, folder):
    write_visits(tmp_path)
    text = POLICY.replace("round = 500", "rond = 500").replace("[treat.ward]", "[treat.wrd]")
    (tmp_path / "policy.toml").write_text(text.replace('key = "study", within', 'key = "lost", within'))
    run = petworks("anonymize", "policy.toml", cwd=tmp_path, env={"XDG_CONFIG_HOME": str(folder)})
    assert run.returncode == 2
    assert "[treat.fee]" in run.stderr
    assert "rond" in run.stderr
    assert not (tmp_path / "released.csv").exists()
