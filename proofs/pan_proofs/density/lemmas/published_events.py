"""The cells of Algorithms 1 and 2, and events of positive probability by which their promises fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.cell_enumeration import Pattern, Update
from pan_proofs.density.lemmas.joint_loss import p0, p1
from pan_proofs.density.lemmas.private_pairs import bernoulli
from pan_proofs.density.lemmas.published_losses import noise_eta
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, tex
from pan_proofs.ledger.steps import counterexample, equal, lemma

half = sp.Rational(1, 2)
_factor = sp.exp(epsilon)

COIN = (half, half + epsilon / 4)
"""The pair of Algorithm 1 and of the lecture; one bit weighs 4 in units of the noise."""
FACTOR = ((2 - epsilon) + (2 + epsilon) * sp.exp(4)) / (2 * (2 - epsilon))
"""The exponential of its joint loss."""
ONCE = (1 - COIN[1]) + COIN[1] * sp.exp(4)
"""``q1 + p1 exp(4)``."""

PAIR = (1 / (1 + _factor), _factor / (1 + _factor))
"""The pair of Algorithm 2, in powers of ``exp(epsilon)``."""
ETA = epsilon * (_factor + 1) / (_factor - 1)
"""One bit's weight over the noise's scale: ``epsilon/tanh(epsilon/2)``."""
EXAMPLE = sp.log(sp.Rational(3, 2))
"""The value of epsilon at which everything is a fraction: the pair is 2/5 and 3/5."""
WEIGHT = sp.Symbol("eta", positive=True)
IS_WEIGHT = (eq(WEIGHT * (_factor - 1), epsilon * (_factor + 1)),)
"""That a symbol is the weight of one bit, ``epsilon/tanh(epsilon/2)``, as an equation in ``exp(epsilon)``."""
ONCE_WEIGHED = (1 + sp.exp(epsilon + WEIGHT)) / (1 + _factor)
"""``q1 + p1 exp(eta)`` in terms of this symbol."""

NEVER: Pattern = (Update.NONE, Update.NONE)
AFTER: Pattern = (Update.NONE, Update.INSERT)
BEFORE: Pattern = (Update.INSERT, Update.NONE)
BOTH: Pattern = (Update.INSERT, Update.INSERT)

OF_BOTH = sp.Symbol(r"\frac{P_S}{P_{S'}}")
"""The ratio of the probabilities of an event for two adjacent streams."""

EVERY_SIZE = (
    r"The ratio is the same for every $m \le U$ and every sample with $u$ in it if no other sampled user appears after "
    r"the intrusion: the other bits then add the same, seen number to both outputs."
)
"""Said once per claim."""
FOR_EVERY_SIZE = (
    "the example has two users; other sampled users who do not appear after the intrusion add the same seen number to "
    "both outputs, so that it holds for every sample with the user in it"
)
"""The argument from two users to any number, which words alone carry."""


@cache
def tail(distance: sp.Expr) -> sp.Expr:
    """Probability that ``Laplace(0, 1/epsilon)`` exceeds a distance that is not negative, by integrating."""
    z, start = sp.Symbol("z", real=True), sp.Symbol("a", real=True)
    return sp.integrate(epsilon / 2 * sp.exp(-epsilon * z), (z, start, sp.oo)).subs(start, distance)


def probability(pair: tuple[sp.Expr, sp.Expr], pattern: Pattern, bit: int, *, above: bool = True) -> sp.Expr:
    """Probability that the bit is seen and the output lies beyond the places of both bits, for one sampled user.

    The output is ``(b - p_init)/(p_upd - p_init)`` plus ``Laplace(0, 1/epsilon)``.

    Parameters
    ----------
    pair
        The pair as expressions in epsilon.
    pattern, bit
        When the user appears, and what is seen.
    above
        Whether the output lies above the place of the bit 1, or else below that of the bit 0.
    """
    first = bernoulli(pair[pattern[0] is Update.INSERT])[bit]
    drawn = bernoulli(pair[1]) if pattern[1] is Update.INSERT else {bit: sp.S.One}
    gap = pair[1] - pair[0]
    return sum(first * chance * tail(sp.S.Zero if final == int(above) else 1 / gap) for final, chance in drawn.items())


States = Mapping[tuple[int, ...], sp.Expr]
"""The probabilities of the bits of all sampled users."""


def drawn(states: States, user: int, one: sp.Expr) -> States:
    """The distribution of the bits after that of a user was drawn afresh."""
    after: dict[tuple[int, ...], sp.Expr] = {}
    for bits, chance in states.items():
        for bit, weight in bernoulli(one).items():
            changed = (*bits[:user], bit, *bits[user + 1 :])
            after[changed] = after.get(changed, 0) + chance * weight
    return after


def added_appearance(pair: tuple[sp.Expr, sp.Expr], sampled: int = 2) -> tuple[sp.Expr, sp.Expr]:
    """Probabilities of one event in ``(v, u)`` and in ``(v)``, by running the mechanism with all users sampled.

    The event: after the first update the bit of u is seen as 0, and the output exceeds its value for ones alone. The
    output is ``(n/m - p_init)/(p_upd - p_init)`` plus ``Laplace(0, 1/(epsilon m))``.
    """
    states: States = {(): sp.S.One}
    for _ in range(sampled):
        states = {(*bits, bit): chance * one for bits, chance in states.items() for bit, one in bernoulli(p0).items()}
    without = {bits: chance for bits, chance in drawn(states, 1, p1).items() if bits[0] == 0}
    found = [
        # The noise exceeds a distance as noise of the scale 1/epsilon exceeds m times this.
        sum(chance * tail((sampled - sum(bits)) / (pair[1] - pair[0])) for bits, chance in seen.items())
        for seen in (drawn(without, 0, p1), without)
    ]
    likelier, rarer = (one.subs({p0: pair[0], p1: pair[1]}, simultaneous=True) for one in found)
    return likelier, rarer


def event_refutes(
    name: str,
    text: str,
    events: tuple[sp.Expr, sp.Expr],
    at: sp.Expr,
    ratio: sp.Expr,
    lines: Sequence[str],
    *,
    shown: tuple[sp.Expr, sp.Expr] | None = None,
    promised: sp.Expr = 2 * epsilon,
    hypotheses: Sequence[Relational] = (),
) -> Step:
    """One event's probabilities under two streams break a promise at one value of epsilon.

    Parameters
    ----------
    events
        The probabilities in terms of epsilon, that in the likelier stream first.
    at
        The value of epsilon.
    ratio, shown
        The displayed lines: the ratio of the two at that place, and the two probabilities.
    """
    likelier, rarer = events
    step = counterexample(name, text, le(likelier, sp.exp(promised) * rarer), {epsilon: at}, hypotheses, lines)
    values = [(lambda: likelier.subs(epsilon, at) / rarer.subs(epsilon, at), ratio)]
    values += [(partial(event.subs, epsilon, at), one) for event, one in zip(events, shown or (), strict=bool(shown))]
    return with_values(step, *values)


def with_values(step: Step, *pairs: tuple[sp.Expr | Callable[[], sp.Expr], sp.Expr]) -> Step:
    """The same step, and that numbers which its lines display are those that were computed.

    Parameters
    ----------
    step
        The step.
    *pairs
        The computed number, or a function that computes it, and the number that is displayed.
    """
    named = [(f"{step.name}.value.{number}", pair) for number, pair in enumerate(pairs)]
    shown = [one for name, pair in named for one in equal(name, "", "", *pair).obligations]
    return Step(step.name, step.text, step.lines, (*step.obligations, *shown))


def ratio_of_bits(pair: tuple[sp.Expr, sp.Expr], bit: int) -> sp.Expr:
    """``R(b)``: probability of a bit after an appearance over that before."""
    before, after = (bernoulli(one) for one in pair)
    return after[bit] / before[bit]


def ratios(pair: tuple[sp.Expr, sp.Expr], one: sp.Expr, zero: sp.Expr) -> Step:
    """The two ratios, from the distributions."""
    checked = [
        equal(f"ratio.{bit}", "", "", partial(ratio_of_bits, pair, bit), stated)
        for bit, stated in ((1, one), (0, zero))
    ]
    return lemma(
        "ratios",
        r"Of the state only the bit $b$ of the user differs in distribution. If the user has appeared before the "
        r"intrusion in one of the streams and not in the other, the ratio of the probabilities is $R(b)$ or $1/R(b)$.",
        [obligation for step in checked for obligation in step.obligations],
        (
            rf"R(1) = \frac{{{tex(pair[1])}}}{{{tex(pair[0])}}} &= {tex(one)}",
            rf"R(0) = \frac{{{tex(1 - pair[1])}}}{{{tex(1 - pair[0])}}} &= {tex(zero)}",
        ),
    )


def one_bits_weight(pair: tuple[sp.Expr, sp.Expr], stated: sp.Expr) -> Step:
    """The change of the output by one bit, in units of the noise's scale."""
    return equal(
        "weight",
        r"The sensitivity of the density of the stream is $\frac1m$; but what is released is a multiple of the "
        r"number of ones. One bit moves it by $\frac{1}{m (p_{\mathrm{upd}} - p_{\mathrm{init}})}$. In units of the "
        r"noise's scale $\frac{1}{\varepsilon m}$ this is (in short $p_0 = p_{\mathrm{init}}$, $p_1 = "
        r"p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $A = p_1/p_0$, $B = q_0/q_1$)",
        r"\eta",
        lambda: noise_eta(pair[1] - pair[0]),
        stated,
    )


