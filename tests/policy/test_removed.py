"""Requirements that were given up: a policy names them, and every output begins with them."""

import pytest

import PETWorks as pw
from PETWorks.errors import PolicyError
from support.process import five_people, petworks

REMOVED = '[[removed]]\nmeasure = "k-anonymity"\nk = 10\nwhy = "too costly"\n'


def test_every_output_begins_with_it(tmp_path):
    path = five_people(tmp_path)
    path.write_text(path.read_text("utf-8") + REMOVED, encoding="utf-8")
    judged = pw.Policy(path).check()
    for told in (judged, judged.guarded(), judged.public()):
        assert told.warnings[0].kind == "removed_requirement"
        assert "k-anonymity (k 10), because: too costly" in told.text().replace("\n", " ")
        assert "k-anonymity (k 10)；理由：too costly" in told.text("zh_TW").replace("\n", "")
    judged.save(tmp_path / "saved.json")
    assert pw.Evaluation.load(tmp_path / "saved.json").warnings == judged.warnings
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert "removed" in run.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('[[removed]]\nmeasure = "k-anonymity"\n', 'missing key "why"'),
        ('[[removed]]\nwhy = "x"\n', 'missing key "measure"'),
        ('[[removed]]\nmeasure = "k-anonimity"\nwhy = "x"\n', "k-anonymity"),
        ('[[removed]]\nmeasure = "k-anonymity"\nwhy = "x"\nn = 3\n', '"n"'),
    ],
)
def test_mistakes_are_told(tmp_path, wrong, said):
    path = five_people(tmp_path)
    path.write_text(path.read_text("utf-8") + wrong, encoding="utf-8")
    with pytest.raises(PolicyError) as raised:
        pw.Policy(path)
    assert said in str(raised.value)
