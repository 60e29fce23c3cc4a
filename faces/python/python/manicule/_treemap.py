"""Treemaps: parts of a whole, drawn as areas."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WIDTH, _HEIGHT = 960.0, 420.0
#: Fills that a text in black or white stands out from, in light and dark notebooks.
_FILLS = ("#2f6f9f", "#8c6a1f", "#3d7a4b", "#8a4a6b", "#5a5fa8", "#99553a", "#3b7d80", "#6f6f2f")
#: Width of a letter in the drawing, about.
_LETTER = 6.6


class Leaf(NamedTuple):
    """A part of the whole."""

    label: str
    size: int


class _Area(NamedTuple):
    leaf: Leaf
    x: float
    y: float
    width: float
    height: float


class Treemap:
    """Parts of a whole, the largest first; in a notebook each is an area."""

    __slots__ = ("leaves", "unit", "title", "_shown")

    def __init__(self, leaves: Iterable[Leaf], unit: str, title: str, shown: int):
        #: All parts, the largest first.
        self.leaves = sorted((leaf for leaf in leaves if leaf.size > 0), key=lambda leaf: (-leaf.size, leaf.label))
        #: What their sizes count.
        self.unit = unit
        #: What is drawn.
        self.title = title
        self._shown = shown

    @property
    def whole(self) -> int:
        """The sizes of all parts together."""
        return sum(leaf.size for leaf in self.leaves)

    def __iter__(self) -> Iterator[Leaf]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)

    def __repr__(self) -> str:
        rows = [f"{self.title}: {len(self.leaves)}, {self.whole:,} {self.unit} in all"]
        rows += [f"{leaf.size:>16,}  {leaf.label}" for leaf in self.leaves[: self._shown]]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        shown = self.leaves[: self._shown]
        rest = self.leaves[self._shown :]
        if rest:
            shown = [*shown, Leaf(f"{len(rest):,} more", sum(leaf.size for leaf in rest))]
            shown.sort(key=lambda leaf: -leaf.size)
        areas = "".join(self._drawn(number, area) for number, area in enumerate(_squarified(shown)))
        title = html.escape(f"{self.title}: {len(self.leaves):,}, {self.whole:,} {self.unit} in all")
        return (
            f'<figure style="margin:0"><figcaption>{title}</figcaption>'
            f'<svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" width="100%" role="img" font-family="sans-serif" '
            f'font-size="12" xmlns="http://www.w3.org/2000/svg">{areas}</svg></figure>'
        )

    def _drawn(self, number: int, area: _Area) -> str:
        leaf, x, y, width, height = area
        share = 100 * leaf.size / self.whole
        about = html.escape(f"{leaf.label}: {leaf.size:,} {self.unit}, {share:.1f} %")
        rectangle = (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{_FILLS[number % len(_FILLS)]}" stroke="#fff"/>'
        )
        letters = int((width - 8) / _LETTER)
        text = ""
        if letters >= 4 and height >= 16:
            label = leaf.label if len(leaf.label) <= letters else leaf.label[: letters - 1] + "…"
            text = f'<text x="{x + 4:.1f}" y="{y + 14:.1f}" fill="#fff">{html.escape(label)}</text>'
        return f"<g><title>{about}</title>{rectangle}{text}</g>"


def _squarified(leaves: list[Leaf]) -> Iterator[_Area]:
    """Areas for leaves, the largest first, each as near to a square as it can be: rows are laid along
    the shorter side of what is free, and a leaf joins a row as long as that makes the row squarer."""
    x, y, width, height = 0.0, 0.0, _WIDTH, _HEIGHT
    at = 0
    while at < len(leaves):
        scale = width * height / sum(leaf.size for leaf in leaves[at:])
        side = min(width, height)
        row, worst = [leaves[at]], _worst([leaves[at]], side, scale)
        while at + len(row) < len(leaves):
            longer = [*row, leaves[at + len(row)]]
            longer_worst = _worst(longer, side, scale)
            if longer_worst > worst:
                break
            row, worst = longer, longer_worst
        depth = sum(leaf.size for leaf in row) * scale / side
        along = 0.0
        for leaf in row:
            length = leaf.size * scale / depth
            if width >= height:
                yield _Area(leaf, x, y + along, depth, length)
            else:
                yield _Area(leaf, x + along, y, length, depth)
            along += length
        if width >= height:
            x, width = x + depth, width - depth
        else:
            y, height = y + depth, height - depth
        at += len(row)


def _worst(row: list[Leaf], side: float, scale: float) -> float:
    """The greatest ratio of the sides of a row's areas."""
    depth = sum(leaf.size for leaf in row) * scale / side
    return max(max(depth / length, length / depth) for leaf in row if (length := leaf.size * scale / depth))