def given_a_zero(pair: tuple[sp.Expr, sp.Expr], stated: sp.Expr, at: sp.Expr) -> tuple[Step, Step]:
    """Given a seen 0, the ratio of an output above every count, and that it breaks one budget at one value."""
    after, never = (probability(pair, one, 0) / (1 - pair[0]) for one in (AFTER, NEVER))
    text = (
        r"Let the bit be seen as 0 at the intrusion. Given this, an output above every count is $q_1 + p_1 e^\eta$ "
        r"times as likely if the user appears after the intrusion as if they do not."
    )
    return (
        equal("given_seen_bit", text, r"q_1 + p_1 e^\eta", after / never, stated),
        counterexample(
            "given_example", r"For example, $e^\varepsilon$ is not kept:", le(after, _factor * never), {epsilon: at}
        ),
    )


_budget, _fall, _excess = sp.symbols("e u w", real=True)


def given_is_large(name: str, text: str) -> Step:
    """That ``q1 + p1 exp(eta)`` exceeds ``exp(epsilon)`` for the pair of Algorithm 2, for every epsilon."""
    return lemma(
        name,
        text + r" With $E = e^\varepsilon$, $e^\eta = E w$ with $w = e^{2\varepsilon/(E-1)} \ge 1 + "
        r"\frac{2\varepsilon}{E-1}$, and $\varepsilon \ge 1 - \frac1E$ (tangents of the exponential), so that $e^\eta "
        r"\ge E + 2$.",
        (
            analytic_lemmas()[0],
            equality("optbern.split", ETA, epsilon + 2 * epsilon / (_factor - 1)),
            Inequality(
                "optbern.given",
                sp.Integer(1),
                sp.cancel(((1 + _excess / _fall**2) / (1 + 1 / _fall)) * _fall),
                (
                    _fall > 0,
                    _fall < 1,
                    _budget > 0,
                    1 - _fall <= _budget,
                    _excess >= 1 + 2 * _budget * _fall / (1 - _fall),
                ),
                strict=True,
            ).discharge(),
        ),
        (r"e^\varepsilon &< \frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon} \qquad (\varepsilon > 0)",),
    )


