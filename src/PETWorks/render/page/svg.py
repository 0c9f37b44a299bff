"""Small drawings: bars, strips, a scale with a limit, a curve, and a scatter plot of classes.

They stretch with the page: horizontal positions are percentages, heights are pixels. Text is outside of the drawings,
so that it keeps its size. Each drawing illustrates numbers that are beside it as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

OCTAGON = "M-3-7H3L7-3V3L3 7H-3L-7 3V-3z"


def _svg(height: int, inside: str, kind: str) -> Markup:
    return Markup(  # noqa: S704 (numbers and names of ours only)
        f'<svg class="{kind}" width="100%" height="{height}" aria-hidden="true" focusable="false">{inside}</svg>'
    )


def _at(share: float) -> str:
    return f"{min(max(share, 0), 1) * 100:.2f}%"


def draw_bar(share: float, kind: str = "d1", hollow: float | None = None, height: int = 14) -> Markup:
    """Draw a share as a bar, and another share as a hollow bar around it."""
    inside = f'<rect class="track" width="100%" height="{height}"/>'
    if share > 0:
        inside += f'<rect class="{kind}" width="{_at(max(share, 0.004))}" y="2" height="{height - 4}"/>'
    if hollow is not None and hollow > 0:
        inside += f'<rect class="hollow" width="{_at(hollow)}" y="1" height="{height - 2}"/>'
    return _svg(height, inside, "bar")


def draw_strip(parts: Iterable[tuple[str, float]], height: int = 16) -> Markup:
    """Draw shares of a whole as one bar with several parts."""
    inside, start = "", 0.0
    for kind, share in parts:
        if share > 0:
            inside += f'<rect class="{kind}" x="{_at(start)}" width="{_at(share)}" height="{height}"/>'
        start += share
    return _svg(height, inside, "strip")


def draw_steps(level: int, height: int, tall: int = 16) -> Markup:
    """Draw the levels of a hierarchy side by side, from the original values to the top, with the chosen one filled."""
    wide = 1 / (height + 1)
    inside = "".join(
        f'<rect class="{"d1" if one == level else "track"}" x="{_at(one * wide)}" width="{_at(wide)}" height="{tall}"/>'
        for one in range(height + 1)
    )
    return _svg(tall, inside, "strip")


def draw_bullet(value: float | None, limit: float, *, low_is_bad: bool, holds: bool | None) -> Markup:
    """Draw a value on a scale with a limit; the forbidden side is striped."""
    low, high = _scale([limit] if value is None else [value, limit])
    edge = (limit - low) / (high - low)
    start, width = (0.0, edge) if low_is_bad else (edge, 1 - edge)
    inside = '<rect class="track" y="5" width="100%" height="8" rx="4"/>'
    inside += f'<rect class="forbidden" x="{_at(start)}" y="5" width="{_at(width)}" height="8" rx="4"/>'
    if value is not None:
        at = _at((value - low) / (high - low))
        if holds is False:
            inside += f'<svg x="{at}" y="9" overflow="visible"><path class="mark fails" d="{OCTAGON}"/></svg>'
        else:
            inside += f'<circle class="mark holds" cx="{at}" cy="9" r="6.5"/>'
    inside += f'<line class="limit" x1="{_at(edge)}" x2="{_at(edge)}" y1="0" y2="18"/>'
    return _svg(18, inside, "bullet")


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a scale: 0 to 1 if the largest value is not too small for it, else with a margin."""
    least, most = min(0.0, *values), max(values)
    if least == 0 and 0.2 <= most <= 1:  # noqa: PLR2004 (smaller values would be too close to the left end)
        return 0.0, 1.0
    room = (most - least) * 0.3 or 1.0
    return (least - room if least < 0 or 0 in values else 0.0), most + room


def draw_curve(
    lines: Iterable[tuple[str, Sequence[tuple[float, float]]]], height: int, forbidden: float | None
) -> Markup:
    """Draw falling step lines through points with coordinates from 0 to 1; tint the area right of `forbidden`."""
    inside = ""
    if forbidden is not None:
        inside += f'<rect class="zone" x="{_at(forbidden)}" width="{_at(1 - forbidden)}" height="{height}"/>'
        inside += f'<line class="limit" x1="{_at(forbidden)}" x2="{_at(forbidden)}" y1="0" y2="{height}"/>'
    inside += _rules(height, 4)
    for kind, points in lines:
        path = "".join(
            f"{'H' if number else 'M'}{x * 1000:.1f}{'V' if number else ' '}{(1 - y) * height:.1f}"
            for number, (x, y) in enumerate(points)
        )
        inside += (
            f'<svg width="100%" height="{height}" viewBox="0 0 1000 {height}" preserveAspectRatio="none">'
            f'<path class="line {kind}" d="{path}"/></svg>'
        )
    return _svg(height, inside, "curve")


def draw_cloud(dots: Iterable[tuple[float, float, bool]], height: int, limit: float | None) -> Markup:
    """Draw a dot for each class, a triangle if it fails; tint the area above the limit."""
    inside = _ground(height, limit)
    for x, y, beyond in dots:
        top = (1 - y) * height
        if beyond:
            inside += f'<svg x="{_at(x)}" y="{top:.1f}" overflow="visible"><use href="#beyond"/></svg>'
        else:
            inside += f'<circle class="within" cx="{_at(x)}" cy="{top:.1f}" r="3"/>'
    return _svg(height, inside, "cloud")


def draw_scatter(points: Iterable[tuple[float, float, bool]], height: int, parts: int) -> Markup:
    """Draw a dot for each release, and a ring around the chosen one."""
    inside = _rules(height, parts)
    for x, y, chosen in points:
        at, top = _at(x), f"{(1 - y) * height:.1f}"
        inside += f'<circle class="within" cx="{at}" cy="{top}" r="4"/>'
        if chosen:
            inside += f'<circle class="ring" cx="{at}" cy="{top}" r="8"/>'
    return _svg(height, inside, "cloud")


def draw_grid(
    cells: Iterable[tuple[int, int, float]], across: int, up: int, height: int, limit: float | None
) -> Markup:
    """Draw the cells of a grid; the depth of colour, from 0 to 1, shows how many classes are in a cell."""
    inside, tall = _ground(height, limit), height / up
    for x, y, depth in cells:
        inside += (
            f'<rect class="depth" x="{_at(x / across)}" y="{height - (y + 1) * tall:.1f}" width="{_at(1 / across)}"'
            f' height="{tall:.1f}" fill-opacity="{0.25 + 0.75 * depth:.2f}"/>'
        )
    return _svg(height, inside, "cloud")


def _ground(height: int, limit: float | None) -> str:
    lines = _rules(height, 5)
    if limit is None:
        return lines
    at = (1 - limit) * height
    zone = f'<rect class="zone" width="100%" height="{at:.1f}"/>'
    return f'{zone}{lines}<line class="limit" x1="0" x2="100%" y1="{at:.1f}" y2="{at:.1f}"/>'


def _rules(height: int, parts: int) -> str:
    places = (height * part // parts for part in range(parts + 1))
    return "".join(f'<line class="grid" x1="0" x2="100%" y1="{at}" y2="{at}"/>' for at in places)
