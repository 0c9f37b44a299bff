"""Roles: which columns an adversary may know and which are secret; and the errors for wrong roles."""

import pandas as pd
import pytest

from PETWorks import AECS, KAnonymity, NonUniformEntropy, Precision, Profitability, Release, TCloseness
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import NotAskableError, ParameterError, PETWorksError, RoleError, UnknownNameError
from PETWorks.facts.roles import Roles, read_role

TABLE = {"name": ["a", "b"], "zip": ["1", "2"], "age": ["3", "3"], "disease": ["flu", "cold"]}
PROFITABILITY = Profitability(cost=4, gain=300, loss=300, benefit=1200)


def complaint(kind=RoleError, **options):
    with pytest.raises(kind) as caught:
        Release(TABLE, **options)
    return caught.value


# Which column has which role


def test_without_roles_every_column_is_a_quasi_identifier():
    assert Release(TABLE).roles == Roles(("name", "zip", "age", "disease"))


@pytest.mark.parametrize(
    "given",
    [
        {"roles": {"disease": SENSITIVE_ATTRIBUTE, "age": QUASI_IDENTIFIER, "zip": QUASI_IDENTIFIER}},
        {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"]},
        {"quasi_identifiers": ("age", "zip"), "sensitive": {"disease": None}},
        {"quasi_identifiers": iter(["age", "zip"]), "roles": {"disease": "sensitive_attribute"}},
    ],
    ids=["by column", "by role", "any iterable", "both"],
)
def test_unnamed_columns_are_insensitive(given):
    """Columns keep the order of the table, whatever the order of the roles is."""
    assert Release(TABLE, **given).roles == Roles(("zip", "age"), ("disease",), (), ("name",))


@pytest.mark.parametrize(
    "given",
    [
        {"quasi_identifiers": ["name"], "sensitive": ["disease", "zip", "age"]},
        {
            "roles": {"disease": SENSITIVE_ATTRIBUTE, "name": QUASI_IDENTIFIER, "zip": "sensitive_attribute"},
            "sensitive": ["age"],
        },
    ],
)
def test_sensitive_attributes_keep_the_order_in_which_they_are_given(given):
    release = Release(TABLE, **given)
    assert release.roles.sensitive == ("disease", "zip", "age")
    assert list(release.ask("l-diversity").parts) == ["disease", "zip", "age"]
    assert release.with_roles(quasi_identifiers=["name"], sensitive=["zip", "age"]).roles.sensitive == ("zip", "age")


def test_all_four_roles():
    roles = {"name": IDENTIFIER, "zip": QUASI_IDENTIFIER, "age": INSENSITIVE_ATTRIBUTE, "disease": SENSITIVE_ATTRIBUTE}
    assert Release(TABLE, roles=roles).roles == Roles(("zip",), ("disease",), ("name",), ("age",))


def test_four_lists():
    release = Release(
        TABLE, identifiers=["name"], quasi_identifiers=["zip"], insensitive=["age"], sensitive=["disease"]
    )
    assert release.roles == Roles(("zip",), ("disease",), ("name",), ("age",))


@pytest.mark.parametrize(
    ("spelling", "role"),
    [
        ("quasi_identifier", QUASI_IDENTIFIER),
        ("QUASI_IDENTIFIER", QUASI_IDENTIFIER),
        ("QUASI_IDENTIFYING_ATTRIBUTE", QUASI_IDENTIFIER),
        ("AttributeType.QUASI_IDENTIFYING_ATTRIBUTE", QUASI_IDENTIFIER),
        ("quasi_identifying_attribute", QUASI_IDENTIFIER),
        ("IDENTIFYING_ATTRIBUTE", IDENTIFIER),
        ("identifier", IDENTIFIER),
        ("SENSITIVE_ATTRIBUTE", SENSITIVE_ATTRIBUTE),
        ("INSENSITIVE_ATTRIBUTE", INSENSITIVE_ATTRIBUTE),
        (QUASI_IDENTIFIER, QUASI_IDENTIFIER),
    ],
)
def test_spellings(spelling, role):
    assert read_role(spelling) is role


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (IDENTIFIER, "identifier"),
        (QUASI_IDENTIFIER, "quasi_identifier"),
        (SENSITIVE_ATTRIBUTE, "sensitive_attribute"),
        (INSENSITIVE_ATTRIBUTE, "insensitive_attribute"),
    ],
)
def test_constants_are_texts(constant, text):
    assert constant == text


# What is wrong


def test_unknown_column():
    error = complaint(quasi_identifiers=["zipcode"])
    assert (error.where, '"zipcode"' in error.problem) == ("release", True)
    assert 'did you mean "zip"? Known: age, disease, name, zip' in error.hint


