"""The joint losses of the published estimators, as formulas in epsilon.

Each formula is :func:`~pan_proofs.density.lemmas.joint_loss.joint_loss` at the printed parameters. The noise
is the printed one throughout, ``Laplace(1/(eps m))``, and the output the printed one, the mean of the bits
over the gap of the two probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import sympy as sp

from pan_proofs.density.lemmas.joint_loss import joint_loss
from pan_proofs.engines.balls import bounds

epsilon = sp.Symbol("epsilon", positive=True)
"""The printed budget of the state, and again of the output."""

_SENSITIVITY = (
    "The output's sensitivity is given as 1/m, that of the density; but one bit moves the output by 1/(m gap), "
    "gap being the difference of the two probabilities, so that the output given the state is eta-private with "
    "eta = {eta}, not epsilon-private."
)


@dataclass(frozen=True)
class PublishedLoss:
    """One published estimator.

    Attributes
    ----------
    name
        Name of the estimator.
    claim
        Id of the statement that makes the promise.
    before, after
        Probability of a one before and after an appearance; ``None`` if there are no such bits.
    eta
        Largest logarithm of the ratio of two densities of the output's noise one bit apart.
    state_loss
        The loss of what is seen at the intrusions alone: the joint loss for noise without end.
    loss
        The joint loss of state and output in ``epsilon``, tight; ``oo`` if there is none.
    promised
        The joint loss that is promised.
    below
        The parameters make sense for epsilon below this.
    witness
        The patterns, bits and outputs that attain the loss.
    failing_step
        The step of the printed argument that fails.
    """

    name: str
    claim: str
    before: sp.Expr | None
    after: sp.Expr | None
    eta: sp.Expr
    state_loss: sp.Expr
    loss: sp.Expr
    promised: sp.Expr
    below: sp.Expr
    witness: str
    failing_step: str


@dataclass(frozen=True)
class LossRow:
    """The numbers of one estimator at one epsilon: the loss lies between ``least`` and ``most``."""

    name: str
    promised: float
    least: float
    most: float


def noise_eta(gap: sp.Expr) -> sp.Expr:
    """One bit's weight in the output, ``1/(m gap)``, over the scale of the noise, ``1/(epsilon m)``."""
    size = sp.Symbol("m", positive=True)
    return sp.simplify((1 / (size * gap)) / (1 / (epsilon * size)))


def optimal_pair() -> tuple[sp.Expr, sp.Expr]:
    """``(1 -+ tanh(epsilon/2))/2``."""
    half = sp.tanh(epsilon / 2) / 2
    return sp.Rational(1, 2) - half, sp.Rational(1, 2) + half


def announced_gap() -> sp.Expr:
    """The gap of the optimal pair after one flip with probability ``1/(1 + exp(epsilon))``."""
    before, after = optimal_pair()
    flip = 1 / (1 + sp.exp(epsilon))
    return sp.simplify(((1 - 2 * flip) * (after - before)).rewrite(sp.exp))


def bernoulli_family_loss(centre: sp.Expr) -> PublishedLoss:
    """The family with ``x = c tanh(epsilon/2)`` and centre c; below 1/2 the loss is the larger of two terms."""
    centre = sp.nsimplify(centre)
    half = centre * sp.tanh(epsilon / 2)
    step = "The printed condition bounds (c + x)/(c - x), the ratio of the bit 1, and not (1 - c + x)/(1 - c - x), "
    step += "that of the bit 0, which exceeds exp(epsilon) for c > 1/2; and: "
    below = sp.oo if centre <= sp.Rational(1, 2) else 2 * sp.atanh((1 - centre) / centre)
    if centre <= sp.Rational(1, 2):
        step = ""
    return _bits("bernoulli-family", "density.bernoulli_family", centre - half, centre + half, below=below, step=step)


def published_losses() -> tuple[PublishedLoss, ...]:
    """All the published estimators; the family with its largest centre, 4/5."""
    return tuple(map(published_loss, _LOSSES))


@cache
def published_loss(name: str) -> PublishedLoss:
    """The published estimator of this name; only its own loss is derived."""
    return _LOSSES[name]()


def loss_table(at: sp.Expr) -> tuple[LossRow, ...]:
    """The joint losses at one epsilon, rigorously enclosed; estimators without parameters there are left out.

    Parameters
    ----------
    at
        Epsilon as an exact sympy expression, for instance ``Rational(1, 10)`` or ``log(Rational(3, 2))``.
    """
    at = sp.sympify(at)
    if at.has(sp.Float) or not at.is_positive:
        raise ValueError(f"epsilon must be an exact positive number, as sympy.Rational(1, 10), got {at!r}")
    rows = []
    for entry in published_losses():
        if entry.below > at:
            least, most = (float("inf"),) * 2 if entry.loss is sp.oo else bounds(entry.loss, {epsilon: at})
            rows.append(LossRow(entry.name, float(entry.promised.subs(epsilon, at)), least, most))
    return tuple(rows)


