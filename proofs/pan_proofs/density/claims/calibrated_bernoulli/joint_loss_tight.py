"""The tight joint loss of the state at one intrusion and the output: the theorem on which all others rest."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache, partial
from typing import Any

import sympy as sp

from pan_promises.promise import Adjacency
from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import (
    FIRST,
    SECOND,
    WITH_DELETIONS,
    A,
    B,
    heavy_first,
    largest,
    q1,
    stated_largest,
)
from pan_proofs.density.lemmas.intrusions.one_user import (
    IN_WORDS,
    closed_form,
    ends_suffice,
    geometric_limits,
    laplace_limits,
    likelihoods,
    mixture,
    other_users,
    stated_limits,
    stated_mixture,
    whole_runs,
)
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair, Stream, seen
from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, largest_joint_ratio
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, state_factor
from pan_proofs.density.lemmas.losses.joint_loss_proofs import symmetric_pair
from pan_proofs.density.lemmas.losses.observations import high, low, p0, p1
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import displayed, equal_as
from pan_proofs.ledger.steps import counterexample, enumerated, equal, found, lemma


def joint_loss_tight() -> Claim:
    """The theorem, from the draws of one user's bit to all streams and all users."""
    return Claim(
        id="joint_loss.tight",
        title="The joint loss of state and output",
        references=(Reference("here", "for the mechanism of Algorithms 1 and 2 of the paper, any pair and any noise"),),
        statement=r"Each of $m$ sampled users has a bit, $\operatorname{Bernoulli}(p_0)$ at first and drawn afresh "
        r"from $\operatorname{Bernoulli}(p_1)$ at each appearance, with $0 < p_0 < p_1 < 1$; let $q_i = 1 - p_i$, $A "
        r"= p_1/p_0$, $B = q_0/q_1$. The output is the number of ones plus noise of which the densities one bit "
        r"apart have ratios between $1/r$ and $r > 1$, both taken on sets of positive probability. The sample is seen, "
        r"or all $U = m$ users are in it; the state at one unannounced intrusion and the output are seen. Then the "
        r"privacy loss over all user-level adjacent pairs of streams, all moments of the intrusion, and all events is "
        r"exactly $\log \max\{B (q_1 + p_1 r),\ A (p_1 + q_1 r)\}$. For $p_0 + p_1 \ge 1$ it is $\log B(q_1 + p_1 r)$; "
        r"for the symmetric pair $p_1 = \frac{E}{1+E} = 1 - p_0$ with $E = e^{\varepsilon_1}$ it is $\varepsilon_1 + "
        r"\log\frac{1 + E r}{1 + E}$.",
        notation=(
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
            ("$S$, $S'$", "adjacent streams"),
        ),
        hypotheses=(
            r"$0 < p_0 < p_1 < 1$",
            r"$r > 1$",
            r"the bits, the noise and the sample are independent",
            r"the sample is seen, or $m = U$",
        ),
        silent=(
            r"The intrusion falls at the same place among the other users' updates in both streams, as for streams "
            r"with a common clock. The last part judges the literal reading of the same index.",
            r"The sample does not depend on the stream. If it is hidden, all probabilities are means over it, and what "
            r"is stated is an upper bound (the step on mixtures).",
            r"If the ratios of the noise only approach $1/r$ and $r$, these being the essential bounds, the loss is "
            r"the same supremum, and no event attains it.",
            r"Streams differ in updates of one user. If these may be replaced by another user's, two users differ, and "
            r"the loss is at most twice as large.",
        ),
        in_words=IN_WORDS,
        parts=(_one_user(), _all_users(), _noise(), _special_pairs(), _other_adjacency(), _deletions(), _same_index()),
        remark=r"The events: for the first ratio, the user appears only after the intrusion in the one stream and "
        r"only before it in the other, the seen bit is 0, and the output lies above every count. For the second, the "
        r"user appears before and after in the one stream and never in the other, the seen bit is 1, and the output "
        r"lies below every count. Neither the state nor the output alone tells as much: the two budgets do not add "
        r"up, since what is drawn again after the intrusion is a new secret.",
    )


