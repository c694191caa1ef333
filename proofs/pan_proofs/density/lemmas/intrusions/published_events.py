"""Events of positive probability by which the published promises fail: one seen bit, one output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import FIRST
from pan_proofs.density.lemmas.intrusions.one_user import two_draws
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Stream, seen
from pan_proofs.density.lemmas.losses.joint_loss import limit
from pan_proofs.density.lemmas.losses.observations import Pattern, Update, p0, p1
from pan_proofs.density.lemmas.losses.published_losses import noise_eta, published_loss
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import le
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import counterexample, equal

NEVER: Pattern = (Update.NONE, Update.NONE)
AFTER: Pattern = (Update.NONE, Update.INSERT)
BEFORE: Pattern = (Update.INSERT, Update.NONE)
BOTH: Pattern = (Update.INSERT, Update.INSERT)

LONGER: Stream = ((1, True), (0, True))
"""The stream ``(v, u)``: user 0 is u, and user 1 is v."""

SHORTER: Stream = ((1, True),)
"""The stream ``(v)``."""

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


def output_refutes(name: str, pair: tuple[sp.Expr, sp.Expr], at: sp.Expr) -> Obligation:
    """Given a seen 0, the output breaks one budget: at one value of epsilon, for outputs above the place of the bit 1.

    Parameters
    ----------
    name
        Of the obligation.
    pair
        The pair as expressions in epsilon.
    at
        The value of epsilon.
    """
    # The user does not appear before the intrusion in either stream, so that a 0 is seen with the same probability.
    seen_zero = 1 - pair[0]
    after, never = (probability(pair, one, 0) / seen_zero for one in (AFTER, NEVER))
    claimed = le(after, sp.exp(epsilon) * never)
    (refuted,) = counterexample(name, "", claimed, {epsilon: at}).obligations
    return refuted


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
    gap = pair[1] - pair[0]
    total: sp.Expr = sp.S.Zero
    for (first, final), chance in two_draws(pattern).items():
        if first == bit:
            total += chance * tail(sp.S.Zero if final == int(above) else 1 / gap)
    return total.subs({p0: pair[0], p1: pair[1]}, simultaneous=True)


def added_appearance(pair: tuple[sp.Expr, sp.Expr]) -> tuple[sp.Expr, sp.Expr]:
    """Probabilities of one event in ``(v, u)`` and in ``(v)``, by running the mechanism with both users sampled.

    The event: after the first update the bit of u is seen as 0, and the output exceeds its value for two ones. With
    ``m = 2`` the output is ``(n/m - p_init)/(p_upd - p_init)`` plus ``Laplace(0, 1/(epsilon m))``.
    """
    users, gap = 2, pair[1] - pair[0]
    found = []
    for stream in (LONGER, SHORTER):
        total: sp.Expr = sp.S.Zero
        for (bits, ones), chance in seen(stream, 1, users, (p0, p1)).items():
            if bits[0] == 0:
                below = (users - ones) / (users * gap)
                # The noise exceeds a distance as noise of the scale 1/epsilon exceeds m times this.
                total += chance * tail(users * below)
        found.append(total.subs({p0: pair[0], p1: pair[1]}, simultaneous=True))
    return found[0], found[1]


def event_refutes(
    name: str,
    text: str,
    events: tuple[sp.Expr, sp.Expr],
    at: sp.Expr,
    ratio: sp.Expr,
    lines: Sequence[str],
    *,
    exceeds: sp.Expr | None = None,
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
    ratio, exceeds, shown
        The displayed lines: the ratio of the two at that place, a number below it, and the two probabilities.
    """
    likelier, rarer = events
    step = counterexample(name, text, le(likelier, sp.exp(promised) * rarer), {epsilon: at}, hypotheses, lines)
    quotient = equal(f"{name}.ratio", "", "", lambda: likelier.subs(epsilon, at) / rarer.subs(epsilon, at), ratio)
    obligations = [*step.obligations, *quotient.obligations]
    for number, (event, stated) in enumerate(zip(events, shown or (), strict=bool(shown))):
        obligations += equal(f"{name}.shown.{number}", "", "", partial(event.subs, epsilon, at), stated).obligations
    if exceeds is not None:
        obligations.append(constant_at_most(f"{name}.exceeds", exceeds, ratio))
        obligations.append(constant_at_most(f"{name}.promise", sp.exp(promised.subs(epsilon, at)), exceeds))
    return Step(step.name, step.text, step.lines, tuple(obligations))


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


def one_bits_weight(pair: tuple[sp.Expr, sp.Expr], stated: sp.Expr, line: str) -> Step:
    """The change of the output by one bit, in units of the noise's scale."""
    step = equal(
        "weight",
        r"The sensitivity of the density of the stream is $\frac1m$; but what is released is a multiple of the "
        r"number of ones. One bit moves it by $\frac{1}{m (p_{\mathrm{upd}} - p_{\mathrm{init}})}$. In units of the "
        r"noise's scale $\frac{1}{\varepsilon m}$ this is (in short $p_0 = p_{\mathrm{init}}$, $p_1 = "
        r"p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $A = p_1/p_0$, $B = q_0/q_1$)",
        "",
        lambda: noise_eta(pair[1] - pair[0]),
        stated,
    )
    return Step(step.name, step.text, (line,), step.obligations)


def loss_formula(pair: tuple[sp.Expr, sp.Expr], eta: sp.Expr, stated: sp.Expr, line: str) -> Step:
    """The exponential of the joint loss at printed parameters, with ``p_init + p_upd >= 1``."""
    value = FIRST.subs({p0: pair[0], p1: pair[1], limit: sp.exp(eta)}, simultaneous=True)
    step = equal(
        "formula",
        r"Since $p_{\mathrm{init}} + p_{\mathrm{upd}} \ge 1$, the exponential of the joint loss is $B(q_1 + p_1 r)$ "
        r"with $r = e^\eta$:",
        "",
        value,
        stated,
    )
    return Step(step.name, step.text, (line,), step.obligations)


def is_the_entry(name: str, value: sp.Expr, eta: sp.Expr) -> tuple[Obligation, ...]:
    """That a stated ratio is the exponential of the loss that is listed for an estimator.

    Parameters
    ----------
    name
        Of the estimator.
    value
        The ratio, in terms of ``eta`` as it is given here.
    eta
        One bit's weight in units of the noise; compared with the listed one first.
    """

    def ratio() -> sp.Expr:
        listed = published_loss(name)
        return sp.exp(listed.loss).subs(sp.exp(listed.eta), sp.exp(eta))

    return (
        *equal(f"listed.{name}.eta", "", "", lambda: published_loss(name).eta, eta).obligations,
        *equal(f"listed.{name}", "", "", ratio, value).obligations,
    )
