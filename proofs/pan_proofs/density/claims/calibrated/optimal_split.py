"""The split of a calibrated estimator's total between the bits and the noise."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.joint_loss import noise_factor
from pan_proofs.engines.computations import comparison, of_one_sign, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, gt, lt
from pan_proofs.foundations.distributions import TwoSidedGeometric, bernoulli, variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import displayed
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


_RATIOS = ((3983, 3985), (4050, 4053), (5079, 5081), (5092, 5094))
"""Bounds of the ratio of errors in ten thousandths, by case."""


def calibrated_optimal_split() -> Claim:
    """The objective, its single minimum, its limit for large samples, and numbers."""
    return Claim(
        id="calibrated.optimal_split",
        title="The best split of a joint promise",
        references=(Reference("here", "for the calibrated estimators"),),
        statement=r"Let $S = e^T$. For the symmetric pair with $E = e^{\varepsilon_1}$, $0 < \varepsilon_1 < T$, and "
        r"the two-sided geometric noise for the joint loss $T$, the mean squared error about $d(\mathcal{S}_M)$ is, "
        r"at every density, $F(E) = \frac{E}{m (E-1)^2} + \frac{2 E^2 (S (E+1) - E)}{m^2 (E-1)^2 (S-E)^2}$. For "
        r"every $T > 0$ and $m$ it has a single critical point in $1 < E < S$, its minimum; this increases with $m$, "
        r"and tends to $S$ as $m$ tends to infinity: in large samples the state gets almost all of the promise. At "
        r"$T = 0.4$, $m = 5000$ the least error is $0.398$ of $\frac{1}{4 m \sinh^2(\varepsilon/2)} + "
        r"\frac{2}{m^2\varepsilon^2}$, $\varepsilon = \frac{T}{2}$, which is that of Algorithm 2 at every "
        r"density; at $T = 1$, $m = 1000$ it is $0.405$. Pairs that are not symmetric reach less than $0.3823$ and "
        r"$0.3769$, and in the first case none has less than $0.36$.",
        notation=((r"$\eta$", r"rate of the noise, $\log r$"),),
        hypotheses=(r"$T > 0$, $m \ge 1$", r"the bits, the noise and the sample are independent"),
        uses=("calibrated.joint_privacy", "calibrated.error", "density.optbern_error"),
        parts=(_objective(), _minimum(), _large_samples(), _numbers(), _free_pairs()),
        remark=r"Algorithm 2 would have this error with a joint loss that exceeds $2\varepsilon = T$; the calibrated "
        r"estimator has less error and keeps $T$. The reason is the output's budget, which for large samples is "
        r"better spent on the bits.",
    )


def _objective() -> Part:
    ratio, rate, budget = sp.Symbol("z", positive=True), sp.Symbol("eta", positive=True), sp.Symbol("e", positive=True)
    hyperbolic = equal(
        "hyperbolic",
        r"In other words the two parts are $\frac{1}{4m \sinh^2(\varepsilon_1/2)}$ and $\frac{1}{m^2 g^2} \cdot "
        r"\frac{1}{2 \sinh^2(\eta/2)}$, with $g = \tanh\frac{\varepsilon_1}{2}$.",
        "",
        (2 * ratio / (1 - ratio) ** 2).subs(ratio, sp.exp(-rate)),
        (1 / (2 * sp.sinh(rate / 2) ** 2)).rewrite(sp.exp),
    )
    cells = equal("", "", "", CELLS.subs(E, sp.exp(budget)), (1 / (4 * sp.sinh(budget / 2) ** 2)).rewrite(sp.exp))
    return Part(
        Role.PUBLISHED,
        "the error as a function of the split",
        r"$F(E) = \frac{E}{m (E-1)^2} + \frac{2 E^2 (S (E+1) - E)}{m^2 (E-1)^2 (S-E)^2}$.",
        (
            displayed(
                equal(
                    "objective",
                    r"The bits have the variance $\frac{E}{(1+E)^2}$ before and after an appearance, so that the "
                    r"error does not depend on the density. The noise with $P(N = k) \propto r^{-|k|}$ has the "
                    r"variance $\frac{2r}{(r-1)^2}$, and $r = \frac{S}{E} + \frac{S}{E^2} - \frac1E$. Both are "
                    r"divided by the square of the gap $\frac{E-1}{E+1}$.",
                    "F(E)",
                    derived_error(),
                    ERROR,
                ),
                r"F(E) &= \frac{1}{m^2} \left(\frac{E+1}{E-1}\right)^2 \left(m\,\frac{E}{(1+E)^2} + "
                r"\frac{2r}{(r-1)^2}\right)",
                r"&= \frac{E}{m\,(E-1)^2} + \frac{2E^2\,(S(E+1) - E)}{m^2\,(E-1)^2 (S-E)^2}",
            ),
            Step(
                hyperbolic.name,
                hyperbolic.text,
                (
                    r"\frac{E}{(E-1)^2} = \frac{1}{4 \sinh^2(\varepsilon_1/2)},\quad \frac{2r}{(r-1)^2} &= \frac{1}{2 "
                    r"\sinh^2(\eta/2)}",
                ),
                (*hyperbolic.obligations, *cells.obligations),
            ),
        ),
        formal=symbolic(sp.Eq(sp.Symbol("F"), ERROR)),
    )


def _minimum() -> Part:
    start, excess = sp.symbols("a b", positive=True)
    shifted = {S: 1 + start + excess, E: 1 + start}

    # For every value of the other distance, each part is positive and one of them has a pole.
    coefficients = {"left": sp.S.One, "right": 2 * (1 + start) ** 4 / start**2}
    poles = (
        equal(
            "ends.left",
            "",
            "",
            lambda: sp.limit((CELLS * (E - 1) ** 2).subs(shifted, simultaneous=True), start, 0),
            coefficients["left"],
        ),
        equal(
            "ends.right",
            "",
            "",
            lambda: sp.limit((NOISE * (S - E) ** 2).subs(shifted, simultaneous=True), excess, 0),
            coefficients["right"],
        ),
    )
    parts = (sp.factor(part.subs(shifted, simultaneous=True)) for part in (CELLS, NOISE))
    return Part(
        Role.PUBLISHED,
        "one minimum, inside",
        r"For every $S > 1$ and $m > 0$ there is exactly one critical point in $1 < E < S$, and it is the minimum. "
        r"In the formulas $K$ is any bound that $F$ exceeds near the ends, and $\Phi = -\frac{N'}{C'}$ for the parts "
        r"$F = \frac Cm + \frac{N}{m^2}$, each with its derivative in $E$.",
        (
            lemma(
                "ends",
                r"At both ends $F$ tends to infinity: at $E \to 1$ as the gap vanishes, at $E \to S$ as the noise "
                r"grows without end.",
                (
                    *(one for step in poles for one in step.obligations),
                    of_one_sign(
                        "ends.positive",
                        "the coefficients of the two poles, and both parts between the ends, are positive",
                        *coefficients.values(),
                        *parts,
                    ),
                ),
            ),
            monotone_step(),
        ),
        formal=stated_single_minimum(),
    )


def _large_samples() -> Part:
    distance = sp.Symbol("h", positive=True)
    coefficient = 4 * S**4 * (S - 1) / (S + 1)
    return Part(
        Role.PUBLISHED,
        "large samples",
        r"As $m$ tends to infinity, $E$ tends to $S$, that is, $\varepsilon_1$ tends to $T$: for every $m$ the "
        r"solution $E$ of $\Phi(E) = m$ has $m\,(S - E)^3 < 5 S^4$. In the formulas $E = 1 + a$ and $S = E + h$; they "
        r"have $\Phi(E)\,h^3$, and the difference of the two sides times $E + 1$.",
        (
            displayed(
                equal(
                    "distance",
                    r"It solves $\Phi(E) = m$. So its distance to $S$ shrinks like the cube root of $\frac1m$:",
                    "",
                    lambda: sp.limit(sp.together(balance() * (S - E) ** 3).subs(E, S - distance), distance, 0),
                    coefficient,
                ),
                r"m\,(S - E)^3 &\to \frac{4 S^4 (S-1)}{S+1}",
            ),
            distance_bounded(),
        ),
        formal=stated_distance(),
    )


def _numbers() -> Part:
    enclosures = [enclosed_split(total, size) for total, size in CASES]
    tens = sp.Integer(10_000)
    ratios = [
        enclosed_ratio(total, size, least / tens, most / tens)
        for (total, size), (least, most) in zip(CASES, _RATIOS, strict=True)
    ]
    lines = []
    for (total, size), (_, low, high), (least, most) in zip(CASES, enclosures, _RATIOS, strict=True):
        place = rf"{float(low):.6f} < E < {float(high):.6f}"
        ratio = rf"{least / 1e4:.4f} < \frac{{F}}{{V}} < {most / 1e4:.4f}"
        lines.append(rf"T = {float(total):g},\ m = {size}:\quad {place} &,\quad {ratio}")
    return Part(
        Role.PUBLISHED,
        "numbers",
        r"At $T = 0.4$, $m = 5000$ the minimum is at $\varepsilon_1 = 0.3447 = 0.862\, T$, and the least error is "
        r"$0.398$ of that of Algorithm 2 with $2\varepsilon = T$; at $T = 1$, $m = 1000$ it is at $\varepsilon_1 = "
        r"0.8495$, and $0.405$. The formulas have $\Phi(E) < m$ below that split and $\Phi(E) > m$ above it. They "
        r"bound the error at a fraction just below, from above, and the least error from below.",
        (
            lemma(
                "enclosed",
                r"Balls enclose the solution of $\Phi(E) = m$ between two fractions $a < b$, as $\Phi(a) < m < "
                r"\Phi(b)$. Since $C$ decreases and $N$ increases where $\Phi > 0$, the least error lies between "
                r"$\frac{C(b)}{m} + \frac{N(a)}{m^2}$ and $F(a)$. With $V = \frac{1}{4 m \sinh^2(\varepsilon/2)} + "
                r"\frac{2}{m^2\varepsilon^2}$, $\varepsilon = \frac{T}{2}$,",
                (*(one for one, _, _ in enclosures), *ratios),
                tuple(lines),
            ),
            _logarithms(),
        ),
        formal=_stated_numbers(),
    )


def _stated_numbers() -> tuple[str, ...]:
    """On both sides of the critical split, and the two bounds of the least error."""
    texts: list[str] = []
    for (total, size), ends, (least, most) in zip(CASES[:2], _LOGARITHMS, _RATIOS[:2], strict=True):
        at = {S: sp.exp(total), m: sp.Integer(size)}
        for order, end in zip((sp.Lt, sp.Gt), ends, strict=True):
            place = {E: sp.exp(sp.Rational(end, 10_000))}
            texts += symbolic(order(stated_balance(), m, evaluate=False), where={**at, **place})
        relations, low = ratio_relations(total, size, *(sp.Rational(one, 10_000) for one in (least, most)))
        texts += symbolic(*relations, where={**at, E: low})
    return tuple(texts)


def _logarithms() -> Step:
    return lemma(
        "logarithms",
        r"In terms of $\varepsilon_1 = \log E$: the solution lies between the values of $E$ that belong to",
        [_between(total, size, *ends) for (total, size), ends in zip(CASES[:2], _LOGARITHMS, strict=True)],
        (
            r"T = 0.4:\quad 0.3446 &< \varepsilon_1 < 0.3448",
            r"T = 1:\quad 0.8494 &< \varepsilon_1 < 0.8496",
        ),
    )


_LOGARITHMS = ((3446, 3448), (8494, 8496))
"""Bounds of the state's budget in ten thousandths."""


