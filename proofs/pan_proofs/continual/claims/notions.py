"""Lemmas 2.1, 2.3, 2.7 and 2.10: post-processing, groups, composition, and conversions between notions of privacy."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise, product

import sympy as sp

from pan_proofs.continual.steps import stated
from pan_proofs.engines.computations import of_one_sign
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.foundations.finite_mechanisms import FAIR, Distribution, biased, distribution_of_coins, probability
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal, found, lemma

FACTORS = (Fraction(3, 2), Fraction(2), Fraction(7, 3))


def moment(pair: Iterable[Distribution], order: int) -> Fraction:
    """``sum p^alpha q^(1 - alpha)``, the exponential of ``alpha - 1`` times the Rényi divergence."""
    one, other = pair
    return sum((chance**order * other[output] ** (1 - order) for output, chance in one.items()), Fraction(0))


def of_response(factor: Fraction, order: int) -> Fraction:
    """The moment of a randomized response to a bit."""
    return moment((distribution_of_coins(lambda coin, bit=bit: bit ^ coin, biased(factor)) for bit in (0, 1)), order)


def two_responses(bit: int, one: Fraction, other: Fraction, *, adaptive: bool = False) -> Distribution:
    """Two randomized responses to one bit; the second is flipped by the output of the first if it is adaptive."""
    return distribution_of_coins(
        lambda first, second: (bit ^ first, bit ^ second ^ (bit ^ first if adaptive else 0)), biased(one), biased(other)
    )


_order, _x = sp.symbols("alpha x", positive=True)
_far, _between, _near, _delta = sp.symbols("P H Pprime delta", nonnegative=True)
_chance, _ratio, _value = _OUTPUT = sp.symbols("q r v", real=True)
_outputs = sp.Symbol("k", integer=True, nonnegative=True)
_values, _ratios, _mass = sp.symbols("V P Q", real=True)
_start, _steep, _mean = sp.symbols("c_0 c_1 m", real=True)
_ON_LINE = _start * _mass + _steep * _ratios


def weighted(name: str, text: str, above: bool, *witness: tuple[int, int, int], **controls: sp.Expr) -> Step:
    """A weighted sum of values on one side of a line is on the same side of the line's own sum."""
    relation = ge if above else le
    return for_every_length(
        name,
        text,
        Induction(
            name,
            relation(_values, _ON_LINE),
            _outputs,
            _OUTPUT,
            {_values: _values + _chance * _value, _mass: _mass + _chance, _ratios: _ratios + _chance * _ratio},
            witness,
            {_start: sp.Integer(1), _steep: sp.Integer(2)},
            (_chance >= 0, relation(_value, _start + _steep * _ratio)),
            **controls,
        ),
    )


_weight, _inner, _total = sp.symbols("W h S", nonnegative=True)
_moments, _variances = sp.symbols("H_1 H_2", positive=True), sp.symbols("v_1 v_2", positive=True)
_budgets, _rho = sp.symbols("rho_1 rho_2", positive=True), sp.Symbol("rho", positive=True)
_correlation, _seen = sp.symbols("r c", real=True)
_CORRELATED = (gt(_correlation, -1), lt(_correlation, 1))
_LOSS_OF_BOTH = 1 / (1 + _correlation)
"""The loss of a number that is observed twice, with noise of variance 1 and a correlation."""
_NO_MORE = le(_LOSS_OF_BOTH, sp.Rational(1, 2) + sp.Rational(1, 2))


def correlated(correlation: sp.Expr) -> GaussianObservation:
    """A number observed twice, with correlated noise of variance 1."""
    return GaussianObservation([[1], [1]], sp.eye(2).tolist(), [[1, correlation], [correlation, 1]])


