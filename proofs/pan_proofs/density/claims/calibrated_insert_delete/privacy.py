"""The promise of the calibrated estimator with deletions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import largest, stated_largest
from pan_proofs.density.lemmas.intrusions.one_user import (
    ends_suffice,
    geometric_limits,
    likelihoods,
    mixture,
    stated_mixture,
)
from pan_proofs.density.lemmas.intrusions.whole_mechanism import ratios_over_streams
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.density.lemmas.losses.joint_loss_proofs import (
    inversion,
    noise_factor,
    noise_for_total,
    stated_noise_factor,
    total_factor,
)
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, equal, lemma

_E, _r = state_factor, limit
FACTOR = _E * (1 + _E * _r) / (1 + _E)
"""The exponential of the joint loss of the symmetric pair."""


def calibrated_insert_delete() -> Claim:
    """Deletions add nothing to the joint loss of the symmetric pair; the noise for a total."""
    return Claim(
        id="calibrated.insert_delete",
        title="A joint promise with deletions",
        references=(Reference("here", "for the calibrated estimator with insertions and deletions"),),
        statement=r"Let the bits be drawn from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first and at each "
        r"deletion, and from $\operatorname{Bernoulli}(\frac{E}{1+E})$ at each insertion, $E = e^{\varepsilon_1} > "
        r"1$. To the number of ones add noise with $P(N = k) \propto e^{-\eta |k|}$. The joint privacy loss of the "
        r"state at one unannounced intrusion and the output, over streams of insertions and deletions that differ in "
        r"one user, is exactly $\varepsilon_1 + \log\frac{1 + E e^\eta}{1 + E}$, as without deletions. For any $T > "
        r"\varepsilon_1$ it is exactly $T$ if $\eta = \log\left(e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - "
        r"e^{-\varepsilon_1}\right)$.",
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
        ),
        hypotheses=(
            r"$T > \varepsilon_1 > 0$",
            r"the bits, the noise and the sample are independent",
        ),
        silent=(
            r"The intrusion falls at the same place among the other users' updates in both streams.",
            r"Nothing is assumed of the order of a user's insertions and deletions.",
        ),
        uses=("joint_loss.tight",),
        in_words=(
            (
                "monotone",
                r"a quotient that is monotone in $\rho$ is largest at an end of the range of $\rho$",
            ),
            (
                "whole_runs",
                "the bits of other users have one distribution in both streams; so the joint density for many users "
                "is a "
                "mixture of shifts of that of one user",
            ),
        ),
        parts=(_loss(), _users(), _noise()),
        remark=r"For other pairs deletions can cost something: with $p_0 + p_1 < 1$ the ratio $A(p_0 + q_0 r)$ of an "
        r"inserted and then deleted user, seen as 1, can be larger than all ratios without deletions.",
    )


def _loss() -> Part:
    settings = {"with": Setting("symmetric", deletions=True), "without": Setting("symmetric")}
    alike = [equal(f"the_same.{name}", "", "", partial(_only, one), FACTOR) for name, one in settings.items()]
    return Part(
        Role.PUBLISHED,
        "one user",
        r"For one user the largest ratio is $\frac{E (1 + E r)}{1 + E}$, $r = e^\eta$, with deletions and without.",
        (
            likelihoods(),
            _deleted(),
            ends_suffice(),
            *largest(
                Setting("symmetric", deletions=True),
                "deleted",
                r"Patterns now say for each of the two stretches whether the last update is none, an insertion or a "
                r"deletion. The largest of the ratios is that of (none, inserted) against (inserted, none), the bit "
                r"0 and an output above every count; no deletion occurs in it.",
                (FACTOR,),
                (r"\frac{q_0\,(q_1 + p_1 r)}{q_1} &= \frac{E\,(1 + E r)}{1 + E}",),
            ),
            lemma(
                "the_same",
                r"Without deletions the largest ratio is the same: the two patterns that attain it have none, and are "
                r"still there; and no ratio without deletions is missing from those with.",
                (
                    *(one for step in alike for one in step.obligations),
                    computed_value(
                        "the_same.patterns",
                        "the updates in the two patterns of the maximal ratio with deletions",
                        lambda: [
                            [str(update) for update in pattern]
                            for ratio in maximal_ratios(settings["with"])
                            for pattern in (ratio.likelier, ratio.rarer)
                        ],
                        [["none", "insert"], ["insert", "none"]],
                    ),
                ),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("ratio"), FACTOR)),
            *stated_largest(Setting("symmetric", deletions=True)),
        ),
    )


def _only(setting: Setting) -> sp.Expr:
    (ratio,) = maximal_ratios(setting)
    return ratio.value


def _deleted() -> Step:
    rho = sp.Symbol("rho", real=True)
    fraction = _E / (1 + _E)
    after_insertion, after_deletion = 1 - fraction + fraction * rho, fraction + (1 - fraction) * rho
    return at_most(
        "deletion_between",
        r"After a deletion the density over $f(y)$ is $q_0 + p_0\rho$ instead of $q_1 + p_1\rho$. For $\rho \ge 1$ "
        r"it lies between $1$, the density of a seen 0 that is kept, and that after an insertion; for $\rho \le 1$ "
        r"the order is reversed and the same.",
        Inequality(
            "calibrated.deletion_between",
            1 + (after_deletion - 1) * (after_deletion - after_insertion),
            sp.S.One,
            (_E > 1, rho > 0),
            touching={rho: 1},
        ),
        (r"(q_0 + p_0\rho - 1)\,\left(q_0 + p_0\rho - (q_1 + p_1\rho)\right) &\le 0",),
    )


def _stated(odds: Fraction, rate: Fraction) -> Fraction:
    return odds * (1 + odds * rate) / (1 + odds)


@cache
def _ratios(moments: int, users: int, odds: Fraction, rate: Fraction) -> tuple[Fraction, ...]:
    pair = (1 / (1 + odds), odds / (1 + odds))
    return tuple(ratios_over_streams(moments, users, pair, rate, deletions=True))


def _users() -> Part:
    parameters = ((Fraction(3, 2), Fraction(2)), (Fraction(4), Fraction(5, 4)))
    runs = [(*size, *one) for one, size in product(parameters, ((2, 1), (3, 1), (2, 2)))]
    places = "up to 3 moments or 2 users, two rational pairs and rates"
    return Part(
        Role.PUBLISHED,
        "all users and streams",
        r"With any number of users the loss is the same.",
        (
            lemma(
                "whole_runs",
                r"As without deletions, the joint density for many users is a mixture of shifts of that of one user, "
                r"with the same weights for both streams. The whole mechanism, run in fractions on all adjacent "
                r"pairs of short streams of insertions and deletions, gives the stated number.",
                (
                    in_every_case(
                        "whole_runs.pairs",
                        f"no pair of streams with an intrusion exceeds the stated number, {places}",
                        ((ratio, _stated(*run[2:])) for run in runs for ratio in _ratios(*run)),
                        lambda case: case[0] <= case[1],
                        mutant=lambda case: case[0] < case[1],
                    ),
                    in_every_case(
                        "whole_runs.largest",
                        f"the largest ratio of all pairs of streams is the stated number, {places}",
                        runs,
                        lambda run: max(_ratios(*run)) == _stated(*run[2:]),
                        # The sum of the budgets of the state and of one bit in the output.
                        mutant=lambda run: max(_ratios(*run)) == run[2] * run[3],
                    ),
                ),
                lines=(r"h(c, b, y) &= w_c \sum_n \pi_c(n)\, g(b, y - n)",),
            ),
            mixture(),
        ),
        formal=stated_mixture(FACTOR, *Setting("symmetric").hypotheses),
    )


def _noise() -> Part:
    total, state = sp.symbols("T epsilon_1", positive=True)
    stated = sp.exp(total - state) + sp.exp(total - 2 * state) - sp.exp(-state)
    solved = noise_factor().subs({total_factor: sp.exp(total), state_factor: sp.exp(state)}, simultaneous=True)
    return Part(
        Role.PUBLISHED,
        "the noise",
        r"The noise reaches $r = e^\eta$ at every count, and the joint loss is $T$ for the stated $\eta > 0$, which "
        r"exists if and only if $T > \varepsilon_1$.",
        (
            geometric_limits(),
            lemma(
                "inversion",
                r"With $S = e^T$, the equation $\frac{E (1 + E r)}{1 + E} = S$ is linear in $r$. Its solution "
                r"exceeds 1 just if $S > E$.",
                (
                    *inversion(),
                    *equal(
                        "exponentials", "", "", solved, lambda: sp.exp(noise_for_total(total, state)), stated
                    ).obligations,
                ),
                (
                    r"r = \frac{S}{E} + \frac{S}{E^2} - \frac1E &= e^{T-\varepsilon_1} + e^{T-2\varepsilon_1} - "
                    r"e^{-\varepsilon_1}",
                ),
            ),
        ),
        formal=stated_noise_factor(limit, total, state),
    )


CLAIMS = {"calibrated.insert_delete": calibrated_insert_delete}
