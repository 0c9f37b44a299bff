"""Draw the plot of time against rows, with logarithmic axes, as SVG for light and for dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape

from figures import series

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 20, 45
LINES = {  # for each contestant: the case, the name in the plot, the shape of the marks
    "petworks": ("classes", "PETWorks", "circle"),
    "floor": ("classes", "DuckDB GROUP BY", "square"),
    "pandas_read_groupby": ("classes", "pandas groupby", "triangle"),
    "pycanon_nine": ("pycanon", "pycanon", "diamond"),
}
COLOURS = {
    "light": {
        "ink": "#2b333d",
        "grid": "#d5dae0",
        "petworks": "#0b5a94",
        "floor": "#a13a00",
        "pandas_read_groupby": "#6b3fa0",
        "pycanon_nine": "#14692f",
    },
    "dark": {
        "ink": "#e9eef3",
        "grid": "#46505c",
        "petworks": "#86c5f4",
        "floor": "#ffb07c",
        "pandas_read_groupby": "#c9a2e8",
        "pycanon_nine": "#8ed6a3",
    },
}
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
APART = 18  # least distance, in pixels, between the names at the ends of lines
MARKS = {
    "circle": '<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>',
    "square": '<path d="M{x:.1f} {y:.1f}m-4 -4h8v8h-8z"/>',
    "triangle": '<path d="M{x:.1f} {y:.1f}m0 -5.5l5 9h-10z"/>',
    "diamond": '<path d="M{x:.1f} {y:.1f}m0 -6l5.5 6l-5.5 6l-5.5 -6z"/>',
}

Point = tuple[float, float]


def drawn(results: Mapping[str, Any], shade: str, seconds: str) -> str:
    """Return the plot as SVG; `shade` is "light" or "dark", `seconds` the format of a number of seconds."""
    taken = {name: series(results, case, name) for name, (case, _, _) in LINES.items()}
    taken = {name: points for name, points in taken.items() if points}
    across = _powers(rows for points in taken.values() for rows, _ in points)
    up = _powers(time for points in taken.values() for _, time in points)
    place = _Scale(across, up)
    colours = COLOURS[shade]
    parts = [*_grid(place, colours, seconds)]
    ends = {}
    for name, points in taken.items():
        spots = [place(rows, time) for rows, time in points]
        parts += _line(spots, LINES[name][2], colours[name])
        ends[name] = spots[-1]
    parts += _names(ends, colours)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    font = 'font-family="system-ui, sans-serif" font-size="14"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>\n' + "\n".join(parts) + "\n</svg>\n"


class _Scale:
    """Convert rows and seconds to positions in the picture."""

    def __init__(self, across: tuple[int, int], up: tuple[int, int]) -> None:
        self.across, self.up = across, up

    def __call__(self, rows: float, seconds: float) -> Point:
        (left, right), (low, high) = self.across, self.up
        x = (math.log10(rows) - left) / (right - left)
        y = (math.log10(seconds) - low) / (high - low)
        return LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM)


def _powers(numbers: Iterator[float]) -> tuple[int, int]:
    """Return the exponents of the powers of ten just below and above all numbers."""
    logarithms = [math.log10(number) for number in numbers] or [0.0]
    low = math.floor(min(logarithms))
    return low, max(math.ceil(max(logarithms)), low + 1)


def _grid(place: _Scale, colours: Mapping[str, str], seconds: str) -> Iterator[str]:
    left, bottom = place(10 ** place.across[0], 10 ** place.up[0])
    right, top = place(10 ** place.across[1], 10 ** place.up[1])
    yield f'<g stroke="{colours["grid"]}" fill="{colours["ink"]}">'
    for power in range(place.across[0], place.across[1] + 1):
        x = place(10**power, 1)[0]
        yield f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
        label = f"10{str(power).translate(POWERS)}"
        yield f'<text x="{x:.1f}" y="{bottom + 24:.1f}" text-anchor="middle" stroke="none">{label}</text>'
    for power in range(place.up[0], place.up[1] + 1):
        y = place(1, 10**power)[1]
        yield f'<path d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
        label = seconds.format(f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}")
        yield f'<text x="{left - 10:.1f}" y="{y + 5:.1f}" text-anchor="end" stroke="none">{label}</text>'
    yield "</g>"


def _line(spots: list[Point], mark: str, colour: str) -> Iterator[str]:
    route = "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
    yield f'<path d="M{route}" fill="none" stroke="{colour}" stroke-width="2"/>'
    yield f'<g fill="{colour}">' + "".join(MARKS[mark].format(x=x, y=y) for x, y in spots) + "</g>"


def _names(ends: Mapping[str, Point], colours: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of the lines: to the right of the longest ones, without overlap, and above the end of others."""
    far, last = max((x for x, _ in ends.values()), default=0), 0.0
    for name in sorted(ends, key=lambda name: ends[name][1]):
        x, y = ends[name]
        if x == far:
            last = y = max(y + 5, last + APART)
            where = f'x="{x + 12:.1f}" y="{y:.1f}"'
        else:
            where = f'x="{x:.1f}" y="{y - 12:.1f}" text-anchor="end"'
        yield f'<text {where} fill="{colours[name]}" font-weight="600">{escape(LINES[name][1])}</text>'
