"""Whose rows they are, said by the command, in a policy and in Python; and what is said to frequent mistakes."""

from __future__ import annotations

import json

import pytest

import PETWorks as pw
from PETWorks.errors import PETWorksError
from support.process import petworks

ROWS = """id;zip;ill;w
A;100;flu;9
A;100;asthma;9
A;200;flu;9
B;100;flu;4
B;100;flu;4
B;200;gastritis;4
C;100;hiv;5
D;100;flu;5
E;300;hiv;2
E;300;flu;2
"""
POLICY = """\
version = 1
[data]
released = "t.csv"
person = "id"
known = "one"
[roles]
quasi_identifiers = ["zip"]
sensitive = ["ill"]
insensitive = ["w"]
[[require]]
measure = "k-anonymity"
k = 2
[[accept]]
premise = "identifiers"
columns = ["id"]
why = "they are letters"
[[accept]]
premise = "covered"
columns = ["ill"]
why = "a test of something else"
"""
ASK = ("-q", "zip", "-s", "ill", "-m", "k-anonymity", "--k", "2")


def written(folder, rows: str = ROWS, policy: str = POLICY) -> None:
    (folder / "t.csv").write_text(rows, encoding="utf-8")
    (folder / "policy.toml").write_text(policy, encoding="utf-8")


def nobody(policy: str) -> str:
    """Return the policy with the column as a mere identifier."""
    return policy.replace('person = "id"\n', "").replace("[roles]", '[roles]\nidentifiers = ["id"]')


def table(rows: str = ROWS) -> dict[str, list[str | None]]:
    names, *cells = (line.split(";") for line in rows.split())
    return {
        name: [cell or None for cell in column] for name, column in zip(names, zip(*cells, strict=True), strict=True)
    }


def in_python(rows: str = ROWS, *, measure: object = "k-anonymity", **options: object) -> pw.Result:
    options = {"quasi_identifiers": ["zip"], "sensitive": ["ill"], "person": "id"} | options
    return pw.Release(table(rows), **options).ask(measure)


def told_by_all(folder, rows: str, arguments: list[str], policy: str, options: dict[str, object]) -> list[str]:
    """Return what the command, the policy and Python say to a mistake; the first two end with exit code 2."""
    written(folder, rows, policy)
    runs = [
        petworks("evaluate", "t.csv", *ASK, *arguments, cwd=folder),
        petworks("check", "policy.toml", cwd=folder),
    ]
    assert [run.returncode for run in runs] == [2, 2], [run.stdout for run in runs]
    assert all(run.stderr.startswith("error: ") and "Traceback" not in run.stderr for run in runs)
    with pytest.raises(PETWorksError) as raised:
        in_python(rows, **options)
    hint = raised.value.hint or ""
    return [" ".join(run.stderr.split()) for run in runs] + [f"{raised.value} {hint}"]


@pytest.mark.parametrize(("known", "smallest"), [("one", 1), ("all", 1)])
def test_the_three_doors_agree(tmp_path, known, smallest):
    written(tmp_path, policy=POLICY.replace('"one"', f'"{known}"'))
    run = petworks("evaluate", "t.csv", *ASK, "--person", "id", "--known", known, "--format", "json", cwd=tmp_path)
    by_command = json.loads(run.stdout)
    run = petworks("check", "policy.toml", "--format", "json", cwd=tmp_path)
    assert run.returncode == 1
    by_policy = json.loads(run.stdout)
    ours = in_python(known=known, measure=pw.KAnonymity(2))
    for document in (by_command, by_policy):
        result = next(one for one in document["results"] if one["measure"] == "k-anonymity")
        assert (result["value"], result["holds"]) == (smallest, False)
        assert result["failing_people"] == ours.failing_people
        assert known in json.dumps(result["scope"])


def test_without_the_column_every_row_is_a_person(tmp_path):
    written(tmp_path, policy=nobody(POLICY).replace('known = "one"\n', ""))
    assert "ok  k-anonymity" in petworks("check", "policy.toml", cwd=tmp_path).stdout
    assert petworks("evaluate", "t.csv", *ASK, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("many", [1, 3])
def test_rows_without_a_person(tmp_path, many):
    rows = ROWS.replace("C;", ";")
    rows = rows.replace("E;", ";") if many == 3 else rows
    for text in told_by_all(tmp_path, rows, ["--person", "id"], POLICY, {}):
        assert f"{many} row" in text
        assert "together" in text
        assert "each" in text


@pytest.mark.parametrize(("unknown", "people"), [("together", 1), ("each", 2)])
def test_rows_without_a_person_that_are_allowed_for(tmp_path, unknown, people):
    """Two rows of zip 300 have no person: one, or one each."""
    rows = ROWS.replace("E;", ";")
    written(tmp_path, rows, POLICY.replace('known = "one"', f'unknown_person = "{unknown}"'))
    assert in_python(rows, unknown_person=unknown).exact == people
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == (0 if people == 2 else 1)
    run = petworks("evaluate", "t.csv", *ASK, "--person", "id", "--unknown-person", unknown, cwd=tmp_path)
    assert run.returncode == (0 if people == 2 else 1), run.stderr


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
def test_a_person_is_an_identifier(tmp_path, role):
    policy = POLICY.replace(f"\n{role} = [", f'\n{role} = ["id", ')
    arguments = ["--person", "id", "-q" if role == "quasi_identifiers" else "-s", "id"]
    options = {role: ["id", "zip"] if role == "quasi_identifiers" else ["id", "ill"]}
    for text in told_by_all(tmp_path, ROWS, arguments, policy, options):
        assert '"id" cannot be a ' in text


def test_misspelt(tmp_path):
    policy = POLICY.replace('person = "id"', 'person = "idd"')
    for text in told_by_all(tmp_path, ROWS, ["--person", "idd"], policy, {"person": "idd"}):
        assert 'did you mean "id"' in text


def test_unknown_words_of_known(tmp_path):
    policy = POLICY.replace('known = "one"', 'known = "al"')
    written(tmp_path, ROWS, policy)
    run = petworks("evaluate", "t.csv", *ASK, "--person", "id", "--known", "al", cwd=tmp_path)
    assert (run.returncode, "all" in run.stderr) == (2, True)
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, 'did you mean "all"' in run.stderr) == (2, True)
    with pytest.raises(PETWorksError) as raised:
        in_python(known="al")
    assert 'did you mean "all"' in f"{raised.value} {raised.value.hint}"