def composition() -> Claim:
    """The lemma, that the sum is attained, and that the noise may not be shared."""
    p_1, p_2, q_1, q_2 = sp.symbols("p_1 p_2 q_1 q_2", positive=True)
    multiply = bounded(
        "moments_multiply",
        r"Let $H_i = e^{(\alpha - 1) \alpha \rho_i}$. For each $y$ the integral over $z$ of the second factor is "
        r"$h(y) \le H_2$. Hence the integral $S$ over both is at most $W H_2$, where $W \le H_1$ is the integral "
        r"over $y$ of the first factor.",
        le(_total, _moments[0] * _moments[1]),
        sp.Le(_total, _weight * _inner),
        sp.Le(_inner, _moments[1]),
        sp.Le(_weight, _moments[0]),
    )
    noise, both = sp.diag(*_variances).tolist(), sum(1 / (2 * one) for one in _variances)
    exponents = [(_order - 1) * _order * one for one in _budgets]

    def multiplied(one: Fraction, other: Fraction, order: int) -> tuple[Fraction, Fraction]:
        pair = moment((two_responses(bit, one, other, adaptive=True) for bit in (0, 1)), order)
        return pair, of_response(one, order) * of_response(other, order)

    return Claim(
        id="turnstile.composition",
        title="Composition",
        references=(Reference("turnstile", "Lemma 2.7, section 2.1", "the formulas are lost"),),
        statement=r"If $\mathcal{A}$ is $\rho_1$-zCDP and $\mathcal{B}$ is $\rho_2$-zCDP for each value of its second "
        r"input, then $x \mapsto (\mathcal{A}(x), \mathcal{B}(x, \mathcal{A}(x)))$ is $(\rho_1 + \rho_2)$-zCDP.",
        hypotheses=(r"$\rho_1, \rho_2 > 0$",),
        silent=(
            r"the coins of the two algorithms are independent",
            r"the composed algorithm is read as the pair of both outputs; if it shows the second alone, that is "
            r"post-processing of the pair",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the sum",
                r"$D_\alpha$ of the pair is at most $\alpha (\rho_1 + \rho_2)$ for all $\alpha > 1$.",
                (
                    equal(
                        "densities_multiply",
                        r"The density of the pair is $p_1(y)\, p_2(z \mid y)$, and $q_1(y)\, q_2(z \mid y)$ for the "
                        r"neighbour, as the coins are independent.",
                        "",
                        (p_1 * p_2) ** _order * (q_1 * q_2) ** (1 - _order),
                        (p_1**_order * q_1 ** (1 - _order)) * (p_2**_order * q_2 ** (1 - _order)),
                    ),
                    multiply,
                    equal(
                        "budgets_add",
                        r"So $(\alpha - 1) D_\alpha = \log S$ is at most $(\alpha - 1) \alpha (\rho_1 + \rho_2)$.",
                        "",
                        sp.exp(exponents[0]) * sp.exp(exponents[1]),
                        sp.exp((_order - 1) * _order * sum(_budgets)),
                    ),
                    enumerated(
                        "responses",
                        r"Going through the coins of two randomized responses gives the same, where the second "
                        r"response is flipped when the first output is $1$.",
                        "pairs of factors, orders 2, 3 and 4: the moment of the pair is the product of the moments",
                        [multiplied(*case) for case in product(FACTORS, FACTORS, (2, 3, 4))],
                        lambda case: case[0] == case[1],
                        mutant=lambda case: case[0] == case[1] * Fraction(99, 100),
                    ),
                ),
                formal=stated(multiply),
            ),
            Part(
                Role.PUBLISHED,
                "the sum is attained",
                r"Two Gaussian mechanisms have the loss $\rho_1 + \rho_2$ exactly, also if the mean of the second "
                r"output depends on the first output.",
                (
                    lemma(
                        "two_observations",
                        r"A number that changes by $1$ is observed twice, with independent noise of variances $v_1$ "
                        r"and $v_2$: alone the losses are $\frac{1}{2 v_1}$ and $\frac{1}{2 v_2}$, together their sum.",
                        gaussian_loss(
                            "composition.two",
                            GaussianObservation([[1], [1]], sp.eye(2).tolist(), noise),
                            (1,),
                            both,
                        ),
                    ),
                    lemma(
                        "adaptive_observations",
                        r"If the second mean is $x + c\, y_1$, with the first output $y_1$, the loss is the same for "
                        r"all $c$.",
                        gaussian_loss(
                            "composition.adaptive",
                            GaussianObservation([[1], [1 + _seen]], [[1, 0], [_seen, 1]], noise),
                            (1,),
                            both,
                        ),
                    ),
                ),
                formal=symbolic(
                    eq(_rho, sum(_budgets)),
                    where={budget: 1 / (2 * one) for budget, one in zip(_budgets, _variances, strict=True)},
                ),
            ),
            Part(
                Role.READING,
                "shared noise",
                r"If the noise of the two algorithms is not independent, the lemma is false.",
                (
                    lemma(
                        "any_correlation",
                        r"A number is observed twice, with noise of variance $1$, and each observation has the loss "
                        r"$\frac12$. For any correlation $r$ the loss $\rho$ of both is",
                        gaussian_loss(
                            "composition.correlated",
                            correlated(_correlation),
                            (1,),
                            _LOSS_OF_BOTH,
                            hypotheses=_CORRELATED,
                        ),
                        lines=r"\rho &= \frac{1}{1 + r}",
                    ),
                    counterexample(
                        "negative_correlation",
                        r"For $r = -\frac12$ it is larger than the sum of the losses: their mean has less noise.",
                        _NO_MORE,
                        {_correlation: sp.Rational(-1, 2)},
                        _CORRELATED,
                    ),
                ),
                formal=(
                    *symbolic(eq(_rho, _LOSS_OF_BOTH), given=_CORRELATED),
                    *symbolic(_NO_MORE, given=_CORRELATED, refuted=True),
                ),
                holds=False,
                departs="the coins of the two algorithms are independent",
            ),
        ),
    )


