"""Find direct identifiers and formulas in the cells of one column.

Each distinct text is tested once; a cheap test comes first.

>>> texts = ["無", "聯絡 0912-345-678 已接", "陳小姐來電"]
>>> [(kind, mask.tolist()) for kind, mask in find_identifiers("note", texts, KnownValues.of([])).items()]
[('mobile', [False, True, False]), ('titled_name', [False, False, True])]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.inspection.suggestion import find_topic
from PETWorks.inspection.values import check_numbers, convert_to_numpy
from PETWorks.premises.accept import KINDS
from PETWorks.premises.known_values import PLAIN_NUMBER, KnownValues
from PETWorks.premises.names import NAME_HINT, NAMES, find_whole_names, has_enough_bare_names
from PETWorks.premises.numbers import BARE_LANDLINE, FORMS, LOST_MOBILE, WHOLE_PLATE, IdentifierForm
from PETWorks.tables.counting.tally import IntArray, Mask, Value
from PETWorks.tables.counting.texts import Texts, integer_array

if TYPE_CHECKING:
    import pyarrow as pa

MIN_WHOLE = 5  # fewest distinct cells of a column that consists of one kind
FEW_FORMS = 10  # of fewer cells with a form, a third must have the right check digit; else half
SIGNS = r"=+\-@＝＋－＠"  # that begin a formula
FORMULA = rf"^\s*[{SIGNS}][{SIGNS}\s]*[^{SIGNS}\s]"
SIGNED_NUMBER = r"^\s*[+\-＋－]\s*([0-9][0-9,]*\.?[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?\s*%?\s*$"
HAN_HINT = r"\p{Han}"
DIGIT_HINT = "[0-9]"


class ColumnTexts:
    """The distinct texts of a column, with masks and indices that several searches share."""

    def __init__(self, name: str, texts: Sequence[Value]) -> None:
        self.name, self.size = name, len(texts)
        self.array = _normalise(texts)

    def find_hinted(self, hint: str) -> IntArray:
        """Return the indices of the texts that match a regular expression of Arrow."""
        from pyarrow import compute

        return np.flatnonzero(convert_to_numpy(compute.match_substring_regex(self.array, hint)))

    def take(self, places: IntArray) -> list[str]:
        """Return the texts at some indices."""
        if len(places) == self.size:
            return self.all
        texts: list[str] = self.array.take(_to_arrow(places)).to_pylist()
        return texts

    @cached_property
    def all(self) -> list[str]:
        """All texts."""
        texts: list[str] = self.array.to_pylist()
        return texts

    @cached_property
    def with_digits(self) -> IntArray:
        """The indices of the texts with a digit."""
        return self.find_hinted(DIGIT_HINT)

    @cached_property
    def with_han(self) -> IntArray:
        """The indices of the texts with a Han character."""
        return self.find_hinted(HAN_HINT)

    @cached_property
    def digits_only(self) -> Mask:
        """A mask of the texts that consist of digits."""
        return self.mark(self.find_hinted("^[0-9]+$"))

    def mark(self, places: IntArray | Sequence[int]) -> Mask:
        """Return a mask that is True at some indices."""
        found = np.zeros(self.size, dtype=bool)
        found[places] = True
        return found

    def is_mostly(self, form: re.Pattern[str], hint: str) -> Mask | None:
        """Return a mask of the texts of a form, if there are five texts or more and four fifths have the form."""
        if self.size < MIN_WHOLE:
            return None
        places = self.find_hinted(hint)
        if 5 * len(places) < 4 * self.size:
            return None
        found = [one for one, text in zip(places.tolist(), self.take(places), strict=True) if form.fullmatch(text)]
        return self.mark(found) if 5 * len(found) >= 4 * self.size else None


def find_identifiers(name: str, texts: Sequence[Value], known: KnownValues) -> dict[str, Mask]:
    """Return, for each kind of direct identifier that occurs, a mask of the distinct texts that contain one."""
    column = ColumnTexts(name, texts)
    found = {**_find_forms(column), **_find_names(column), **_find_known(column, known)}
    return {kind: found[kind] for kind in KINDS if kind in found and found[kind].any()}


def _find_forms(column: ColumnTexts) -> dict[str, Mask]:
    found = {kind: _find_form(column, form) for kind, form in FORMS.items()}
    whole: dict[str, Callable[[], Mask | None]] = {
        "mobile": lambda: column.is_mostly(LOST_MOBILE, "^9[0-9]{8}$"),
        "landline": lambda: column.is_mostly(BARE_LANDLINE, "^0[2-8][0-9]{7,8}$"),
        "plate": lambda: _find_plates(column),
    }
    for kind, find in whole.items():
        if (mask := find()) is not None:
            found[kind] |= mask
    return found


def _find_form(column: ColumnTexts, form: IdentifierForm) -> Mask:
    places = column.find_hinted(form.hint)
    if not len(places):
        return column.mark([])
    cells, numbers = list[int](), list[str]()
    for place, text in zip(places.tolist(), column.take(places), strict=True):
        for number in form.find(text):
            cells.append(place)
            numbers.append(number)
            if form.check is None:
                break
    having, found = column.mark(cells), column.mark(cells)
    if form.check is not None and numbers:
        found = column.mark(np.array(cells)[check_numbers(form.check, numbers)])
    if form.by_halves and not _are_enough(int(found.sum()), int(having.sum())):
        return column.mark([])
    if form.is_digits:
        alone = found & column.digits_only
        if 2 * alone.sum() < column.digits_only.sum():
            found &= ~alone
    return found


def _are_enough(right: int, having: int) -> bool:
    """Return True if more cells have the right check digit than chance explains: one in ten has it by chance."""
    return (3 if having < FEW_FORMS else 2) * right >= having


def _find_plates(column: ColumnTexts) -> Mask | None:
    topic = find_topic(column.name)
    return column.is_mostly(WHOLE_PLATE, DIGIT_HINT) if topic and topic.name == "vehicle" else None


def _find_names(column: ColumnTexts) -> dict[str, Mask]:
    places = column.find_hinted(NAME_HINT)
    if not len(places):
        return {}
    numbered = list(zip(places.tolist(), column.take(places), strict=True))
    found = {
        kind: column.mark([place for place, text in numbered if form.search(text)]) for kind, form in NAMES.items()
    }
    if not has_enough_bare_names(int(found["bare_name"].sum()), column.size):
        del found["bare_name"]
    if 5 * len(numbered) >= 4 * column.size:
        whole = find_whole_names([text for _, text in numbered], column.size)
        found["name_column"] = column.mark(places[whole])
    return found


def _find_known(column: ColumnTexts, known: KnownValues) -> dict[str, Mask]:
    if not known:
        return {}
    candidates = column.mark([])
    if known.han or known.short:
        candidates[column.with_han] = True
    if known.tokens or known.whole:
        candidates[column.find_hinted("[0-9]{1}")] = True
    if known.names:
        candidates[column.find_hinted(r"\p{L}[ ,.]+\p{L}")] = True
    places = np.flatnonzero(candidates)
    numbered = zip(places.tolist(), column.take(places), strict=True)
    numbers, plain, found = 0, list[int](), list[int]()
    for place, text in numbered:
        is_number = PLAIN_NUMBER.fullmatch(text) is not None
        numbers += is_number
        if known.occurs_in(text):
            (plain if is_number else found).append(place)
    if 2 * len(plain) >= numbers:  # amounts meet record numbers by chance
        found += plain
    return {"identifier": column.mark(found)}


def _normalise(texts: Sequence[Value]) -> pa.Array:
    from pyarrow import compute

    array = Texts.of(texts).array
    plain = compute.string_is_ascii(array)
    return array if compute.all(plain).as_py() else compute.utf8_normalize(array, form="NFKC")


def _to_arrow(places: IntArray) -> pa.Array:
    return integer_array(np.asarray(places, dtype=np.int64))


def join_masks(masks: Iterable[Mask], size: int) -> Mask:
    """Return the union of masks."""
    joined = np.zeros(size, dtype=bool)
    for one in masks:
        joined |= one
    return joined


def find_formulas(texts: Sequence[Value]) -> Mask:
    r"""Return a mask of the texts that a spreadsheet program runs as a formula when it opens a CSV file.

    These begin with `=`, `+`, `-` or `@`, also in full width, and are neither numbers nor signs alone. Blanks, tabs and
    line ends before such a sign do not count.

    >>> texts = ["=1+1", "+886-2-2720", "-5", "-1,200.5", "--", "@SUM(A1)", "n/a", "＝1+1", "a=b", "\t=1+1", "-5%"]
    >>> find_formulas(texts).tolist()
    [True, True, False, False, False, True, False, True, False, True, False]
    """
    from pyarrow import compute

    array = Texts.of(texts).array
    found = convert_to_numpy(compute.match_substring_regex(array, FORMULA).fill_null(fill_value=False)) > 0
    if not found.any():
        return found
    numbers = convert_to_numpy(compute.match_substring_regex(array, SIGNED_NUMBER).fill_null(fill_value=False)) > 0
    without: Mask = found & ~numbers
    return without