def _bits(
    name: str,
    claim: str,
    before: sp.Expr,
    after: sp.Expr,
    *,
    eta: sp.Expr | None = None,
    promised: sp.Expr = 2 * epsilon,
    below: sp.Expr = sp.oo,
    deletions: bool = False,
    announced: int = 0,
    step: str = "",
) -> PublishedLoss:
    weight = noise_eta(after - before) if eta is None else eta
    result, state = (
        joint_loss(before, after, noise, deletions=deletions, announced=announced) for noise in (weight, sp.Integer(0))
    )
    ratios = [sp.factor(one.rewrite(sp.exp)) for one in sp.Max.make_args(sp.exp(state.loss))]
    return PublishedLoss(
        name=name,
        claim=claim,
        before=before,
        after=after,
        eta=weight,
        state_loss=sp.log(sp.Max(*ratios, evaluate=len(ratios) == 1)),
        loss=sp.log(sp.factor(result.worst[0].value)) if len(result.worst) == 1 else result.loss,
        promised=promised,
        below=below,
        witness="; or: ".join(map(str, result.worst)),
        failing_step=step + _SENSITIVITY.format(eta=weight),
    )


def _laplace() -> PublishedLoss:
    return PublishedLoss(
        name="laplace",
        claim="thesis.laplace_privacy",
        before=None,
        after=None,
        eta=sp.oo,
        state_loss=epsilon,
        loss=sp.oo,
        promised=2 * epsilon,
        below=sp.oo,
        witness="(insert, insert) against (insert, none), seen cell x and output at x, for x to infinity",
        failing_step="The output's sensitivity is given as 1/m; but a cell is any real number, so that redrawing one "
        "moves the output without bound, and no noise of a fixed scale makes it private given the state.",
    )


def _distinct_sampling() -> PublishedLoss:
    before, after = optimal_pair()
    return PublishedLoss(
        name="pan-private-distinct-sampling",
        claim="density.ppds_privacy",
        before=before,
        after=after,
        eta=sp.oo,
        state_loss=sp.oo,
        loss=sp.oo,
        promised=2 * epsilon,
        below=sp.oo,
        witness="no appearance against k appearances before the intrusion, for k to infinity; seen: the level 0 and "
        "m - 1 members, the user not among them",
        failing_step="The level L is called protected because membership is; but each further appearance of a user "
        "outside a sample that is one short of full is another chance to raise L, so that L tells how often they came.",
    )


_COIN = (sp.Rational(1, 2), sp.Rational(1, 2) + epsilon / 4)
_QUANTIZED = sp.exp(-epsilon / 2) / 2
_LOSSES: dict[str, Callable[[], PublishedLoss]] = {
    "dwork": lambda: _bits("dwork", "density.dwork_privacy", *_COIN, below=sp.Integer(2)),
    "lecture": lambda: _bits("lecture", "lecture.privacy", *_COIN, below=sp.Integer(2)),
    "bernoulli-family": lambda: bernoulli_family_loss(sp.Rational(4, 5)),
    "optimal-bernoulli": lambda: _bits("optimal-bernoulli", "density.optbern_privacy", *optimal_pair()),
    "quantized-laplace": lambda: _bits("quantized-laplace", "thesis.quantizer", _QUANTIZED, 1 - _QUANTIZED),
    "laplace": _laplace,
    "dwork-insert-delete": lambda: _bits(
        "dwork-insert-delete", "density.insert_delete", *_COIN, below=sp.Integer(2), deletions=True
    ),
    "optimal-bernoulli-insert-delete": lambda: _bits(
        "optimal-bernoulli-insert-delete", "density.insert_delete", *optimal_pair(), deletions=True
    ),
    "graph-density": lambda: _bits("graph-density", "density.insert_delete", *optimal_pair(), deletions=True),
    # The last output divides by the gap that is left after the flips.
    "announced-intrusions": lambda: _bits(
        "announced-intrusions",
        "density.announced_intrusions",
        *optimal_pair(),
        eta=noise_eta(announced_gap()),
        promised=3 * epsilon,
        announced=1,
    ),
    "pan-private-distinct-sampling": _distinct_sampling,
}
"""The derivation of each, by name."""
