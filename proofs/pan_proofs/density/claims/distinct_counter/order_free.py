"""The bits of the distinct counter depend on the set of users alone, and are independent given it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.density.lemmas.intrusions.whole_mechanism import Bits, Pair, Stream, fresh, run
from pan_proofs.density.lemmas.losses.observations import p1
from pan_proofs.density.lemmas.sharing.shared_cells import Sharing, sharings
from pan_proofs.engines.relations import eq
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import enumerated, equal

_MOMENTS, _USERS = 3, 3
_PAIRS: tuple[Pair, ...] = ((Fraction(1, 5), Fraction(2, 5)), (Fraction(1, 2), Fraction(5, 6)))
_one, _zero = sp.symbols("a b", real=True)


def distinct_order_free() -> Claim:
    """One draw, the draws of other cells, and all short streams."""
    return Claim(
        id="distinct.order_free",
        title="The bits of the distinct counter, given the set of users",
        references=(Reference("here", "for the distinct counter"),),
        statement=r"Let each user have a fixed cell or none; users may share cells. Each bit is drawn from "
        r"$\operatorname{Bernoulli}(p_{\mathrm{init}})$ at first, and at each appearance of a user the bit of the "
        r"user's cell is drawn afresh from $\operatorname{Bernoulli}(p_{\mathrm{upd}})$. Then, after any stream, the "
        r"bits are independent. The bit of a cell that some user of the stream has is "
        r"$\operatorname{Bernoulli}(p_{\mathrm{upd}})$, and every other bit is "
        r"$\operatorname{Bernoulli}(p_{\mathrm{init}})$. So the distribution of all bits depends on the set of users "
        r"alone, and "
        r"neither on their order nor on the number of their appearances.",
        hypotheses=(
            r"$0 \le p_{\mathrm{init}}, p_{\mathrm{upd}} \le 1$",
            "all draws are independent",
            "cells do not depend on the stream",
        ),
        in_words=(
            (
                "whole_runs",
                "a draw is independent of all that was before it, and changes the bit of its cell alone; so the "
                "two facts hold after each moment, and the induction goes over the moments of a stream of any "
                "length",
            ),
        ),
        parts=(_one_draw(), _other_draws()),
        remark=r"This is about one moment. The bits at an intrusion and the bits at a later moment are dependent.",
    )


def _one_draw() -> Part:
    def after_draw() -> sp.Expr:
        return sum(before * p1 for before in (_one, _zero))

    return Part(
        Role.PUBLISHED,
        "a draw",
        r"After a draw the bit is one with probability $p_{\mathrm{upd}}$, independently of everything else.",
        (
            equal(
                "redrawn",
                r"Let $A$ be an event of the other bits. Before the draw let $A$ happen together with a one with "
                r"probability $a$, and together with a zero with probability $b$. After the draw, $A$ and a one have "
                r"the probability",
                "",
                after_draw,
                p1 * (_one + _zero),
            ),
        ),
        formal=symbolic(eq(p1 * _one + p1 * _zero, p1 * (_one + _zero))),
    )


def _other_draws() -> Part:
    chance, event, joint, whole = sp.symbols("p y X Y", real=True)
    weight = sp.Symbol("a", real=True)
    terms = sp.Symbol("n", integer=True, nonnegative=True)
    running = {joint: joint + weight * (chance * event), whole: whole + weight * event}
    relation = eq(joint, chance * whole)
    places = f"all streams of up to {_MOMENTS} moments and {_USERS} users, with every sharing of two cells"
    return Part(
        Role.PUBLISHED,
        "draws of other cells",
        r"A draw of another cell keeps a bit with the probability $p$ of a one, independent of the others, as it is. "
        r"So after any stream the last draw of each cell, or its first value, is left.",
        (
            for_every_length(
                "kept",
                r"An event $A$ of the other bits after a draw among them has a probability $\sum_i a_i y_i$. Here "
                r"$y_i$ are the probabilities of their values before, and $a_i$ those with which a value leads to $A$. "
                r"If a one and the value $i$ had the probability $p\,y_i$, then a one and $A$ have $p$ times the "
                r"probability of $A$, for any number of values.",
                Induction(
                    "order_free.kept",
                    relation,
                    terms,
                    (event, weight),
                    running,
                    ((1, 1), (2, 1)),
                    {chance: sp.Rational(1, 2)},
                ),
                (r"\sum_i a_i\, p\, y_i &= p \sum_i a_i y_i",),
            ),
            enumerated(
                "whole_runs",
                r"By induction over the stream, with the two facts at each moment, all bits are independent with the "
                r"stated distributions. The whole mechanism, run in fractions, gives this distribution.",
                f"the distribution of all bits is the product of the stated distributions, for {places}",
                (
                    (stream, sharing, pair)
                    for moments in range(_MOMENTS + 1)
                    for stream in _streams(moments)
                    for sharing in sharings(_USERS)
                    for pair in _PAIRS
                ),
                lambda case: _distribution(*case) == _product_distribution(case[1], case[2], _appeared(case[0])),
                # Without the user of the last moment.
                mutant=lambda case: (
                    _distribution(*case) == _product_distribution(case[1], case[2], _appeared(case[0][:-1]))
                ),
            ),
        ),
        formal=symbolic(
            relation,
            where={
                joint: sum_over_entries(weight * chance * event, (event, weight), terms),
                whole: sum_over_entries(weight * event, (event, weight), terms),
            },
        ),
    )


def _streams(moments: int) -> Iterable[Stream]:
    return product([None, *((user, True) for user in range(_USERS))], repeat=moments)


def _appeared(stream: Stream) -> frozenset[int]:
    return frozenset(moment[0] for moment in stream if moment is not None)


def _distribution(stream: Stream, sharing: Sharing, pair: Pair) -> dict[Bits, Fraction]:
    return run(fresh(len(sharing.levels), pair), sharing.touched(stream), pair)


def _product_distribution(sharing: Sharing, pair: Pair, users: frozenset[int]) -> dict[Bits, Fraction]:
    """Independent bits, whose distributions the set of users gives."""
    touched = {sharing.cells[user] for user in users}
    chances = [pair[cell in touched] for cell in range(len(sharing.levels))]
    return {
        bits: prod((one if bit else 1 - one for bit, one in zip(bits, chances, strict=True)), start=Fraction(1))
        for bits in product((0, 1), repeat=len(chances))
    }


CLAIMS = {"distinct.order_free": distinct_order_free}
