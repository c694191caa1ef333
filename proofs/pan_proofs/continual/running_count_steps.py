"""The steps for the running count of events: what the nodes lose, and what one noise alone loses."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.continual.dyadic_tree import decomposition
from pan_proofs.continual.running_count_digits import nodes_of_events
from pan_proofs.continual.running_counts import cases, changed, containing, levels, nodes, observation, summed_loss
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.claim import Steps
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, found, lemma

_b, _r, _rho, _n = sp.symbols("b r rho n", positive=True)
_m = sp.Symbol("m", nonnegative=True)
_one, _loss = sp.symbols("l D", nonnegative=True)
BEFORE_GIVEN = (sp.Le(_m, _n), sp.Le(_one, _rho / _n))
BEFORE = le(_m * _one, _rho)
"""The loss of m nodes of at most ``rho / n`` each."""
_TWO = sp.Ge(_n, 2)
_noise, _shift = sp.Symbol("V"), sp.Symbol("c")
"""Variance and change of a combination of outputs."""


RATIO = (_n**2 + (_n - 1) ** 2) / (2 * _rho) / (_n * _n / (2 * _rho))
"""The variance of an output over ``n`` times that of a node whose noise serves the outputs alone."""


def one_node(change: tuple[int, int], stated: sp.Expr, name: str) -> tuple[Obligation, ...]:
    """The loss of an open node: the events before and after the intrusion, its noise at birth and at release."""
    seen = GaussianObservation([[1, 0], [1, 1]], [[1, 0], [1, 1]], [[_b, 0], [0, _r]])
    return (gaussian_loss(f"running_count.{name}", seen, change, stated),)


def observed() -> Steps:
    """The outputs tell the nodes, and each node loses on its own."""
    return (
        enumerated(
            "outputs_are_nodes",
            r"The dyadic decomposition of $(0, t]$ is that of $(0, s]$ and the node $(s, t]$, where $s$ is $t$ "
            r"without its last binary digit $1$. So each node is a difference of two outputs, and the outputs tell as "
            r"much as the released values of the nodes. The nodes have $\lfloor \log_2 T \rfloor + 1$ lengths.",
            "times up to 256: the last node, the others, and the number of lengths",
            range(1, 257),
            lambda time: (
                decomposition(time) == (*decomposition(nodes(time)[-1][0]), nodes(time)[-1])
                and levels(time) == time.bit_length()
            ),
            mutant=lambda time: levels(time) == (time - 1).bit_length() + 1,
        ),
        lemma(
            "open_node",
            r"The noise of different nodes is independent, so that their losses add up. An open node is seen twice: "
            r"with noise of variance $b$ at the intrusion, and with further noise of variance $r$ at its release. An "
            r"event before the intrusion loses $\frac{1}{2 b}$ there, and one after it $\frac{1}{2 r}$.",
            (
                *one_node((1, 0), 1 / (2 * _b), "open_before"),
                *one_node((0, 1), 1 / (2 * _r), "open_after"),
            ),
        ),
        lemma(
            "whole_node",
            r"A node of two steps or more that is not open at the intrusion is seen once, with both noises.",
            gaussian_loss(
                "running_count.whole",
                GaussianObservation([[1]], [[1, 1]], [[_b, 0], [0, _r]]),
                (1,),
                1 / (2 * (_b + _r)),
            ),
        ),
        at_most(
            "no_more_than_birth",
            r"This is at most $\frac{1}{2 b}$, and also at most $\frac{1}{2 r}$.",
            Inequality(
                "running_count.either",
                1 / (2 * (_b + _r)),
                1 / (2 * _b),
                (),
                touching={_b: 1, _r: 0},
            ),
            lines=r"\frac{1}{2 (b + r)} &\le \frac{1}{2 b}",
        ),
        enumerated(
            "sums",
            r"So the loss of an event is a sum over the nodes that contain it.",
            "up to 6 steps, every intrusion and event, variances 3 and 2: the loss of the joint covariance is that sum",
            cases(6),
            lambda case: _joint(*case) == summed_loss(*case, Fraction(3), Fraction(2)),
            mutant=lambda case: _joint(*case) == Fraction(len(containing(case[0], case[2])), 6),
        ),
    )


def _joint(steps: int, intrusion: int, event: int) -> Fraction:
    loss = observation(steps, intrusion, 3, 2).loss(changed(steps, **{f"e{event}": 1}))
    return Fraction(int(loss.p), int(loss.q))


def before() -> Steps:
    """One node on each level."""
    return (
        at_most(
            "before",
            r"On each of the $n$ levels at most one node contains the event. With $b = \frac{n}{2 \rho}$ each loses "
            r"$l \le \frac{1}{2 b} = \frac{\rho}{n}$:",
            Inequality(
                "running_count.before",
                _m * _one,
                _rho,
                BEFORE_GIVEN,
            ),
            lines=r"m\, l &\le \rho",
        ),
    )


def after() -> Steps:
    """Nodes of two steps or more, and a node of one step."""
    two = _TWO
    return (
        nodes_of_events("digits_of_later_events"),
        enumerated(
            "nodes_of_later_events",
            r"For $i > 1$ some digit is $1$. So at most $n - 1$ nodes contain $i$, and for odd $i$ one of them "
            r"has one step. Event $1$ after an intrusion is one before all steps: no node is open then.",
            "up to 64 steps: the number of nodes of an event that have two steps or more, and that have one",
            ((steps, event) for steps in range(1, 65) for event in range(1, steps + 1)),
            lambda case: _few_longer(*case),
            mutant=lambda case: len(containing(*case)) < levels(case[0]),
        ),
        at_most(
            "after_even",
            r"For even $i$ there are $m \le n - 1$ nodes of two steps or more, and each loses at most $\frac{1}{2 r} = "
            r"\frac{\rho}{n - 1}$:",
            Inequality(
                "running_count.after_even",
                _m * _rho / (_n - 1),
                _rho,
                (two, sp.Le(_m, _n - 1)),
            ),
            lines=r"m \frac{\rho}{n - 1} &\le \rho",
        ),
        at_most(
            "after_odd",
            r"For odd $i > 1$ there are $m \le n - 2$ of them, and the node of one step, which loses $\frac{1}{2 b} = "
            r"\frac{\rho}{n}$. In units of $\rho$, and multiplied by $n (n - 1)$, the sum is less than $1$:",
            Inequality(
                "running_count.after_odd",
                (_n - 2) * _n + (_n - 1) + 1,
                _n * (_n - 1),
                (two,),
            ),
            lines=r"(n - 2) n + (n - 1) + 1 &\le n (n - 1)",
        ),
        at_most(
            "after_first",
            r"Event $1$ after an intrusion before all steps has $m \le n$ nodes that have not begun. Each loses at "
            r"most $\frac{1}{2 b}$.",
            Inequality(
                "running_count.after_first",
                _m * _one,
                _rho,
                BEFORE_GIVEN,
            ),
            lines=r"m\, l &\le \rho",
        ),
        enumerated(
            "exact_losses",
            r"All losses agree: with $\rho = \frac12$, $b = n$ and $r = n - 1$ the largest loss is $\frac12$.",
            "up to 64 steps, every intrusion and event: the loss is at most 1/2",
            cases(64),
            lambda case: summed_loss(*case, *_variances(case[0])) <= Fraction(1, 2),
            mutant=lambda case: summed_loss(*case, *_variances(case[0])) < Fraction(1, 2),
        ),
    )


def _variances(steps: int) -> tuple[Fraction, Fraction]:
    return Fraction(levels(steps)), Fraction(levels(steps) - 1)


def _few_longer(steps: int, event: int) -> bool:
    found = containing(steps, event)
    longer = sum(end - start > 1 for start, end in found)
    if event == 1:
        return len(found) == levels(steps)
    return longer <= levels(steps) - 1 - event % 2 and len(found) - longer == event % 2


def attained() -> Steps:
    """Events 1 and 2 with an intrusion between them."""
    return (
        nodes_of_events("digits_of_first_events"),
        lemma(
            "open_nodes",
            r"An open node loses $\frac{1}{2 b}$ for an event before the intrusion, and $\frac{1}{2 r}$ after it.",
            (
                *one_node((1, 0), 1 / (2 * _b), "open_first"),
                *one_node((0, 1), 1 / (2 * _r), "open_second"),
            ),
        ),
        enumerated(
            "first_two_events",
            r"All $n$ nodes that begin at time $0$ contain event $1$, and all but the node of one step contain event "
            r"$2$ and are open after step $1$. So their losses are $\frac{n}{2 b}$ and $\frac{n - 1}{2 r}$.",
            "2 to 64 steps, variances 3 and 2",
            range(2, 65),
            lambda steps: (
                summed_loss(steps, 1, 1, Fraction(3), Fraction(2)) == Fraction(levels(steps), 6)
                and summed_loss(steps, 1, 2, Fraction(3), Fraction(2)) == Fraction(levels(steps) - 1, 4)
            ),
            mutant=lambda steps: summed_loss(steps, 1, 2, Fraction(3), Fraction(2)) == Fraction(levels(steps), 4),
        ),
        lemma(
            "four_steps",
            r"For $T = 4$, $n = 3$, the joint covariance gives these losses for all variances $b$ and $r$.",
            (
                gaussian_loss("running_count.first", observation(4, 1, _b, _r), changed(4, e1=1), 3 / (2 * _b)),
                gaussian_loss("running_count.second", observation(4, 1, _b, _r), changed(4, e2=1), 1 / _r),
            ),
        ),
    )


def moved() -> Steps:
    """The losses before and after the intrusion add up."""
    return (
        nodes_of_events("digits_of_moved_events"),
        lemma(
            "open_node_of_both",
            r"An open node that contains both events loses $\frac{1}{2 b} + \frac{1}{2 r}$: what it loses for each. "
            r"Any other node contains one of them at most.",
            one_node((1, -1), 1 / (2 * _b) + 1 / (2 * _r), "open_both"),
        ),
        at_most(
            "both",
            r"So the loss is the sum of two losses that are at most $\rho$:",
            Inequality(
                "running_count.both",
                _one + _loss,
                2 * _rho,
                (sp.Le(_one, _rho), sp.Le(_loss, _rho)),
            ),
            lines=r"l + D &\le 2 \rho",
        ),
        lemma(
            "from_one_to_two",
            r"For $T = 4$, from step $1$ to step $2$ with an intrusion between them, it is $\frac{3}{2 b} + "
            r"\frac{1}{r}$, which is $2 \rho$ for $b = \frac{3}{2 \rho}$ and $r = \frac{1}{\rho}$.",
            (
                gaussian_loss(
                    "running_count.moved", observation(4, 1, _b, _r), changed(4, e1=1, e2=-1), 3 / (2 * _b) + 1 / _r
                ),
                gaussian_loss(
                    "running_count.moved_at_rho",
                    observation(4, 1, 3 / (2 * _rho), 1 / _rho),
                    changed(4, e1=1, e2=-1),
                    2 * _rho,
                ),
            ),
        ),
    )


def variance() -> Steps:
    """At most n nodes, of which one has one step."""
    return (
        at_most(
            "variance",
            r"A time has $m \le n$ nodes in its decomposition. If all $n$ binary digits are $1$, one of the nodes has "
            r"one step; otherwise $m \le n - 1$. So the variance is at most $m b + \min(m, n - 1)\, r$.",
            Inequality(
                "running_count.variance",
                _m * _b + _one * _r,
                _n * _b + (_n - 1) * _r,
                (sp.Ge(_n, 1), sp.Le(_m, _n), sp.Le(_one, _n - 1)),
            ),
            lines=r"m\, b + \min(m, n - 1)\, r &\le n b + (n - 1) r",
        ),
        lemma(
            "twice",
            r"If the outputs alone are observed, each of the $n$ nodes has noise of variance $\frac{n}{2 \rho}$. "
            r"The ratio of the two variances tends to $2$.",
            tends_to("running_count.twice", RATIO, _n, sp.oo, sp.Integer(2)),
            r"\frac{n^2 + (n - 1)^2}{n^2} &\to 2",
        ),
    )


def without(name: str, birth: int, release: int, event: dict[str, int], weights: tuple[int, int]) -> Steps:
    """Two steps with an intrusion between them: a combination of the state and the output without noise."""
    seen = observation(2, 1, birth, release)
    change = changed(2, **event)

    combined = sp.Matrix([[weights[0], 0, weights[1]]])  # the open node (0, 2], and its released value

    def noise() -> sp.Expr:
        return (combined * seen.covariance() * combined.T)[0, 0]

    def shift() -> sp.Expr:
        return sp.Abs((combined * sp.Matrix(seen.shift(change)))[0, 0])

    return (
        counterexample(
            name,
            r"For $T = 2$ and an intrusion after step $1$, the open node and its released value: the combination with "
            rf"the weights ${weights[0]}$ and ${weights[1]}$ has no noise.",
            gt(_noise, 0),
            {_noise: noise},
            lines="V &= 0",
        ),
        found(
            f"{name}_change",
            r"The event changes it by $1$.",
            "the change of the combination",
            shift,
            sp.Integer(1),
            engine="sympy",
            quantities=(_shift,),
        ),
        lemma(
            f"{name}_loss",
            r"The loss is infinite.",
            gaussian_loss(f"running_count.{name}", seen, change, sp.oo),
        ),
    )


def halves() -> Steps:
    """Four steps."""
    return (
        counterexample(
            "two_halves",
            r"For $T = 4$, $n = 3$ and $\rho = \frac12$ both variances are $\frac32$. Event $1$ before an intrusion "
            r"after step $1$ loses",
            le(_loss, _rho),
            {
                _loss: lambda: observation(4, 1, sp.Rational(3, 2), sp.Rational(3, 2)).loss(changed(4, e1=1)),
                _rho: sp.Rational(1, 2),
            },
        ),
        nodes_of_events("digits_of_halves"),
        lemma(
            "halves_of_any_budget",
            r"An open node loses $\frac{1}{2 b}$, and with $b = \frac{3}{4 \rho}$ all three lose $2 \rho$.",
            (
                *one_node((1, 0), 1 / (2 * _b), "open_half"),
                gaussian_loss(
                    "running_count.halves",
                    observation(4, 1, 3 / (4 * _rho), 3 / (4 * _rho)),
                    changed(4, e1=1),
                    2 * _rho,
                ),
            ),
        ),
    )
