"""The promise of the calibrated estimator with several outputs."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from pan_proofs.density.lemmas.intrusions.one_user import geometric_limits, mixture, stated_mixture
from pan_proofs.density.lemmas.intrusions.several_releases import E, enumerated, joint_ratio, r, theorem
from pan_proofs.density.lemmas.intrusions.whole_schedules import ratios_over_plans
from pan_proofs.density.lemmas.losses.cell_enumeration import PhaseEnd
from pan_proofs.density.lemmas.losses.joint_loss import Setting
from pan_proofs.density.lemmas.losses.joint_loss_proofs import inversion, noise_for_total, stated_noise_factor
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, equal, lemma

_outputs = sp.Symbol("R", integer=True, positive=True)


def calibrated_continual_output() -> Claim:
    """The joint loss for every number of outputs, and the noise for a total."""
    return Claim(
        id="calibrated.continual_output",
        title="A joint promise for several outputs",
        references=(Reference("here", "for the calibrated estimator that releases at several public times"),),
        statement=r"Let the bits be drawn from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first and from "
        r"$\operatorname{Bernoulli}(\frac{E}{1+E})$ at each appearance, $E = e^{\varepsilon_1} > 1$. At each of $R "
        r"\ge 1$ public times the number of ones is released with fresh noise, $P(N = k) \propto r^{-|k|}$, $r > 1$. "
        r"The joint privacy loss, user-level, of the state at one unannounced intrusion at any time and of all $R$ "
        r"outputs is exactly $\varepsilon_1 + \log\frac{1 + E r^R}{1 + E}$, for every $R$, with deletions or "
        r"without. For any $T > \varepsilon_1$ it is exactly $T$ if $\log r = \frac{\eta}{R}$, where $\eta = "
        r"\log\left(e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - e^{-\varepsilon_1}\right)$ is the rate for a "
        r"single output.",
        notation=(
            ("$s$", "a segment of the outputs"),
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
            (r"$y_1, \ldots, y_R$", "outputs"),
            ("$L$, $L'$", "likelihoods of all outputs for the two streams"),
        ),
        hypotheses=(
            r"$T > \varepsilon_1 > 0$, $r > 1$",
            r"the bits, the noise of each output and the sample are independent",
            r"the times of the outputs do not depend on the stream",
        ),
        silent=(
            r"Intrusion and outputs fall at the same places among the other users' updates in both streams.",
            r"Only the symmetric pair is treated.",
        ),
        uses=("joint_loss.tight",),
        in_words=(
            (
                "segments",
                "segments between two draws are independent, so that the likelihood of all outputs is a product "
                "over the segments",
            ),
            (
                "mirror",
                "the exchange of 0 and 1 maps the mechanism to itself",
            ),
            (
                "one_stretch",
                "the likelihoods before a look are those of a stretch without a look, times the probability of "
                "the seen bit",
            ),
            (
                "whole_runs",
                "the bits of other users have one distribution in both streams; so the joint density for many users "
                "is a "
                "mixture of shifts of that of one user",
            ),
        ),
        parts=(_loss(), _users(), _noise()),
        remark=r"So a single rate serves for all $R$: that for one output, divided by $R$. The intrusion may also "
        r"come after the last output.",
    )


def _loss() -> Part:
    return Part(
        Role.PUBLISHED,
        "one user, any number of outputs",
        r"For one user, every place of the intrusion among the outputs, and all outputs, two likelihoods have at "
        r"most the ratio $\frac{E (1 + E r^R)}{1 + E}$, and it is attained.",
        (*theorem(), enumerated()),
        formal=symbolic(eq(sp.Symbol("ratio"), joint_ratio(_outputs))),
    )


_ODDS, _RATE = Fraction(3, 2), Fraction(2)


@cache
def _ratios(users: int, schedule: tuple[PhaseEnd, ...], deletions: bool) -> tuple[Fraction, ...]:
    pair = (1 / (1 + _ODDS), _ODDS / (1 + _ODDS))
    return tuple(ratios_over_plans(2, users, schedule, [pair], _RATE, deletions=deletions))


def _users() -> Part:
    look, output = PhaseEnd.LOOK, PhaseEnd.OUTPUT
    runs: tuple[tuple[int, tuple[PhaseEnd, ...], bool], ...] = (
        (1, (look, output, output), False),
        (1, (output, look, output), True),
        (1, (output, output, look), False),
        (2, (look, output, output), False),
    )
    places = "places of the intrusion and two outputs, one or two users, up to 2 moments, at E = 3/2 and r = 2"
    stated = _ODDS * (1 + _ODDS * _RATE**2) / (1 + _ODDS)
    return Part(
        Role.PUBLISHED,
        "all users and streams",
        r"With any number of users the loss is the same.",
        (
            mixture(),
            lemma(
                "whole_runs",
                r"With more users the joint density of what is seen is a mixture of shifts of that of one user: the "
                r"others add $n_1, \ldots, n_R$ to the outputs, with a distribution $\pi_c$ that does not depend on "
                r"$u$ and "
                r"is the same for both streams. Where the others do not appear after the intrusion it has one term. "
                r"The whole mechanism, run in fractions on short streams, gives the stated number.",
                (
                    in_every_case(
                        "whole_runs.pairs",
                        f"no pair of streams exceeds the stated number, {places}",
                        (ratio for run in runs for ratio in _ratios(*run)),
                        lambda ratio: ratio <= stated,
                        mutant=lambda ratio: ratio < stated,
                    ),
                    computed_value(
                        "whole_runs.largest",
                        f"the largest ratio of all pairs of streams, {places}",
                        lambda: max(ratio for run in runs for ratio in _ratios(*run)),
                        Fraction(21, 5),
                    ),
                ),
                lines=(r"h(c, b, y_1, \ldots, y_R) &= w_c \sum_{n} \pi_c(n)\, g(b, y_1 - n_1, \ldots, y_R - n_R)",),
            ),
        ),
        formal=stated_mixture(joint_ratio(_outputs), *Setting("symmetric").hypotheses),
    )


def _noise() -> Part:
    total, state = sp.symbols("T epsilon_1", positive=True)
    stated = sp.exp(total - state) + sp.exp(total - 2 * state) - sp.exp(-state)
    single = equal("single", "", "", lambda: sp.exp(noise_for_total(total, state)), stated)
    power = sp.Symbol("a", positive=True)
    root = equal(
        "root",
        "",
        "",
        lambda: joint_ratio(_outputs).subs(r, power ** (1 / _outputs)),
        E * (1 + E * power) / (1 + E),
    )
    return Part(
        Role.PUBLISHED,
        "the noise",
        r"The noise reaches both ends of the range of $\rho$ at every count of every output. The joint loss is $T$ "
        r"if and only if $r^R = e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - e^{-\varepsilon_1}$.",
        (
            geometric_limits(),
            lemma(
                "inversion",
                r"The joint loss depends on $r^R$ only, as that of a single output depends on $r$. So the solution "
                r"for one output, which exceeds 1 just if $T > \varepsilon_1$, is that for $r^R$.",
                (*inversion(), *single.obligations, *root.obligations),
                (r"r^R &= e^{T-\varepsilon_1} + e^{T-2\varepsilon_1} - e^{-\varepsilon_1}",),
            ),
            _fewer(),
        ),
        formal=stated_noise_factor(power, total, state, eq(r**_outputs, power)),
    )


def _fewer() -> Step:
    one, more = sp.symbols("a b", real=True)
    return at_most(
        "fewer",
        r"Fewer outputs lose less: the loss increases with $r^R$.",
        Inequality(
            "calibrated.fewer_outputs",
            E * (1 + E * one) / (1 + E),
            E * (1 + E * more) / (1 + E),
            (E > 1, one >= 1, more >= one),
            touching={one: 2, more: 2},
        ),
        (r"\frac{E\,(1 + E\, r^k)}{1 + E} &\le \frac{E\,(1 + E\, r^R)}{1 + E} \qquad (k \le R)",),
    )


CLAIMS = {"calibrated.continual_output": calibrated_continual_output}
