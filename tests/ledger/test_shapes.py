"""Inequalities by the shape of a difference: the true ones are proved; the false ones stand beside them."""

import pytest
import sympy as sp

from pan_proofs.engines.shapes import Convex, Hump
from pan_proofs.ledger.verdicts import ProofVerdict
from tests.ledger.false_shapes import BOUND, CUMULANT, FACTOR, TAIL, TOP, TRUE, half, p, v, y


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_is_proved_with_its_controls(name):
    claim = TRUE[name]()
    assert claim.verdict is ProofVerdict.PROVED
    assert claim.controls == (1, 1)


@pytest.mark.parametrize(
    "shape",
    [
        Convex("s", CUMULANT, v**2 / 8, p, sp.S.Zero, {p: half, v: half}, half),
        Convex("s", CUMULANT, v**2 / 8, v, sp.S.Zero, {p: half, v: half}, half, (v > 0,)),
        Convex("s", CUMULANT, v**2 / 8, v, sp.S.Zero, {p: half, v: half}, sp.S.Zero),
        Hump("s", TAIL, BOUND, y, TOP, FACTOR, half, -half),
        Hump("s", sp.floor(y), y + 1, y, TOP, FACTOR, half, half),
        Hump("s", 1 / y, y + 1, y, TOP, FACTOR, half, half),
        Hump("s", TAIL * p, BOUND, y, TOP, FACTOR, half, half),
    ],
)
def test_what_the_shape_does_not_cover_is_refused(shape):
    with pytest.raises(ValueError, match="s: "):
        shape.discharge()
