"""A lower bound on the mean squared error of any count after an adversary has seen the state."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.optimality.one_more_user import every_number_of_users, with_private_noise
from pan_proofs.density.lemmas.optimality.seen_counts import distance_part
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.linear_expectations import expectation, residual
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import at_most, equal, lemma

_seen, _back, _rest = sp.symbols("y r w", real=True)
_first, _second, _third, _fourth = sp.symbols("a_1 b_1 a_2 b_2", real=True)
_square, _product = sp.symbols("v a", real=True)


def count_lower_bound() -> Claim:
    """The bound, step by step, how far it is from what is known to be possible, and what it needs."""
    return Claim(
        id="pan_private.count_lower_bound",
        title="The least error of a pan-private distinct count",
        references=(
            Reference(
                "here",
                "lower bounds",
                "the papers have upper bounds on the error only; this holds for biased algorithms, states of any "
                "kind, and already for event-level privacy",
            ),
        ),
        statement=r"Let an algorithm count the distinct users among $k$, and let its state at one intrusion satisfy "
        r"$\varepsilon$-differential privacy with respect to one event before it. Then there is a stream on which the "
        r"mean squared error of its output is at least $\frac{k x}{4(1+x)^2} = \frac{k}{16 \cosh^2(\varepsilon/2)}$, "
        r"$x = e^{\varepsilon}$.",
        notation=(
            ("$A$", "a set of users"),
            ("$a_1$, $a_2$; $b_1$, $b_2$", "terms of $A_u$ and of $B_u$"),
            ("$E_r$", "expectation over $r$ alone"),
        ),
        hypotheses=(
            r"$\varepsilon > 0$",
            "the distribution of the state at the time of the intrusion satisfies the budget; nothing is asked of the "
            "output",
            "what happened before the intrusion acts on the output through the state only",
        ),
        silent=(
            "a step of the stream may be empty, or hold an event of a further user who appears in any case",
            "the algorithm does not know beforehand when the intrusion happens, so that every prefix counts",
        ),
        in_words=(
            (
                "coins",
                "after the intrusion the output is a function of the state, of the later stream and of fresh coins",
            ),
            (
                "bessel",
                "the signs are independent and fair, so that they are uncorrelated for every number of users",
            ),
            (
                "others",
                "the distributions of the state for the two values of a user's bit are means over the bits of the "
                "other "
                "users, with the same weights",
            ),
        ),
        parts=(_bound_part(), every_number_of_users(), distance_part(), *with_private_noise()),
        remark=r"User-level adjacency, and joint privacy of state and output, ask for more and are covered. A density "
        r"is the count over $k$: its mean squared error is at least $\frac{1}{16 k \cosh^2(\varepsilon/2)}$.",
    )


def _bound_part() -> Part:
    return Part(
        Role.PUBLISHED,
        "the bound",
        r"Some stream has $E[(F - c)^2] \ge \frac{k x}{4(1+x)^2} = \frac{k}{16\cosh^2(\varepsilon/2)}$, where $F$ is "
        r"the output and $c$ the number of distinct users. The mean over the following random streams is at least "
        r"that: before the intrusion user $u$ appears if $y_u = 1$, after it if $r_u = 1$, all these bits fair and "
        r"independent.",
        (
            _coins(),
            _coefficient(),
            *_bessel(),
            *_posterior(),
            _variance_of_a_bit(),
            _summed(),
            _hyperbolic(),
        ),
        formal=symbolic(
            sp.Implies(
                sp.And(x > 1, _first > 0, _first <= x * _second, _second <= x * _first),
                _first * _second / (_first + _second) ** 2 >= x / (1 + x) ** 2,
            )
        ),
    )


def _coins() -> Step:
    """Averaging over coins that know neither the state's past nor the count does not raise the error."""
    output, count, mean = sp.symbols("F c g", real=True)
    moments = {output: mean, output**2: _square + mean**2}
    step = equal(
        "coins",
        r"After the intrusion everything is a function of the state $s$, of $r$ and of fresh coins. Let $g(s, r)$ be "
        r"the mean of the output over the coins and $v$ its variance. Given $s$, $r$ and $y$ the count $c$ is fixed "
        r"and the coins do not depend on $y$, so that",
        "",
        expectation((output - count) ** 2, (output,), moments),
        (mean - count) ** 2 + _square,
    )
    return replace(step, lines=(r"E[(F - c)^2 \mid s, r, y] &= (g(s, r) - c)^2 + v \ge (g(s, r) - c)^2",))