# Neighbours that differ in more than one user.

REPLACED = "a user's appearances become another user's"
_OF_COINS = sp.log((2 + epsilon) / (2 - epsilon)) - epsilon
_SHIFTED = sp.log(1 + epsilon / 2) - 3 * sp.log(1 - epsilon / 2) - 2 * epsilon
_BELOW_TWO = (sp.Gt(epsilon, 0), sp.Lt(epsilon, 2))


def _two_users(pair: tuple[sp.Expr, sp.Expr], stated: sp.Expr) -> Step:
    return equal(
        "replaced_ratio",
        r"Let $u$ appear in the one stream and $v$ in its place in the other, both sampled, and look at the state "
        r"after the last update. The bit 1 of $u$ and the bit 0 of $v$ are likelier with the first stream by the "
        r"factor",
        r"\frac{p_1 (1-p_0)}{p_0 (1-p_1)}",
        lambda: sp.simplify(pair[1] * (1 - pair[0]) / (pair[0] * (1 - pair[1]))),
        stated,
    )


_REPLACED = (
    r"In the second interpretation of adjacency the appearances of a user are replaced by those of another one. Then "
    r"two bits of the state differ, and its loss is "
)


def _rises(name: str, excess: sp.Expr, text: str, at: sp.Expr = half) -> tuple[Step, Step]:
    """That a loss exceeds a budget below 2, and an example."""
    rises = Slopes(name, excess, epsilon, sp.S.Zero, {epsilon: at}, sp.S.One, end=sp.Integer(2), strict=True)
    return (
        lemma(f"{name}_exceeds", text, rises.discharge(), (rf"{tex(excess)} &> 0",)),
        counterexample(f"{name}_example", r"For example:", le(excess, 0), {epsilon: half}),
    )


