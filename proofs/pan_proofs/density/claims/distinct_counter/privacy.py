"""The promise of the distinct counter: shared cells lose no more than a cell of one user."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.intrusions.noise_limits import S
from pan_proofs.density.lemmas.intrusions.one_user import mixture, stated_mixture, two_draws
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair
from pan_proofs.density.lemmas.losses.observations import Update, p0, p1
from pan_proofs.density.lemmas.sharing.earlier_copies import Touches, largest_ratio_after_loss, resumed
from pan_proofs.density.lemmas.sharing.least_noise import PAIRS, least_noise, whole_runs
from pan_proofs.density.lemmas.sharing.shared_cells import drawn_in_turn, ratios, sharings
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import enumerated, equal, lemma

_LOSING: tuple[tuple[Pair, Fraction], ...] = (
    ((Fraction(1, 5), Fraction(2, 5)), Fraction(3)),
    ((Fraction(2, 5), Fraction(3, 5)), Fraction(2)),
    ((Fraction(1, 4), Fraction(3, 4)), Fraction(4)),
)
"""The same, for which lost updates cost more than the total."""

_chance = sp.Symbol("c", real=True)
_DRAWS = range(4)
_MOMENTS, _USERS = 2, 3


def distinct_joint_privacy() -> Claim:
    """The joint loss of the bits at an intrusion and of all noisy counts, for every geometry."""
    return Claim(
        id="distinct.joint_privacy",
        title="The promise of the distinct counter",
        references=(Reference("here", "for the distinct counter"),),
        statement=r"Let each user have a fixed cell or none, and each cell a level; users may share cells, and the "
        r"adversary knows all of this. Each bit is drawn from $\operatorname{Bernoulli}(p_{\mathrm{init}})$ at first, "
        r"and at each appearance of a user the bit of the user's cell is drawn afresh from "
        r"$\operatorname{Bernoulli}(p_{\mathrm{upd}})$. At the end the number of ones of each level is released, with "
        r"independent noise of the rates $u$ and $v$ of "
        r"calibrated.joint\_privacy for the total $T$. The joint privacy loss, user-level, of all bits at one "
        r"unannounced intrusion and of the noisy counts of all levels is at most $T$, for every number of users, "
        r"cells and levels. It is exactly $T$ if a user has a cell. The same holds if the bits are replaced by an "
        r"earlier copy that nobody reads, and all updates since the copy are made again.",
        notation=(
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
            (
                "$h$, $g$",
                "joint densities of what is seen for all users, and for the user in whom the streams differ alone",
            ),
            (
                r"$w_c$, $\pi_c(n)$",
                "probability that the bits of the others are seen as $c$, and that they then add $n$",
            ),
            (r"$b$; $y_1, \ldots, y_L$, $y_l$", "seen bit of the cell $j$; outputs of the $L$ levels, and one of them"),
            ("$f$; $k$, $n_k$", "density of the noise; a level, and what other cells add to its count"),
        ),
        hypotheses=(
            r"$0 < p_{\mathrm{init}} < p_{\mathrm{upd}} < 1$, $T > \log\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}}$ and "
            r"$T > \log\frac{1 - p_{\mathrm{init}}}{1 - p_{\mathrm{upd}}}$",
            r"all draws and the noise of all levels are independent",
            r"cells and levels do not depend on the stream",
        ),
        silent=(
            r"The intrusion comes before the output, after which the state is erased.",
            r"The intrusion falls at the same place among the other users' updates in both streams.",
            r"A keyed hash is one fixed choice of the cells. The adversary may know the key.",
            r"If the bits are replaced by an earlier copy and updates since then are lost, the loss can exceed $T$.",
        ),
        uses=("calibrated.joint_privacy",),
        in_words=(
            (
                "words",
                "of any number of draws of one cell, by any users, only the last one before the intrusion and "
                "the last one of all have an influence on what is seen",
            ),
            (
                "whole_runs",
                "the bits of different cells are independent, and the bits of the other cells have one distribution in "
                "both streams; so the joint density is the mixture that is displayed, for every number of "
                "users, cells and levels",
            ),
        ),
        parts=(_one_cell(), _all_cells(), _earlier_copies()),
        remark=r"A user touches one level only, so that the total is not divided among the levels.",
    )


def _one_cell() -> Part:
    chance, before, after = sp.symbols("c x y", real=True)
    forgets = eq(chance * after + (1 - chance) * after, after)
    return Part(
        Role.PUBLISHED,
        "a shared cell",
        r"The distribution of the bit at the intrusion and of the bit at the end depends only on two facts: whether "
        r"any user "
        r"touches the cell before the intrusion, and whether any user does so after it. For each behaviour of the "
        r"others, two streams that differ in one user give two of the four cases of a user alone.",
        (
            equal(
                "forgets",
                r"A draw forgets: if the bit was one with probability $c$, it is one with probability "
                r"$p_{\mathrm{upd}}$ after a draw. Only the last draw before the intrusion, and the last "
                r"draw of all, are left.",
                r"c\,p_{\mathrm{upd}} + (1 - c)\,p_{\mathrm{upd}}",
                lambda: (chance * after + (1 - chance) * after).subs(after, p1),
                p1,
            ),
            enumerated(
                "words",
                r"Up to three draws before the intrusion, and up to three after it, by any users: the joint "
                r"distribution is "
                r"that of one draw in the place of several. Touches of the others are in both streams. So each stream "
                r"is one of the four cases (none, none), (none, after), (before, none), (before, after), whose "
                r"ratios calibrated.joint\_privacy bounds by $e^T$.",
                f"the distribution by all draws is that of the last ones, at {len(PAIRS)} pairs of probabilities",
                product(_DRAWS, _DRAWS, [pair for pair, _ in PAIRS]),
                lambda case: _as_alone(case[:2], case[2], case[0]),
                # The intrusion one draw later.
                mutant=lambda case: _as_alone(case[:2], case[2], min(case[0] + 1, sum(case[:2]))),
            ),
        ),
        formal=symbolic(forgets.subs(before, after)),
    )


def _all_cells() -> Part:
    return Part(
        Role.PUBLISHED,
        "all cells and levels",
        r"With any number of users, cells and levels the loss is at most $T$, and exactly $T$ if a user has a cell.",
        (
            mixture(),
            _whole_runs(),
        ),
        formal=stated_mixture(S, S > 1),
    )


def _whole_runs() -> Step:
    return whole_runs(
        r"Let the streams differ in a user with the cell $j$ of the level $l$. The bits of the other cells, at the "
        r"intrusion and at the end, have the same distribution in both streams, and are independent of the bit of "
        r"$j$. Given "
        r"them, the counts of the other levels have the same distribution, and the count of $l$ is that of $j$ alone, "
        r"shifted "
        r"by $n$. So the joint density is a mixture of shifts of that of one user in a cell. If no other user "
        r"touches $j$, these are all ratios of calibrated.joint\_privacy, and the largest is $e^T$. The whole "
        r"mechanism, run in fractions on short streams with every sharing of two cells, gives this number.",
        f"{_MOMENTS} moments and {_USERS} users, two cells in one level or two",
        _ratios,
        (r"h(c, b, y_1, \ldots, y_L) &= w_c \sum_{n} \pi_c(n)\, g(b, y_l - n_l) \prod_{k \ne l} f(y_k - n_k)",),
    )


def _earlier_copies() -> Part:
    first, second = sp.symbols("a b", real=True)
    return Part(
        Role.PUBLISHED,
        "earlier copies",
        r"If all updates since the copy are made again, the distribution of the bit at the intrusion and of the bit "
        r"in the end "
        r"is one of the four cases of a user alone. If they are lost, the loss can exceed $T$.",
        (
            equal_as(
                "drawn_twice",
                r"Let somebody touch the cell between the copy and the intrusion, and let this be made again. The bit "
                r"of the copy is one with probability $c$. The seen bit and the last bit are then two draws, with "
                r"probabilities $a$ and $b$ of their values, as if a touch came before the intrusion and one after it.",
                (lambda: _chance * first * second + (1 - _chance) * first * second, first * second),
                r"c\,a\,b + (1-c)\,a\,b &= a\,b",
            ),
            enumerated(
                "made_again",
                r"With up to one touch before the copy, two until the intrusion, one until the crash and one after it, "
                r"the joint distribution is that of a user alone.",
                f"the distribution with updates made again is that of one user, at {len(PAIRS)} pairs of probabilities",
                product(product((0, 1), (0, 1, 2), (0, 1), (0, 1)), [pair for pair, _ in PAIRS]),
                lambda case: resumed(*case, repeated=True) == _of_one_user(*case),
                # The updates are lost.
                mutant=lambda case: resumed(*case, repeated=False) == _of_one_user(*case),
            ),
            lemma(
                "lost_updates",
                r"Let the updates between the copy and the intrusion be lost. A bit that is seen after a touch and a "
                r"bit in the end without one have a larger ratio than $e^T$.",
                in_every_case(
                    "lost_updates",
                    f"the largest ratio exceeds the total, at {len(_LOSING)} pairs of probabilities and totals",
                    _LOSING,
                    lambda case: largest_ratio_after_loss(case[0], least_noise(*case)) > case[1],
                    mutant=lambda case: (
                        largest_ratio_after_loss(case[0], least_noise(*case)) > Fraction(21, 20) * case[1]
                    ),
                ),
            ),
        ),
        formal=symbolic(eq(_chance * first * second + (1 - _chance) * first * second, first * second)),
    )


def _of_one_user(touches: Touches, pair: Pair) -> dict[tuple[int, int], Fraction]:
    before, seen, lost, after = touches
    pattern = tuple(Update.INSERT if one else Update.NONE for one in (before + seen, seen + lost + after))
    distribution = {place: chance.subs({p0: pair[0], p1: pair[1]}) for place, chance in two_draws(pattern).items()}
    return {place: Fraction(str(distribution.get(place, 0))) for place in product((0, 1), (0, 1))}


def _as_alone(touches: tuple[int, int], pair: Pair, look: int) -> bool:
    """Whether draws in turn are those of at most one draw before, and at most one after the intrusion."""
    pattern = tuple(Update.INSERT if number else Update.NONE for number in touches)
    alone = {place: chance.subs({p0: pair[0], p1: pair[1]}) for place, chance in two_draws(pattern).items()}
    found = drawn_in_turn(touches, pair, look)
    places = {*alone, *found}
    return all(sp.Rational(found.get(place, Fraction(0))) == alone.get(place, 0) for place in places)


@cache
def _ratios(pair: Pair, total: Fraction) -> tuple[Fraction, ...]:
    noise = least_noise(pair, total)
    return tuple(ratio for sharing in sharings(_USERS) for ratio in ratios(_MOMENTS, _USERS, sharing, pair, noise))


CLAIMS = {"distinct.joint_privacy": distinct_joint_privacy}