_p, _q, _sent, _excess = sp.symbols("p q g e", nonnegative=True)
_t, _u = sp.symbols("t u", real=True)
_sum, _other, _more = sp.symbols("S Sprime E", nonnegative=True)
_flipped, _back = (sp.Symbol("P_0"), sp.Symbol("P_1")), (sp.Symbol("P'_0"), sp.Symbol("P'_1"))
"""The probabilities of a one for the bits 0 and 1, after the mechanism and after the map."""


def mapped(distribution: Distribution, rule: int) -> Distribution:
    """The distribution of a map of two bits, given as a table of four bits."""
    found: Distribution = {}
    for bits in product((0, 1), repeat=2):
        image = rule >> (2 * bits[0] + bits[1]) & 1
        found[image] = found.get(image, Fraction(0)) + distribution[bits]
    return found


def _of_a_power(
    name: str, text: str, difference: sp.Expr, at: dict[sp.Symbol, sp.Expr], start: int, line: str, **more: sp.Expr
) -> Step:
    """A power is above its tangent, by logarithms, on one side of 1."""
    (variable,) = at
    slopes = Slopes(
        f"post_processing.{name}",
        difference,
        variable,
        sp.Integer(start),
        {**at, _order: sp.Integer(2)},
        sp.Rational(1, 10),
        conditions=(sp.Gt(_order, 1),),
        **more,
    )
    return lemma(name, text, slopes.discharge(), line)