def _between(total: sp.Expr, size: int, low: int, high: int) -> Obligation:
    name, at = f"split.budget.{total}", {S: sp.exp(total), m: sp.Integer(size)}
    ends = [sp.exp(sp.Rational(one, 10_000)) for one in (low, high)]
    return together(
        name,
        f"the critical split has {low} < 10000 eps1 < {high} for T = {total}, m = {size}",
        comparison(f"{name}.below", lt(balance(), m), {**at, E: ends[0]}),
        comparison(f"{name}.above", gt(balance(), m), {**at, E: ends[1]}),
    )


def _free_pairs() -> Part:
    (first, second), tens = CASES[:2], sp.Integer(10_000)
    pairs = ((sp.Integer(4042) / tens, sp.Integer(5776) / tens), (sp.Integer(2740) / tens, sp.Integer(6881) / tens))
    return Part(
        Role.PUBLISHED,
        "pairs that are not symmetric",
        r"With the least noise for its pair, the pair $0.4042, 0.5776$ has less than $0.3823$ of the error $V$ at $T "
        r"= 0.4$, $m = 5000$, and the pair $0.274, 0.6881$ less than $0.3769$ at $T = 1$, $m = 1000$. In the "
        r"first case no pair has less than $0.36$.",
        (
            lemma(
                "reached",
                r"These are the two pairs, with $u$ and $v$ the larger of their two limits, and $w$ the larger of "
                r"$p_0 q_0$ and $p_1 q_1$.",
                (
                    free_pair_ratio(*first, pairs[0], 3823 / tens),
                    free_pair_ratio(*second, pairs[1], 3769 / tens),
                ),
                (
                    r"\frac{w}{m\,(p_1 - p_0)^2} + \frac{1}{m^2 (p_1-p_0)^2} \left(\frac{u}{(1-u)^2} + "
                    r"\frac{v}{(1-v)^2}\right) &< 0.3823\, V",
                ),
            ),
            free_pair_bound("heavy", *first, sp.Rational(36, 100), heavy=True),
            free_pair_bound("light", *first, sp.Rational(36, 100), heavy=False),
        ),
        no_formula="the relations that balls decide hold numbers of thirty digits, and say to a reader less than the "
        "sentence",
    )


CLAIMS = {"calibrated.optimal_split": calibrated_optimal_split}
