"""Parameters as a form has them: what is written into a field is read back."""

import pytest

import PETWorks as pw
from PETWorks.errors import ParameterError
from PETWorks.measure.parameter import find_parameters, format_field, parse_field


@pytest.mark.parametrize("kind", pw.measures().values(), ids=lambda kind: kind.__name__)
def test_what_is_written_into_a_field_is_read_back(kind):
    for example in kind.examples:
        for name, value in kind(**example).parameters().items():
            parameter = find_parameters(kind)[name]
            if parameter.kind == "function" or value is None:
                continue
            assert parameter.read(parse_field(parameter, format_field(value), name), name) == parameter.read(
                value, name
            )


@pytest.mark.parametrize(
    ("kind", "given", "problem"),
    [
        (pw.TransferAccuracy, {"target": ["ill"]}, "target must be the name of a column, not a list"),
        (pw.LDiversity, {"sensitive": 3}, "sensitive must be the name of a column, not 3"),
        (pw.ExactCopies, {"columns": []}, "columns names no column"),
        (pw.ExactCopies, {"columns": ["ill", " ill"]}, 'columns has "ill" twice'),
        (pw.ExactCopies, {"columns": [3]}, "columns must be a column or a list of columns"),
    ],
)
def test_columns_that_are_no_names(kind, given, problem):
    with pytest.raises(ParameterError, match=problem):
        kind(**given)