def _coefficient() -> Step:
    """The coefficient of the count on one user's sign, by going through what this user does; the rest is general."""
    distinct = _seen + _back - _seen * _back
    step = equal(
        "coefficient",
        r"User $u$ is counted if $y_u + r_u - y_u r_u = \max(y_u, r_u)$ is one; let $w$ be the number of the other "
        r"users counted. Put $\rho_u = 1 - 2 r_u$, a fair sign. Averaging over $r_u$ alone,",
        "",
        # The mean over the two values of the bit r.
        lambda: sum(sp.Rational(1, 2) * (1 - 2 * later) * (distinct.subs(_back, later) + _rest) for later in (0, 1)),
        (_seen - 1) / 2,
    )
    table = in_every_case(
        "table",
        "y + r - y r is the maximum of y and r, for all values of the two bits",
        list(product((0, 1), repeat=2)),
        lambda bits: bool(distinct.subs({_seen: bits[0], _back: bits[1]}) == max(bits)),
        mutant=lambda bits: bool((_seen + _back).subs({_seen: bits[0], _back: bits[1]}) == max(bits)),
    )
    return replace(
        step,
        lines=(
            r"E_r[c\,\rho_u] = \sum_{r_u = 0}^{1} \tfrac12 (1 - 2 r_u)(y_u + r_u - y_u r_u + w) &= \frac{y_u - 1}{2}",
        ),
        obligations=(*step.obligations, table),
    )


def _bessel() -> tuple[Step, ...]:
    h, sign, other = sp.symbols("h rho sigma", real=True)

    def kept() -> sp.Expr:
        moments = {h * other: _square, sign * other: sp.S.Zero}
        return expectation((h - _product * sign) * other, (h, sign, other), moments)

    checked = [
        equal("sign_taken_off", "", "", lambda: residual(_square, _product, sp.S.One), _square - _product**2),
        equal("later_sign_kept", "", "", kept, _square),
    ]
    general = lemma(
        "bessel",
        r"Fix $s$ and $y$ and let $h = g - c$ as a function of $r$, with $a_u = E_r[h \rho_u]$. The signs have mean "
        r"square one and are uncorrelated. Taking off $a_u \rho_u$, one user after the other, lowers the mean square "
        r"by $a_u^2$ and changes no later product; what is left is a mean square, so $E_r[h^2] \ge \sum_u a_u^2$.",
        [obligation for step in checked for obligation in step.obligations],
        lines=(
            r"E_r[(h - a_u \rho_u)^2] &= E_r[h^2] - a_u^2",
            r"E_r[(h - a_u \rho_u)\rho_v] &= E_r[h \rho_v] - a_u E_r[\rho_u \rho_v] = E_r[h \rho_v]",
        ),
    )
    small = lemma(
        "bessel_enumerated",
        r"As a check, for up to three users and functions $h$ with general values at all patterns: the difference is "
        r"the sum of the squares of the other coefficients.",
        [obligation for users in (1, 2, 3) for obligation in _parseval(users).obligations],
        lines=(r"E_r[h^2] - \sum_u a_u^2 &= \sum_{|A| \ne 1} E_r\left[h \prod_{u \in A} \rho_u\right]^2",),
    )
    guess = sp.Symbol("gamma", real=True)
    term = equal(
        "term",
        r"With $\gamma_u = E_r[g \rho_u]$, a function of the state alone, and $\hat y_u = 2 \gamma_u + 1$, a term is",
        "",
        (guess - (_seen - 1) / 2) ** 2,
        ((2 * guess + 1) - _seen) ** 2 / 4,
    )
    line = r"a_u^2 = \left(\gamma_u - \frac{y_u - 1}{2}\right)^2 &= \tfrac14 (\hat y_u(s) - y_u)^2"
    return general, small, replace(term, lines=(line,))


def _parseval(users: int) -> Step:
    patterns = list(product((0, 1), repeat=users))
    values = dict(zip(patterns, sp.symbols(f"h_0:{len(patterns)}", real=True), strict=True))

    def coefficient(chosen: tuple[int, ...]) -> sp.Expr:
        signs = {pattern: (-1) ** sum(a * b for a, b in zip(pattern, chosen, strict=True)) for pattern in patterns}
        return sum(value * signs[pattern] for pattern, value in values.items()) / len(patterns)

    mean_square = sum(value**2 for value in values.values()) / len(patterns)
    single = sum(coefficient(chosen) ** 2 for chosen in patterns if sum(chosen) == 1)
    others = sum(coefficient(chosen) ** 2 for chosen in patterns if sum(chosen) != 1)
    return equal(f"bessel_{users}", "", "", mean_square - single, others)