def post_processing() -> Claim:
    """Sums of excesses, and the power mean of ratios."""
    p_1, p_2, q_1, q_2 = sp.symbols("p_1 p_2 q_1 q_2", positive=True)
    mean = (p_1 + p_2) / (q_1 + q_2)
    outputs = bounded(
        "all_outputs",
        r"The sum $E$ of all $e$ is the probability of the outputs with $p > x q$, minus $x$ times that for the "
        r"neighbour: at most $\delta$. So the probabilities $S, S'$ of the event after the map satisfy",
        le(_sum, _x * _other + _delta),
        sp.Le(_sum, _x * _other + _more),
        sp.Le(_more, _delta),
    )
    joined = weighted(
        "joined_outputs",
        r"So it is for any number of outputs: the weighted sum of the tangent $c_0 + c_1 r$ at $m$ is its value there "
        r"times $Q$, as the deviations $\sum q_i (r_i - m)$ cancel for $m = P/Q$.",
        True,
        (1, 1, 3),
        (1, 3, 7),
        weaker=sp.Rational(1001, 1000),
    )
    below = (sp.Gt(_order, 1), sp.Gt(_u, 0))

    def moments(one: Fraction, other: Fraction, order: int, rule: int) -> tuple[Fraction, Fraction]:
        before = [two_responses(bit, one, other) for bit in (0, 1)]
        return moment((mapped(distribution, rule) for distribution in before), order), moment(before, order)

    def chance(bit: int, *, again: bool) -> Fraction:
        distribution = distribution_of_coins(lambda coin: bit ^ coin ^ (coin if again else 0), FAIR)
        return probability(distribution, lambda reported: reported == 1)

    return Claim(
        id="turnstile.post_processing",
        title="Post-processing with a delta, and of zero-concentrated privacy",
        references=(Reference("turnstile", "Lemma 2.1, section 2"),),
        statement=r"If $\mathcal{A}$ is $(\varepsilon, \delta)$-differentially private and $\mathcal{B}$ is a "
        r"randomized map of its output, then $\mathcal{B} \circ \mathcal{A}$ is $(\varepsilon, \delta)$-differentially "
        r"private. If $\mathcal{A}$ is $\rho$-zCDP, then so is $\mathcal{B} \circ \mathcal{A}$.",
        notation=(("$p_1$, $p_2$; $q_1$, $q_2$", "probabilities of two outputs; the same for the neighbour"),),
        hypotheses=(r"$\varepsilon, \delta, \rho \ge 0$",),
        silent=(
            r"the coins of $\mathcal{B}$ are independent of those of $\mathcal{A}$",
            "sums over outputs stand for integrals over outputs of any kind",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "approximate privacy",
                r"The part of the distribution of $\mathcal{A}$ that exceeds $e^{\varepsilon}$ times that of the "
                r"neighbour has the mass $\delta$ at most. A map weights it with probabilities.",
                (
                    bounded(
                        "one_output",
                        r"Let $g$ be the probability that the map sends an output to the event, $p$ and $q$ the "
                        r"probabilities of the output for neighbours, $x = e^{\varepsilon}$ and $e = \max(0, p - x "
                        r"q)$.",
                        le(_sent * _p, _x * _sent * _q + _excess),
                        sp.Le(_sent, 1),
                        sp.Ge(_excess, _p - _x * _q),
                    ),
                    outputs,
                ),
                formal=stated(outputs),
            ),
            Part(
                Role.PUBLISHED,
                "zero-concentrated privacy",
                r"No map increases a Rényi divergence of order $\alpha > 1$. In the formulas $q_i$ and $r_i$ are the "
                r"probabilities, under the neighbour, and the ratios of any number of outputs that the map joins, "
                r"with $v_i \ge r_i^\alpha$, and $m$ is the ratio of the joined output, where $r^\alpha$ has the "
                r"tangent $c_0 + c_1 r$: the terms $V = \sum q_i v_i$ are together at least that of the joined "
                r"output, $m^\alpha Q$ with $Q = \sum q_i$. That $r^\alpha$ lies above its tangent is, with $t = r/m$, "
                r"that $t^\alpha \ge 1 + \alpha (t - 1)$: by logarithms for $t > 1$ and for $t = 1 - u$, unless the "
                r"tangent is not positive.",
                (
                    equal(
                        "tangent",
                        r"Two outputs that the map joins have the ratios $r_i = p_i/q_i$ with the mean $m = (p_1 + "
                        r"p_2)/(q_1 + q_2)$. The tangent of $r^\alpha$ at $m$ has the deviations $\sum_i q_i (r_i - "
                        r"m)$, which cancel:",
                        "",
                        q_1 * (p_1 / q_1 - mean) + q_2 * (p_2 / q_2 - mean),
                        sp.S.Zero,
                    ),
                    _of_a_power(
                        "above_its_tangent",
                        r"The power is above its tangent: $t^\alpha \ge 1 + \alpha (t - 1)$ for $t = r_i/m > 0$. For "
                        r"$t > 1$, by logarithms:",
                        _order * sp.log(_t) - sp.log(1 + _order * (_t - 1)),
                        {_t: sp.Rational(11, 10)},
                        1,
                        r"\alpha \log t &\ge \log(1 + \alpha (t - 1))",
                    ),
                    _of_a_power(
                        "below_one",
                        r"For $t = 1 - u < 1$ as well, as long as $\alpha u < 1$. Otherwise the tangent is not "
                        r"positive.",
                        _order * sp.log(1 - _u) - sp.log(1 - _order * _u),
                        {_u: sp.Rational(1, 10)},
                        0,
                        r"\alpha \log(1 - u) &\ge \log(1 - \alpha u)",
                        end=1 / _order,
                    ),
                    equal(
                        "joined",
                        r"So $\sum_i q_i r_i^\alpha \ge m^\alpha \sum_i q_i$, the term of the joined output. A map "
                        r"with coins is such a map of the output and the coins, and coins do not change the "
                        r"divergence.",
                        "",
                        mean**_order * (q_1 + q_2),
                        (p_1 + p_2) ** _order * (q_1 + q_2) ** (1 - _order),
                    ),
                    enumerated(
                        "all_maps",
                        r"All maps of two randomized responses to one bit are listed.",
                        "factors 3/2, 2 and 7/3, orders 2 and 3, 16 maps: the moment after the map is at most that "
                        "before",
                        [moments(*case) for case in product(FACTORS, FACTORS, (2, 3), range(16))],
                        lambda case: case[0] <= case[1],
                        mutant=lambda case: case[0] <= case[1] * Fraction(4, 5),
                    ),
                    joined,
                ),
                formal=(
                    *stated(joined),
                    *symbolic(eq(_ON_LINE, (_start + _steep * _mean) * _mass), given=(eq(_mean * _mass, _ratios),)),
                    *symbolic(
                        ge(_order * sp.log(_t) - sp.log(1 + _order * (_t - 1)), 0),
                        given=(sp.Gt(_order, 1), sp.Gt(_t, 1)),
                    ),
                    *symbolic(
                        ge(_order * sp.log(1 - _u) - sp.log(1 - _order * _u), 0),
                        given=(*below, sp.Lt(_u, 1 / _order)),
                    ),
                    *symbolic(le(1 - _order * _u, 0), given=(*below, sp.Ge(_u, 1 / _order))),
                ),
            ),
            Part(
                Role.READING,
                "a map that shares coins",
                r"If the map uses the coins of $\mathcal{A}$, the lemma is false. "
                r"In the formulas $P_0$ and $P_1$ are the probabilities of a one for the two bits, and "
                r"$P'_0$ and $P'_1$ those after the map.",
                (
                    found(
                        "flipped",
                        r"A bit that is flipped by a fair coin has no loss: $\varepsilon = \delta = 0$. A one has the "
                        r"same probability for both bits.",
                        "the probabilities of a one for the bits 0 and 1",
                        lambda: (chance(0, again=False), chance(1, again=False)),
                        (Fraction(1, 2), Fraction(1, 2)),
                        quantities=_flipped,
                    ),
                    counterexample(
                        "flipped_back",
                        r"Flipped back by the same coin, it is the bit.",
                        le(_back[1], _x * _back[0] + _delta),
                        {
                            _back[0]: lambda: chance(0, again=True),
                            _back[1]: lambda: chance(1, again=True),
                            _x: sp.Integer(1),
                            _delta: sp.Integer(0),
                        },
                    ),
                ),
                formal=(
                    *symbolic(eq(*_flipped)),
                    *symbolic(gt(_back[1], _x * _back[0] + _delta), given=(eq(_x, 1), eq(_delta, 0))),
                ),
                holds=False,
                departs=r"the coins of $\mathcal{B}$ are independent of those of $\mathcal{A}$",
            ),
        ),
        in_words=(
            (
                "joined",
                r"a map with coins is a map of the output and the coins",
            ),
        ),
    )