def coins_replaced() -> Part:
    """The state of the algorithm whose first bit is a fair coin."""
    return Part(
        Role.READING,
        REPLACED,
        rf"{_REPLACED}$\log\frac{{2+\varepsilon}}{{2-\varepsilon}}$ at least. It exceeds $\varepsilon$ for all $0 < "
        r"\varepsilon < 2$.",
        (
            _two_users(COIN, (2 + epsilon) / (2 - epsilon)),
            *_rises("replaced", _OF_COINS, r"Its logarithm exceeds the budget."),
        ),
        formal=symbolic(gt(_OF_COINS, 0), given=_BELOW_TWO),
        holds=False,
    )


def pair_replaced() -> Part:
    """The state of the algorithm with the optimal pair."""
    return Part(
        Role.READING,
        REPLACED,
        rf"{_REPLACED}$2\varepsilon$: already the state alone uses the whole budget that is promised for state and "
        r"output.",
        (
            _two_users(PAIR, _factor**2),
            counterexample("replaced_example", r"For example:", le(_factor**2, _factor), {epsilon: EXAMPLE}),
        ),
        formal=symbolic(le(_factor**2, _factor), refuted=True),
        holds=False,
    )


def different_lengths() -> Part:
    """The lecture's intrusion after the same number of updates of streams of different lengths."""
    before, after = COIN
    return Part(
        Role.READING,
        "neighbours of different lengths",
        r"Definition 3 lets the intrusion be after the same number of updates in both streams, and neighbours may have "
        r"different lengths. Then later updates move to the other side of the intrusion, and the states differ in more "
        r"than one user. For four sampled users the loss of the state alone exceeds $2\varepsilon$ for all $0 < "
        r"\varepsilon < 2$, and it has no bound over the size of the sample (joint\_loss.tight).",
        (
            equal(
                "lengths_ratio",
                r"Let $u$ appear three times, or not at all, before three other sampled users appear once each. After "
                r"three updates these have not appeared in the one stream, and all have in the other. The bit 1 of $u$ "
                r"and three zeros are likelier with the first stream by the factor",
                r"\frac{p_1}{p_0} \Bigl(\frac{1-p_0}{1-p_1}\Bigr)^3",
                lambda: after * (1 - before) ** 3 / (before * (1 - after) ** 3),
                (1 + epsilon / 2) / (1 - epsilon / 2) ** 3,
            ),
            *_rises("lengths", _SHIFTED, r"Its logarithm exceeds $2\varepsilon$."),
        ),
        formal=symbolic(gt(_SHIFTED, 0), given=_BELOW_TWO),
        holds=False,
    )