def _posterior() -> tuple[Step, ...]:
    budget = (x > 1, _first > 0, _second > 0, _first <= x * _second, _third <= x * _fourth, _third > 0, _fourth > 0)
    mediant = at_most(
        "others",
        r"Let $A_u$ and $B_u$ be the probabilities (or densities) of $s$ given $y_u = 1$ and given $y_u = 0$. They "
        r"are means over the other users' bits, with the same weights; each pair of terms, $a$ and $b$, belongs to "
        r"two prefixes that differ in one event and keeps the budget. So do the sums, adding one pair of terms after "
        r"the other; this is the bound in one direction, and exchanging 0 and 1 gives the other:",
        Inequality(
            "count_lower_bound.others",
            _first + _third,
            x * (_second + _fourth),
            budget,
            touching={x: 2, _first: 2, _second: 1, _third: 4, _fourth: 2},
        ),
        lines=(r"a_1 + a_2 &\le x\,(b_1 + b_2), \quad \text{hence } A_u \le x B_u \text{ and } B_u \le x A_u",),
    )
    numerator = sp.Rational(1, 2) * _first
    posterior = numerator / (numerator + sp.Rational(1, 2) * _second)
    bayes = equal(
        "bayes",
        r"As $y_u$ is fair, $\pi_u = P(y_u = 1 \mid s)$ has the odds $A_u / B_u$, and the variance of $y_u$ given "
        r"$s$ is",
        "",
        posterior - posterior**2,
        _first * _second / (_first + _second) ** 2,
    )
    best, value = sp.symbols("z q", real=True)
    moments = {_seen: value, _seen**2: value}
    guess = equal(
        "best_guess",
        r"No function of the state guesses $y_u$ with a smaller mean square: for a guess $z$, and as $y_u^2 = y_u$,",
        "",
        expectation((best - _seen) ** 2, (_seen,), moments),
        value * (1 - value) + (best - value) ** 2,
    )
    return (
        mediant,
        replace(bayes, lines=(r"\pi_u (1 - \pi_u) &= \frac{A_u B_u}{(A_u + B_u)^2}",)),
        replace(guess, lines=(r"E[(z - y_u)^2 \mid s] &= \pi_u (1 - \pi_u) + (z - \pi_u)^2",)),
    )


def _variance_of_a_bit() -> Step:
    within = (x > 1, _first > 0, _second > 0, _first <= x * _second, _second <= x * _first)
    value = _first * _second / (_first + _second) ** 2
    bound = at_most(
        "variance_of_a_bit",
        r"By the budget a state leaves at least this much doubt about each user, for the difference of the two sides "
        r"is $(xA_u - B_u)(xB_u - A_u)$ over $(1+x)^2 (A_u + B_u)^2$:",
        Inequality(
            "count_lower_bound.variance_of_a_bit",
            x / (1 + x) ** 2,
            value,
            within,
            touching={x: 2, _first: 2, _second: 1},
        ),
        lines=(r"\frac{x}{(1+x)^2} &\le \frac{A_u B_u}{(A_u + B_u)^2}",),
    )
    certificate = equal(
        "certificate",
        "",
        "",
        (1 + x) ** 2 * (_first + _second) ** 2 * (value - x / (1 + x) ** 2),
        (x * _first - _second) * (x * _second - _first),
    )
    return replace(bound, obligations=(*bound.obligations, *certificate.obligations))


def _summed() -> Step:
    users, total, term = sp.symbols("j T z", real=True)
    doubt = x / (4 * (1 + x) ** 2)
    return at_most(
        "summed",
        r"The proof is an induction over the users. For none the sum is $0$. The step adds one user: if the sum $T$ "
        r"of the terms "
        r"$\frac14 E[(\hat y_u - y_u)^2]$ over $j$ users is at least $j$ times $\frac14 \cdot \frac{x}{(1+x)^2}$, then "
        r"by the doubt about user $j + 1$ the sum over $j + 1$ users is at least $j + 1$ times that. For $j = k$ it "
        r"bounds the mean over all these streams, and the worst stream is no better than the mean.",
        Inequality(
            "count_lower_bound.summed",
            (users + 1) * doubt,
            total + term / 4,
            (x > 1, users >= 0, total >= users * doubt, term >= x / (1 + x) ** 2),
            touching={x: 2, users: 1, total: sp.Rational(1, 18), term: sp.Rational(2, 9)},
        ),
        lines=(r"\frac{(j + 1)\, x}{4 (1+x)^2} &\le T + \tfrac14 E[(\hat y_{j+1} - y_{j+1})^2]",),
    )


def _hyperbolic() -> Step:
    step = equal(
        "hyperbolic",
        r"In terms of $\varepsilon$,",
        "",
        (x / (4 * (1 + x) ** 2)).subs(x, sp.exp(epsilon)),
        1 / (16 * sp.cosh(epsilon / 2) ** 2),
    )
    return replace(step, lines=(r"\frac{x}{4(1+x)^2} &= \frac{1}{16 \cosh^2(\varepsilon/2)}",))


CLAIMS = {"pan_private.count_lower_bound": count_lower_bound}
