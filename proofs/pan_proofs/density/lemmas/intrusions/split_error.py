"""The error of a calibrated estimator as a function of how the total is split, and its least value."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.losses.joint_loss_proofs import noise_factor
from pan_proofs.engines.computations import comparison, of_one_sign, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, gt, lt
from pan_proofs.foundations.distributions import TwoSidedGeometric, bernoulli, variance
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import below_on_box, equal, lemma

E, S, m = sp.symbols("E S m", positive=True)
"""Exponentials of the state's budget and of the total; the number of users."""

_E, _S = sp.symbols("E S", real=True)

CELLS = E / (E - 1) ** 2
"""The bits' part of the error, times m."""

NOISE = 2 * E**2 * (S * (E + 1) - E) / ((E - 1) ** 2 * (S - E) ** 2)
"""The noise's part, times m squared."""

ERROR = CELLS / m + NOISE / m**2

CASES = ((sp.Rational(2, 5), 5000), (sp.S.One, 1000), (sp.Rational(1, 5), 5000), (sp.Rational(1, 2), 1000))
"""Totals T and numbers of users at which the least error is enclosed."""

_numerator = _E**3 * _S - _E**3 + _E**2 * _S**2 + 2 * _E**2 * _S - _E**2 - 3 * _E * _S**2 + 3 * _E * _S - 2 * _S**2
_slope = 2 * _E**4 * _S - _E**4 + _E**3 * _S**2 + _E**3 * _S - 3 * _E * _S**2 + _E * _S - _S**2


def published_error(total: sp.Expr, size: sp.Expr) -> sp.Expr:
    """Error of Algorithm 2 about its sample's density, at every density, with the promise ``2 epsilon = total``."""
    epsilon = total / 2
    return 1 / (4 * size * sp.sinh(epsilon / 2) ** 2) + 2 / (size * epsilon) ** 2


def derived_error() -> sp.Expr:
    """From the distributions: bits of the symmetric pair, and the noise for the total."""
    pair = (1 / (1 + E), E / (1 + E))
    rate = noise_factor().subs({one: {"E": E, "S": S}[str(one)] for one in noise_factor().free_symbols})
    ratio = sp.Symbol("z", positive=True)
    added = variance(TwoSidedGeometric(ratio, ratio)).subs(ratio, 1 / rate)
    return (m * variance(bernoulli(pair[1])) + added) / (m * (pair[1] - pair[0])) ** 2


def balance() -> sp.Expr:
    """The number of users for which a split is critical: minus the ratio of the two derivatives."""
    return -sp.diff(NOISE, E) / sp.diff(CELLS, E)


def _stated_balance() -> tuple[sp.Expr, sp.Expr]:
    """The balance and its derivative as fractions of the two polynomials."""
    return 2 * _E * _numerator / ((_E + 1) * (_S - _E) ** 3), 4 * _S * _slope / ((_E + 1) ** 2 * (_S - _E) ** 4)


def stated_balance() -> sp.Expr:
    """The balance as a fraction of polynomials, in the symbols of the error."""
    return _stated_balance()[0].subs({_E: E, _S: S}, simultaneous=True)


def stated_single_minimum() -> tuple[str, ...]:
    """The balance and its derivative, which is positive; the sign of the slope of the error; and both ends."""
    real = {E: _E, S: _S}
    value, slope = _stated_balance()
    between = (_E > 1, _S > _E)
    size, bound = sp.symbols("m K", positive=True)
    falling, rising = sp.symbols("c n", real=True)
    error = ERROR.subs(m, size).subs(real, simultaneous=True)
    return (
        *symbolic(
            eq(sp.Symbol(r"\Phi(E)"), value),
            eq(sp.Symbol(r"\Phi'(E)"), slope),
            given=between,
        ),
        *symbolic(gt(slope, 0), given=(*between, ge(value, 0))),
        *symbolic(
            sp.Equivalent(
                lt(falling / size + rising / size**2, 0),
                lt(-rising / falling, size),
                evaluate=False,
            ),
            given=(falling < 0,),
        ),
        *symbolic(
            gt(error, bound),
            given=(*between, lt((_E - 1) ** 2 * size * bound, 1)),
        ),
        *symbolic(
            gt(error, bound),
            given=(*between, lt(size**2 * bound * (_S - 1) ** 2 * (_S - _E) ** 2, 2)),
        ),
    )


def single_minimum() -> tuple[Obligation, ...]:
    """The balance increases wherever it is positive, so that each m has one critical split."""
    real = {E: _E, S: _S}
    stated, slope = _stated_balance()
    derivative = sp.diff(balance(), E).subs(real, simultaneous=True)
    return (
        *equal("split.balance", "", "", balance().subs(real, simultaneous=True), stated).obligations,
        *equal("split.slope", "", "", derivative, slope).obligations,
        Inequality(
            "split.increases",
            sp.S.One,
            1 + _slope,
            (_E > 1, _S > _E, _numerator >= 0),
            strict=True,
            touching={_E: 1, _S: 1},
        ).discharge(),
    )


