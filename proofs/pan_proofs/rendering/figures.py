"""Figures: a region that is computed from a derivation, as TikZ and as SVG; neighbouring inputs, as TikZ."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Figure:
    """A polygon in the unit square with marked points.

    Attributes
    ----------
    caption
        Its caption, in LaTeX.
    labels
        LaTeX of the horizontal and the vertical axis.
    polygon
        Corners of the shaded region.
    marks
        Marked points with their labels in LaTeX.
    """

    caption: str
    labels: tuple[str, str]
    polygon: tuple[Point, ...]
    marks: tuple[tuple[Point, str], ...]

    def tikz(self) -> str:
        """The figure for a LaTeX document, without its caption."""
        corners = " -- ".join(f"({x:.4f},{y:.4f})" for x, y in self.polygon)
        lines = [
            r"\begin{tikzpicture}[scale=4.2]",
            rf"\fill[black!12] {corners} -- cycle;",
            rf"\draw[thick] {corners} -- cycle;",
            r"\draw[->] (0,0) -- (1.12,0) node[right] {$" + self.labels[0] + "$};",
            r"\draw[->] (0,0) -- (0,1.12) node[above] {$" + self.labels[1] + "$};",
            r"\draw[dashed] (0,0) -- (1,1);",
        ]
        for (x, y), label in self.marks:
            side = "left" if y > x else "right"
            lines += [rf"\fill ({x:.4f},{y:.4f}) circle (0.015) node[{side}=3pt] {{${label}$}};"]
        return "\n".join([*lines, r"\end{tikzpicture}"])

    def svg(self) -> str:
        """The figure for a page; its labels stand in the caption."""
        size = 260

        def at(point: Point) -> str:
            return f"{20 + point[0] * size:.1f},{20 + (1 - point[1]) * size:.1f}"

        marks = "".join(
            f'<circle cx="{at(point).split(",")[0]}" cy="{at(point).split(",")[1]}" r="4"/>' for point, _ in self.marks
        )
        return (
            f'<svg viewBox="0 0 {size + 40} {size + 40}" width="{size + 40}" role="img">'
            f'<polygon class="region" points="{" ".join(map(at, self.polygon))}"/>'
            f'<polyline class="axis" points="{at((0, 1.05))} {at((0, 0))} {at((1.05, 0))}"/>'
            f'<polyline class="diagonal" points="{at((0, 0))} {at((1, 1))}"/>{marks}</svg>'
        )


@dataclass(frozen=True)
class Neighbours:
    """Two neighbouring inputs, entry by entry, and what an adversary sees of them.

    Attributes
    ----------
    rows
        For each input its name, its entries, and what is seen with which probability; in LaTeX, an entry may be empty.
    caption
        What the figure shows, in LaTeX.
    seen_after
        The number of entries after which the state is seen; 0 if it is not.
    """

    rows: tuple[tuple[str, tuple[str, ...], str], ...]
    caption: str
    seen_after: int = 0

    def tikz(self) -> str:
        """The figure for a LaTeX document, without its caption."""
        lines = [r"\begin{tikzpicture}[x=11mm,y=9mm]"]
        for number, (name, entries, note) in enumerate(self.rows):
            height = -number
            lines.append(rf"\node[anchor=east] at (-0.1,{height}) {{{name}}};")
            for place, entry in enumerate(entries):
                style = "" if entry else ",densely dotted"
                lines.append(rf"\draw[rounded corners=1pt{style}] ({place},{height - 0.32}) rectangle +(0.86,0.64);")
                lines.append(rf"\node at ({place + 0.43},{height}) {{{entry}}};")
            lines.append(rf"\node[anchor=west] at ({len(entries) + 0.1},{height}) {{{note}}};")
        if self.seen_after:
            at, bottom = self.seen_after - 0.07, 0.55 - len(self.rows)
            lines.append(
                rf"\draw[thick,dashed] ({at},0.55) node[above] {{\small the state is seen}} -- ({at},{bottom});"
            )
        return "\n".join([*lines, r"\end{tikzpicture}"])
