"""Templates that count rows, made to count people: where people have several rows, the same figures are people.

>>> of_people("On average: {classes:class|classes} ÷ {rows:row|rows} = {score}.")
'On average: {classes:class|classes} ÷ {rows:person|people} = {score}.'
>>> of_people("平均：{rows} 筆資料列 ÷ {classes} 個等價類")
'平均：{rows} 人 ÷ {classes} 個等價類'
"""

from __future__ import annotations

import re

COUNTED = "rows|all_rows|unique|pairs|size|people"  # figures that count people then; others still count rows
FORMS = re.compile(rf"\{{({COUNTED}):([^{{}}|]*)\|([^{{}}]*)\}}")
CHINESE = re.compile(rf"\{{({COUNTED})\}} (?:筆發布的資料列|筆資料列|筆|列)")
BY_ROWS = ("grouped", "further_suppressed")  # kinds of steps that still count rows


def of_people(template: str) -> str:
    """Replace the word for rows beside a figure that counts people."""

    def counted(found: re.Match[str]) -> str:
        one, many = (re.sub(r"\b(?:published |unique |sampled )?rows?\b", "{}", form) for form in found.groups()[1:])
        return "{" + f"{found[1]}:{one.replace('{}', 'person')}|{many.replace('{}', 'people')}" + "}"

    return CHINESE.sub(r"{\1} 人", FORMS.sub(counted, template)).replace("of all rows", "of all people")


def label_of_people(label: str) -> str:
    """Replace the word for rows in the name of a part.

    >>> label_of_people("rows at the highest"), label_of_people("最高風險的資料列數")
    ('people at the highest', '最高風險的人數')
    """
    return re.sub(r"\brows\b", "people", label).replace("資料列數", "人數").replace("資料列", "人的")


def step_template(kind: str, template: str, *, people: bool) -> str:
    """Return the template of a step, about people if they have several rows."""
    return of_people(template) if people and not kind.startswith(BY_ROWS) else template
