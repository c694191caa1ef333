"""Theorem 5.1 of the paper: the privacy of distinct sampling. A level that depends on the data reveals its users."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import cast

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.claims.distinct_sampling.fixed_level import (
    AFTER,
    AT,
    BEFORE,
    ETA,
    PRINTED_WEIGHT,
    members,
    ratio_steps,
    weight_step,
)
from pan_proofs.density.lemmas.distinct_sampling import READINGS, Levels, Sampler, State
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, m, t, universe, x
from pan_proofs.ledger.steps import bounded, compared, counterexample, enumerated, equal, lemma

_before, _after = 1 / (1 + x), x / (1 + x)
_appearances = sp.Symbol("k", integer=True, positive=True)
_half, _BUDGET = sp.Rational(1, 2), sp.Rational(3, 2)
"""``exp(epsilon)`` in the examples is 3/2."""
_IN_RANGE = (gt(x, 1), le(sp.log(x), _half))
"""The range of the theorem for epsilon, with ``x = exp(epsilon)``."""

_START = _before ** (m - 1) * (1 - _before) ** (universe - m + 1)
_SEEN = _START * (1 - _after) ** _appearances
"""The probabilities of the event of the general counterexample without appearances, and after some."""

_Event = Callable[[State], bool]


def ppds_privacy() -> Claim:
    """The theorem, and the sentences of its proof."""
    return Claim(
        id="density.ppds_privacy",
        title="Privacy of pan-private distinct sampling",
        references=(Reference("paper", "Theorem 5.1, section 5.2 and appendix C"),),
        statement=r"If $\varepsilon \le \frac12$, then Algorithm 3 is $2\varepsilon$-pan-private and uses all of its "
        r"budget. In the proof: a user's membership has the ratios "
        r"$p_{\mathrm{upd}}/p_{\mathrm{init}} = e^\varepsilon$ and $(1-p_{\mathrm{upd}})/(1-p_{\mathrm{init}}) = "
        r"e^{-\varepsilon}$; protecting membership also protects against who sees the level $L$; and users who do not "
        r"qualify have perfect privacy.",
        notation=(
            ("$S$, $S'$", "streams with one appearance of $v$, and with none"),
            (r"$\eta$", "largest logarithm of a ratio of two densities of the output"),
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"$m \le U$; otherwise the sample is never full, the level never changes and all users are kept.",
            r"Streams are adjacent if one user's appearances are added or removed; replacing them by another user's is "
            r"judged in a part of its own.",
            r"Fullness is checked once after the turn of a user outside of the sample, as printed. The "
            r"counterexamples hold as well if the check is repeated until there is room.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "one membership, at a fixed level",
                r"If the level is fixed and a user qualifies, the displayed ratios of the probabilities of membership "
                r"hold.",
                ratio_steps(
                    r"A user who qualifies is a member with probability $p_{\mathrm{init}} = \frac12(1 - "
                    r"\tanh(\varepsilon/2))$ before, and with probability $p_{\mathrm{upd}} = \frac12(1 + "
                    r"\tanh(\varepsilon/2))$ after an appearance.",
                    "For the other value the ratio is",
                ),
                formal=symbolic(eq(AFTER / BEFORE, sp.exp(epsilon))),
            ),
            two_users_at_level_zero(),
            no_bound(),
            _seeing_the_level(),
            _output(),
            _appearances_replaced(),
            _one_user(),
            _budget(),
        ),
        nearby="distinct_sampling.fixed_level",
        remark=r"Nor is there approximate privacy with a small $\delta$: the event of the general counterexample "
        r"keeps its probability without appearances, and loses it with many. So $\delta \ge p_{\mathrm{init}}^{m-1} "
        r"(1-p_{\mathrm{init}})^{U-m+1}$ for any $\varepsilon$; for $U = m = 2$ and $e^\varepsilon = \frac32$ this is "
        r"$\frac{6}{25}$. What fails is that the level depends on the data. It must be fixed before, or chosen by a "
        r"private mechanism of its own. (That the hash function, seen alone, reveals nothing is no theorem: it is "
        r"drawn before the stream begins and never changes.)",
    )


def _chance(levels: Levels, stream: tuple[int, ...], event: _Event, given: _Event = lambda _: True) -> sp.Expr:
    """The probability of an event as a formula in x, for as many members as users; all readings share it."""
    found = set()
    for repeated in READINGS:
        # A symbol computes as a fraction does.
        sampler = Sampler(len(levels), len(levels), cast("Fraction", x), repeated)
        states = sampler.state_distribution(levels, stream)
        both, whole = (
            sum(chance for state, chance in states.items() if given(state) and (one or event(state)))
            for one in (False, True)
        )
        found.add(sp.factor(sp.sympify(both / whole)))
    (value,) = found
    return value


def _example(
    name: str,
    text: str,
    chances: Sequence[tuple[sp.Expr, Callable[[], sp.Expr]]],
    broken: Sequence[Relational],
    lines: Sequence[str],
) -> Step:
    """Probabilities as formulas, which the listing gives, and relations between them that are false at ``x = 3/2``."""
    steps = [equal(f"{name}.{number}", "", "", run, stated) for number, (stated, run) in enumerate(chances)]
    steps += [
        counterexample(f"{name}.broken_{number}", "", one, {x: _BUDGET}, _IN_RANGE) for number, one in enumerate(broken)
    ]
    return lemma(name, text, [one for step in steps for one in step.obligations], lines)


def _broken(*claimed: Relational) -> tuple[str, ...]:
    return symbolic(*claimed, given=_IN_RANGE, refuted=True)


def two_users_at_level_zero() -> Part:
    """The example with two users, by hand."""
    chances = [x / (1 + x) ** 2, x / (1 + x) ** 3, x / (1 + x) ** 4]
    claimed = le(chances[0], x**2 * chances[1])
    terms = 1 + _half + sp.Rational(1, 8)
    return Part(
        Role.COUNTEREXAMPLE,
        "two users",
        r"The state alone is not $2\varepsilon$-differentially private, not even for a single appearance. Pan-privacy "
        r"bounds every event of state and output, and so those of the state alone.",
        (
            _example(
                "two_users",
                r"Let $U = m = 2$, so $Q = 1$, and $e^\varepsilon = \frac32$, so $p_{\mathrm{init}} = \frac25$, "
                r"$p_{\mathrm{upd}} = \frac35$. Let the adversary see $L = 0$ and the member $v$ alone. Without "
                r"appearances this means that $v$ was added at first and the other user $u$ was not, $\frac25 \cdot "
                r"\frac35$. If $u$ appears, it means in addition that $u$ was not added then: with both users the "
                r"sample would be full, and $L$ would rise for good. One appearance already breaks $2\varepsilon$:",
                [
                    (chance, partial(_chance, levels, (0,) * count, lambda state: state == (0, frozenset({1}))))
                    for count, chance in enumerate(chances)
                    for levels in ((0, 1), (1, 0))
                ],
                (claimed, le(chances[0], x**2 * chances[2])),
                (
                    r"\frac{P(L = 0,\ \mathcal{M}_{DS} = \{v\} \mid \text{no appearance})}"
                    r"{P(L = 0,\ \mathcal{M}_{DS} = \{v\} \mid \text{one})} = \frac{6/25}{12/125} = \frac52 "
                    r"&> \frac94 = e^{2\varepsilon}",
                ),
            ),
            compared(
                "range",
                r"This $\varepsilon$ is in the range of the theorem: $e^{1/2} > 1 + \frac12 + \frac18 > \frac32$.",
                gt(sp.exp(_half), terms),
                gt(terms, _BUDGET),
                lines=(r"\varepsilon = \log \tfrac32 &< \tfrac12",),
            ),
        ),
        formal=_broken(claimed),
    )


def no_bound() -> Part:
    """The loss of the state exceeds every bound."""
    ratio = eq(_START / _SEEN, (1 + x) ** _appearances)
    return Part(
        Role.COUNTEREXAMPLE,
        "no bound at all",
        r"For all $m \le U$ and all $\varepsilon > 0$ the loss of the state alone exceeds every bound.",
        (
            equal_as(
                "ratio",
                r"Let $m \le U$, $B$ a set of $m - 1$ users, $u$ another one, and $E$ the event that $L = 0$ and "
                r"$\mathcal{M}_{DS} = B$. While $L = 0$ all users qualify, and $L$ never falls. Without appearances "
                r"$E$ means that just those in $B$ were added at first; they are too few to fill the sample. Let $u$ "
                r"appear $k$ times. Were $u$ ever added to $B$, the sample would be full, and $L$ would rise. So $E$ "
                r"means in addition that $u$ was not added $k$ times. With $x = e^\varepsilon$, $p_{\mathrm{init}} = "
                r"\frac{1}{1+x}$ and $p_{\mathrm{upd}} = \frac{x}{1+x}$:",
                ratio.args,
                r"\frac{P(E \mid \text{no appearance})}{P(E \mid k)} = "
                r"\frac{p_{\mathrm{init}}^{m-1} (1-p_{\mathrm{init}})^{U-m+1}}"
                r"{p_{\mathrm{init}}^{m-1} (1-p_{\mathrm{init}})^{U-m+1} (1-p_{\mathrm{upd}})^k} &= (1+x)^k",
            ),
            counterexample(
                "twoappearances_example",
                r"Two appearances already break $2\varepsilon$, since $x^2 < (1+x)^2$; one does if $x^2 < 1 + x$. For "
                r"instance, let $U = m = 2$ and $x = \frac32$. The probability of $E$ is $\frac{6}{25}$ without "
                r"appearances, and $\frac{24}{625}$ with two.",
                le(_START, x**2 * _SEEN),
                {universe: 2, m: 2, _appearances: 2, x: _BUDGET},
                _IN_RANGE,
                lines=(r"\tfrac{6}{25} &> \tfrac94 \cdot \tfrac{24}{625}",),
            ),
        ),
        theorems=("sampling_unbounded", "hashed_unbounded"),
    )


def _replaced() -> Iterator[tuple[Fraction, Fraction, int]]:
    """``P(E)`` after k appearances of some w in B and after k of u, and k; small universes."""
    for users in range(2, 5):
        for size, repeated in product(range(2, users + 1), READINGS):
            sampler = Sampler(users, size, repeated=repeated)
            for levels, count in product(dict.fromkeys(sampler.hashes), (1, 2)):
                own, instead = (sampler.state_distribution(levels, (user,) * count) for user in (0, 1))
                for others in combinations(range(2, users), size - 2):
                    event = (0, frozenset({1, *others}))
                    yield instead[event], own[event], count


def _seeing_the_level() -> Part:
    raised = ((1 + x) ** -2, (1 + x + x**2) / (1 + x) ** 3)
    member = (1 / (2 + x), x * (1 + x) / (2 + 2 * x + x**2))
    rises, differs, joins = le(raised[1], x * raised[0]), eq(*raised), le(member[1], x * member[0])
    events = (lambda state: state[0] == 1, lambda state: state == (1, frozenset({1})))
    return Part(
        Role.COUNTEREXAMPLE,
        "seeing the level",
        r"The level alone reveals more than $e^\varepsilon$ allows; users below the level have no perfect privacy; and "
        r"the ratios of membership are false given the level that is seen.",
        (
            _example(
                "level_alone",
                r"Let $U = m = 2$, $e^\varepsilon = \frac32$; one user has level 0, the other, $w$, level 1. $L = 1$ "
                r"as soon as both were members, and then $w$ is left. Without appearances its probability is $\frac25 "
                r"\cdot \frac25$. With one appearance of the user of level 0 it is $1 - \frac{87}{125}$, see below. So "
                r"the level alone reveals more than $e^\varepsilon$ allows. And at $L = 1$ this user does not qualify, "
                r"and never again will: in $(L, \mathcal{M}_{DS}) = (1, \{w\})$ it has no trace but the level, and yet "
                r"no perfect privacy.",
                [
                    (stated, partial(_chance, (0, 1), (0,) * count, event))
                    for count, stated in enumerate(raised)
                    for event in events
                ],
                (rises, differs),
                (
                    r"\frac{P(L = 1,\ \mathcal{M}_{DS} = \{w\} \mid \text{one})}"
                    r"{P(L = 1,\ \mathcal{M}_{DS} = \{w\} \mid \text{no appearance})} = "
                    r"\frac{38/125}{4/25} = \frac{19}{10} &> \frac32 > 1",
                ),
            ),
            _example(
                "membership",
                r"Nor do the displayed ratios hold if $L$ is fixed by looking at it. Let $U = m = 2$, $e^\varepsilon = "
                r"\frac32$, and consider the user $v$ of level 0. Without appearances $L = 0$ unless both are added, "
                r"and $P(v \in \mathcal{M}_{DS} \mid L = 0) = \frac{6/25}{21/25}$. With one appearance of $v$, $L = 0$ "
                r"if the other user is no member, or is one and $v$ was added neither time, $\frac35 + \frac25 \cdot "
                r"\frac35 \cdot \frac25 = \frac{87}{125}$; in the first case $v$ is a member with probability "
                r"$\frac35$.",
                [
                    (
                        stated,
                        partial(_chance, (1, 0), (1,) * count, lambda state: 1 in state[1], lambda state: not state[0]),
                    )
                    for count, stated in enumerate(member)
                ],
                (joins,),
                (
                    r"\frac{P(v \in \mathcal{M}_{DS}(S) \mid L = 0)}{P(v \in \mathcal{M}_{DS}(S') \mid L = 0)} = "
                    r"\frac{15/29}{2/7} = \frac{105}{58} &> \frac32 = e^\varepsilon",
                ),
            ),
        ),
        formal=_broken(rises, differs, joins),
    )


def _output() -> Part:
    gap = sp.Symbol("t", real=True)
    return Part(
        Role.COUNTEREXAMPLE,
        "the noise of the output",
        r"Given the state, the output is not $\varepsilon$-differentially private, not even at a fixed level.",
        (
            weight_step(
                "weight",
                r"At a fixed level $\ell$ let $n = U/2^\ell$. The output divides by $t = \tanh(\varepsilon/2)$: one "
                r"member moves it by $\frac{1}{nt}$, and not by $\frac1n$, for which the noise of scale "
                r"$\frac{1}{n\varepsilon}$ is made. The largest logarithm $\eta$ of a ratio of two densities is",
                1 / (members * epsilon),
                epsilon / t,
                PRINTED_WEIGHT,
            ),
            bounded(
                "larger",
                r"This exceeds $\varepsilon$, as $t < 1$. (It exceeds 2 for every $\varepsilon$, as $t < "
                r"\varepsilon/2$.)",
                lt(sp.Integer(1), 1 / gap),
                gap > 0,
                gap < 1,
            ),
            counterexample("noise_example", "For instance,", le(ETA, epsilon), {epsilon: _half}, (le(epsilon, _half),)),
        ),
        formal=(*symbolic(eq(sp.Symbol("eta"), epsilon / t), where=AT), *symbolic(gt(ETA, epsilon))),
    )


def _appearances_replaced() -> Part:
    outside = (1 - _before) ** (universe - m + 1)
    instead = _before ** (m - 2) * outside * _after
    ratio = eq(instead / _SEEN, x * (1 + x) ** _appearances)
    return Part(
        Role.READING,
        "appearances replaced",
        r"If streams are adjacent when one user's appearances become another user's, the theorem is false for all "
        r"$2 \le m \le U$.",
        (
            equal_as(
                "replacement_ratio",
                r"Let the appearances of $u$ be those of some $w \in B$ instead, $m \ge 2$. Then $E$ means that the "
                r"other $m - 2$ users in $B$ were added at first, those outside were not, and $w$ is a member after "
                r"the appearances:",
                ratio.args,
                r"\frac{P(E \mid k \text{ times } w)}{P(E \mid k \text{ times } u)} = "
                r"\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}} (1-p_{\mathrm{upd}})^k} &= x(1+x)^k",
            ),
            enumerated(
                "replacement_listed",
                r"Enumeration with $e^\varepsilon = \frac32$, $2 \le m \le U \le 4$, $k \le 2$, every hash function "
                r"and every reading of the listing confirms the ratio.",
                "the ratio is 3/2 (5/2)^k for every 2 <= m <= U <= 4, k, hash function, B and reading",
                _replaced(),
                lambda case: case[0] == case[1] * Fraction(3, 2) * Fraction(5, 2) ** case[2],
                # The ratio without the factor 3/2.
                mutant=lambda case: case[0] == case[1] * Fraction(5, 2) ** case[2],
            ),
            counterexample(
                "replacement_once",
                r"This exceeds $x^2$ for $k = 1$:",
                le(instead, x**2 * _SEEN),
                {universe: 2, m: 2, _appearances: 1, x: _BUDGET},
                _IN_RANGE,
                lines=(r"\tfrac32 \cdot \tfrac52 = \tfrac{15}{4} &> \tfrac94 = e^{2\varepsilon}",),
            ),
        ),
        formal=symbolic(ratio, gt(x * (1 + x), x**2), given=(sp.Ge(m, 2, evaluate=False), ge(universe, m), gt(x, 1))),
        holds=False,
    )


def _one_user() -> Part:
    empty = (x / (1 + x), x / (1 + x) ** 2)
    claimed = le(empty[0], x**2 * empty[1])
    return Part(
        Role.READING,
        "one user",
        r"In the degenerate case $U = m = 1$ the theorem is false as well, by the level alone.",
        (
            _example(
                "one_user",
                r"Let $U = m = 1$ and $e^\varepsilon = \frac32$. Then $Q = 0$; the source has no multiplier for this, "
                r"and every user has level 0. The user is evicted whenever added, so that the sample is always empty "
                r"and membership reveals nothing: all that is learnt, is learnt from the level.",
                [
                    (stated, partial(_chance, (0,), (0,) * count, lambda state: state == (0, frozenset())))
                    for count, stated in enumerate(empty)
                ],
                (claimed, le(1 - empty[1], x * (1 - empty[0]))),
                (
                    r"\frac{P(L = 0 \mid \text{no appearance})}{P(L = 0 \mid \text{one})} = \frac{3/5}{6/25} = \frac52 "
                    r"&> \frac94 = e^{2\varepsilon}",
                    r"\frac{P(L = 1 \mid \text{one})}{P(L = 1 \mid \text{no appearance})} = \frac{19/25}{2/5} = "
                    r"\frac{19}{10} &> \frac32 = e^{\varepsilon}",
                ),
            ),
        ),
        formal=_broken(claimed),
        holds=False,
    )


def _budget() -> Part:
    both = ((1 - BEFORE) / (1 - AFTER), AFTER / BEFORE, sp.exp(epsilon))
    return Part(
        Role.READING,
        "all of the budget, at a fixed level",
        r"At a level fixed beforehand the state uses exactly $\varepsilon$. Where the level depends on the data there "
        r"is no budget of which it could be said.",
        (
            equal_as(
                "exact",
                r"At a level fixed beforehand the state's loss is the larger of the logarithms of "
                r"$p_{\mathrm{upd}}/p_{\mathrm{init}}$ and $(1-p_{\mathrm{init}})/(1-p_{\mathrm{upd}})$, and these are "
                r"both $\varepsilon$.",
                both,
                r"\frac{1-p_{\mathrm{init}}}{1-p_{\mathrm{upd}}} = \frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} &= "
                r"e^\varepsilon",
            ),
        ),
        formal=symbolic(*(eq(one, both[2]) for one in both[:2])),
    )


CLAIMS = {"density.ppds_privacy": ppds_privacy}
