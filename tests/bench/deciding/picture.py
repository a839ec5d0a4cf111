"""The medians of all engines over the number of rules, as a small picture."""

from __future__ import annotations

import math
from collections.abc import Mapping

from deciding.turns import Turns

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 720, 400, 70, 20, 40, 190
STYLE = 'font-family="sans-serif" font-size="12"'
SAYS = "microseconds of one decision over the number of rules"
COLOURS = ("#888888", "#0b6e4f", "#d17a22", "#3366cc", "#993366", "#8c564b", "#5f5f9f")


def picture(found: Mapping[int, Mapping[str, Turns]]) -> str:
    """An SVG with both axes logarithmic; every engine is a line."""
    sizes = sorted(found)
    medians = [one.median for table in found.values() for one in table.values()]
    low, high = math.floor(math.log10(min(medians))), math.ceil(math.log10(max(medians)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def across(size: int) -> float:
        return LEFT + (math.log10(size) - first) / ((last - first) or 1) * (WIDTH - LEFT - RIGHT)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {STYLE}>',
        f"<title>{SAYS}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        y = up(10**power)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.0f}" y2="{y:.0f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{_microseconds(power)}</text>')
    parts += [
        f'<text x="{across(size):.0f}" y="{HEIGHT - 16}" text-anchor="middle">{size:,} rules</text>' for size in sizes
    ]
    names = list(dict.fromkeys(name for size in sizes for name in found[size]))
    ends = _apart({name: up(_last(found, name)) for name in names})
    for name, colour in zip(names, COLOURS, strict=False):
        points = " ".join(f"{across(n):.0f},{up(found[n][name].median):.0f}" for n in sizes if name in found[n])
        width = 3 if name == "tidegate" else 1.5
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{ends[name]:.0f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _last(found: Mapping[int, Mapping[str, Turns]], name: str) -> float:
    """The median of an engine at the largest size that it was asked at."""
    return next(found[size][name].median for size in sorted(found, reverse=True) if name in found[size])


def _apart(heights: dict[str, float]) -> dict[str, float]:
    """The heights of labels, moved down until none covers another."""
    placed: dict[str, float] = {}
    before = -math.inf
    for name, height in sorted(heights.items(), key=lambda item: item[1]):
        before = placed[name] = max(height + 4, before + 15)
    return placed


def _microseconds(power: int) -> str:
    return (
        f"{10**power:g} µs" if power < 3 else f"{10 ** (power - 3):g} ms" if power < 6 else f"{10 ** (power - 6):g} s"
    )
