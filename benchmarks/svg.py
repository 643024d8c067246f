"""Two kinds of plot as SVG text, on logarithmic axes: curves, and dots in rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

COLOURS = ("#1b6ca8", "#d1495b", "#3a7d44", "#8e6bbf", "#c77d0a", "#555555")
WIDTH, LEFT, RIGHT, TOP = 720, 70, 20, 62

Points = list[tuple[float, float]]


class _Log:
    """A logarithmic axis from pixel `a` to pixel `b`."""

    def __init__(self, values: Iterable[float], a: float, b: float) -> None:
        values = list(values)
        low, high = math.log10(min(values)), math.log10(max(values))
        pad = max(0.04 * (high - low), 0.08)
        self.low, self.high, self.a, self.b = low - pad, high + pad, a, b

    def __call__(self, value: float) -> float:
        return self.a + (math.log10(value) - self.low) / (self.high - self.low) * (self.b - self.a)

    def ticks(self) -> list[float]:
        steps = (1,) if self.high - self.low > 2 else (1, 2, 5)
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        ticks = [step * 10.0**k for k in decades for step in steps]
        return [t for t in ticks if self.low <= math.log10(t) <= self.high]


def _number(value: float) -> str:
    if 0.01 <= value < 10_000:
        return f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    return f"{value / 10.0**power:g}e{power}" if value != 10.0**power else f"1e{power}"


def _text(x: float, y: float, text: str, anchor: str = "middle", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


GRID, FRAME = 'stroke="#e2e2e2"', 'stroke="#888888"'


def _legend(names: Iterable[str]) -> list[str]:
    parts, x = [], float(LEFT)
    for name, colour in zip(names, COLOURS, strict=False):
        parts.append(f'<circle cx="{x + 5:.1f}" cy="44" r="5" fill="{colour}"/>')
        parts.append(_text(x + 15, 48, name, "start"))
        x += 28 + 6.4 * len(name)
    return parts


def _page(title: str, height: float, parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        'font-family="sans-serif" font-size="12" fill="#222222">'
    )
    background = f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
    heading = _text(LEFT, 22, title, "start", 'font-size="15" font-weight="bold"')
    return "\n".join([head, background, heading, *parts, "</svg>"]) + "\n"


def curves(title: str, x_label: str, y_label: str, series: dict[str, Points]) -> str:
    """Lines with markers, both axes logarithmic."""
    bottom = 380
    points = [point for line in series.values() for point in line]
    x = _Log((p[0] for p in points), LEFT, WIDTH - RIGHT)
    y = _Log((p[1] for p in points), bottom, TOP)
    parts = _legend(series)
    for tick in x.ticks():
        parts += [_line(x(tick), TOP, x(tick), bottom, GRID), _text(x(tick), bottom + 17, _number(tick))]
    for tick in y.ticks():
        parts += [
            _line(LEFT, y(tick), WIDTH - RIGHT, y(tick), GRID),
            _text(LEFT - 6, y(tick) + 4, _number(tick), "end"),
        ]
    parts += [_line(LEFT, bottom, WIDTH - RIGHT, bottom, FRAME), _line(LEFT, TOP, LEFT, bottom, FRAME)]
    for line, colour in zip(series.values(), COLOURS, strict=False):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in line]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, x_label))
    middle = (TOP + bottom) / 2
    parts.append(_text(16, middle, y_label, "middle", f'transform="rotate(-90 16 {middle:.0f})"'))
    return _page(title, bottom + 50, parts)


def dots(title: str, x_label: str, rows: dict[str, dict[str, float]], names: list[str]) -> str:
    """A row for each key, a dot for each name on one logarithmic axis, with a line at one."""
    left, step = 160, 24
    bottom = TOP + step * len(rows) + 6
    x = _Log([1.0] + [v for row in rows.values() for v in row.values()], left, WIDTH - RIGHT)
    parts = _legend(names)
    for tick in x.ticks():
        parts += [_line(x(tick), TOP, x(tick), bottom, GRID), _text(x(tick), bottom + 17, _number(tick))]
    parts.append(_line(x(1), TOP, x(1), bottom, 'stroke="#222222" stroke-width="1.5"'))
    for i, (label, row) in enumerate(rows.items()):
        y = TOP + step * (i + 0.5) + 3
        parts += [_text(left - 8, y + 4, label, "end"), _line(left, y, WIDTH - RIGHT, y, GRID)]
        for name, colour in zip(names, COLOURS, strict=False):
            if name in row:
                parts.append(f'<circle cx="{x(row[name]):.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
    parts.append(_text((left + WIDTH - RIGHT) / 2, bottom + 38, x_label))
    return _page(title, bottom + 50, parts)
