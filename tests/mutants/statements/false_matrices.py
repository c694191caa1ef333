"""Statements about matrices and Gaussian observations: false ones, and true ones beside them."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.matrices import inverse, positive_definite, positive_definite_where
from pan_proofs.engines.obligation import Obligation

r = sp.Symbol("r", real=True)
v = sp.Symbol("v", positive=True)
half = sp.Rational(1, 2)
UNIT = [[1, 0], [0, 1]]
PAIR = [[1, r], [r, 1]]
INSIDE = (sp.Gt(r, -1), sp.Lt(r, 1))
TRIPLE = [[1, r, r], [r, 1, r], [r, r, 1]]
INVERSE = [[1 / (1 - r**2), -r / (1 - r**2)], [-r / (1 - r**2), 1 / (1 - r**2)]]


def definite(entries: object) -> Obligation:
    return positive_definite("s", entries)


def definite_where(entries: object, hypotheses: object, mutant: object) -> Obligation:
    return positive_definite_where("s", entries, hypotheses, mutant)


def inverted(entries: object, stated: object) -> Obligation:
    return inverse("s", entries, stated)


def lost(data: object, factor: object, noise: object, change: object, stated: object, *where: object) -> Obligation:
    return gaussian_loss("s", GaussianObservation(data, factor, noise), change, stated, hypotheses=where)


FALSE = {
    "singular matrix": {
        "definite: singular": "definite([[1, 1], [1, 1]])",
        "definite: zero in the first place": "definite([[0, 0], [0, 1]])",
        "definite: zero, of size 1": "definite([[0]])",
        "inverse: of a singular matrix": "inverted([[1, 1], [1, 1]], [[Fraction(1, 4)] * 2, [Fraction(1, 4)] * 2])",
        "loss: finite, though one output tells": "lost(UNIT, [[1], [1]], [[1]], (1, 0), half)",
        "loss: infinite, though none tells": "lost(UNIT, [[1], [1]], [[1]], (1, 1), oo)",
        "loss: noise that vanishes": "lost([[0]], [[1]], [[0]], (1,), 0)",
    },
    "indefinite matrix": {
        "definite: indefinite": "definite([[1, 2], [2, 1]])",
        "loss: an indefinite covariance": "lost(UNIT, UNIT, [[1, 2], [2, 1]], (1, 1), 1 / 3)",
    },
    "wrong sign": {
        "definite: negative definite of even size": "definite([[-1, 0], [0, -1]])",
        "inverse: a wrong sign": "inverted([[1, 1], [0, 1]], [[1, 1], [0, 1]])",
        "inverse: a wrong sign beside a symbol": "inverted(PAIR, [[INVERSE[0][0], -INVERSE[0][1]], INVERSE[1]])",
        "loss: the sign of the correlation": "lost([[1], [1]], UNIT, [[1, half], [half, 1]], (1,), 2)",
    },
    "missing hypothesis": {
        "definite: not symmetric": "definite([[2, 1], [0, 2]])",
        "definite: not square": "definite([[1, 0, 0], [0, 1, 0]])",
        "definite where: an entry that is not defined": "definite_where([[1 / r**2]], (r > -1,), (r > -2,))",
        "loss: correlation ignored": "lost(UNIT, UNIT, [[1, half], [half, 1]], (1, 0), half)",
        "loss: no covariance, not symmetric": "lost(UNIT, UNIT, [[1, 1], [0, 1]], (0, 1), half)",
        "loss: a symbol beyond the range": "lost(UNIT, UNIT, PAIR, (1, 0), 1 / (2 * (1 - r**2)))",
    },
    "correct only in the limit": {
        "definite: nearly": "definite([[1, 1], [1, 1 - Fraction(1, 10**30)]])",
        "inverse: to first order": "inverted(PAIR, [[1, -r], [-r, 1]])",
    },
    "wrong range": {
        "definite where: at the ends": "definite_where(PAIR, (r >= -1, r < 1), (r >= -1, r <= 1))",
        "definite where: three equal correlations": "definite_where(TRIPLE, INSIDE, (r > -1, r <= 1))",
    },
    "vacuous": {
        "definite where: nowhere": "definite_where(PAIR, (r > 2, r < 1), (r > 2,))",
        "loss: hypotheses that contradict one another": (
            "lost(UNIT, UNIT, PAIR, (1, 0), 1 / (2 * (1 - r**2)), r > 2, r < 1)"
        ),
    },
    "no control": {
        "definite where: weaker hypotheses that are other ones": "definite_where(PAIR, INSIDE, (r > 2,))",
        "definite where: weaker hypotheses that suffice": "definite_where(PAIR, INSIDE, INSIDE)",
    },
    "wrong constant": {
        "inverse: a wrong constant": "inverted([[2, 0], [0, 4]], [[half, 0], [0, half]])",
        "loss: the factor 1/2 forgotten": "lost(UNIT, UNIT, UNIT, (1, 0), 1)",
        "loss: the variance in place of the deviation": "lost([[1]], [[1]], [[v]], (1,), 1 / (2 * v**2))",
    },
    "wrong inverse": {
        "inverse: transposed": "inverted([[1, 1], [0, 1]], [[1, 0], [-1, 1]])",
        "inverse: on one side": "inverted([[1, 0]], [[1], [0]])",
    },
    "correct for one instance": {
        "inverse: correct for one value of a symbol": (
            "inverted(PAIR, [[Fraction(4, 3), Fraction(-2, 3)], [Fraction(-2, 3), Fraction(4, 3)]])"
        ),
        "loss: correct for one value of a symbol": "lost(UNIT, UNIT, PAIR, (1, 0), half, *INSIDE)",
    },
}

TRUE = {
    "definite": "definite([[2, 1], [1, 2]])",
    "definite: barely": "definite([[1, 1], [1, 1 + Fraction(1, 10**30)]])",
    "definite where": "definite_where(PAIR, INSIDE, (r > -2, r < 1))",
    "definite where: three": "definite_where(TRIPLE, (r > -half, r < 1), (r >= -half, r < 1))",
    "inverse": "inverted([[2, 1], [1, 1]], [[1, -1], [-1, 2]])",
    "inverse: symbols": "inverted(PAIR, INVERSE)",
    "loss": "lost(UNIT, UNIT, UNIT, (3, 4), Fraction(25, 2))",
    "loss: zero": "lost(UNIT, UNIT, UNIT, (0, 0), 0)",
    "loss: singular and finite": "lost(UNIT, [[1], [1]], [[1]], (2, 2), 2)",
    "loss: singular and infinite": "lost(UNIT, [[1], [1]], [[1]], (1, 0), oo)",
    "loss: a symbol": "lost([[1]], [[1]], [[v]], (3,), 9 / (2 * v))",
}

REFUSED = {
    "as many rows in A as in B": [
        "GaussianObservation([[1], [1]], [[1]], [[1]])",
    ],
    "rational numbers alone": [
        "lost(UNIT, [[1], [1]], [[v]], (1, 0), oo)",
    ],
    "exact real entries": [
        "exact_matrix([[0.5]])",
    ],
    "positive definite covariance": [
        "GaussianObservation(UNIT, UNIT, [[1, 2], [2, 1]]).loss((1, 0))",
    ],
}
