"""Places of Taiwan: a township or district (鄉鎮市區) is generalised to its county or city (縣市), then to a region.

>>> home = Places("home").build(["台北市大安區", "花蓮縣秀林鄉"])
>>> [home.lift("台北市大安區", level) for level in range(5)]
['台北市大安區', '臺北市大安區', '臺北市', '北部', '*']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import pairwise
from typing import ClassVar, NamedTuple

from PETWorks.errors import ParameterError
from PETWorks.hierarchies.rule import Rule, generalise, read_levels, require_word
from PETWorks.tables.counting.tally import Coded, IntArray

LEVELS = ("district", "county", "region")
DATA = "taiwan_places.txt"
MAX_NAME_LENGTH = 7  # a county of 3 and a district of 4 characters


class Place(NamedTuple):
    """A place: its region, its county, and its district, which is empty if only the county is known."""

    region: str
    county: str
    district: str = ""


@cache
def read_known_places() -> tuple[dict[str, Place], dict[str, Place]]:
    """Return counties and districts by name; districts also without their county, if no other has the name."""
    counties, districts, alone = dict[str, Place](), dict[str, Place](), defaultdict[str, list[Place]](list)
    for line in files(__package__).joinpath(DATA).read_text("utf-8").splitlines():
        if not line.startswith("#"):
            region, county, names = line.split(";")
            counties[county] = Place(region, county)
            for name in names.split():
                districts[county + name] = Place(region, county, name)
                alone[name].append(districts[county + name])
    return counties, districts | {name: places[0] for name, places in alone.items() if len(places) == 1}


def read_place(text: str) -> Place | None:
    """Return the place that a text names or, if it is an address, begins with; None if it names none.

    >>> read_place("台北市"), read_place("板橋區"), read_place("東區")
    (Place(region='北部', county='臺北市', district=''), Place(region='北部', county='新北市', district='板橋區'), None)
    >>> read_place("臺南市中西區郡王里").district
    '中西區'
    """
    text = text.replace("台", "臺").replace(" ", "")
    place, length = _find_beginning(text[:MAX_NAME_LENGTH])
    whole = length == len(text)
    return place if place and (whole or (place.district and text.startswith(place.county))) else None


@cache
def _find_beginning(text: str) -> tuple[Place | None, int]:
    """Return the place with the longest name at the beginning of a text, and the length of that name."""
    counties, districts = read_known_places()
    for length in range(len(text), 1, -1):
        if place := districts.get(text[:length]) or counties.get(text[:length]):
            return place, length
    return None, 0


@dataclass(frozen=True)
class Places(Rule):
    """Places of Taiwan, by their Chinese names, with 臺 or 台: a county, with or without a district and what follows.

    A district alone is known where only one has its name: 板橋區, but not 東區.
    """

    kind: ClassVar[str] = "places"
    main: ClassVar[str] = "areas"
    expects: ClassVar[str] = "a place of Taiwan"

    areas: tuple[str, ...] = LEVELS

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "areas", read_levels(self.name, self.areas, "levels", self.example()))
        for area in self.areas:
            require_word("a level of places", area, LEVELS)
        for fine, coarse in pairwise(self.areas):
            if LEVELS.index(coarse) <= LEVELS.index(fine):
                raise ParameterError(f'"{coarse}" is not coarser than "{fine}"', hint=self.example())

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.places("home", levels=["district", "county", "region"])'

    @property
    def height(self) -> int:
        """The number of levels below the top of the built hierarchy."""
        return len(self.areas) + 1

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the values that name a place of Taiwan, and the area of each on each level."""
        read = [read_place(value) for value in values]
        covered = [place for place, found in enumerate(read) if found]
        known = {one.county + one.district: one for one in read if one}
        names = Coded.of([one.county + one.district for one in read if one])
        return covered, [generalise(names, partial(_name_area, known, area)) for area in self.areas]


def _name_area(known: Mapping[str, Place], area: str, name: str) -> str:
    return name if area == "district" else getattr(known[name], area)