def cells_decrease() -> Obligation:
    """The bits' part decreases in E."""
    more = sp.Symbol("F", real=True)
    return Inequality(
        "split.cells",
        more / (more - 1) ** 2,
        _E / (_E - 1) ** 2,
        (_E > 1, more > _E),
        strict=True,
        touching={_E: 2, more: 2},
    ).discharge()


def near(total: sp.Expr, size: int) -> tuple[sp.Rational, sp.Rational]:
    """Two fractions less than a millionth apart, with the critical split between them, by bisection.

    They are used only after the balls have decided.
    """
    value = sp.lambdify(E, balance().subs(S, float(sp.exp(total))), "math")
    low, high = 1.0, float(sp.exp(total))
    while high - low > 1e-11:
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) < size else (low, middle)
    grid = 4_000_000
    place = int(low * grid)
    return sp.Rational(place - 1, grid), sp.Rational(place + 2, grid)


def enclosed_split(total: sp.Expr, size: int) -> tuple[Obligation, sp.Rational, sp.Rational]:
    """Balls show that the critical split lies between two fractions."""
    low, high = near(total, size)
    name, at = f"split.enclosed.{size}.{total}", {S: sp.exp(total), m: sp.Integer(size)}
    enclosed = together(
        name,
        f"{low} < E < {high}",
        comparison(f"{name}.below", lt(balance(), m), {**at, E: low}),
        comparison(f"{name}.above", gt(balance(), m), {**at, E: high}),
    )
    return enclosed, low, high


def enclosed_ratio(total: sp.Expr, size: int, least: sp.Rational, most: sp.Rational) -> Obligation:
    """The least error over that of Algorithm 2 lies between two fractions.

    With the critical split between ``a`` and ``b`` and the noise's part increasing from a on, the least error is at
    most that at a, and at least the bits' part at b with the noise's part at a.
    """
    (above, below), low = ratio_relations(total, size, least, most)
    name, at = f"split.ratio.{size}.{total}", {S: sp.exp(total), m: sp.Integer(size), E: low}
    return together(
        name,
        f"{least} < least error / published error < {most} for m = {size}, T = {total}",
        comparison(f"{name}.most", above, at),
        comparison(f"{name}.least", below, at),
        comparison(f"{name}.increases", gt(balance(), 0), at),
    )


def ratio_relations(
    total: sp.Expr, size: int, least: sp.Rational, most: sp.Rational
) -> tuple[tuple[Relational, Relational], sp.Rational]:
    """The bounds of the least error by fractions of the published one, and the split at which they are decided."""
    low, high = near(total, size)
    published, bits = published_error(total, m), CELLS.subs(E, high)
    above = lt(ERROR, most * published)
    return (above, gt(bits / m + NOISE / m**2, least * published)), low


def free_pair_ratio(total: sp.Expr, size: int, pair: tuple[sp.Rational, sp.Rational], most: sp.Rational) -> Obligation:
    """A pair that is not symmetric, with its own least noise, has at most this part of the published error."""
    (one, two), promised = pair, sp.exp(total)
    ones, zeros = two / one, (1 - one) / (1 - two)
    up = sp.Max(two / (promised / zeros - (1 - two)), (ones / promised - two) / (1 - two))
    down = sp.Max((1 - two) / (promised / ones - two), (zeros / promised - (1 - two)) / two)
    cells = sp.Max(one * (1 - one), two * (1 - two))
    error = (cells / size + (up / (1 - up) ** 2 + down / (1 - down) ** 2) / size**2) / (two - one) ** 2
    name = f"split.free.{size}.{total}"
    return together(
        name,
        f"ratio < {most} at {pair}",
        comparison(f"{name}.error", lt(error, most * published_error(total, sp.Integer(size)))),
        *(comparison(f"{name}.{bit}", lt(ratio, promised)) for bit, ratio in (("one", ones), ("zero", zeros))),
    )


