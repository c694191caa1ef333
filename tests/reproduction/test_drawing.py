"""Figures: curves and marks that would hide one another."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from experiments.density.contenders import DWORK, LAPLACE, OPTBERN
from experiments.toolkit.drawing import _legend, _panel, _shared, _shifts
from experiments.toolkit.experiment import EXACT, MEASURED, PUBLISHED_FORMULA, Row, Sheet
from pan_audits.reports.pages import new_figure, plotting_style

_LABELS = (DWORK, OPTBERN, LAPLACE)
_NONE = [Row("a", label, MEASURED, x, 0.0, 0.0, 0.004, 1000) for label in _LABELS for x in (0.1, 0.2)]
_BOUNDS = [
    Row("a", label, PUBLISHED_FORMULA, x, 2.0 if label == OPTBERN else 3.0) for label in _LABELS for x in (0.1, 0.2)
]
_SHEET = Sheet((("a",),), "x", "y", log_x=True, log_y=True)


def _carets(rows):
    page = new_figure(5, 4, dpi=120)
    axis = page.subplots()
    _panel(axis, "a", _SHEET, rows)
    page.canvas.draw()
    lines = [line for line in axis.lines if line.get_marker() == 11]
    return sorted(tuple(line.get_transform().transform(line.get_xydata())[0]) for line in lines)


def test_carets_of_the_same_place_stand_beside_one_another():
    found = _carets(_NONE)
    assert len(found) == 6
    steps = [after[0] - before[0] for before, after in pairwise(found[:3])]
    assert steps == pytest.approx([5.5 * 120 / 72] * 2)
    assert len({round(y, 6) for _, y in found}) == 1


def test_a_caret_without_neighbour_stands_at_its_place():
    assert set(_shifts(_NONE[:2]).values()) == {0.0}
    apart = [_NONE[0], replace(_NONE[2], high=0.1)]
    assert set(_shifts(apart).values()) == {0.0}
    (alone, *_) = _carets(_NONE[:2])
    assert alone == pytest.approx(_carets(_NONE)[1])


def test_the_legend_tells_which_bounds_are_one():
    page = new_figure(9, 4, dpi=120)
    axes = page.subplots(1, 1, squeeze=False)
    _panel(axes[0][0], "a", _SHEET, _NONE + _BOUNDS)
    _legend(page, axes, 1, 3, _NONE + _BOUNDS)
    (legend,) = page.legends
    assert "printed formula or bound (one for Dwork and Laplace)" in [text.get_text() for text in legend.get_texts()]


def test_bounds_that_differ_anywhere_are_not_called_one():
    last = replace(_BOUNDS[-1], value=3.1)
    assert _shared([*_BOUNDS[:-1], last], PUBLISHED_FORMULA) == ""
    assert _shared(_BOUNDS, EXACT) == ""


@pytest.mark.parametrize("highest", [0.004, 0.04, 40.0])
def test_numbers_at_a_logarithmic_axis_are_legible(highest):
    with plotting_style({}):
        page = new_figure(5, 4, dpi=120)
        axis = page.subplots()
        _panel(axis, "a", _SHEET, [*_NONE, Row("a", DWORK, MEASURED, 0.2, highest, 0.001, highest, 1000)])
        page.canvas.draw()
        labels = [text.get_text() for scale in (axis.xaxis, axis.yaxis) for text in scale.get_ticklabels(which="both")]
    written = [float(label.replace("\N{MINUS SIGN}", "-")) for label in labels if label]
    assert len(written) >= 3
