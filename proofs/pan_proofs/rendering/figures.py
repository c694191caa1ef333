"""Figures that are computed from a derivation, as TikZ and as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp

Point = tuple[float, float]


@dataclass(frozen=True)
class Figure:
    """A polygon in the unit square with marked points.

    Attributes
    ----------
    caption
        What it shows, in LaTeX.
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
        """The figure for a LaTeX document."""
        corners = " -- ".join(f"({x:.4f},{y:.4f})" for x, y in self.polygon)
        lines = [
            r"\begin{center}\begin{tikzpicture}[scale=4.2]",
            rf"\fill[black!12] {corners} -- cycle;",
            rf"\draw[thick] {corners} -- cycle;",
            r"\draw[->] (0,0) -- (1.12,0) node[right] {$" + self.labels[0] + "$};",
            r"\draw[->] (0,0) -- (0,1.12) node[above] {$" + self.labels[1] + "$};",
            r"\draw[dashed] (0,0) -- (1,1);",
        ]
        for (x, y), label in self.marks:
            side = "left" if y > x else "right"
            lines += [rf"\fill ({x:.4f},{y:.4f}) circle (0.015) node[{side}=3pt] {{${label}$}};"]
        return "\n".join([*lines, r"\end{tikzpicture}", r"\par\small " + self.caption, r"\end{center}", ""])

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


class _Figures(dict[str, Callable[[], Figure]]):
    """Figures by the claim's id, drawn when they are asked for."""

    def __getitem__(self, identifier: str) -> Figure:  # type: ignore[override]
        return super().__getitem__(identifier)()


def private_pairs() -> Figure:
    """All pairs of probabilities that are log 2-private, and the two that are farthest from the diagonal."""
    from pan_proofs.optimality.private_pairs import region_vertices

    corners: Sequence[tuple[sp.Expr, sp.Expr]] = region_vertices(sp.Integer(2))
    polygon = tuple((float(one), float(other)) for one, other in corners)
    best = tuple(point for point in polygon if 0 < point[0] < 1)
    names = {True: r"\left(\tfrac13, \tfrac23\right)", False: r"\left(\tfrac23, \tfrac13\right)"}
    return Figure(
        caption=r"The pairs $(p_{\mathrm{init}}, p_{\mathrm{upd}})$ that satisfy $\varepsilon$-differential privacy, "
        r"for $e^{\varepsilon} = 2$. The corners off the diagonal are the pair "
        r"$\tfrac12(1 \mp \tanh(\varepsilon/2))$ and its mirror image.",
        labels=(r"p_{\mathrm{init}}", r"p_{\mathrm{upd}}"),
        polygon=polygon,
        marks=tuple((point, names[point[1] > point[0]]) for point in best),
    )


FIGURES = _Figures({"density.tanh_optimality": private_pairs})
