"""Distinct sampling with a level that is fixed before any coin is thrown: what is true near Theorem 5.1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import Distribution, Levels, Sampler, largest_ratio, streams
from pan_proofs.density.lemmas.hashing.fixed_level import (
    mean_square_steps,
    members,
    membership_steps,
    output_mean,
    pair,
    ratio_steps,
    unbiased_step,
    weight_of_a_member,
)
from pan_proofs.density.lemmas.intrusions.tanh_cells import IS_WEIGHT, ONCE_WEIGHED
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.density.lemmas.losses.joint_loss_proofs import dominance, monotone
from pan_proofs.density.lemmas.losses.published_loss_proofs import optimal_pair_fails
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, present, scale, t, tex, universe, x
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma


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
            (r"$\mathrm{loss}$", "joint loss of state and output"),
            (r"$\mathrm{weight}$", "weight of one member in the output, in units of the noise's scale"),
            (r"$\mathcal{M}_{DS}$", "the set of members"),
        ),
        hypotheses=(r"$\varepsilon > 0$", r"$\ell$ and the hash function do not depend on the stream", r"$n \ge 1$"),
        parts=(
            _distribution(),
            _private(),
            _unbiased(),
            _error(),
            _joint(),
            _with_each_estimator(),
            _printed_noise(),
            _printed_share(),
        ),
        remark=r"Nothing is asked of the hash function: any public set of $n$ users will do. So this is the fixed "
        r"sample of Algorithm 2 with $m = n$, and its joint loss. The level may be chosen from $U$, $m$ and a guess "
        r"of the density, or from the output of another private mechanism, whose loss then has to be added.",
        in_words=(
            (
                "appearances",
                r"the coins of different users are independent, and the induction goes over the appearances "
                r"of the stream",
            ),
            ("largest", r"the joint ratios over all patterns of appearances are those of one user"),
        ),
    )


def _distribution() -> Part:
    return Part(
        Role.PUBLISHED,
        "the distribution of the state",
        r"The users of level at least $\ell$ are members independently of one another: with probability "
        r"$p_{\mathrm{init}}$ before their first appearance, and with probability $p_{\mathrm{upd}}$ after any number "
        r"of appearances. The other users never are. In the formulas $\pi$ is the probability before an appearance, "
        r"and $A$ that of any set of other members: it is multiplied by that of this user, whether a member or not.",
        (*membership_steps(), *_beside_others(), _independent()),
        formal=symbolic(eq(_once, _after), *(eq(*both) for both in _joint_distributions())),
    )


_chance, _others, _after = (
    sp.Symbol("pi", nonnegative=True),
    sp.Symbol("A", nonnegative=True),
    sp.Symbol("p_upd", real=True),
)
_once = _chance * _after + (1 - _chance) * _after


def _joint_distributions() -> tuple[tuple[sp.Expr, sp.Expr], ...]:
    """The probability of other members and of a user who has just appeared, as a member and as none."""
    return tuple(
        (_others * _chance * one + _others * (1 - _chance) * one, _others * one) for one in (_after, 1 - _after)
    )


def _beside_others() -> tuple[Step, ...]:
    names = ("as_a_member", "as_none")
    texts = (
        r"The coin of an appearance is independent of all coins before. So if the members were independent before it, "
        r"the probability $A$ of a set of other members is multiplied by $p_{\mathrm{upd}}$ if the user is a member "
        r"after it,",
        r"The same if the user is none. So they are independent after it, and by induction after each appearance:",
    )
    return tuple(
        equal_as(name, text, both, rf"A \pi {shown} + A (1 - \pi) {shown} &= A {shown}")
        for name, text, both, shown in zip(
            names, texts, _joint_distributions(), (r"p_{\mathrm{upd}}", r"(1 - p_{\mathrm{upd}})"), strict=True
        )
    )


def _private() -> Part:
    before, after = pair(sp.tanh(epsilon / 2))
    member, absent = ratio_steps(
        r"Adjacent streams differ in one user, and so do the distributions of the two states, in one factor. If that "
        r"user has "
        r"appeared in both or in none, or does not qualify, the distributions are equal. Otherwise the ratio of the "
        r"probabilities of a state is the following one, if the user is a member,",
        r"It is this one, if not. Both values and their inverses are attained: the loss is exactly $\varepsilon$.",
    )
    return Part(
        Role.PUBLISHED,
        "the state is private",
        r"The state, with the hash function, is $\varepsilon$-differentially private at user level, and for no smaller "
        r"$\varepsilon$.",
        (member, absent, _listed()),
        formal=symbolic(
            eq(after / before, sp.exp(epsilon)),
            eq((1 - before) / (1 - after), sp.exp(epsilon)),
        ),
    )


def _listed() -> Step:
    budget = Fraction(3, 2)
    return enumerated(
        "enumerated",
        r"All of this is enumerated: $e^\varepsilon = \frac32$, $U = 2, 3, 4$ with at most four, three and two "
        r"appearances; every hash function, level and user, every stream against the same stream without that user.",
        "the largest ratio of two probabilities of a state is 3/2 if the user qualifies and has appeared, and 1 if not",
        _ratios(),
        lambda case: case[0] == (budget if case[1] and case[2] else 1),
        # Also for a user who does not qualify.
        mutant=lambda case: case[0] == (budget if case[2] else 1),
        lines=(r"\max \frac{P(\mathcal{M}_{DS}(S) = A)}{P(\mathcal{M}_{DS}(S') = A)} &= \tfrac32 = e^\varepsilon",),
    )


def _distributions() -> Iterator[tuple[Sampler, Levels, dict[tuple[int, ...], Distribution]]]:
    """For small universes, levels and hash functions, the distribution of the state after each short stream."""
    for users, longest in ((2, 4), (3, 3), (4, 2)):
        for level in range(Sampler(users, 1).width + 1):
            sampler = Sampler(users, 1, fixed_level=level)
            for levels in dict.fromkeys(sampler.hashes):
                yield (
                    sampler,
                    levels,
                    {stream: sampler.state_distribution(levels, stream) for stream in streams(users, longest)},
                )


def _ratios() -> Iterator[tuple[Fraction | None, bool, bool]]:
    """The largest ratio for a stream with a user and without, whether the user qualifies, and whether it appears."""
    for sampler, levels, distributions in _distributions():
        for user, (stream, distribution) in product(range(sampler.users), distributions.items()):
            without = distributions[tuple(one for one in stream if one != user)]
            yield largest_ratio(without, distribution), levels[user] >= (sampler.fixed_level or 0), user in stream


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
        chances = {
            user: sampler.after if appeared and user in stream else sampler.before
            for user in range(sampler.users)
            if levels[user] >= level
        }
        return _is_product(distribution, level, chances)

    return enumerated(
        "independent",
        r"The coins of different users are independent, and at a fixed level no user's membership depends on another's "
        r"coins. So the distribution of the members is a product. Enumeration with $e^\varepsilon = \frac32$, $U = 2, "
        r"3, 4$ and "
        r"at most four, three and two appearances, every hash function and every level confirms it; here "
        r"$p_u = p_{\mathrm{upd}}$ if $u$ has appeared, and $p_{\mathrm{init}}$ if not, and $M$ are "
        r"the qualifying users.",
        "the probability of every set of members is the product, for every U, level, hash function and stream",
        (
            (sampler, levels, *one)
            for sampler, levels, distributions in _distributions()
            for one in distributions.items()
        ),
        lambda case: holds(case, appeared=True),
        # An appearance changes nothing.
        mutant=lambda case: holds(case, appeared=False),
        lines=(r"P(\mathcal{M}_{DS} = A) &= \prod_{u \in A} p_u \prod_{u \in M \setminus A} (1 - p_u)",),
    )


def _unbiased() -> Part:
    return Part(
        Role.PUBLISHED,
        "unbiased given the hash function",
        r"$\mathbb{E}[\tilde{d}] = d(\mathcal{S}_M)$ for each hash function with $n \ge 1$ qualifying users.",
        (unbiased_step(),),
        formal=symbolic(eq(output_mean(members), present)),
    )


def _error() -> Part:
    return Part(
        Role.PUBLISHED,
        "mean squared error",
        r"The mean squared error does not depend on the stream: it is "
        r"$\frac{1-t^2}{4nt^2} + \frac{2}{n^2\varepsilon^2}$.",
        mean_square_steps(),
        formal=symbolic(eq(sp.Symbol("MSE"), (1 - t**2) / (4 * members * t**2) + 2 / (members**2 * epsilon**2))),
    )


def _joint() -> Part:
    noise = equal_as(
        "weight",
        r"One member moves the output by $\frac{1}{nt}$. Over the scale of the noise this is $\varepsilon$, so that "
        r"two densities of the output one member apart have a ratio of at most $e^{\varepsilon}$.",
        (weight_of_a_member(1 / (members * t * epsilon)), epsilon),
        r"\frac{1}{nt} \cdot nt\varepsilon &= \varepsilon",
    )
    (worst,) = maximal_ratios(Setting("symmetric"))
    largest = lemma(
        "largest",
        r"Let $r$ be the largest ratio of two densities of the output one member apart, and $x = e^{\varepsilon}$. Of "
        r"all likelihood ratios of state and output together, for one intrusion and all patterns of appearances "
        r"before and after it, the largest is the following one. (The other users' members are independent of this "
        r"one's, and may be taken as known.)",
        (monotone(), *dominance(Setting("symmetric"))),
        lines=(rf"e^{{\mathrm{{loss}}}} &= {tex(worst.value.subs(state_factor, x))}",),
    )
    value = worst.value.subs({state_factor: x, limit: x})
    below = at_most(
        "below",
        r"With $r = x$ this is below $x^2$, that is, the loss is below $2\varepsilon$.",
        Inequality("fixed_level.joint", value, x**2, (x > 1,), strict=True, touching={x: 1}),
    )
    return Part(
        Role.PUBLISHED,
        "state and output together",
        r"With noise of scale $\frac{1}{nt\varepsilon}$ the joint loss is $\log \frac{x(x^2+1)}{x+1} < 2\varepsilon$, "
        r"$x = e^\varepsilon$. It does not depend on $n$.",
        (noise, largest, below),
        formal=symbolic(lt(value, x**2), given=(x > 1,)),
    )


def _printed_noise() -> Part:
    eta = epsilon / sp.tanh(epsilon / 2)
    weight = equal_as(
        "printed_weight",
        r"With noise of scale $\frac{1}{n\varepsilon}$, as it is printed, one member's weight over the scale is",
        (weight_of_a_member(1 / (members * epsilon), sp.tanh(epsilon / 2)), eta),
        r"\eta = \frac{1}{nt} \cdot n\varepsilon &= \frac{\varepsilon}{\tanh(\varepsilon/2)}",
    )
    fails = lemma(
        "printed_noise",
        r"The loss of state and output, the ratio above with $r = e^{\eta}$, exceeds $2\varepsilon$ for every "
        r"$\varepsilon > 0$.",
        optimal_pair_fails(),
        lines=(r"\frac{x(x e^{\eta} + 1)}{x + 1} &> x^2",),
    )
    (worst,) = maximal_ratios(Setting("symmetric"))
    loss = worst.value.subs({state_factor: sp.exp(epsilon), limit: sp.exp(eta)})
    example = counterexample(
        "printed_noise_example",
        r"For instance, for $\varepsilon = \frac12$ and the $\eta$ above,",
        le(loss, sp.exp(2 * epsilon)),
        {epsilon: sp.Rational(1, 2)},
        lines=(r"\frac{x(x e^{\eta} + 1)}{x + 1} = 8.526\ldots &> 2.718\ldots = x^2",),
    )
    return Part(
        Role.READING,
        "with the noise as printed",
        r"With noise of scale $\frac{1}{n\varepsilon}$ state and output together are not $2\varepsilon$-pan-private.",
        (weight, fails, example),
        formal=(
            *symbolic(eq(sp.Symbol("weight"), eta)),
            *symbolic(gt(sp.exp(epsilon) * ONCE_WEIGHED, sp.exp(2 * epsilon)), given=IS_WEIGHT),
        ),
        holds=False,
        departs=r"With noise of scale $\frac{1}{nt\varepsilon}$ state and output are jointly",
    )


def _cell_error(first: sp.Expr, later: sp.Expr, gap: sp.Expr) -> sp.Expr:
    """The mean squared error for cells with these variances, whose means are this far apart."""
    return (present * later + (1 - present) * first) / (members * gap**2) + 2 / (members * epsilon) ** 2


_quarter = sp.Rational(1, 4)
_COINS = _cell_error(_quarter, _quarter - epsilon**2 / 16, epsilon / 4)
_COINS_BOUND = 2 * (2 * members + 1) / (members * epsilon) ** 2
_LAPLACE_BOUND = 2 * (members + 1) / (members * epsilon) ** 2
_WITHIN = (le(present, 1), le(epsilon, 2))


def _with_each_estimator() -> Part:
    laplace = equal_as(
        "laplace_cells",
        r"Laplace cells of scale $b$ have the variance $2 b^2$ and means $\varepsilon b$ apart. With Theorem 4.8's "
        r"noise:",
        (lambda: sp.simplify(_cell_error(2 * scale**2, 2 * scale**2, epsilon * scale)), _LAPLACE_BOUND),
        r"\frac{2 b^2}{n (\varepsilon b)^2} + \frac{2}{n^2 \varepsilon^2} &= \frac{2 (n + 1)}{n^2 \varepsilon^2}",
    )
    coins = at_most(
        "coin_cells",
        r"Algorithm 1's bits have the variances $\frac14$ and $\frac14 - \frac{\varepsilon^2}{16}$, and means "
        r"$\frac\varepsilon4$ apart:",
        Inequality("fixed_level.coins", _COINS, _COINS_BOUND, _WITHIN, touching={present: 0, epsilon: 1, members: 1}),
    )
    return Part(
        Role.PUBLISHED,
        "with the cells of each estimator",
        r"The sample does not depend on the stream, so that it takes the place of the fixed sample in each estimator: "
        r"at "
        r"most one cell is that of the user, and the state keeps the budget if the two distributions of a cell do. "
        r"For a fixed "
        r"sample the estimate is unbiased, and the errors of Theorems 3.2, 4.2 and 4.8 hold with $n$ in the place of "
        r"$m$: at most $\frac{2 (2 n + 1)}{n^2 \varepsilon^2}$ for Algorithm 1's bits, that of the part above for the "
        r"optimal ones, and $\frac{2 (n + 1)}{n^2 \varepsilon^2}$ for Laplace cells.",
        (coins, laplace),
        formal=(
            *symbolic(le(_COINS, _COINS_BOUND), given=_WITHIN),
            *symbolic(eq(_cell_error(2 * scale**2, 2 * scale**2, epsilon * scale), _LAPLACE_BOUND)),
        ),
    )


def _printed_share() -> Part:
    guess = sp.Symbol("w", positive=True)  # 2^l
    claimed = eq(output_mean(universe / guess), present)
    values = {universe: 3, guess: 2, members: 1, t: sp.Rational(1, 5), present: 1}
    step = counterexample(
        "three_users",
        r"The listing divides by $U/2^\ell$ in place of $n$. For $U = 3$ and $\ell = 1$ either one or two users "
        r"qualify, and $U/2^\ell = \frac32$. Let $e^\varepsilon = \frac32$, so that $t = \frac15$ and "
        r"$p_{\mathrm{upd}} = \frac35$, and let one user qualify and have appeared.",
        claimed,
        values,
        lines=(
            r"\mathbb{E}[\tilde{d}] = \frac{1}{t}\left(\frac{2}{3} p_{\mathrm{upd}} - p_{\mathrm{init}}\right) &= 0",
            r"d(\mathcal{S}_M) &= 1",
        ),
    )
    return Part(
        Role.READING,
        "with the share as printed",
        r"If $U$ is no power of two, dividing by $U/2^\ell$ in place of $n$ is biased, given the hash function. "
        r"In the formula $w = 2^\ell$.",
        (step,),
        formal=symbolic(ne(*claimed.args), where=values),
        holds=False,
        departs=r"With $|\mathcal{M}_{DS}|/n$ for the share",
    )


CLAIMS = {"distinct_sampling.fixed_level": fixed_level}
