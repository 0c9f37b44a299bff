"""Functions are named by verbs in the base form, and no two classes share a name."""

import importlib.util
import sys

import pytest

from support.places import ROOT

MOST_PARTICIPLES = 30


@pytest.fixture(scope="module")
def names():
    spec = importlib.util.spec_from_file_location("participles", ROOT / "tools" / "participles.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_functions_are_not_named_by_participles(names):
    assert len(names.find_participles()) <= MOST_PARTICIPLES


def test_no_two_classes_share_a_name(names):
    assert names.find_equal_classes() == {}


@pytest.mark.parametrize("name", ["told", "_said", "guarded", "counting", "untold", "rewritten", "is", "cannot"])
def test_a_participle_or_an_auxiliary_is_found(names, name):
    assert names.is_participle(name)


@pytest.mark.parametrize("name", ["tell", "guard", "read_texts", "string", "is_proven", "guarded_evaluation", "embed"])
def test_other_names_are_not(names, name):
    assert not names.is_participle(name)
