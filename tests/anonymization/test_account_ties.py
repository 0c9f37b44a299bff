"""The next best level vector may be as good: then it is told what decides, not two equal numbers."""

import PETWorks as pw


def told(tree, language="en"):
    table = {"zip": [code for code in "abcd" for _ in range(5)]}
    made = pw.anonymize(table, goals=[pw.KAnonymity(5)], hierarchies={"zip": tree}, quasi_identifiers=["zip"])
    assert made.levels == {"zip": 0}
    return {step.kind: step for step in made.explain(language).steps}, " ".join(str(made.explain(language)).split())


def test_a_level_that_groups_nothing_is_as_good():
    steps, text = told([(code, code.upper(), "*") for code in "abcd"])
    assert "next_best_tie" in steps
    assert "utility 1, too; 0 suppressed. Of equals, the one with fewer suppressed rows is taken" in text
    assert ", not 1;" not in text
    assert "資料效用同為 1" in told([(code, code.upper(), "*") for code in "abcd"], "zh_TW")[1]


def test_what_is_worse_is_no_tie():
    steps, text = told([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*")])
    assert "next_best" in steps
    assert "utility 0.6667, not 1; 0 suppressed." in text
