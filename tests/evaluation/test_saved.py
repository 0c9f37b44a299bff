"""A loaded evaluation shows, in every format and language, the same bytes as the one that was saved."""

import datetime as dt
import json
import pickle
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

import PETWorks as pw
from laws.samples import SAMPLES
from PETWorks.errors import MissingFileError, NotAskableError, PETWorksError, SourceError
from PETWorks.render.page import annex as record
from render import evaluations
from render.page import releases
from support.output import evaluation_junit, evaluation_markdown, write_check, write_evaluation_table
from support.strategies import release_of, tables
from support.strategies_family import quick


class Noon(dt.datetime):
    @classmethod
    def now(cls):
        return cls(2026, 1, 1, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    monkeypatch.setattr(record, "datetime", Noon)


def shown(evaluation):
    """Yield an evaluation as it is, and guarded, in every format and language."""
    yield from (evaluation.to_html(show_small_classes=small) for small in (False, True))
    for one in (evaluation, evaluation.guarded()):
        yield one.to_json()
        for language in ("en", "zh_TW"):
            yield one.text(language)
            yield evaluation_markdown(one, language)
            yield evaluation_junit(one, language)
            yield write_evaluation_table(one, language)
            yield write_check(one, language, evaluation.advice, "policy.toml")
            yield "\n".join(str(result.explain(language)) for result in one)
            yield one.in_language(language)._repr_html_()


def mean_year(table):
    years = table["year"]
    return sum(int(year[:3]) for year in years) / len(years)


YEARS = {"year": ["197*", "198*", "198*"], "illness": ["flu", "cold", "flu"]}
ROLES = {"quasi_identifiers": ["year"], "sensitive": ["illness"]}
TREE = {"year": [("1977", "197*"), ("1981", "198*"), ("1988", "198*")]}
ORIGINAL = {"year": ["1977", "1981", "1988"]}


def with_function():
    released = pw.Release(YEARS, original=ORIGINAL, hierarchies=TREE, **ROLES)
    return released.check(pw.UtilityBias(mean_year, max_bias="1"), pw.KAnonymity(k=2))


def unpaired():
    """Rows do not pair: the original has one row more."""
    longer = {"year": [*ORIGINAL["year"], "1988"]}
    return pw.Release(YEARS, original=longer, hierarchies=TREE, **ROLES).check(pw.KAnonymity(k=2), pw.Precision("0.5"))


def unknown_values():
    """A value is in no hierarchy; the error names its row."""
    tree = {"year": TREE["year"][:1]}
    return pw.Release(YEARS, original=ORIGINAL, hierarchies=tree, **ROLES).check(
        pw.KAnonymity(k=2), pw.Precision("0.5")
    )


def moved(rows=300, out=200, **options):
    """From a row on, the release stands one row further than the original: only reading the rows tells."""
    ages = [str(20 + 7 * row % 50) for row in range(rows)]
    sexes = ["fm"[row % 3 == 0] for row in range(rows)]
    released = {"age": [*ages[:out], ages[-1], *ages[out:-1]], "sex": [*sexes[:out], sexes[-1], *sexes[out:-1]]}
    released["illness"] = ["flu", "cold", "ulcer"] * (rows // 3)
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}
    measures = pw.KAnonymity(k=2), pw.Precision("0.5")
    return pw.Release(released, original={"age": ages, "sex": sexes}, **roles, **options).check(*measures)


def from_files(tmp_path):
    """Files in Big5, roles from the YAML beside the table, and a hierarchy without a column."""
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "a_hierarchy_縣市.csv").write_text(
        "臺北市;北部\n新竹市;北部\n高雄市;南部\n", encoding="cp950"
    )
    (tmp_path / "trees" / "a_hierarchy_zip.csv").write_text("1;*\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text("縣市,病\n北部,感冒\n北部,流感\n南部,\n", encoding="cp950")
    (tmp_path / "o.csv").write_text("縣市\n臺北市\n新竹市\n高雄市\n", encoding="cp950")
    yaml = "DATASET: {ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [縣市], SENSITIVE_ATTRIBUTE: [病]}, HIERARCHY: trees}"
    (tmp_path / "r.yaml").write_text(yaml, encoding="utf-8")
    return pw.Release(tmp_path / "r.csv", original=tmp_path / "o.csv").evaluate(pw.KAnonymity(k=2), others=True)


CASES = {
    **{
        f"sample {number}": partial(lambda one: one.release(earlier=[]).evaluate(), one)
        for number, one in enumerate(SAMPLES)
    },
    **{
        name: getattr(releases, name)
        for name in ("no_original", "suppressed", "several_sensitive", "asked_twice", "not_askable", "other_failure")
    },
    "judged": lambda: evaluations.judged(evaluations.small()),
    "could not be evaluated": evaluations.unasked,
    "hostile": lambda: evaluations.judged(evaluations.hostile()),
    "function": with_function,
    "unpaired": unpaired,
    "unknown values": unknown_values,
    "moved": moved,
    "moved, vouched": partial(moved, pairing="position"),
    "a few moved": partial(moved, out=295),
    "forgiven": lambda: pw.Release(
        YEARS, unknown_values="generalised", hierarchies={"year": TREE["year"][:1]}
    ).evaluate(),
}


def check_same(evaluation, path):
    saved = list(shown(evaluation))
    loaded = pw.Evaluation.load(evaluation.save(path))
    assert list(shown(loaded)) == saved
    assert loaded.to_dict() == evaluation.to_dict()
    return loaded


@pytest.mark.parametrize("case", CASES)
def test_the_same_in_every_format(case, tmp_path):
    loaded = check_same(CASES[case](), tmp_path / "saved.json")
    again = pw.Evaluation.load(loaded.save(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "saved.json").read_bytes()
    assert again.to_json() == loaded.to_json()


def test_the_same_from_files(tmp_path):
    loaded = check_same(from_files(tmp_path), tmp_path / "saved.json")
    assert "CP950" in loaded.to_html()


def test_the_same_if_only_sizes_are_known(tmp_path, count_only_sizes):
    count_only_sizes()
    check_same(SAMPLES[0].release(earlier=[]).evaluate(), tmp_path / "saved.json")


def test_the_same_if_only_the_pairs_do_not_fit(tmp_path, count_only_sizes):
    evaluation = pw.Release(YEARS, original=ORIGINAL, hierarchies=TREE, **ROLES).evaluate()
    count_only_sizes()
    check_same(evaluation, tmp_path / "saved.json")


@quick
@given(tables())
def test_the_same_of_random_tables(known):
    evaluation = release_of(known).evaluate()
    with TemporaryDirectory() as folder:
        loaded = pw.Evaluation.load(evaluation.save(Path(folder) / "saved.json"))
    assert (loaded.to_json(), loaded.guarded().to_json()) == (evaluation.to_json(), evaluation.guarded().to_json())


def test_the_file_says_what_it_is(tmp_path):
    path = with_function().save(tmp_path / "saved.json")
    document = json.loads(path.read_text(encoding="ascii"))
    assert "not to be published" in document["about"]
    assert document["version"] == pw.__version__
    assert document["evaluation"]["results"][1]["measure"] == "k-anonymity"
    assert path == tmp_path / "saved.json"


def test_loading_runs_no_code_that_the_file_names(tmp_path):
    path = with_function().save(tmp_path / "saved.json")
    text = path.read_text(encoding="ascii")
    path.write_text(
        text.replace("answer.test_saved:mean_year", "antigravity:fly").replace(
            "test_saved:mean_year", "antigravity:fly"
        )
    )
    loaded = pw.Evaluation.load(path)
    assert "antigravity" not in sys.modules
    assert loaded[0].measure.parameters()["function"].endswith("antigravity:fly")


def test_a_loaded_evaluation_knows_no_rows(tmp_path):
    loaded = pw.Evaluation.load(with_function().save(tmp_path / "saved.json"))
    with pytest.raises(NotAskableError, match="the rows were not saved"):
        loaded.failing_positions()
    assert loaded.guarded().to_json()
    assert pickle.loads(pickle.dumps(loaded.guarded())).to_json()
    assert len(loaded.to_frame(library="pyarrow")) == len(loaded)


def test_a_guarded_evaluation_cannot_be_saved(tmp_path):
    with pytest.raises(NotAskableError, match="guarded"):
        with_function().guarded().save(tmp_path / "saved.json")
    assert not (tmp_path / "saved.json").exists()


def test_results_of_two_releases_cannot_be_saved_together(tmp_path):
    both = pw.Evaluation([pw.Release(YEARS).ask("k-anonymity"), pw.Release(ORIGINAL).ask("k-anonymity")])
    with pytest.raises(NotAskableError, match="one release"):
        both.save(tmp_path / "saved.json")


# What is wrong with a file


def test_no_file(tmp_path):
    with pytest.raises(MissingFileError):
        pw.Evaluation.load(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"schema": 1}', "\xff", "[" * 100_000, '{"schema": "petworks/saved/1"}']
)
def test_no_saved_evaluation(content, tmp_path):
    (tmp_path / "x.json").write_text(content, encoding="latin-1")
    with pytest.raises(SourceError) as caught:
        pw.Evaluation.load(tmp_path / "x.json")
    assert (caught.value.where, "Evaluation.save" in caught.value.hint) == ("x.json", True)


def test_a_report_is_no_saved_evaluation(tmp_path):
    (tmp_path / "x.json").write_text(with_function().to_json(), encoding="utf-8")
    with pytest.raises(SourceError, match="not a saved evaluation"):
        pw.Evaluation.load(tmp_path / "x.json")


def every_place(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in children:
        yield from every_place(one, (*path, key))


def test_a_damaged_file_is_an_error_of_petworks(tmp_path):
    """Whatever part of the file is missing or of another type: it loads, or a PETWorksError says what is wrong."""
    path = (
        pw.Release(YEARS, original=ORIGINAL, hierarchies=TREE, **ROLES)
        .check(pw.KAnonymity(k=2))
        .save(tmp_path / "x.json")
    )
    text = path.read_text(encoding="ascii")
    for place in every_place(json.loads(text)):
        for damage in (None, -1, "x", [], {}):
            document = json.loads(text)
            if not place or place[0] == "evaluation":
                continue
            inner = document
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = damage
            path.write_text(json.dumps(document), encoding="ascii")
            with suppress(PETWorksError):
                pw.Evaluation.load(path)


def test_another_result_than_the_file_has(tmp_path):
    path = with_function().save(tmp_path / "x.json")
    document = json.loads(path.read_text(encoding="ascii"))
    document["measured"]["counted"]["pairs"]["counts"][0] += 5
    document["version"] = "0.0.9"
    path.write_text(json.dumps(document), encoding="ascii")
    with pytest.raises(SourceError, match="another result of k-anonymity") as caught:
        pw.Evaluation.load(path)
    assert "0.0.9" in caught.value.hint