def _one_user() -> Part:
    source = random.Random(7)
    runs: list[tuple[tuple[Fraction, Fraction], Fraction]] = []
    for _ in range(20):
        before, after = sorted(Fraction(one, 97) for one in source.sample(range(1, 97), 2))
        runs.append(((before, after), 1 + Fraction(source.randint(1, 300), source.randint(20, 100))))
    return Part(
        Role.PUBLISHED,
        "one user, one bit",
        r"For $m = 1$ the largest ratio of the densities of seen bit and output is $\max\{B (q_1 + p_1 r),\ A (p_1 + "
        r"q_1 r)\}$, and it is attained. In the formulas $\mathrm{ratio}_b$ is the ratio at the bit $b$.",
        (
            likelihoods(),
            ends_suffice(),
            *largest(
                Setting("general"),
                "general",
                r"Two of the ratios at $\rho = r$ and $\rho = 1/r$ are these: the bit 0 at $\rho = r$, (none, after) "
                r"against (before, none); and the bit 1 at $\rho = 1/r$, (before, after) against (none, none).",
                (FIRST, SECOND),
                (
                    r"\frac{q_0\,(q_1 + p_1 r)}{q_1} &= B\,(q_1 + p_1 r)",
                    r"\frac{p_1\,(q_1 + p_1/r)}{p_0/r} &= A\,(p_1 + q_1 r)",
                ),
            ),
            enumerated(
                "one_user_runs",
                r"Complete enumeration of patterns, bits and ends of the noise gives the same number.",
                "random rational pairs and rates, every pair of patterns",
                runs,
                lambda run: _largest(*run) == closed_form(*run),
                # The first of the two ratios alone.
                mutant=lambda run: _largest(*run) == _first(*run),
            ),
        ),
        formal=(
            *symbolic(sp.Eq(sp.Symbol("ratio_0"), FIRST), sp.Eq(sp.Symbol("ratio_1"), SECOND)),
            *stated_largest(Setting("general")),
        ),
    )


@cache
def _largest(pair: tuple[Fraction, Fraction], rate: Fraction) -> Fraction:
    return largest_joint_ratio(Cell((pair,), (), 1 / rate, rate))


def _first(pair: tuple[Fraction, Fraction], rate: Fraction) -> Fraction:
    before, after = pair
    return (1 - before) / (1 - after) * (1 - after + after * rate)


def _all_users() -> Part:
    return Part(
        Role.PUBLISHED,
        "all users and all streams",
        r"For every $m$ and every pair of adjacent streams the loss is at most that of one user, and for every $m$ "
        r"some pair attains it.",
        (
            other_users(),
            mixture(),
            displayed(
                _attained(),
                r"h(c, b, y) &= w_c\, g(b, y - n_c)",
            ),
            whole_runs(),
        ),
        formal=stated_mixture(sp.Max(FIRST, SECOND), *Setting("general").hypotheses),
    )


def _attained() -> Step:
    stream = ((1, True), (0, True), None, (0, True))
    distribution = seen(stream, 2, 2, (Fraction(1, 5), Fraction(2, 5)))
    return lemma(
        "attained",
        r"The mixture bound gives $h \le F\,h'$ wherever $g \le F\,g'$. If no other sampled user appears after the "
        r"intrusion, $n_c$, the number of ones in $c$, is what they add, with probability 1: the mixture has one "
        r"term, and the ratio is that of $u$ alone. So nothing is lost, whatever $m$ is.",
        (
            in_every_case(
                "attained.others",
                "in a stream where only user 0 appears after the intrusion, what the others add equals their seen "
                "ones: all states and numbers of ones",
                list(distribution),
                lambda record: record[1] - record[0][1] in (0, 1),
                # The seen bit of user 0 does not stay.
                mutant=lambda record: record[1] - record[0][0] in (0, 1),
            ),
            computed_value(
                "attained.both",
                "the seen bits of the other user",
                lambda: sorted({bits[1] for bits, _ in distribution}),
                [0, 1],
            ),
        ),
    )


def _noise() -> Part:
    return Part(
        Role.PUBLISHED,
        "which noise has these limits",
        r"Laplace noise of scale $s$ has $r = e^{w/s}$, where $w$ is the weight of one bit in the output. Two-sided "
        r"geometric noise $P(N = k) \propto r^{-|k|}$ on the number of ones has $\rho \in \{1/r, r\}$ at every count.",
        (laplace_limits(), geometric_limits()),
        formal=stated_limits(),
    )


_SYMMETRIC = state_factor * (1 + state_factor * limit) / (1 + state_factor)


