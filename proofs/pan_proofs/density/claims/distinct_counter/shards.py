"""Shards of a distinct counter on several workers are one counter, and lose no more with an intrusion in each."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.density.lemmas.intrusions.noise_limits import S
from pan_proofs.density.lemmas.intrusions.one_user import mixture, stated_mixture
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Bits, Pair
from pan_proofs.density.lemmas.sharing.least_noise import PAIRS, least_noise, whole_runs
from pan_proofs.density.lemmas.sharing.shared_observations import (
    Event,
    Look,
    Output,
    Setting,
    Touches,
    recorded,
)
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import lemma

_MOMENTS = 3


def distinct_shards() -> Claim:
    """The distribution of the joined shards, and the loss with an intrusion in each worker."""
    return Claim(
        id="distinct.shards",
        title="A distinct counter whose cells are divided among workers",
        references=(Reference("here", "for the distinct counter on many machines"),),
        statement=r"Let the cells of a distinct counter be divided among workers. Each update goes to the worker that "
        r"has the user's cell, and updates of users without a cell go nowhere. Each worker draws its bits on its own, "
        r"as in distinct.joint\_privacy. In the end the bits of all workers are joined, and the noisy number of ones "
        r"of each level is released once, with the noise for the total $T$. Then the joined bits have the "
        r"distribution of one "
        r"counter that got all updates in any order. The joint loss of one intrusion in each worker, at a time of its "
        r"own, and of all released counts is at most $T$, and exactly $T$ if a user has a cell.",
        hypotheses=(
            r"$0 < p_{\mathrm{init}} < p_{\mathrm{upd}} < 1$, $T > \log\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}}$ and "
            r"$T > \log\frac{1 - p_{\mathrm{init}}}{1 - p_{\mathrm{upd}}}$",
            "all draws of all workers and the noise are independent",
            "cells, and the workers that have them, do not depend on the stream",
        ),
        notation=(
            (
                "$j$, $k$, $K$",
                "a cell, a worker, and the number of workers; where streams differ, $k$ is the worker that has the "
                "user's cell, and $j$ is any other one",
            ),
            ("$P_k$", "distribution of the bits of the worker $k$"),
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
            ("$c_1$, $c_K$, $c_j$", "the bits that are seen at the intrusions in the first, the last and any worker"),
            (
                "$h$, $g_k$",
                "joint densities of what is seen of all workers, and of the worker $k$ alone",
            ),
            (
                r"$w_{c_j}$, $\pi(n)$",
                "probability that the bits of the worker $j$ are seen as $c_j$, and that the bits of all workers "
                "but $k$ then add $n$ to the counts",
            ),
        ),
        silent=(
            r"All intrusions come before the release.",
            r"What an adversary sees of messages on the way to a worker is not covered.",
        ),
        uses=("distinct.joint_privacy", "distinct.order_free"),
        in_words=(
            (
                "joined_runs",
                "the draws of different workers are independent, so that the distribution of all bits is the product "
                "that is displayed, for every number of workers and every stream",
            ),
            (
                "whole_runs",
                "the bits of the other workers have one distribution in both streams and are independent of those of "
                "the "
                "worker with the user's cell; so the joint density is the mixture that is displayed, for every "
                "number of workers, users, cells and levels",
            ),
        ),
        parts=(_joined(), _intrusions()),
        remark=r"A worker that restarts from an older copy of its bits loses users. An adversary who sees both the "
        r"copy and the later bits has made two intrusions.",
    )


def _joined() -> Part:
    one, other, before = sp.symbols("a b c", real=True)
    streams = [*product((None, 0, 1, 2), repeat=_MOMENTS)]
    return Part(
        Role.PUBLISHED,
        "joined shards",
        r"The joined bits have the distribution of the bits of one counter.",
        (
            equal_as(
                "independent_workers",
                r"The draws of two workers are independent. So a value of the one, which is drawn with probability $a$ "
                r"whatever was before (with probability $c$, or not), and a value of the other with probability $b$ "
                r"have the probability",
                (lambda: (before * one) * other + ((1 - before) * one) * other, one * other),
                r"c\,a\,b + (1-c)\,a\,b &= a\,b",
            ),
            lemma(
                "joined_runs",
                r"By distinct.order\_free the bits of a worker are independent, and their distribution is given by "
                r"the set of "
                r"the touched cells. The sets of the workers are the parts of the set of one counter. The mechanism, "
                r"run in fractions for one counter and for each of two workers, gives the same distribution.",
                (
                    in_every_case(
                        "joined_runs",
                        f"the distribution of three cells is the product of the distributions of their parts on two "
                        f"workers, for all "
                        f"streams of {_MOMENTS} moments, three divisions of the cells and two pairs of probabilities",
                        product(streams, ((0, 0, 1), (0, 1, 0), (0, 1, 1)), [pair for pair, _ in PAIRS]),
                        lambda case: _distribution(case[0], 3, case[2]) == _divided_distribution(*case),
                        # The second worker misses its first update.
                        mutant=lambda case: (
                            _distribution(case[0], 3, case[2]) == _divided_distribution(*case, missed=True)
                        ),
                    ),
                ),
                (r"P(b_1, \ldots, b_W) &= \prod_{k} P_k(b_j : \text{worker } k \text{ has } j)",),
            ),
        ),
        formal=symbolic(
            eq(before * one * other + (1 - before) * one * other, one * other),
        ),
    )


def _distribution(stream: Touches, cells: int, pair: Pair) -> dict[Bits, Fraction]:
    """The distribution of all bits after a stream."""
    plan = ((len(stream), Look(tuple(range(cells)))),)
    return {seen[0]: chance for (seen, _), chance in recorded(stream, plan, cells, pair).items()}


def _divided_distribution(
    stream: Touches, division: tuple[int, ...], pair: Pair, *, missed: bool = False
) -> dict[Bits, Fraction]:
    """The distribution of the joined bits of two workers, each of which has a counter of its own."""
    distributions = []
    for worker in (0, 1):
        places = [cell for cell, one in enumerate(division) if one == worker]
        mine = tuple(places.index(cell) for cell in stream if isinstance(cell, int) and cell in places)
        distributions.append((places, _distribution(mine[missed and worker :], len(places), pair)))
    return {
        bits: prod(
            (distribution[tuple(bits[cell] for cell in places)] for places, distribution in distributions),
            start=Fraction(1),
        )
        for bits in product((0, 1), repeat=len(division))
    }


def _intrusions() -> Part:
    return Part(
        Role.PUBLISHED,
        "an intrusion in each worker",
        r"The joint loss of an intrusion in each worker, at times of their own, and of all counts is at most $T$, and "
        r"exactly $T$ if a user has a cell.",
        (mixture(), _whole_runs()),
        formal=stated_mixture(S, S > 1),
    )


def _whole_runs() -> Step:
    return whole_runs(
        r"Let the streams differ in a user with a cell of one worker. What the other workers show, and their bits at "
        r"the end, have the same distribution in both streams, and are independent of the bits of this one. Given "
        r"them, the "
        r"counts are those of this worker, shifted. So the joint density is a mixture of shifts of that of the worker "
        r"alone, with its own intrusion, and distinct.joint\_privacy bounds the ratio. The times of the other "
        r"intrusions do not matter. The whole mechanism, run in fractions, gives this number.",
        "two workers with a cell each, in one level or in two, an intrusion in each at all places among two moments",
        _ratios,
        (r"h(c_1, \ldots, c_K, y) &= \prod_{j \ne k} w_{c_j} \sum_n \pi(n)\, g_k(c_k, y - n)",),
    )


@cache
def _ratios(pair: Pair, total: Fraction) -> tuple[Fraction, ...]:
    noise = least_noise(pair, total)
    looks: tuple[Event, ...] = (Look((0,)), Look((1,)))
    return tuple(
        ratio
        for one in (_one_level, _two_levels)
        for order in (looks, looks[::-1])
        for ratio in Setting(2, (0,), (0, 1), (*order, Output(one))).ratios(2, pair, noise, last=True)
    )


def _one_level(bits: Bits) -> tuple[int, ...]:
    return (sum(bits),)


def _two_levels(bits: Bits) -> tuple[int, ...]:
    return bits


CLAIMS = {"distinct.shards": distinct_shards}
