"""Distinct sampling with a level that is fixed before any coin is thrown: what is true near Theorem 5.1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.density.lemmas.distinct_sampling import Distribution, Levels, Sampler, streams
from pan_proofs.density.lemmas.estimate_errors import BITS
from pan_proofs.density.lemmas.published_events import IS_WEIGHT, ONCE_WEIGHED, given_is_large
from pan_proofs.engines.relations import eq, gt, le, lt, ne
from pan_proofs.foundations.distributions import LaplaceDistribution, bernoulli, mean, variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, m, present, scale, t, universe, x
from pan_proofs.ledger.steps import bounded, counterexample, enumerated

members = sp.Symbol("n", positive=True, integer=True)
"""Number of users who qualify."""

PAIR = ((1 - t) / 2, (1 + t) / 2)
"""The probabilities of a member before and after an appearance, for ``t = tanh(epsilon/2)``."""

AT = {t: sp.tanh(epsilon / 2)}
BEFORE, AFTER = (chance.subs(AT) for chance in PAIR)
"""The same in epsilon."""

_OF_N = {m: members}
EXACT, BOUND = (one.subs(_OF_N) for one in (BITS["optimal"].true(present)[3], BITS["optimal"].bound))
"""The mean squared error, and the bound of Theorems 4.2 and 5.2 for n users."""

ETA = epsilon / sp.tanh(epsilon / 2)
"""The weight of one member in the output over the scale of the printed noise."""

_chance, _others = sp.symbols("pi A", nonnegative=True)
_one = sp.Symbol("y", real=True)
_joint = eq(_others * _chance * _one + _others * (1 - _chance) * _one, _others * _one)


PRINTED_WEIGHT = r"\eta = \frac{1}{nt} \cdot n\varepsilon &= \frac{\varepsilon}{\tanh(\varepsilon/2)}"


def output_mean(size: sp.Expr) -> sp.Expr:
    """Mean of the output that divides the number of members by ``size``: of n users ``n d_M`` have appeared."""
    before, after = (mean(bernoulli(chance)) for chance in PAIR)
    return (members * (present * after + (1 - present) * before) / size - PAIR[0]) / t


def output_variance(size: sp.Expr) -> sp.Expr:
    """Variance of the same: independent coins and noise of the printed scale."""
    before, after = (variance(bernoulli(chance)) for chance in PAIR)
    coins = members * (present * after + (1 - present) * before)
    return coins / (size * t) ** 2 + variance(LaplaceDistribution(sp.S.Zero, 1 / (size * epsilon)))


def ratio_steps(if_member: str, if_not: str) -> tuple[Step, Step]:
    """The ratios of the probabilities of being a member, and of not being one, after and before an appearance."""
    gap = r"\tanh(\varepsilon/2)"
    return (
        equal_as(
            "member",
            if_member,
            (AFTER / BEFORE, sp.exp(epsilon)),
            r"\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} = " + rf"\frac{{1 + {gap}}}{{1 - {gap}}} &= e^{{\varepsilon}}",
        ),
        equal_as(
            "absent",
            if_not,
            ((1 - AFTER) / (1 - BEFORE), sp.exp(-epsilon)),
            r"\frac{1 - p_{\mathrm{upd}}}{1 - p_{\mathrm{init}}} = "
            rf"\frac{{1 - {gap}}}{{1 + {gap}}} &= e^{{-\varepsilon}}",
        ),
    )


def weight_step(name: str, text: str, width: sp.Expr, weight: sp.Expr, line: str) -> Step:
    """The step of the output from c members to c + 1, over the scale of the noise."""
    number = sp.Symbol("c", nonnegative=True)
    outputs = [(count / members - PAIR[0]) / t for count in (number, number + 1)]
    return equal_as(name, text, ((outputs[1] - outputs[0]) / width, weight), line)


def unbiased_step() -> Step:
    """The mean is the density of the sampled users."""
    return equal_as(
        "unbiased",
        r"Of the $n$ qualifying users $n\, d(\mathcal{S}_M)$ have appeared. With $p_{\mathrm{init}} = \frac{1-t}{2}$, "
        r"$p_{\mathrm{upd}} = \frac{1+t}{2}$, and noise of mean 0:",
        (output_mean(members), present),
        r"\mathbb{E}[\tilde{d}] &= \frac{1}{t}\left(d(\mathcal{S}_M) \frac{1+t}{2} + (1 - d(\mathcal{S}_M)) "
        r"\frac{1-t}{2} - \frac{1-t}{2}\right)",
        r"&= d(\mathcal{S}_M)",
    )


def mean_square_steps() -> tuple[Step, ...]:
    """Variance, and the bound of Theorems 4.2 and 5.2 for n users."""
    count, gap, budget = sp.symbols("n t e", real=True)  # without assumptions, so that none of the hypotheses vanish
    exact, bound = (sp.expand(one * t**2).xreplace({members: count, t: gap, epsilon: budget}) for one in (EXACT, BOUND))
    return (
        equal_as(
            "variance",
            r"A coin with probability $\frac{1+t}{2}$, or $\frac{1-t}{2}$, has the variance $\frac{1-t^2}{4}$. The $n$ "
            r"coins are independent, and so is the noise, of variance $2/(n\varepsilon)^2$. The output is unbiased, so "
            r"that its mean squared error is its variance.",
            (output_variance(members), EXACT),
            r"\mathbb{E}[(\tilde{d} - d(\mathcal{S}_M))^2] &= \frac{n}{(nt)^2} \cdot \frac{1-t^2}{4} + "
            r"\frac{2}{(n\varepsilon)^2}",
            r"&= \frac{1-t^2}{4nt^2} + \frac{2}{n^2\varepsilon^2}",
        ),
        bounded(
            "bound",
            r"This is less than the bound; both sides are multiplied by $t^2$. The difference is $\frac{1}{4n}$.",
            lt(exact, bound),
            gap > 0,
            gap < 1,
            count >= 1,
            budget > 0,
            lines=r"\frac{1-t^2}{4n} + \frac{2t^2}{n^2\varepsilon^2} &< \frac{1}{4n} + \frac{2t^2}{n^2\varepsilon^2}",
        ),
    )


def fixed_level() -> Claim:
    """Privacy and error for a level that does not depend on the data."""
    return Claim(
        id="distinct_sampling.fixed_level",
        title="Distinct sampling at a level fixed beforehand",
        references=(Reference("here", "what is true near Theorems 5.1 and 5.2 of the paper"),),
        statement=r"Fix a level $\ell$ and draw the hash function before the data are seen; both may be public. Keep "
        r"the members among the $n \ge 1$ users with $\mathrm{hash}(u) \ge \ell$ as Algorithm 3 does, and never "
        r"change the level. Then the state at any time is exactly $\varepsilon$-differentially private at user level, "
        r"for any number of appearances. With $|\mathcal{M}_{DS}|/n$ for the share and noise of scale "
        r"$\frac{1}{n\varepsilon}$ the output is unbiased for $d(\mathcal{S}_M)$, and its mean squared error is below "
        r"$\frac{1}{4nt^2} + \frac{2}{n^2\varepsilon^2}$, $t = \tanh(\varepsilon/2)$. With noise of scale "
        r"$\frac{1}{nt\varepsilon}$ state and output are jointly $2\varepsilon$-pan-private against one intrusion.",
        notation=(
            ("$S$, $S'$", "a stream, and the same stream without one user"),
            ("$b_i$", "coin of the user $i$"),
            (r"$\mathrm{weight}$", "weight of one member in the output, in units of the noise's scale $b$"),
            (r"$\mathcal{M}_{DS}$", "the set of members"),
        ),
        hypotheses=(r"$\varepsilon > 0$", r"$\ell$ and the hash function do not depend on the stream", r"$n \ge 1$"),
        uses=("joint_loss.tight",),
        parts=(
            _distribution(),
            _private(),
            derived(
                Role.PUBLISHED,
                "unbiased given the hash function",
                r"$\mathbb{E}[\tilde{d}] = d(\mathcal{S}_M)$ for each hash function with $n \ge 1$ qualifying users.",
                unbiased_step(),
            ),
            Part(
                Role.PUBLISHED,
                "mean squared error",
                r"The mean squared error does not depend on the stream: it is "
                r"$\frac{1-t^2}{4nt^2} + \frac{2}{n^2\varepsilon^2}$.",
                mean_square_steps(),
                formal=symbolic(eq(sp.Symbol("MSE"), EXACT)),
            ),
            _state_and_output(),
            _with_each_estimator(),
            _printed_noise(),
            _printed_share(),
        ),
        remark=r"Nothing is asked of the hash function: any public set of $n$ users will do. So this is the fixed "
        r"sample of Algorithm 2 with $m = n$, and its joint loss. The level may be chosen from $U$, $m$ and a guess "
        r"of the density, or from the output of another private mechanism, whose loss then has to be added.",
        in_words=(
            (
                "beside_others",
                r"the coins of different users are independent, and the induction goes over the appearances "
                r"of the stream",
            ),
        ),
    )


def _distribution() -> Part:
    return derived(
        Role.PUBLISHED,
        "the distribution of the state",
        r"The users of level at least $\ell$ are members independently of one another: with probability "
        r"$p_{\mathrm{init}}$ before their first appearance, and with probability $p_{\mathrm{upd}}$ after any number "
        r"of appearances. The other users never are. In the formulas $\pi$ is the probability before an appearance, "
        r"and $A$ that of any set of other members: it is multiplied by that of this user, whether a member or not.",
        equal_as(
            "beside_others",
            r"Let a qualifying user be a member with probability $\pi$. At an appearance a member is removed with "
            r"probability $1 - p_{\mathrm{upd}}$, and someone who is none is added with probability "
            r"$p_{\mathrm{upd}}$. This coin is independent of all coins before. Let $y$ be $p_{\mathrm{upd}}$ for "
            r"a member after it, and $1 - p_{\mathrm{upd}}$ for none. If the members were independent before it, "
            r"the probability $A$ of a set of other members is multiplied by $y$, whatever $\pi$ was. So they are "
            r"independent after it, and by induction after each appearance; the level never changes.",
            _joint.args,
            r"A \pi y + A (1 - \pi) y &= A y",
        ),
        _independent(),
    )


def _private() -> Part:
    return derived(
        Role.PUBLISHED,
        "the state is private",
        r"The state, with the hash function, is $\varepsilon$-differentially private at user level, and for no smaller "
        r"$\varepsilon$.",
        *ratio_steps(
            r"Adjacent streams differ in one user, and so do the distributions of the two states, in one factor. "
            r"If that user has appeared in both or in none, or does not qualify, the distributions are equal. "
            r"Otherwise the ratio of the probabilities of a state is the following one, if the user is a member,",
            r"It is this one, if not. Both values and their inverses are attained: the loss is exactly "
            r"$\varepsilon$.",
        ),
        only=("member",),
    )


def _distributions() -> Iterator[tuple[Sampler, Levels, dict[tuple[int, ...], Distribution]]]:
    """For small universes, levels and hash functions, the distribution of the state after each short stream."""
    for users, longest in ((2, 4), (3, 3), (4, 2)):
        for level in range(Sampler(users, 1).width + 1):
            sampler = Sampler(users, 1, fixed_level=level)
            for levels in dict.fromkeys(sampler.hashes):
                every = streams(users, longest)
                yield sampler, levels, {stream: sampler.state_distribution(levels, stream) for stream in every}


def _is_product(distribution: Distribution, level: int, chances: Mapping[int, Fraction]) -> bool:
    """Whether the users who qualify are members independently of one another, with these chances."""
    expected = {}
    for kept in product((False, True), repeat=len(chances)):
        chosen = dict(zip(chances, kept, strict=True))
        state = level, frozenset(user for user, one in chosen.items() if one)
        expected[state] = prod(chances[user] if one else 1 - chances[user] for user, one in chosen.items())
    return {state: chance for state, chance in distribution.items() if chance} == expected


def _independent() -> Step:
    def holds(case: tuple[Sampler, Levels, tuple[int, ...], Distribution], *, appeared: bool) -> bool:
        sampler, levels, stream, distribution = case
        level = sampler.fixed_level or 0
        qualify = (user for user in range(sampler.users) if levels[user] >= level)
        chances = {user: sampler.after if appeared and user in stream else sampler.before for user in qualify}
        return _is_product(distribution, level, chances)

    return enumerated(
        "independent",
        r"So the distribution of the members is a product. Enumeration with $e^\varepsilon = \frac32$, $U = 2, 3, 4$ "
        r"and at most four, three and two appearances, every hash function and every level confirms it; here $p_u = "
        r"p_{\mathrm{upd}}$ if $u$ has appeared, and $p_{\mathrm{init}}$ if not, and $M$ are the qualifying users.",
        "the probability of every set of members is the product, for every U, level, hash function and stream",
        ((sampler, levels, *one) for sampler, levels, states in _distributions() for one in states.items()),
        lambda case: holds(case, appeared=True),
        # An appearance changes nothing.
        mutant=lambda case: holds(case, appeared=False),
        lines=(r"P(\mathcal{M}_{DS} = A) &= \prod_{u \in A} p_u \prod_{u \in M \setminus A} (1 - p_u)",),
    )


def _state_and_output() -> Part:
    value = x * (1 + x**2) / (1 + x)
    return derived(
        Role.PUBLISHED,
        "state and output together",
        r"With noise of scale $\frac{1}{nt\varepsilon}$ the joint loss is $\log \frac{x(x^2+1)}{x+1} < 2\varepsilon$, "
        r"$x = e^\varepsilon$. It does not depend on $n$.",
        weight_step(
            "weight",
            r"One member moves the output by $\frac{1}{nt}$. Over the scale of the noise this is $\varepsilon$, so "
            r"that two densities of the output one member apart have a ratio of at most $r = e^{\varepsilon}$.",
            1 / (members * t * epsilon),
            epsilon,
            r"\frac{1}{nt} \cdot nt\varepsilon &= \varepsilon",
        ),
        bounded(
            "below",
            r"The other users' members are independent of one user's, and may be taken as known. So by "
            r"joint\_loss.tight the largest likelihood ratio of state and output is $\frac{x (1 + x r)}{1 + x}$ "
            r"with $x = e^{\varepsilon}$. With $r = x$ it is below $x^2$, that is, the loss is below "
            r"$2\varepsilon$.",
            lt(value, x**2),
            x > 1,
        ),
        only=("below",),
    )


def _printed_noise() -> Part:
    loss = sp.exp(epsilon) * (1 + sp.exp(epsilon + ETA)) / (1 + sp.exp(epsilon))
    return Part(
        Role.READING,
        "with the noise as printed",
        r"With noise of scale $\frac{1}{n\varepsilon}$ state and output together are not $2\varepsilon$-pan-private.",
        (
            weight_step(
                "printed_weight",
                r"With noise of scale $\frac{1}{n\varepsilon}$, as it is printed, one member's weight over the scale "
                r"is",
                1 / (members * epsilon),
                epsilon / t,
                PRINTED_WEIGHT,
            ),
            given_is_large(
                "printed_noise",
                r"The loss of state and output, the ratio above with $r = e^{\eta}$, exceeds $2\varepsilon$ for every "
                r"$\varepsilon > 0$: divided by $e^\varepsilon$,",
            ),
            counterexample(
                "printed_noise_example",
                r"For instance, for $\varepsilon = \frac12$ and the $\eta$ above,",
                le(loss, sp.exp(2 * epsilon)),
                {epsilon: sp.Rational(1, 2)},
                lines=(r"\frac{x(x e^{\eta} + 1)}{x + 1} = 8.526\ldots &> 2.718\ldots = x^2",),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("weight"), epsilon / t), where=AT),
            *symbolic(gt(sp.exp(epsilon) * ONCE_WEIGHED, sp.exp(2 * epsilon)), given=IS_WEIGHT),
        ),
        holds=False,
        departs=r"With noise of scale $\frac{1}{nt\varepsilon}$ state and output are jointly",
    )


_COINS, _COINS_BOUND = (one.subs(_OF_N) for one in (BITS["dwork"].true(present)[3], BITS["dwork"].bound))
_LAPLACE = 2 * scale**2 / (members * (epsilon * scale) ** 2) + 2 / (members * epsilon) ** 2
_LAPLACE_BOUND = 2 * (members + 1) / (members * epsilon) ** 2
_WITHIN = (le(present, 1), le(epsilon, 2))


def _with_each_estimator() -> Part:
    return derived(
        Role.PUBLISHED,
        "with the cells of each estimator",
        r"The sample does not depend on the stream, so that it takes the place of the fixed sample in each estimator: "
        r"at "
        r"most one cell is that of the user, and the state keeps the budget if the two distributions of a cell do. "
        r"For a fixed "
        r"sample the estimate is unbiased, and the errors of Theorems 3.2, 4.2 and 4.8 hold with $n$ in the place of "
        r"$m$: at most $\frac{2 (2 n + 1)}{n^2 \varepsilon^2}$ for Algorithm 1's bits, that of the part above for the "
        r"optimal ones, and $\frac{2 (n + 1)}{n^2 \varepsilon^2}$ for Laplace cells.",
        bounded(
            "coin_cells",
            r"Algorithm 1's bits have the variances $\frac14$ and $\frac14 - \frac{\varepsilon^2}{16}$, and means "
            r"$\frac\varepsilon4$ apart:",
            le(_COINS, _COINS_BOUND),
            *_WITHIN,
        ),
        equal_as(
            "laplace_cells",
            r"Laplace cells of scale $b$ have the variance $2 b^2$ and means $\varepsilon b$ apart. With Theorem "
            r"4.8's noise:",
            (_LAPLACE, _LAPLACE_BOUND),
            r"\frac{2 b^2}{n (\varepsilon b)^2} + \frac{2}{n^2 \varepsilon^2} &= \frac{2 (n + 1)}{n^2 "
            r"\varepsilon^2}",
        ),
    )


def _printed_share() -> Part:
    guess = sp.Symbol("w", positive=True)  # 2^l
    claimed = eq(output_mean(universe / guess), present)
    values = {universe: 3, guess: 2, members: 1, t: sp.Rational(1, 5), present: 1}
    return Part(
        Role.READING,
        "with the share as printed",
        r"If $U$ is no power of two, dividing by $U/2^\ell$ in place of $n$ is biased, given the hash function. "
        r"In the formula $w = 2^\ell$.",
        (
            counterexample(
                "three_users",
                r"The listing divides by $U/2^\ell$ in place of $n$. For $U = 3$ and $\ell = 1$ either one or two "
                r"users qualify, and $U/2^\ell = \frac32$. Let $e^\varepsilon = \frac32$, so that $t = \frac15$ and "
                r"$p_{\mathrm{upd}} = \frac35$, and let one user qualify and have appeared.",
                claimed,
                values,
                lines=(
                    r"\mathbb{E}[\tilde{d}] = \frac{1}{t}\left(\frac{2}{3} p_{\mathrm{upd}} - "
                    r"p_{\mathrm{init}}\right) &= 0",
                    r"d(\mathcal{S}_M) &= 1",
                ),
            ),
        ),
        formal=symbolic(ne(*claimed.args), where=values),
        holds=False,
        departs=r"With $|\mathcal{M}_{DS}|/n$ for the share",
    )


CLAIMS = {"distinct_sampling.fixed_level": fixed_level}