_power, _added, _deltas = (
    sp.Symbol("X", positive=True),
    sp.Symbol("d", nonnegative=True),
    sp.Symbol("delta", positive=True),
)
_size = sp.Symbol("l", positive=True, integer=True)
_PLAIN = le(_deltas * (_x**_size - 1) / (_x - 1), _size * _deltas)
"""The probability that is attained is no larger than without the factors."""


def ladder(size: int, factor: Fraction, delta: Fraction) -> tuple[Fraction, ...]:
    """For datasets at distances 0, 1, ... the probabilities of one event that begin at 0 and rise as fast as allowed.

    Each is ``min(1, factor * p + delta)``, or less where the probability of the opposite event would fall too fast.
    """
    found = [Fraction(0)]
    for _ in range(size):
        last = found[-1]
        found.append(min(Fraction(1), factor * last + delta, 1 - (1 - last - delta) / factor))
    return tuple(found)


def allowed(one: Fraction, other: Fraction, factor: Fraction, delta: Fraction) -> bool:
    """Whether the probabilities of an event and of its opposite are those of neighbours."""
    pairs = ((one, other), (other, one), (1 - one, 1 - other), (1 - other, 1 - one))
    return all(first <= factor * second + delta for first, second in pairs)


def group_privacy() -> Claim:
    """The induction over the group, an example that attains it, and the product in place of the sum."""
    number, above_one = sp.Symbol("j", nonnegative=True, integer=True), sp.Symbol("z", positive=True)
    one_more = bounded(
        "one_more",
        r"Let $P, H, P'$ be the probabilities of an event for the first input, its neighbour in the chain, and the "
        r"last input. If the rest of the chain gives $X = x^{\ell}$ and $d$, the whole chain gives $x X$ and "
        r"$x d + \delta$.",
        le(_far, _x * _power * _near + (_x * _added + _delta)),
        sp.Ge(_x, 1),
        sp.Le(_far, _x * _between + _delta),
        sp.Le(_between, _power * _near + _added),
    )
    return Claim(
        id="turnstile.group_privacy",
        title="Group privacy with a delta",
        references=(Reference("turnstile", "Lemma 2.3, section 2", "the formula is lost"),),
        statement=r"An $(\varepsilon, \delta)$-differentially private algorithm is $(\ell \varepsilon, "
        r"\delta')$-differentially private for groups of size $\ell$, where $\delta' = \delta\, \frac{e^{\ell "
        r"\varepsilon} - 1}{e^{\varepsilon} - 1}$.",
        notation=(("$l$", r"the size $\ell$ of the group"),),
        hypotheses=(r"$\varepsilon > 0$ and $\delta \ge 0$", r"$\ell$ is a whole number, at least $1$"),
        silent=(
            "the inputs of the group are joined by a chain of neighbours that are all inputs",
            r"the lost formula is read as the sum of the $\delta$ along the chain",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the sum along the chain",
                r"With $x = e^{\varepsilon}$ the $\delta$ of $\ell$ steps add up to $\delta (1 + x + \cdots + "
                r"x^{\ell - 1})$. For small probabilities this is attained.",
                (
                    one_more,
                    equal_as(
                        "geometric_sum",
                        r"From $d = 0$ on, this gives the geometric sum. With $x = 1 + z$:",
                        (
                            lambda: sp.simplify(
                                _delta * sp.summation((1 + above_one) ** number, (number, 0, _size - 1))
                            ),
                            _delta * ((1 + above_one) ** _size - 1) / above_one,
                        ),
                        r"\delta \sum_{j=0}^{\ell - 1} x^j &= \delta\, \frac{x^\ell - 1}{x - 1}",
                    ),
                    enumerated(
                        "attained",
                        r"Probabilities of one event that begin at $0$ and rise as fast as neighbours allow reach "
                        r"$\delta'$ exactly, while the opposite event does not bind.",
                        "factors 3/2 and 2, delta = 1/100 and 1/50, groups of 1 to 4: each step is allowed, and the "
                        "last probability is delta'",
                        product((1, 2, 3, 4), (Fraction(3, 2), Fraction(2)), (Fraction(1, 100), Fraction(1, 50))),
                        lambda case: (
                            all(allowed(*pair, *case[1:]) for pair in pairwise(ladder(*case)))
                            and ladder(*case)[-1] == case[2] * (case[1] ** case[0] - 1) / (case[1] - 1)
                        ),
                        mutant=lambda case: ladder(*case)[-1] <= case[0] * case[2],
                    ),
                ),
                formal=stated(one_more),
            ),
            Part(
                Role.READING,
                "the sum without the factors",
                r"With $\delta' = \ell \delta$ the lemma is false.",
                (
                    counterexample(
                        "group_of_two",
                        r"For $e^{\varepsilon} = 2$, $\delta = \frac{1}{100}$ and a group of $2$ an event can have the "
                        r"probability $0$ for one input and $\frac{3}{100}$ for the other. It is the $\delta'$ of the "
                        r"lemma:",
                        _PLAIN,
                        {_x: sp.Integer(2), _deltas: sp.Rational(1, 100), _size: sp.Integer(2)},
                        (gt(_x, 1),),
                    ),
                ),
                formal=symbolic(_PLAIN, given=(gt(_x, 1),), refuted=True),
                holds=False,
                departs=r"$\delta' = \delta\, \frac{e^{\ell \varepsilon} - 1}{e^{\varepsilon} - 1}$",
            ),
        ),
    )