def free_pair_bound(name: str, total: sp.Expr, size: int, least: sp.Rational, *, heavy: bool) -> Step:
    """No pair with ``p0 + p1 >= 1``, or ``<= 1``, has less than this part of the published error."""
    share, place = sp.symbols("sigma z", real=True)
    promised = sp.exp(total)
    odds = 1 + (promised - 1) * place
    rarer = share / (1 + odds)
    if heavy:
        p1, p0 = 1 - rarer, 1 - rarer * odds
        q0, q1 = rarer * odds, rarer
        sides = p1 * odds / (promised - q0), q1 * p1 / (promised * p0 - p1**2)
    else:
        p0, p1 = rarer, rarer * odds
        q0, q1 = 1 - rarer, 1 - rarer * odds
        sides = q1 * odds / (promised - p1 * odds), p1 * q0 / (q1 * (promised - q0))
    # A fraction just above the bound to be beaten keeps the balls' work small.
    bound = least * published_error(total, sp.Integer(size)) * size**2
    stated = sp.Rational(str(sp.N(bound, 30))) + sp.Rational(1, 10**20)
    excess = size * (p0 * q0 if heavy else p1 * q1) - stated * ((odds - 1) * rarer) ** 2
    one, other = sides
    with_one = excess * (1 - one) ** 2 + one
    with_both = with_one * (1 - other) ** 2 + other * (1 - one) ** 2
    step = below_on_box(
        name,
        r"For $p_0 + p_1 \ge 1$ put $q_1 = \frac{\sigma}{1+B}$, $q_0 = \frac{\sigma B}{1+B}$, and for $p_0 + p_1 \le "
        r"1$ put $p_0 = \frac{\sigma}{1+A}$, $p_1 = \frac{\sigma A}{1+A}$, with $0 < \sigma \le 1$ and $A$ or $B$ in "
        r"$(1, S)$. Of the limits of the noise the first ones are kept, $u \ge \frac{p_1}{S/B - q_1}$ and $v \ge "
        r"\frac{q_1}{S/A - p_1}$, and $\frac{u}{(1-u)^2}$ increases. Multiplied by $(1-u)^2 (1-v)^2$, or without the "
        r"noise of one side by $(1-u)^2$ or $(1-v)^2$, the difference of the two sides stays positive on the whole "
        r"square of $\sigma$ and $A$ or $B$."
        if heavy
        else r"The same holds for the other half.",
        sp.S.One,
        1 + sp.Max(with_one, with_both),
        {share: (sp.S.Zero, sp.S.One), place: (sp.S.Zero, sp.S.One)},
        closest={share: sp.Rational(96, 100), place: sp.Rational(8, 10)},
        weaker=sp.Rational(1, 5),
        lines=(
            rf"m\,w + \frac{{u}}{{(1-u)^2}} + \frac{{v}}{{(1-v)^2}} &> {float(least):g}\, m^2 (p_1 - p_0)^2\, V "
            rf"\qquad (p_0 + p_1 {chr(92)}{'ge' if heavy else 'le'} 1)",
        ),
    )
    above = comparison(f"{name}.bound", gt(stated, bound))
    return replace(step, obligations=(*step.obligations, above))


def monotone_step() -> Step:
    """The step in which the critical split is shown to be single."""
    return lemma(
        "single",
        r"Let $C$ and $N$ be the two parts. $C$ decreases, so that $F' = \frac{C'}{m} + \frac{N'}{m^2} = 0$ means $m "
        r"= \Phi(E) = -\frac{N'}{C'}$, and $F' < 0$ just where $\Phi < m$. Where $\Phi \ge 0$, its derivative is "
        r"positive: it crosses every $m > 0$ once, from below.",
        (cells_decrease(), *single_minimum()),
        (
            r"\Phi(E) &= \frac{2E\,(E^3 S - E^3 + E^2 S^2 + 2E^2 S - E^2 - 3 E S^2 + 3 E S - 2S^2)}{(E+1)(S-E)^3}",
            r"\Phi'(E) &= \frac{4S\,(2E^4 S - E^4 + E^3 S^2 + E^3 S - 3 E S^2 + E S - S^2)}{(E+1)^2 (S-E)^4}",
        ),
    )


def _distance() -> tuple[sp.Expr, sp.Expr]:
    """``m (S - E)^3`` at the critical split, and ``5 S^4`` less it times ``E + 1``, in ``a = E - 1``, ``h = S - E``."""
    past, left = sp.symbols("a h", positive=True)
    at = {_E: 1 + past, _S: 1 + past + left}
    top = sp.expand((2 * _E * _numerator).subs(at, simultaneous=True))
    return top / (2 + past), sp.expand((5 * _S**4 * (_E + 1)).subs(at, simultaneous=True) - top)


def distance_bounded() -> Step:
    """The critical split is near the total, for every number of users."""
    past, left = sp.symbols("a h", positive=True)
    value, rest = _distance()
    return lemma(
        "distance_bounded",
        r"For every $m$ the distance $h = S - E$ has $m h^3 = \Phi(E)\,h^3 \le 5 S^4$: with $E = 1 + a$ and $S = E + "
        r"h$ the difference times $E + 1$ has positive coefficients alone.",
        (
            equality("split.distance", (balance() * (S - E) ** 3).subs({S: 1 + past + left, E: 1 + past}), value),
            of_one_sign("split.distance.bounded", "the difference of the two sides is positive", rest, shown=True),
        ),
        (r"m\,(S - E)^3 &< 5 S^4",),
    )


def stated_distance() -> tuple[str, ...]:
    """The same, formally, for the balance."""
    past, left = sp.symbols("a h", positive=True)
    value, rest = _distance()
    return (
        *symbolic(eq(stated_balance() * (S - E) ** 3, value), where={S: 1 + past + left, E: 1 + past}),
        *symbolic(gt(rest, 0)),
    )