def _special_pairs() -> Part:
    closed, same_with_deletions, below = symmetric_pair()
    return Part(
        Role.PUBLISHED,
        "heavy and symmetric pairs",
        r"For $p_0 + p_1 \ge 1$ the first ratio is the largest. For the symmetric pair the loss is $\varepsilon_1 + "
        r"\log\frac{1+Er}{1+E}$, which is less than $\varepsilon_1 + \log r$.",
        (
            heavy_first("heavy", r"If $p_0 + p_1 \ge 1$, the second of the two ratios is not larger than the first."),
            equal_as(
                "symmetric",
                r"With $p_1 = \frac{E}{1+E}$, $p_0 = \frac{1}{1+E}$ we have $A = B = E$, and",
                (
                    FIRST.subs({p0: 1 / (1 + state_factor), p1: state_factor / (1 + state_factor)}, simultaneous=True),
                    state_factor * (1 + state_factor * limit) / (1 + state_factor),
                ),
                r"B\,(q_1 + p_1 r) = E \left(\frac{1}{1+E} + \frac{E r}{1+E}\right) &= \frac{E\,(1 + E r)}{1 + E}",
            ),
            lemma(
                "below_the_sum",
                r"The sum of the budgets of the state, $\varepsilon_1$, and of one bit in the output, $\log r$, is "
                r"an upper bound that is never attained.",
                (closed, same_with_deletions, below),
                (r"\frac{E\,(1 + E r)}{1+E} &< E r",),
            ),
        ),
        formal=(
            *symbolic(le(SECOND, FIRST), given=Setting("heavy").hypotheses),
            *symbolic(
                eq(
                    FIRST.subs({p0: 1 / (1 + state_factor), p1: state_factor / (1 + state_factor)}, simultaneous=True),
                    _SYMMETRIC,
                ),
                lt(_SYMMETRIC, state_factor * limit),
                given=Setting("symmetric").hypotheses,
            ),
        ),
    )


def _other_adjacency() -> Part:
    nested, event = (Setting("general", one) for one in (Adjacency.USER_LEVEL_NESTED, Adjacency.EVENT_LEVEL))
    return Part(
        Role.PUBLISHED,
        "narrower adjacency",
        r"If one stream must arise from the other by removing appearances, the loss is the logarithm of the largest "
        r"of $q_1 + p_1 r$, $A(p_1 + q_1 r)$ and $B/(q_1 + p_1/r)$. If a single appearance is added or removed, it "
        r"is that of $A$, $B$, $q_1 + p_1 r$ and $p_1 + q_1 r$.",
        (
            *largest(
                nested,
                "nested",
                r"Of two nested patterns one has an appearance wherever the other has. The maximal ratios are those "
                r"of (none, none) against (before, after) at the bit 0, of (none, after) against (none, none) at the "
                r"bit 0, and of (before, after) against (none, none) at the bit 1.",
                (B / (q1 + p1 / limit), q1 + p1 * limit, SECOND),
                (r"& \frac{B}{q_1 + p_1/r},\quad q_1 + p_1 r,\quad A\,(p_1 + q_1 r)",),
            ),
            *largest(
                event,
                "event",
                r"For a single appearance the patterns differ in one place.",
                (B, q1 + p1 * limit, p1 + q1 * limit, A),
                (r"& B,\quad q_1 + p_1 r,\quad p_1 + q_1 r,\quad A",),
            ),
        ),
        formal=(*stated_largest(nested), *stated_largest(event)),
    )


def _deletions() -> Part:
    return Part(
        Role.PUBLISHED,
        "deletions, and noise with two limits",
        r"If users can be deleted, which draws the bit from $\operatorname{Bernoulli}(p_0)$ again, the loss is the "
        r"logarithm of $\max\{B (q_1 + p_1 r),\ A (p_0 + q_0 r)\}$. Without deletions, and with $\ell \le \rho \le h$ "
        r"instead, $\ell < 1 < h$, it is that of the largest of $B(q_1 + p_1 h)$, $\frac{B}{q_1 + p_1 \ell}$, $A(p_1 + "
        r"q_1/\ell)$ and $\frac{A}{p_1 + q_1/h}$.",
        (
            *largest(
                Setting("general", deletions=True),
                "deleted",
                r"With deletions there are nine patterns: in each stretch the last update counts. Instead of the "
                r"second ratio there is that of (before, deleted) against (none, none).",
                (FIRST, WITH_DELETIONS),
                (r"& B\,(q_1 + p_1 r),\quad A\,(p_0 + q_0 r)",),
            ),
            *largest(
                Setting("general", symmetric_noise=False),
                "two_limits",
                r"If $\rho$ has other limits, four ratios can be the largest.",
                (
                    B / (q1 + p1 * low),
                    B * (q1 + p1 * high),
                    A / (p1 + q1 / high),
                    A * (p1 + q1 / low),
                ),
                (
                    r"& \frac{B}{q_1 + p_1\ell},\quad B\,(q_1 + p_1 h),\quad \frac{A}{p_1 + q_1/h},\quad A\,(p_1 + "
                    r"q_1/\ell)",
                ),
            ),
        ),
        formal=(
            *stated_largest(Setting("general", deletions=True)),
            *stated_largest(Setting("general", symmetric_noise=False)),
        ),
    )