_log = sp.Symbol("l", positive=True)
_exceeds = sp.Symbol("Q", nonnegative=True)
_roots = sp.symbols("s S", positive=True)
_place, _root = sp.symbols("t d", real=True)
_BOUNDED = le(_rho * (_place**2 - (_place - 1) ** 2), sp.sqrt(2 * _rho))
"""The privacy loss at an output of noise of variance ``1/(2 rho)`` on a number that changes by 1 is bounded."""
_half_budget, _above_one, _positive_ratio = sp.symbols("u b r", positive=True)
_wide = (2 * _above_one + 1) * _half_budget
_LADDER = (
    2 * (_above_one + 1) * _above_one * _half_budget**2 - sp.log(sp.cosh(_wide)) + sp.log(sp.cosh(_half_budget)),
    4 * (_above_one + 1) * _above_one * _half_budget - (2 * _above_one + 1) * sp.tanh(_wide) + sp.tanh(_half_budget),
    (
        2 * _above_one * sp.tanh(_wide)
        + sp.sinh(2 * _above_one * _half_budget) / (sp.cosh(_wide) * sp.cosh(_half_budget))
    )
    * ((2 * _above_one + 1) * sp.tanh(_wide) + sp.tanh(_half_budget)),
)
"""The difference of the two sides, and its first two derivatives."""
_SECOND_ORDER = sp.log(sp.cosh(3 * _half_budget) / sp.cosh(_half_budget)) / (2 * _half_budget) ** 2
_ODDS = sp.exp(2 * _half_budget)
_WORST = (_ODDS**_order + _ODDS * _ODDS ** (-_order)) / (1 + _ODDS)
"""``E r^alpha`` for a ratio with the two values ``x = exp(2u)`` and ``1/x``, and mean 1."""
_CLOSED = (sp.exp((2 * _order - 1) * _half_budget) + sp.exp((1 - 2 * _order) * _half_budget)) / (
    sp.exp(_half_budget) + sp.exp(-_half_budget)
)


def power_is_convex(excess: sp.Expr) -> Step:
    """The second derivative of a power, and its sign; the exponent is 1 and an excess."""
    bend = excess * (1 + excess) * _positive_ratio ** (excess - 1)
    second = equal("bend", "", "", lambda: sp.diff(_positive_ratio ** (1 + excess), _positive_ratio, 2), bend)
    return lemma(
        "power_is_convex",
        r"The second derivative of $r^\alpha$ is positive for $\alpha = 1 + b$, $b > 0$.",
        (
            of_one_sign("power_is_convex", "the second derivative of the power is positive", bend, shown=True),
            *second.obligations,
        ),
        lines=r"\frac{d^2}{dr^2} r^{1 + b} &= b\,(1 + b)\, r^{b - 1} > 0",
    )