def test_the_file_of_the_table_is_named(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("zip;age\n1;2\n", encoding="utf-8")
    with pytest.raises(RoleError) as caught:
        Release(path, sensitive=["salary"])
    assert caught.value.where == "release.csv"


def test_all_problems_are_told_at_once():
    error = complaint(
        quasi_identifiers=["zipcode", "age", "agee"], sensitive=["disese", "age"], roles={"nam": "identifier"}
    )
    for problem in ('"zipcode"', '"agee"', '"disese"', '"nam"', '"age" is given two roles'):
        assert problem in error.problem
    for near in ("zip", "age", "disease", "name"):
        assert f'did you mean "{near}"?' in error.hint


def test_an_unknown_role_is_told_with_the_other_problems():
    error = complaint(roles={"zip": "quasi", "agee": "quasi_identifier"})
    assert '"quasi" is not a role' in error.problem
    assert '"agee"' in error.problem


def test_two_roles():
    error = complaint(quasi_identifiers=["zip", "age"], sensitive=["age"])
    for word in ('"age"', "two roles", "quasi_identifier", "sensitive_attribute"):
        assert word in error.problem


def test_the_same_role_twice_is_no_contradiction():
    assert Release(TABLE, quasi_identifiers=["zip", "zip"], roles={"zip": "QUASI_IDENTIFIER"}).roles == Roles(
        ("zip",), (), (), ("name", "age", "disease")
    )


@pytest.mark.parametrize("given", [{"sensitive": ["disease"]}, {"roles": {"zip": "insensitive_attribute"}}])
def test_no_quasi_identifier(given):
    error = complaint(**given)
    assert "no column is a quasi-identifier" in error.problem
    assert "name, zip, age, disease" in error.hint


def test_unknown_role_suggests_the_nearest():
    error = complaint(roles={"zip": "quasi_identifer"})
    assert '"quasi_identifer" is not a role' in error.problem
    assert 'did you mean "quasi_identifier"?' in error.hint


def test_unknown_role_names_its_column():
    assert "zip" in str(complaint(roles={"zip": "secret"})).partition("Known")[0]


@pytest.mark.parametrize("option", ["quasi_identifiers", "sensitive", "identifiers", "insensitive"])
def test_a_text_in_place_of_a_list(option):
    error = complaint(ParameterError, **{option: "zip"})
    assert ("list" in error.problem, "['zip']" in error.hint) == (True, True)


def test_names_that_are_no_texts():
    """The columns of a data frame without header are the integers 0, 1, …; roles may use these."""
    assert Release(pd.DataFrame([["x", "y"]]), quasi_identifiers=[0], sensitive=[1]).roles == Roles(("0",), ("1",))


def test_a_role_error_is_a_value_error():
    with pytest.raises(ValueError, match="no column"):
        Release(TABLE, sensitive=["disease"])


# What a measure needs


def test_a_sensitive_attribute_where_one_is_needed():
    with pytest.raises(NotAskableError) as caught:
        Release(TABLE, quasi_identifiers=["zip"]).ask(TCloseness(t="0.2"))
    assert "sensitive attribute" in caught.value.problem
    for word in ("sensitive=", "name", "disease"):
        assert word in caught.value.hint


@pytest.mark.parametrize("measure", [Precision(), AECS(), NonUniformEntropy(), PROFITABILITY], ids=lambda one: one.name)
def test_no_sensitive_attribute_where_none_is_needed(measure):
    assert Release(TABLE, original=TABLE, quasi_identifiers=["zip"]).ask(measure).value is not None


@pytest.mark.parametrize("measure", [AECS(), NonUniformEntropy()], ids=lambda one: one.name)
def test_an_original_where_one_is_needed(measure):
    with pytest.raises(NotAskableError) as caught:
        Release(TABLE).ask(measure)
    assert ("original" in caught.value.problem, "original=" in caught.value.hint) == (True, True)


@pytest.mark.parametrize("measure", [KAnonymity(), PROFITABILITY], ids=lambda one: one.name)
def test_no_original_where_none_is_needed(measure):
    assert Release(TABLE).ask(measure).value is not None


def test_what_cannot_be_asked_is_skipped_with_the_reason():
    skipped = Release(TABLE).evaluate().skipped
    assert "original" in str(skipped["AECS"])
    assert "sensitive" in str(skipped["t-closeness"])


POOR = {"name": ["a", "b"], "zip": ["1", "2"], "disease": ["x", "y"]}  # an original without age


@pytest.mark.parametrize("measure", [Precision(), AECS(), NonUniformEntropy()], ids=lambda one: one.name)
def test_an_original_that_lacks_a_quasi_identifier(measure):
    with pytest.raises(UnknownNameError) as caught:
        Release(TABLE, original=POOR, quasi_identifiers=["zip", "age"]).ask(measure)
    assert caught.value.where == "original"
    for word in ('"age"', "quasi-identifier"):
        assert word in caught.value.problem
    assert "disease, name, zip" in caught.value.hint


def test_all_that_the_original_lacks_is_told_at_once():
    with pytest.raises(PETWorksError) as caught:
        Release(TABLE, original={"zip": ["1", "2"]}, quasi_identifiers=["zip", "age", "name"]).ask("AECS")
    assert ('"age"' in caught.value.problem, '"name"' in caught.value.problem) == (True, True)


@pytest.mark.parametrize("measure", [PROFITABILITY, TCloseness(t=1)], ids=lambda one: one.name)
def test_what_the_original_lacks_is_no_matter_to_measures_of_the_release(measure):
    release = Release(TABLE, original=POOR, quasi_identifiers=["zip", "age"], sensitive=["disease"])
    assert release.ask(measure).holds


def test_other_columns_of_the_original_may_differ_and_stand_in_any_order():
    original = {"age": ["3", "3"], "extra": ["?", "?"], "zip": ["1", "2"]}
    release = Release(TABLE, original=original, quasi_identifiers=["zip", "age"], sensitive=["disease"])
    assert release.evaluate(Precision(), AECS(), NonUniformEntropy())["Precision"].value == 1


def test_of_many_columns_a_hint_names_some():
    with pytest.raises(RoleError) as caught:
        Release({f"c{number}": ["1"] for number in range(1500)}, insensitive=["c0"])
    assert caught.value.hint.startswith("name at least one of: c0, c1, c2")
    assert caught.value.hint.endswith(", c39, and 1,460 more")
