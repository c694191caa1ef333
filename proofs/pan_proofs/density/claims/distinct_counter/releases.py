"""The promise of the distinct counter with several public releases."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from pan_proofs.density.lemmas.intrusions.one_user import mixture, stated_mixture
from pan_proofs.density.lemmas.intrusions.several_releases import E, joint_ratio, r
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Bits, Pair
from pan_proofs.density.lemmas.losses.joint_loss import Setting as Symmetric
from pan_proofs.density.lemmas.sharing.shared_cells import Noise
from pan_proofs.density.lemmas.sharing.shared_observations import Event, Look, Output, Setting
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, lemma

_outputs = sp.Symbol("R", integer=True, positive=True)
_ODDS, _RATE = Fraction(3, 2), Fraction(2)
_PAIR: Pair = (1 / (1 + _ODDS), _ODDS / (1 + _ODDS))


def distinct_releases() -> Claim:
    """Shared cells and levels, with any number of releases."""
    return Claim(
        id="distinct.releases",
        title="The promise of the distinct counter with several releases",
        references=(Reference("here", "for the distinct counter"),),
        statement=r"Let each user have a fixed cell or none, and each cell a level; users may share cells, and the "
        r"adversary knows all of this. Each bit is drawn from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first, and "
        r"at each appearance of a user the bit of the user's cell is drawn afresh from "
        r"$\operatorname{Bernoulli}(\frac{E}{1+E})$, $E = e^{\varepsilon_1} > 1$. At each of $R$ public times the "
        r"number of ones of each level is released with fresh noise, $P(N = k) \propto r^{-|k|}$, $r > 1$. The joint "
        r"privacy loss, user-level, of all bits at one unannounced intrusion at any time and of all counts of all "
        r"releases is at most $\varepsilon_1 + \log\frac{1 + E r^R}{1 + E}$, for every $R$ and every geometry, and "
        r"exactly this if a user has a cell.",
        hypotheses=(
            r"$\varepsilon_1 > 0$, $r > 1$",
            "all draws and all noise are independent",
            "cells, levels and the times of the releases do not depend on the stream",
        ),
        notation=(
            (
                "$a$, $b$, $p$",
                "where a draw forgets: probabilities of the two values of a bit before a draw, and the probability "
                "that the draw gives the value that is looked at",
            ),
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
            (
                "$h$, $g$",
                "joint densities of what is seen of all cells, and of the cell $j$ alone",
            ),
            ("$c$, $b$", "what is seen at the intrusion: the bits of the other cells, and that of $j$"),
            (
                r"$y_{i,k}$, $n_{i,k}$",
                "released count of the level $k$ at the release $i$, and the ones that other cells than $j$ add to it",
            ),
            (
                r"$w_c$, $\pi_c(n)$; $f$",
                "probability that the bits of the other cells are seen as $c$, and that they then add $n$; "
                "distribution of the "
                "noise",
            ),
            ("$k$", "in the last part: number of releases that are made"),
        ),
        silent=(
            r"Intrusion and releases fall at the same places among the other users' updates in both streams.",
            r"After the last release the state is erased, or the intrusion comes later and is counted as the one.",
        ),
        uses=("calibrated.continual_output", "distinct.joint_privacy"),
        in_words=(
            (
                "one_cell_runs",
                "of any number of draws of one cell between two neighbours, by any users, only the last one has "
                "an influence on what is seen, for every number of releases",
            ),
            (
                "whole_runs",
                "the bits of different cells are independent, and the bits of the other cells have one distribution in "
                "both streams; so the joint density is the mixture that is displayed, for every number of "
                "users, cells, levels and releases",
            ),
        ),
        parts=(_one_cell(), _all_cells(), _noise()),
        remark=r"The noise for a total $T$ is that of one release with its rate divided by $R$. Panes that keep their "
        r"bits and release again are such releases. Panes with fresh bits are counters of their own, and a user who "
        r"appears in several of them loses the sum, as two releases of two states.",
    )


def _one_cell() -> Part:
    early, late, drawn = sp.symbols("a b p", real=True)
    return Part(
        Role.PUBLISHED,
        "a shared cell",
        r"Between two neighbours among the intrusion and the releases, only one fact matters for the bit: whether "
        r"anybody touches the cell there. So two streams that differ in one user give two of the patterns of a user "
        r"alone, whose ratios calibrated.continual\_output bounds.",
        (
            equal_as(
                "forgets",
                r"A draw forgets: of several draws between two neighbours the last is left, by whomever.",
                (lambda: early * drawn + late * drawn, drawn * (early + late)),
                r"a\,p + b\,p &= (a + b)\,p",
            ),
            lemma(
                "one_cell_runs",
                r"One cell that others touch as well, two releases and one intrusion, run in fractions.",
                (
                    in_every_case(
                        "one_cell_runs.pairs",
                        "no pair of streams exceeds the stated number, with all places of two releases and an "
                        "intrusion among two moments, at E = 3/2 and r = 2",
                        _ratios(((0,),)),
                        lambda ratio: ratio <= _stated(2),
                        mutant=lambda ratio: ratio <= _stated(1),
                    ),
                ),
            ),
        ),
        formal=symbolic(eq(early * drawn + late * drawn, drawn * (early + late))),
    )


def _all_cells() -> Part:
    return Part(
        Role.PUBLISHED,
        "all cells, levels and releases",
        r"With any number of users, cells and levels the loss is at most the stated one, and exactly this if a user "
        r"has a cell.",
        (mixture(), _whole_runs()),
        formal=stated_mixture(joint_ratio(_outputs), *Symmetric("symmetric").hypotheses),
    )


def _whole_runs() -> Step:
    places = "all places of two releases and an intrusion among two moments, two cells, at E = 3/2 and r = 2"
    levels = (((0,), (1,)), ((0, 1),))
    return lemma(
        "whole_runs",
        r"Let the streams differ in a user with the cell $j$ of the level $l$. The other bits have one distribution "
        r"in both "
        r"streams, and are independent of the bit of $j$. Given them, the releases of the other levels have one "
        r"distribution, "
        r"and those of $l$ are those of $j$ alone, shifted by numbers $n_1, \ldots, n_R$. So the joint density is a "
        r"mixture of shifts of that of one cell. If no other user touches $j$, the largest ratio is that of a user "
        r"alone. The whole mechanism, run in fractions, gives this number.",
        (
            in_every_case(
                "whole_runs.pairs",
                f"no pair of streams exceeds the stated number, {places}, in one level or in two",
                (ratio for one in levels for ratio in _ratios(one)),
                lambda ratio: ratio <= _stated(2),
                mutant=lambda ratio: ratio < _stated(2),
            ),
            computed_value(
                "whole_runs.largest",
                f"the largest ratio of all pairs of streams, {places}",
                lambda: [max(_ratios(one)) for one in levels],
                [Fraction(21, 5)] * 2,
            ),
        ),
        lines=(
            r"h(c, b, y) &= w_c \sum_{n} \pi_c(n)\, g(b, y_{1,l} - n_{1,l}, \ldots, y_{R,l} - n_{R,l}) "
            r"\prod_{k \ne l} \prod_i f(y_{i,k} - n_{i,k})",
        ),
    )


def _stated(outputs: int) -> Fraction:
    return _ODDS * (1 + _ODDS * _RATE**outputs) / (1 + _ODDS)


@cache
def _ratios(levels: tuple[tuple[int, ...], ...]) -> tuple[Fraction, ...]:
    cells = sum(map(len, levels))

    def counts(bits: Bits) -> tuple[int, ...]:
        return tuple(sum(bits[cell] for cell in level) for level in levels)

    look, output = Look(tuple(range(cells))), Output(counts)
    schedules: tuple[tuple[Event, ...], ...] = ((look, output, output), (output, look, output))
    noise = Noise(1 / _RATE, 1 / _RATE)
    return tuple(
        ratio
        for schedule in schedules
        for ratio in Setting(cells, (0,), tuple(range(cells)), schedule).ratios(2, _PAIR, noise)
    )


def _noise() -> Part:
    one, more = sp.symbols("a b", real=True)
    within = (E > 1, one >= 1, more >= one)
    smaller, larger = (E * (1 + E * power) / (1 + E) for power in (one, more))
    return Part(
        Role.PUBLISHED,
        "fewer releases",
        r"If fewer than $R$ releases are made, the loss is smaller.",
        (
            at_most(
                "fewer",
                r"The loss increases with $r^R$.",
                Inequality("distinct_releases.fewer", smaller, larger, within, touching={one: 2, more: 2}),
                (r"\frac{E\,(1 + E\, r^k)}{1 + E} &\le \frac{E\,(1 + E\, r^R)}{1 + E} \qquad (k \le R)",),
            ),
            equal_as(
                "one_release",
                r"For one release it is that of the symmetric pair in distinct.joint\_privacy.",
                (lambda: joint_ratio(sp.S.One), E * (1 + E * r) / (1 + E)),
                r"R = 1:\quad &\frac{E\,(1 + E\, r)}{1 + E}",
            ),
        ),
        formal=symbolic(le(smaller, larger), given=within),
    )


CLAIMS = {"distinct.releases": distinct_releases}
