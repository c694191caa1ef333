"""False statements about matrices and Gaussian observations, by every public function of the two engines."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.matrices import inverse, positive_definite, positive_definite_where
from tests.ledger.false_attacks import asked

r = sp.Symbol("r", real=True)
v = sp.Symbol("v", positive=True)
half = sp.Rational(1, 2)
UNIT = [[1, 0], [0, 1]]
PAIR = [[1, r], [r, 1]]
INSIDE = (sp.Gt(r, -1), sp.Lt(r, 1))
TRIPLE = [[1, r, r], [r, 1, r], [r, r, 1]]
INVERSE = [[1 / (1 - r**2), -r / (1 - r**2)], [-r / (1 - r**2), 1 / (1 - r**2)]]


def definite(entries: object) -> object:
    return asked(positive_definite("s", entries))


def definite_where(entries: object, hypotheses: object, mutant: object) -> object:
    return asked(positive_definite_where("s", entries, hypotheses, mutant))


def inverted(entries: object, stated: object) -> object:
    return asked(inverse("s", entries, stated))


def lost(data: object, factor: object, noise: object, change: object, stated: object, *where: object) -> object:
    return asked(gaussian_loss("s", GaussianObservation(data, factor, noise), change, stated, hypotheses=where))


FALSE = {
    "definite: singular": ("singular matrix", lambda: definite([[1, 1], [1, 1]])),
    "definite: indefinite": ("indefinite matrix", lambda: definite([[1, 2], [2, 1]])),
    "definite: negative definite of even size": ("wrong sign", lambda: definite([[-1, 0], [0, -1]])),
    "definite: not symmetric": ("missing hypothesis", lambda: definite([[2, 1], [0, 2]])),
    "definite: zero in the first place": ("singular matrix", lambda: definite([[0, 0], [0, 1]])),
    "definite: not square": ("missing hypothesis", lambda: definite([[1, 0, 0], [0, 1, 0]])),
    "definite: nearly": ("correct only in the limit", lambda: definite([[1, 1], [1, 1 - Fraction(1, 10**30)]])),
    "definite: zero, of size 1": ("singular matrix", lambda: definite([[0]])),
    "definite where: at the ends": (
        "wrong range",
        lambda: definite_where(PAIR, (sp.Ge(r, -1), sp.Lt(r, 1)), (sp.Ge(r, -1), sp.Le(r, 1))),
    ),
    "definite where: three equal correlations": (
        "wrong range",
        lambda: definite_where(TRIPLE, INSIDE, (sp.Gt(r, -1), sp.Le(r, 1))),
    ),
    "definite where: nowhere": ("vacuous", lambda: definite_where(PAIR, (sp.Gt(r, 2), sp.Lt(r, 1)), (sp.Gt(r, 2),))),
    "definite where: weaker hypotheses that are other ones": (
        "no control",
        lambda: definite_where(PAIR, INSIDE, (sp.Gt(r, 2),)),
    ),
    "definite where: weaker hypotheses that suffice": ("no control", lambda: definite_where(PAIR, INSIDE, INSIDE)),
    "definite where: an entry that is not defined": (
        "missing hypothesis",
        lambda: definite_where([[1 / r**2]], (sp.Gt(r, -1),), (sp.Gt(r, -2),)),
    ),
    "inverse: a wrong constant": ("wrong constant", lambda: inverted([[2, 0], [0, 4]], [[half, 0], [0, half]])),
    "inverse: a wrong sign": ("wrong sign", lambda: inverted([[1, 1], [0, 1]], [[1, 1], [0, 1]])),
    "inverse: transposed": ("wrong inverse", lambda: inverted([[1, 1], [0, 1]], [[1, 0], [-1, 1]])),
    "inverse: of a singular matrix": (
        "singular matrix",
        lambda: inverted([[1, 1], [1, 1]], [[Fraction(1, 4)] * 2, [Fraction(1, 4)] * 2]),
    ),
    "inverse: on one side": ("wrong inverse", lambda: inverted([[1, 0]], [[1], [0]])),
    "inverse: correct for one value of a symbol": (
        "correct for one instance",
        lambda: inverted(PAIR, [[Fraction(4, 3), Fraction(-2, 3)], [Fraction(-2, 3), Fraction(4, 3)]]),
    ),
    "inverse: to first order": ("correct only in the limit", lambda: inverted(PAIR, [[1, -r], [-r, 1]])),
    "inverse: a wrong sign beside a symbol": (
        "wrong sign",
        lambda: inverted(PAIR, [[INVERSE[0][0], -INVERSE[0][1]], INVERSE[1]]),
    ),
    "loss: the factor 1/2 forgotten": ("wrong constant", lambda: lost(UNIT, UNIT, UNIT, (1, 0), 1)),
    "loss: correlation ignored": (
        "missing hypothesis",
        lambda: lost(UNIT, UNIT, [[1, half], [half, 1]], (1, 0), half),
    ),
    "loss: the sign of the correlation": (
        "wrong sign",
        lambda: lost([[1], [1]], UNIT, [[1, half], [half, 1]], (1,), 2),
    ),
    "loss: finite, though one output tells": (
        "singular matrix",
        lambda: lost(UNIT, [[1], [1]], [[1]], (1, 0), half),
    ),
    "loss: infinite, though none tells": ("singular matrix", lambda: lost(UNIT, [[1], [1]], [[1]], (1, 1), sp.oo)),
    "loss: an indefinite covariance": (
        "indefinite matrix",
        lambda: lost(UNIT, UNIT, [[1, 2], [2, 1]], (1, 1), third()),
    ),
    "loss: no covariance, not symmetric": (
        "missing hypothesis",
        lambda: lost(UNIT, UNIT, [[1, 1], [0, 1]], (0, 1), half),
    ),
    "loss: noise that vanishes": ("singular matrix", lambda: lost([[0]], [[1]], [[0]], (1,), 0)),
    "loss: a symbol beyond the range": (
        "missing hypothesis",
        lambda: lost(UNIT, UNIT, PAIR, (1, 0), 1 / (2 * (1 - r**2))),
    ),
    "loss: hypotheses that contradict one another": (
        "vacuous",
        lambda: lost(UNIT, UNIT, PAIR, (1, 0), 1 / (2 * (1 - r**2)), sp.Gt(r, 2), sp.Lt(r, 1)),
    ),
    "loss: correct for one value of a symbol": (
        "correct for one instance",
        lambda: lost(UNIT, UNIT, PAIR, (1, 0), half, *INSIDE),
    ),
    "loss: the variance in place of the deviation": (
        "wrong constant",
        lambda: lost([[1]], [[1]], [[v]], (1,), 1 / (2 * v**2)),
    ),
}


def third() -> sp.Rational:
    """The value of the quadratic form that ignores that there is no such noise."""
    return sp.Rational(1, 3)
