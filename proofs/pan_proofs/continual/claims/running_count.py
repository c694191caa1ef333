"""The running count of events whose state may be seen once: noise at the birth and at the release of each node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from pan_proofs.continual.dyadic_tree import Interval, decomposition
from pan_proofs.continual.steps import by_sums, stated
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.word_sums import Words
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, found, lemma


@cache
def nodes(steps: int) -> tuple[Interval, ...]:
    """The node that ends at each time, the last one of its dyadic decomposition."""
    return tuple((time - (time & -time), time) for time in range(1, steps + 1))


@cache
def levels(steps: int) -> int:
    """The number of levels of these nodes."""
    return len({end - start for start, end in nodes(steps)})


def observation(steps: int, intrusion: int, birth: Any, release: Any) -> GaussianObservation:
    """The open nodes after some steps, and the released values of all nodes.

    Parameters
    ----------
    steps, intrusion
        The number of steps, and of those before the intrusion.
    birth, release
        The variances of the noise of a node at birth, and of that at the release of a node of two steps or more; 0 for
        none.
    """
    every = nodes(steps)
    longer = [node for node in every if node[1] - node[0] > 1]
    variances = {("birth", node): sp.sympify(birth) for node in every}
    variances |= {("release", node): sp.sympify(release) for node in longer}
    noises = [name for name, variance in variances.items() if variance != 0]
    data, factor = [], []

    def row(events: range, carried: set[tuple[str, Interval]]) -> None:
        data.append([int(step in events) for step in range(1, steps + 1)])
        factor.append([int(name in carried) for name in noises])

    for start, end in every:
        if start < intrusion < end:
            row(range(start + 1, intrusion + 1), {("birth", (start, end))})
    for node in every:
        row(range(node[0] + 1, node[1] + 1), {("birth", node), ("release", node)})
    covariance = sp.diag(*(variances[name] for name in noises)).tolist()
    return GaussianObservation(data, factor, covariance)


@cache
def containing(steps: int, event: int) -> tuple[Interval, ...]:
    """The nodes that contain an event."""
    return tuple((start, end) for start, end in nodes(steps) if start < event <= end)


def summed_loss(steps: int, intrusion: int, event: int, birth: Fraction, release: Fraction) -> Fraction:
    """The loss of an event as the sum over its nodes."""

    def variance(start: int, end: int) -> Fraction:
        if start < intrusion < end:
            # A node with a step inside has two steps or more.
            return birth if event <= intrusion else release
        return birth + release if end - start > 1 else birth

    found = [variance(*node) for node in containing(steps, event)]
    return sum((found.count(one) / (2 * one) for one in set(found)), Fraction(0))


def cases(longest: int) -> Iterator[tuple[int, int, int]]:
    """All numbers of steps, intrusions and events up to a size."""
    for steps in range(1, longest + 1):
        for intrusion in range(steps + 1):
            for event in range(1, steps + 1):
                yield steps, intrusion, event


def changed(steps: int, **events: int) -> list[int]:
    """The difference of two streams: ``e2=1`` is one event more at step 2."""
    return [events.get(f"e{step}", 0) for step in range(1, steps + 1)]


_b, _r, _rho, _n = sp.symbols("b r rho n", positive=True)
_m, _one, _loss = sp.symbols("m l D", nonnegative=True)
_noise, _shift = sp.Symbol("V"), sp.Symbol("c")
"""Variance and change of a combination of outputs."""
_TWO = sp.Ge(_n, 2)
_LEAST = (_n / (2 * _rho), (_n - 1) / (2 * _rho))
"""The variances at birth and at release."""
_RATIO = (_n**2 + (_n - 1) ** 2) / (2 * _rho) / (_n * _n / (2 * _rho))
"""The variance of an output over ``n`` times that of a node whose noise serves the outputs alone."""
_contain, _ones = sp.symbols("N S", real=True)
_levels, _level = sp.Symbol("n", integer=True, positive=True), sp.Symbol("j", integer=True)
_digit = sp.IndexedBase(sp.Symbol("d", integer=True))


def digits() -> Words:
    """The binary digits of the number of an event, less 1, from the highest on."""
    zeros, ones = (sp.Sum(one, (_level, 1, _levels)) for one in (1 - _digit[_level], _digit[_level]))
    return Words(_levels, _level, (_digit,), {_contain: zeros, _ones: ones}, {_digit: (0, 1)})


def _of_node(change: tuple[int, int], value: sp.Expr, name: str) -> tuple[Any, ...]:
    """The loss of an open node: the events before and after the intrusion, its noise at birth and at release."""
    seen = GaussianObservation([[1, 0], [1, 1]], [[1, 0], [1, 1]], [[_b, 0], [0, _r]])
    return (gaussian_loss(f"running_count.{name}", seen, change, value),)


def _of_four(change: dict[str, int], birth: sp.Expr, release: sp.Expr, value: sp.Expr, name: str) -> Any:
    """The loss of four steps with an intrusion after the first."""
    return gaussian_loss(f"running_count.{name}", observation(4, 1, birth, release), changed(4, **change), value)


def _losses(steps: int, birth: int, release: int) -> tuple[Fraction, ...]:
    """The losses of events 1 and 2 with an intrusion between them."""
    return tuple(summed_loss(steps, 1, event, Fraction(birth), Fraction(release)) for event in (1, 2))


def running_count() -> Claim:
    """Privacy for every number of steps, tightness, moved events, and what one noise alone loses."""
    open_node = lemma(
        "open_node",
        r"The noise of different nodes is independent, so that their losses add up. An open node is seen twice: "
        r"with noise of variance $b$ at the intrusion, and with further noise of variance $r$ at its release. An "
        r"event before the intrusion loses $\frac{1}{2 b}$ there, and one after it $\frac{1}{2 r}$.",
        (*_of_node((1, 0), 1 / (2 * _b), "open_before"), *_of_node((0, 1), 1 / (2 * _r), "open_after")),
    )
    before = bounded(
        "before",
        r"On each of the $n$ levels at most one node contains the event. With $b = \frac{n}{2 \rho}$ each loses "
        r"$l \le \frac{1}{2 b} = \frac{\rho}{n}$:",
        le(_m * _one, _rho),
        sp.Le(_m, _n),
        sp.Le(_one, _rho / _n),
    )
    even = bounded(
        "after_even",
        r"For even $i$ there are $m \le n - 1$ nodes of two steps or more, and each loses at most $\frac{1}{2 r} = "
        r"\frac{\rho}{n - 1}$:",
        le(_m * _rho / (_n - 1), _rho),
        _TWO,
        sp.Le(_m, _n - 1),
    )
    both = bounded(
        "both",
        r"So the loss is the sum of two losses $l$ and $D$ that are at most $\rho$:",
        le(_one + _loss, 2 * _rho),
        sp.Le(_one, _rho),
        sp.Le(_loss, _rho),
    )
    variance = bounded(
        "variance",
        r"A time has $m \le n$ nodes in its decomposition. If all $n$ binary digits are $1$, one of the nodes has "
        r"one step; otherwise $m \le n - 1$. So the variance is at most $m b + l r$ with $l = \min(m, n - 1)$.",
        le(_m * _b + _one * _r, _n * _b + (_n - 1) * _r),
        sp.Ge(_n, 1),
        sp.Le(_m, _n),
        sp.Le(_one, _n - 1),
    )
    twice = lemma(
        "twice",
        r"If the outputs alone are observed, each of the $n$ nodes has noise of variance $\frac{n}{2 \rho}$. "
        r"The ratio of the two variances tends to $2$.",
        tends_to("running_count.twice", _RATIO, _n, sp.oo, sp.Integer(2)),
        r"\frac{n^2 + (n - 1)^2}{n^2} &\to 2",
    )
    half = (eq(4 * _rho * _b, _n),)
    return Claim(
        id="continual.running_count",
        title="A running count of events with one intrusion",
        references=(
            Reference("here", "for the running count of events", "after Dwork, Naor, Pitassi and Rothblum, 2010"),
        ),
        statement=r"A binary tree counts the events of $T$ steps, with $n = \lfloor \log_2 T \rfloor + 1$ levels. A "
        r"node is born with noise $N(0, \frac{n}{2 \rho})$. When a node of two steps or more ends, noise $N(0, "
        r"\frac{n - 1}{2 \rho})$ is added. An output sums the nodes of the dyadic decomposition of the time. The "
        r"state holds the open nodes, and the ended ones. All outputs and the state at one intrusion are jointly "
        r"$\rho$-event-level-zCDP. No smaller variances suffice that are equal on all levels.",
        hypotheses=(r"$\rho > 0$, $T \ge 1$; the intrusion lies between two steps, or before or after all of them",),
        silent=(
            "a neighbour has one event more or less at one step; the times go on",
            "the node that ends with a step, and the node that begins with it, are not open between the two steps",
            "the time of the intrusion does not depend on the stream",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "an event before the intrusion",
                r"Its loss is at most $m\, \frac{1}{2 b} \le \rho$ for the $m \le n$ nodes that contain it.",
                enumerated(
                    "outputs_are_nodes",
                    r"The dyadic decomposition of $(0, t]$ is that of $(0, s]$ and the node $(s, t]$, where $s$ is "
                    r"$t$ without its last binary digit $1$. So each node is a difference of two outputs, and the "
                    r"outputs tell as much as the released values of the nodes. The nodes have $\lfloor \log_2 T "
                    r"\rfloor + 1$ lengths.",
                    "times up to 256: the last node, the others, and the number of lengths",
                    range(1, 257),
                    lambda time: (
                        decomposition(time) == (*decomposition(nodes(time)[-1][0]), nodes(time)[-1])
                        and levels(time) == time.bit_length()
                    ),
                    mutant=lambda time: levels(time) == (time - 1).bit_length() + 1,
                ),
                open_node,
                lemma(
                    "whole_node",
                    r"A node of two steps or more that is not open at the intrusion is seen once, with both "
                    r"noises.",
                    gaussian_loss(
                        "running_count.whole",
                        GaussianObservation([[1]], [[1, 1]], [[_b, 0], [0, _r]]),
                        (1,),
                        1 / (2 * (_b + _r)),
                    ),
                ),
                bounded(
                    "no_more_than_birth",
                    r"This is at most $\frac{1}{2 b}$, and also at most $\frac{1}{2 r}$.",
                    le(1 / (2 * (_b + _r)), 1 / (2 * _b)),
                ),
                enumerated(
                    "sums",
                    r"So the loss of an event is a sum over the nodes that contain it.",
                    "up to 6 steps, every intrusion and event, variances 3 and 2: the loss of the joint covariance "
                    "is that sum",
                    cases(6),
                    lambda case: _joint(*case) == summed_loss(*case, Fraction(3), Fraction(2)),
                    mutant=lambda case: _joint(*case) == Fraction(len(containing(case[0], case[2])), 6),
                ),
                before,
                only=("before",),
            ),
            Part(
                Role.PUBLISHED,
                "an event after the intrusion",
                r"Its loss is at most $\rho$: that of $n - 1$ nodes with noise at release, or of $n - 2$ and of a "
                r"node of one step, or of $n$ nodes that have not begun, as in the part before.",
                (
                    by_sums(
                        "digits_of_later_events",
                        r"On level $j$ a node contains event $i$ just if the binary digit $j$ of $i - 1$ is $0$ and "
                        r"the node ends at $T$ or before. So with $T = 2^n - 1$, the most steps with $n$ levels, $N$ "
                        r"nodes contain $i$ if $S$ of the $n$ digits are $1$:",
                        digits(),
                        eq(_contain + _ones, _levels),
                        le(_contain + _ones, _levels),
                        by_definition={_contain: _nodes_of_digits, _ones: sum},
                        up_to=6,
                    ),
                    enumerated(
                        "nodes_of_later_events",
                        r"For $i > 1$ some digit is $1$. So at most $n - 1$ nodes contain $i$, and for odd $i$ one of "
                        r"them has one step. Event $1$ after an intrusion is one before all steps: no node is open "
                        r"then.",
                        "up to 64 steps: the number of nodes of an event that have two steps or more, and that have "
                        "one",
                        ((steps, event) for steps in range(1, 65) for event in range(1, steps + 1)),
                        lambda case: _few_longer(*case),
                        mutant=lambda case: len(containing(*case)) < levels(case[0]),
                    ),
                    even,
                    bounded(
                        "after_odd",
                        r"For odd $i > 1$ there are $m \le n - 2$ of them, and the node of one step, which loses "
                        r"$\frac{1}{2 b} = \frac{\rho}{n}$. In units of $\rho$, and multiplied by $n (n - 1)$, the sum "
                        r"is less than $1$:",
                        le((_n - 2) * _n + (_n - 1) + 1, _n * (_n - 1)),
                        _TWO,
                    ),
                    enumerated(
                        "exact_losses",
                        r"All losses agree: with $\rho = \frac12$, $b = n$ and $r = n - 1$ the largest loss is "
                        r"$\frac12$.",
                        "up to 64 steps, every intrusion and event: the loss is at most 1/2",
                        ((*case, Fraction(levels(case[0])), Fraction(levels(case[0]) - 1)) for case in cases(64)),
                        lambda case: summed_loss(*case) <= Fraction(1, 2),
                        mutant=lambda case: summed_loss(*case) < Fraction(1, 2),
                    ),
                ),
                formal=(
                    *about(digits(), eq(_contain + _ones, _levels)),
                    *about(digits(), le(_contain, _levels - 1), given=(sp.Ge(_ones, 1),)),
                    *stated(even),
                    *symbolic(le(_m * _rho / (_n - 1) + _rho / _n, _rho), given=(_TWO, sp.Le(_m, _n - 2))),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "no smaller variances",
                r"After an intrusion after the first step, event $1$ loses $\frac{n}{2 b}$ and event $2$ loses "
                r"$\frac{n - 1}{2 r}$. So $b \ge \frac{n}{2 \rho}$ and $r \ge \frac{n - 1}{2 \rho}$ are needed. "
                r"In the formulas $D_1$ and $D_2$ are the losses of event $1$ and event $2$ in one "
                r"node.",
                (
                    replace(open_node, name="open_nodes"),
                    enumerated(
                        "first_two_events",
                        r"All $n$ nodes that begin at time $0$ contain event $1$, and all but the node of one step "
                        r"contain event $2$ and are open after step $1$. So their losses are $\frac{n}{2 b}$ and "
                        r"$\frac{n - 1}{2 r}$.",
                        "2 to 64 steps, variances 3 and 2",
                        range(2, 65),
                        lambda steps: (
                            _losses(steps, 3, 2) == (levels(steps) / Fraction(6), (levels(steps) - 1) / Fraction(4))
                        ),
                        mutant=lambda steps: _losses(steps, 3, 2)[1] == levels(steps) / Fraction(4),
                    ),
                    lemma(
                        "four_steps",
                        r"For $T = 4$, $n = 3$, the joint covariance gives these losses for all variances $b$ and $r$.",
                        (
                            _of_four({"e1": 1}, _b, _r, 3 / (2 * _b), "first"),
                            _of_four({"e2": 1}, _b, _r, 1 / _r, "second"),
                        ),
                    ),
                ),
                formal=(
                    *_lost("D_1", 1 / (2 * _b)),
                    *_lost("D_2", 1 / (2 * _r)),
                    *symbolic(ge(_b, _LEAST[0]), given=(sp.Le(_n / (2 * _b), _rho),)),
                    *symbolic(ge(_r, _LEAST[1]), given=(_TWO, sp.Le((_n - 1) / (2 * _r), _rho))),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "an event that moves across the intrusion",
                r"Its loss is the sum of the losses of both events: up to $2 \rho$, and exactly this from step $1$ to "
                r"step $2$ with an intrusion between them. In the formulas $D$ is the loss in one node that contains "
                r"both, or of the second event.",
                (
                    lemma(
                        "open_node_of_both",
                        r"An open node that contains both events loses $\frac{1}{2 b} + \frac{1}{2 r}$: what it loses "
                        r"for each. Any other node contains one of them at most.",
                        _of_node((1, -1), 1 / (2 * _b) + 1 / (2 * _r), "open_both"),
                    ),
                    both,
                    lemma(
                        "from_one_to_two",
                        r"For $T = 4$, from step $1$ to step $2$ with an intrusion between them, it is $\frac{3}{2 b} "
                        r"+ \frac{1}{r}$, which is $2 \rho$ for $b = \frac{3}{2 \rho}$ and $r = \frac{1}{\rho}$.",
                        (
                            _of_four({"e1": 1, "e2": -1}, _b, _r, 3 / (2 * _b) + 1 / _r, "moved"),
                            _of_four({"e1": 1, "e2": -1}, 3 / (2 * _rho), 1 / _rho, 2 * _rho, "moved_at_rho"),
                        ),
                    ),
                ),
                formal=(
                    *_lost("D", 1 / (2 * _b) + 1 / (2 * _r)),
                    *stated(both),
                    *symbolic(
                        eq(_n / (2 * _b) + (_n - 1) / (2 * _r), 2 * _rho),
                        given=(_TWO, eq(2 * _rho * _b, _n), eq(2 * _rho * _r, _n - 1)),
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the error",
                r"The variance of an output is at most $n b + (n - 1) r = \frac{n^2 + (n - 1)^2}{2 \rho}$, about "
                r"twice that of a tree whose outputs alone are observed.",
                (variance, twice),
                formal=(
                    *stated(variance),
                    *symbolic(
                        eq(_n * _b + (_n - 1) * _r, (_n**2 + (_n - 1) ** 2) / (2 * _rho)),
                        given=(eq(2 * _rho * _b, _n), eq(2 * _rho * _r, _n - 1)),
                    ),
                    *symbolic(eq(sp.Limit(_RATIO, _n, sp.oo), 2)),
                ),
            ),
            _without(
                "noise at birth alone",
                r"The state and the released value of a node have the same noise. Their difference has none, and the "
                r"loss of an event after the intrusion is infinite.",
                r"When a node of two steps or more ends, noise $N(0, \frac{n - 1}{2 \rho})$ is added",
                ("birth_alone", 3, 0, {"e2": 1}, (1, -1)),
            ),
            _without(
                "noise at release alone",
                r"The state holds an open node in clear. The loss of an event before the intrusion is infinite.",
                r"A node is born with noise $N(0, \frac{n}{2 \rho})$",
                ("release_alone", 0, 3, {"e1": 1}, (1, 0)),
            ),
            Part(
                Role.READING,
                "the noise for the outputs, in two halves",
                r"With $b = r = \frac{n}{4 \rho}$ the outputs alone have the noise that they need. The loss of the "
                r"state and the outputs is $2 \rho$. In the formulas $D$ is the loss in one node, and $D_3$ that of "
                r"the state and the outputs for $n = 3$.",
                (
                    counterexample(
                        "two_halves",
                        r"For $T = 4$, $n = 3$ and $\rho = \frac12$ both variances are $\frac32$. Event $1$ before an "
                        r"intrusion after step $1$ loses",
                        le(_loss, _rho),
                        {
                            _loss: lambda: observation(4, 1, *[sp.Rational(3, 2)] * 2).loss(changed(4, e1=1)),
                            _rho: sp.Rational(1, 2),
                        },
                    ),
                    lemma(
                        "halves_of_any_budget",
                        r"An open node loses $\frac{1}{2 b}$, and with $b = \frac{3}{4 \rho}$ all three lose $2 \rho$.",
                        (
                            *_of_node((1, 0), 1 / (2 * _b), "open_half"),
                            _of_four({"e1": 1}, 3 / (4 * _rho), 3 / (4 * _rho), 2 * _rho, "halves"),
                        ),
                    ),
                ),
                formal=(
                    *symbolic(eq(_n / (2 * (_b + _b)), _rho), given=half),
                    *_lost("D", 1 / (2 * _b)),
                    *symbolic(eq(_n / (2 * _b), 2 * _rho), given=half),
                    *_lost("D_3", 2 * _rho),
                ),
                holds=False,
                departs=r"$N(0, \frac{n}{2 \rho})$",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.dyadic", "turnstile.post_processing"),
        remark=r"The steps bound the loss of a node by that of one of its two noises. The other noise is "
        r"post-processing, so that the same bounds hold for every noise that is $\frac{1}{2 b}$-zCDP, or $\frac{1}{2 "
        r"r}$-zCDP, at a change by $1$.",
    )


def _lost(name: str, value: sp.Expr) -> tuple[str, ...]:
    """That a loss was found, formally."""
    return symbolic(eq(sp.Symbol(name), value))


def _joint(steps: int, intrusion: int, event: int) -> Fraction:
    loss = observation(steps, intrusion, 3, 2).loss(changed(steps, **{f"e{event}": 1}))
    return Fraction(int(loss.p), int(loss.q))


def _nodes_of_digits(bits: tuple[int, ...]) -> int:
    return len(containing(2 ** len(bits) - 1, 1 + int("".join(map(str, bits)), 2)))


def _few_longer(steps: int, event: int) -> bool:
    of_it = containing(steps, event)
    longer = sum(end - start > 1 for start, end in of_it)
    if event == 1:
        return len(of_it) == levels(steps)
    return longer <= levels(steps) - 1 - event % 2 and len(of_it) - longer == event % 2


def _without(title: str, text: str, departs: str, case: tuple[str, int, int, dict[str, int], tuple[int, int]]) -> Part:
    """Two steps with an intrusion between them: a combination of the state and the output without noise."""
    name, birth, release, event, weights = case
    seen, change = observation(2, 1, birth, release), changed(2, **event)
    combined = sp.Matrix([[weights[0], 0, weights[1]]])  # the open node (0, 2], and its released value
    bound, small = sp.symbols("K v", positive=True)
    steps: tuple[Step, ...] = (
        counterexample(
            name,
            r"For $T = 2$ and an intrusion after step $1$, the open node and its released value: the combination with "
            rf"the weights ${weights[0]}$ and ${weights[1]}$ has no noise.",
            gt(_noise, 0),
            {_noise: lambda: (combined * seen.covariance() * combined.T)[0, 0]},
            lines="V &= 0",
        ),
        found(
            f"{name}_change",
            r"The event changes it by $1$.",
            "the change of the combination",
            lambda: sp.Abs((combined * sp.Matrix(seen.shift(change)))[0, 0]),
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
    return Part(
        Role.READING,
        title,
        text + r" In the formulas a combination of what is seen has the variance $V$ and changes by $c$, and noise of "
        r"a small variance $v$ would lose more than any bound $K$.",
        steps,
        formal=(
            *symbolic(eq(_noise, 0), eq(_shift, 1)),
            *symbolic(gt(1 / (2 * small), bound), given=(sp.Lt(2 * small * bound, 1),)),
        ),
        holds=False,
        departs=departs,
    )


CLAIMS = {"continual.running_count": running_count}
