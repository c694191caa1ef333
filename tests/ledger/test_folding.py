"""Displays that are too wide are folded, and lose nothing; those that fit stay as they are."""

from __future__ import annotations

import re

import pytest
import sympy as sp

from pan_proofs.rendering.folding import LINE, folded, nested, unfolded, width

x, y = sp.symbols("x y", positive=True)
LONG = sp.latex(sp.expand((x + 2 * y + 3) ** 7))
SHORT = r"x + y &\le \frac{x}{y}"


def content(formula):
    """A formula without what only the layout needs."""
    return re.sub(r"\\quad|\{\}|&|\s|\\big[lr]|\\left|\\right", "", formula)


def test_what_fits_stays_as_it_is():
    assert folded([SHORT]) == [SHORT]
    assert unfolded(r"\frac{x}{y}") == r"\frac{x}{y}"


@pytest.mark.parametrize("left", ["f", LONG[:0], r"g \left(x\right)"])
def test_a_long_sum_is_folded_before_its_signs(left):
    rows = folded([f"{left} &= {LONG}", f"&= {LONG}"])
    assert len(rows) > 4
    assert all(width(row) <= LINE + 6 for row in rows)
    assert all(row.count("{") == row.count("}") and row.count("&") == 1 for row in rows)
    assert content("".join(rows)) == content(f"{left} &= {LONG}&= {LONG}")


def test_a_long_left_side_is_not_aligned():
    rows = folded([f"{LONG} &= 0"])
    assert all(row.startswith("&") for row in rows)
    assert content("".join(rows)) == content(f"{LONG} = 0")


def test_a_fraction_with_a_long_numerator_becomes_a_factor():
    (text,) = {unfolded(rf"\frac{{{LONG}}}{{y^2}}")}
    assert text.startswith(r"\frac{1}{y^2}\bigl(")
    both = unfolded(rf"\frac{{{LONG}}}{{{LONG}}}")
    assert r"\frac" not in both
    assert "/" in both


def test_a_row_may_end_before_a_wide_space():
    term = rf"\sqrt{{{'x + ' * 30}y}}"
    rows = folded([rf"x = 1,\ y = 2:\quad {term} &< {term}"])
    assert rows[0] == r"&x = 1,\ y = 2:"
    assert rows[1].startswith(r"&\quad \quad \sqrt")


def test_no_row_ends_inside_braces_or_after_a_sign():
    formula = rf"\sqrt{{{LONG}}} + 2 \cdot {LONG} = -{LONG}"
    for row in folded([f"&{formula}"]):
        assert row.count("{") == row.count("}")
        assert not row.rstrip().endswith(("+", "-", "=", r"\cdot"))


@pytest.mark.parametrize(
    ("formula", "least", "most"),
    [("x", 1, 2), (r"\frac{a+b}{2}", 3, 6), (r"\text{for all}", 5, 9), (r"\log x", 3, 6), ("", 0, 0)],
)
def test_widths_are_near_those_of_the_page(formula, least, most):
    assert least <= width(formula) <= most


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        (r"\frac{x}{2} + \frac{y}{3}", False),
        (r"\frac{\frac{x}{2} + 1}{y}", True),
        (r"\frac{x}{1 + \tfrac{y}{2}}", True),
        (r"\frac x2 \cdot \frac{1}{y}", False),
        (r"x + 1", False),
    ],
)
def test_a_fraction_in_a_fraction_is_found(formula, found):
    assert nested(formula) is found


def test_a_line_of_a_paragraph_does_not_end_between_short_arguments():
    long = r"\min(1, |x_{i-1} - x_i - y_{i-1}|) + " + "b" * 60
    assert "allowbreak" not in unfolded(long)
    assert unfolded(rf"a, {long}").count("allowbreak") == 1
    assert "allowbreak" in unfolded(rf"\max({'c' * 30}, {'d' * 30})")