def _same_index() -> Part:
    k, j = sp.symbols("k j", integer=True, positive=True)
    small = [
        equal(f"shifted.{shifted}", "", "", partial(_shifted_ratio, shifted, (p0, p1)), A * B**shifted)
        for shifted in (1, 2)
    ]

    def zeros(chance: sp.Expr) -> sp.Expr:
        return sp.product(1 - chance, (j, 1, k))

    general = equal("general", "", "", lambda: p1 * zeros(p0) / (p0 * zeros(p1)), A * B**k)
    excess, bound = sp.symbols("z K", positive=True)
    ratio = sp.Symbol("R")
    third = Fraction(1, 3)
    example = {p0: sp.Rational(1, 3), p1: sp.Rational(2, 3), limit: sp.Integer(2)}
    return Part(
        Role.READING,
        "intrusions at the same index",
        r"If the intrusion is after the same number of updates in both streams, which need not have the same length, "
        r"the loss has no bound over $m$, with any pair and any noise: with $m$ sampled users it is at least $\log A "
        r"+ (m-1) \log B$. In the formulas $k$ is the number of other users, and $K$ any bound; $R$ is the ratio of "
        r"an example.",
        (
            lemma(
                "shifted",
                r"Let user $u$ appear $k = m - 1$ times in a row at the beginning, or not at all, before the $k$ other "
                r"sampled users appear once each. After $k$ updates the others have not appeared yet in the one "
                r"stream, and all have in the other. The bits are independent. The bit 1 of $u$ and zeros of the "
                r"others are $A B^k$ times as likely; running the mechanism gives the same for $k = 1$ and 2.",
                [one for step in (general, *small) for one in step.obligations],
                lines=(r"\frac{p_1 q_0^k}{p_0 q_1^k} &= A B^k",),
            ),
            found(
                "unbounded",
                r"Since $B > 1$, this tends to infinity with $k$.",
                "the limit of (1 + z)^k for positive z",
                lambda: sp.limit((1 + excess) ** k, k, sp.oo),
                sp.oo,
                engine="sympy",
            ),
            counterexample(
                "exceeds",
                r"With $p_0 = \frac13$, $p_1 = \frac23$, $r = 2$ already two sampled users, $k = 1$, exceed the number "
                r"for one place of the intrusion.",
                le(ratio, sp.Max(FIRST, SECOND)),
                {ratio: lambda: _shifted_ratio(1, (third, 2 * third)), **example},
                lines=(r"A B = 4 &> \tfrac{10}{3} = \max\{B\,(q_1 + p_1 r),\ A\,(p_1 + q_1 r)\}",),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("ratio"), A * B**k)),
            *symbolic(
                gt(A * B**k, bound),
                given=(p0 > 0, p0 < p1, p1 < 1, ge(k * (B - 1), bound)),
            ),
            *symbolic(gt(ratio, sp.Max(FIRST, SECOND)), where=example),
        ),
        holds=False,
        departs="The intrusion falls at the same place among the other users' updates in both streams",
    )


def _shifted_ratio(shifted: int, pair: Pair) -> Any:
    """The likelihood ratio of the bits 1 and then zeros, if user 0 appears first, so that the others come later."""
    users = shifted + 1
    rest: Stream = tuple((user, True) for user in range(1, users))
    longer: Stream = ((0, True),) * shifted + rest
    bits = (1, *(0,) * shifted)
    one, other = (
        sum(weight for (looked, _), weight in seen(stream, shifted, users, pair).items() if looked == bits)
        for stream in (longer, rest)
    )
    return one / other


CLAIMS = {"joint_loss.tight": joint_loss_tight}