def test_unknown_words_of_unknown_person(tmp_path):
    written(tmp_path, ROWS, POLICY.replace('known = "one"', 'unknown_person = "eachh"'))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, 'did you mean "each"' in run.stderr) == (2, True)
    with pytest.raises(PETWorksError) as raised:
        in_python(unknown_person="eachh")
    assert 'did you mean "each"' in f"{raised.value} {raised.value.hint}"


@pytest.mark.parametrize("option", [("known", "all"), ("unknown_person", "each")])
def test_what_is_known_of_people_needs_people(tmp_path, option):
    """Nothing is silently dropped."""
    name, word = option
    with pytest.raises(PETWorksError, match="person"):
        in_python(person=None, **{name: word})
    written(tmp_path, ROWS, nobody(POLICY).replace('known = "one"', f'{name} = "{word}"'))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, "person" in run.stderr) == (2, True)
    run = petworks("evaluate", "t.csv", *ASK, f"--{name.replace('_', '-')}", word, cwd=tmp_path)
    assert (run.returncode, "person" in run.stderr) == (2, True)


def test_person_must_be_text():
    with pytest.raises(PETWorksError, match="person must be text"):
        in_python(person=1)


def test_weights_of_one_person_that_differ(tmp_path):
    rows = ROWS.replace("A;200;flu;9", "A;200;flu;8")
    policy = POLICY.replace("[roles]", 'weight = "w"\n[roles]')
    policy = policy.replace('"k-anonymity"\nk = 2', '"individual risk"\nhighest = 1')
    written(tmp_path, rows, policy)
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert "weight" in run.stderr
    with pytest.raises(PETWorksError, match="weight"):
        in_python(rows, weight="w", measure=pw.IndividualRisk())
    ask = ("-q", "zip", "--person", "id", "--weight", "w", "-m", "individual risk", "--highest", "1")
    run = petworks("evaluate", "t.csv", *ask, cwd=tmp_path)
    assert (run.returncode, "weight" in run.stderr) == (2, True)


def test_a_fraction_that_is_not_stated():
    with pytest.raises(PETWorksError, match="fraction"):
        in_python(measure=pw.SpecialUniques(highest="0.1"))


def test_a_population_without_people_where_all_records_are_known(tmp_path):
    written(tmp_path, policy=POLICY.replace('"one"', '"all"\npopulation = "p.csv"').replace("k-anonymity", "k-map"))
    (tmp_path / "p.csv").write_text("zip\n" + "100\n200\n300\n" * 9, encoding="utf-8")
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert 'p.csv: there is no column "id"' in run.stdout
    assert 'known = "one"' in run.stderr
    written(tmp_path, policy=POLICY.replace('"one"', '"one"\npopulation = "p.csv"').replace("k-anonymity", "k-map"))
    assert petworks("check", "policy.toml", cwd=tmp_path).returncode == 0


def test_people_neither_in_the_release_nor_in_the_original():
    released = {"zip": ["1", "2"]}
    with pytest.raises(PETWorksError, match='"id"'):
        pw.Release(released, original=released, person="id", quasi_identifiers=["zip"]).ask("k-anonymity")
    hidden = released | {"id": ["*", "*"]}
    with pytest.raises(PETWorksError):
        pw.Release(hidden, person="id", quasi_identifiers=["zip"]).ask("k-anonymity")


def test_the_column_is_no_quasi_identifier_where_no_roles_are_given():
    release = pw.Release({"id": ["A", "A", "B"], "zip": ["1", "1", "2"]}, person="id")
    assert release.roles.quasi_identifiers == ("zip",)
    assert release.roles.identifiers == ("id",)
    assert release.ask("k-anonymity").exact == 1


def test_rows_that_can_be_joined_are_told():
    """The release holds the column, or one that tells the same people apart."""
    rows = table()
    joined = pw.Release(rows, quasi_identifiers=["zip"], person="id").ask("k-anonymity")
    pseudonyms = {name: rows[name] for name in ("zip", "ill")} | {"alias": [f"x{one}" for one in rows["id"]]}
    options = {"original": rows, "quasi_identifiers": ["zip"], "person": "id", "pairing": "position"}
    aliased = pw.Release(pseudonyms, **options).ask("k-anonymity")
    apart = pw.Release({name: pseudonyms[name] for name in ("zip", "ill")}, **options).ask("k-anonymity")
    assert '"all"' in str(joined)
    assert '"all"' in str(aliased)
    assert '"all"' not in str(apart)
    assert joined.exact == aliased.exact == apart.exact == 1