def zcdp_conversion() -> Claim:
    """The tail of the privacy loss, randomized response as the worst case, and the exact inverse."""
    root, order = sp.sqrt(_rho * _log), 1 + sp.sqrt(_log / _rho)
    solution = sp.sqrt(_log + epsilon) - sp.sqrt(_log)
    one, more = _roots
    events = bounded(
        "events",
        r"Let $Q$ be the probability that the loss exceeds $\varepsilon$: $Q \le e^{-l} = \delta$. Where it does "
        r"not, $p \le x q$ with $x = e^{\varepsilon}$. So an event of probability $P$, and $P'$ for the neighbour, "
        r"has",
        le(_far, _x * _near + _delta),
        sp.Le(_far, _x * _near + _exceeds),
        sp.Le(_exceeds, _delta),
    )
    chord = weighted(
        "below_chord",
        r"As $r^\alpha$ is convex, it is below its chord between $e^{-\varepsilon}$ and $e^{\varepsilon}$, and the "
        r"sum over any number of outputs is below that of the chord.",
        False,
        (1, 1, 3),
        (1, 2, 5),
    )
    convex = power_is_convex(_above_one)
    return Claim(
        id="turnstile.zcdp_conversion",
        title="Conversion between notions of privacy",
        references=(Reference("turnstile", "Lemma 2.10, section 2.1", "the formulas are lost"),),
        statement=r"A $\rho$-zCDP algorithm is $(\rho + 2 \sqrt{\rho \log(1/\delta)}, \delta)$-differentially private. "
        r"Conversely, an $\varepsilon$-differentially private algorithm is $\frac12 \varepsilon^2$-zCDP.",
        notation=(("$t$", "an output"),),
        hypotheses=(r"$\rho > 0$", r"$\delta > 0$"),
        silent=(
            r"$\delta < 1$: otherwise $\log(1/\delta)$ is not positive",
            r"the lost formulas are read as those of the cited work",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "from zero-concentrated to approximate privacy",
                r"Let $l = \log(1/\delta)$ and $\varepsilon = \rho + 2 \sqrt{\rho l}$. The privacy loss exceeds "
                r"$\varepsilon$ with probability at most $\delta$.",
                (
                    equal_as(
                        "exponent",
                        r"For $\alpha > 1$ Markov's inequality gives $P(\log(p/q) > \varepsilon) \le E\,(p/q)^{\alpha "
                        r"- 1} e^{-(\alpha - 1) \varepsilon} \le e^{(\alpha - 1)(\alpha \rho - \varepsilon)}$. For "
                        r"$\alpha = 1 + \sqrt{l/\rho}$ the exponent is",
                        (
                            lambda: sp.simplify(sp.expand((order - 1) * (order * _rho - _rho - 2 * root))),
                            -_log,
                        ),
                        r"(\alpha - 1)(\alpha \rho - \varepsilon) &= -l",
                    ),
                    events,
                ),
                formal=stated(events),
            ),
            Part(
                Role.READING,
                "the least budget for given parameters",
                r"For $\varepsilon, l > 0$ the equation $\rho + 2 \sqrt{\rho l} = \varepsilon$ has the solution $\rho "
                r"= (\sqrt{l + \varepsilon} - \sqrt l)^2$. It is at least $\varepsilon^2 / (4 (l + \varepsilon))$. In "
                r"the formula $d = \sqrt\rho$.",
                (
                    equal(
                        "solution",
                        r"Inserting the solution:",
                        r"\rho + 2 \sqrt{\rho l}",
                        lambda: sp.expand(solution**2 + 2 * solution * sp.sqrt(_log)),
                        epsilon,
                    ),
                    bounded(
                        "lower_bound",
                        r"With $s = \sqrt l$, $S = \sqrt{l + \varepsilon}$ and $\varepsilon = S^2 - s^2 = (S - s)(S + "
                        r"s)$, where $S + s \le 2 S$:",
                        le((more**2 - one**2) ** 2 / (4 * more**2), (more - one) ** 2),
                        sp.Gt(more, one),
                        lines=r"\frac{\varepsilon^2}{4 (l + \varepsilon)} &\le (S - s)^2",
                    ),
                ),
                formal=(
                    *symbolic(eq(_root**2 + 2 * _root * sp.sqrt(_log), epsilon), where={_root: solution}),
                    *symbolic(
                        le(epsilon**2 / (4 * (_log + epsilon)), solution**2),
                        where={one: sp.sqrt(_log), more: sp.sqrt(_log + epsilon)},
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "from pure to zero-concentrated privacy",
                r"$D_\alpha \le \frac12 \varepsilon^2 \alpha$ for all $\alpha > 1$. No smaller factor than $\frac12$ "
                r"serves all $\varepsilon$. In the formulas $u = \varepsilon/2$ and $b = \alpha - 1$. $V$, $Q = 1$ "
                r"and $P = 1$ are the sums of $q_i v_i$, $q_i$ and $q_i r_i$ for the outputs, with $v_i = r_i^\alpha$ "
                r"below the chord $c_0 + c_1 r$ from $e^{-\varepsilon}$ to $e^{\varepsilon}$, since $r^\alpha$ is "
                r"convex.",
                (
                    convex,
                    chord,
                    equal_as(
                        "worst_case",
                        r"The ratio $r = p/q$ lies between $e^{-\varepsilon}$ and $e^{\varepsilon}$ and has the mean "
                        r"$1$ under $q$. As $r^\alpha$ is convex, $E\,r^\alpha$ is largest if $r$ has these two values "
                        r"alone: randomized response. With $u = \varepsilon/2$ it is then",
                        (_WORST, _CLOSED),
                        r"\frac{x^\alpha + x \cdot x^{-\alpha}}{1 + x} &= \frac{\cosh((2 \alpha - 1) u)}{\cosh u}",
                    ),
                    lemma(
                        "rises",
                        r"The claim $\log E\,r^\alpha \le (\alpha - 1) \alpha\, \frac12 \varepsilon^2$ is that $f(u) "
                        r"\ge 0$ for $f = 2 \alpha (\alpha - 1) u^2 - \log \cosh \beta u + \log \cosh u$, $\beta = 2 "
                        r"\alpha - 1$. It vanishes at $0$ with its derivative, and $f'' = \beta^2 \tanh^2 \beta u - "
                        r"\tanh^2 u > 0$.",
                        positive_for_positive("zcdp_conversion.rises", _half_budget, _LADDER, (sp.S.One, sp.S.One)),
                        lines=r"\log \frac{\cosh \beta u}{\cosh u} &< 2 \alpha (\alpha - 1) u^2",
                    ),
                    lemma(
                        "attained",
                        r"For small $u$ the divergence of randomized response of order $\alpha$ approaches $\alpha\, "
                        r"\frac12 \varepsilon^2$: for $\alpha = 2$ the limit of $D_2 / \varepsilon^2$ is",
                        tends_to("zcdp_conversion.attained", _SECOND_ORDER, _half_budget, sp.S.Zero, sp.S.One),
                        r"\lim_{u \to 0} \frac{1}{4 u^2} \log \frac{\cosh 3 u}{\cosh u} &= 1",
                    ),
                    enumerated(
                        "responses",
                        r"The moments of randomized response, going through its coins, are the closed form.",
                        "factors 3/2, 2 and 7/3, orders 2, 3 and 4: the moment is the closed form in x",
                        product(FACTORS, (2, 3, 4)),
                        lambda case: (
                            of_response(*case) == (case[0] ** case[1] + case[0] ** (1 - case[1])) / (1 + case[0])
                        ),
                        mutant=lambda case: of_response(*case) == case[0] ** case[1],
                    ),
                ),
                formal=(
                    *stated(convex)[:1],
                    *stated(chord),
                    *symbolic(eq(_WORST, _CLOSED)),
                    *symbolic(gt(_LADDER[0], 0)),
                    *symbolic(eq(sp.Limit(_SECOND_ORDER, _half_budget, 0), 1)),
                ),
            ),
            Part(
                Role.READING,
                "the converse as an inverse",
                r"The two conversions do not undo each other: a $\rho$-zCDP algorithm need not be "
                r"$\sqrt{2 \rho}$-differentially private. The Gaussian mechanism has no bound on its privacy loss.",
                (
                    counterexample(
                        "normal_tail",
                        r"Noise of variance $1$ on a number that changes by $1$ is $\frac12$-zCDP. The privacy loss at "
                        r"the output $5$ is $4.5$, and larger outputs have larger losses.",
                        _BOUNDED,
                        {_place: sp.Integer(5), _rho: sp.Rational(1, 2)},
                    ),
                ),
                formal=symbolic(_BOUNDED, refuted=True),
                holds=False,
                departs=r"an $\varepsilon$-differentially private algorithm is $\frac12 \varepsilon^2$-zCDP",
            ),
        ),
        uses=("turnstile.gaussian_mechanism",),
        in_words=(
            ("exponent", r"Markov's inequality for the privacy loss"),
            ("below_chord", r"a function with a positive second derivative lies below its chords"),
            ("worst_case", r"the sum of the chord over a distribution of mean $1$ is that of its two ends"),
        ),
    )


CLAIMS = {
    "turnstile.post_processing": post_processing,
    "turnstile.group_privacy": group_privacy,
    "turnstile.composition": composition,
    "turnstile.zcdp_conversion": zcdp_conversion,
}
