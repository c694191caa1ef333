"""Parts of the claim on the best pair: the variance at every density, and the family that was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.losses.sampled_cells import bernoulli_moments, noise
from pan_proofs.density.lemmas.losses.sampled_cells import density as sampled_density
from pan_proofs.density.lemmas.losses.sampled_cells import m as sampled_size
from pan_proofs.density.lemmas.losses.sampled_cells import present as sampled_present
from pan_proofs.density.lemmas.losses.sampled_cells import universe as sampled_universe
from pan_proofs.density.lemmas.optimality.private_pairs import Pair, density_variance, keeps_budget, slacks, tanh_pair
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, m, p_init, p_upd, present, tex, universe, x
from pan_proofs.ledger.steps import at_most, equal, lemma

_v0, _v1 = sp.symbols("v_0 v_1", real=True)
_q_init, _q_upd = 1 - p_init, 1 - p_upd
_gap = p_upd - p_init
_least = x / (x - 1) ** 2
_variance = (present * p_upd * _q_upd + (1 - present) * p_init * _q_init) / _gap**2
_apart = (*keeps_budget(), p_upd > p_init)
_at_tanh = {x: 2, p_init: sp.Rational(1, 3), p_upd: sp.Rational(2, 3)}
_at_mirror = {x: 2, p_init: sp.Rational(2, 3), p_upd: sp.Rational(1, 3)}
_d = sp.Symbol("d", real=True)
_dense = (sp.Ge(_d, 0), sp.Le(_d, 1))


def pinned(
    name: str, text: str, hypotheses: tuple[Relational, ...], pair: Pair, at: Mapping[sp.Symbol, sp.Expr]
) -> Step:
    """The hypotheses leave one pair only: four inequalities, each with its controls."""
    sides = [
        (f"{symbol}_{direction}", *ordered)
        for symbol, value in zip((p_init, p_upd), pair, strict=True)
        for direction, ordered in (("below", (symbol, value)), ("above", (value, symbol)))
    ]
    return lemma(
        name,
        text,
        [
            Inequality(f"tanh_optimality.{name}.{side}", smaller, larger, hypotheses, touching=at).discharge()
            for side, smaller, larger in sides
        ],
        lines=tuple(f"{tex(symbol)} &= {tex(value)}" for symbol, value in zip((p_init, p_upd), pair, strict=True)),
    )


def least_variance_part() -> Part:
    """``V(d) >= x/(x - 1)^2`` for every pair and every density, with equality for one pair."""
    variance = replace(
        equal(
            "variance",
            r"Given the sample, $m d(\mathcal{S}_M)$ bits are $\operatorname{Bernoulli}(p_{\mathrm{upd}})$, the others "
            r"$\operatorname{Bernoulli}(p_{\mathrm{init}})$, all independent. The variance of the density before the "
            r"output's noise, times $m$, is",
            "V",
            density_variance(present),
            _variance,
        ),
        lines=(
            r"V(d) &= \frac{d\,p_{\mathrm{upd}} q_{\mathrm{upd}} + (1-d)\,p_{\mathrm{init}} q_{\mathrm{init}}}"
            r"{(p_{\mathrm{upd}} - p_{\mathrm{init}})^2}, \quad d = d(\mathcal{S}_M), \ q = 1 - p",
        ),
    )
    return Part(
        Role.PUBLISHED,
        "the least variance, at every density",
        r"$V(d) \ge \frac{x}{(x-1)^2} = \frac{1}{4 \sinh^2(\varepsilon/2)}$ for every pair that keeps the budget and "
        r"every $d \in [0, 1]$. If $p_{\mathrm{upd}} > p_{\mathrm{init}}$, equality at a single $d$ gives equality at "
        r"$d = 0$ or $d = 1$. This forces the pair $\frac12(1 \mp \tanh\frac{\varepsilon}{2})$, which has equality at "
        r"every $d$.",
        (variance, *_certificates(), *_ends(), *_all_densities(), *_unique(), *_attained(), _random_sample()),
        formal=symbolic(
            sp.Implies(sp.And(*_apart, *_dense), sp.Ge(_variance.subs(present, _d), _least)),
            *(
                sp.Implies(
                    sp.And(*_apart, sp.Eq(_variance.subs(present, end), _least)),
                    sp.And(*(sp.Eq(one, value) for one, value in zip((p_init, p_upd), tanh_pair, strict=True))),
                    evaluate=False,
                )
                for end in (0, 1)
            ),
            eq(_variance.subs(dict(zip((p_init, p_upd), tanh_pair, strict=True))), _least),
        ),
    )


def _certificates() -> tuple[Step, ...]:
    """The bound at ``d = 0`` and ``d = 1`` as sums of products of slacks."""
    first, second, third, fourth = slacks()
    texts = (
        r"At $d = 0$ a certificate from all four constraints; with their slacks $a = x p_{\mathrm{init}} - "
        r"p_{\mathrm{upd}}$, $a' = x p_{\mathrm{upd}} - p_{\mathrm{init}}$, $b = x q_{\mathrm{upd}} - "
        r"q_{\mathrm{init}}$, $b' = x q_{\mathrm{init}} - q_{\mathrm{upd}}$:",
        r"At $d = 1$ the same with the distributions exchanged.",
    )
    steps = []
    for end, (one, zero), text in (("init", (p_init, _q_init), texts[0]), ("upd", (p_upd, _q_upd), texts[1])):
        step = equal(
            f"certificate_{end}",
            text,
            "",
            one * zero * (x - 1) ** 2 - x * _gap**2,
            zero * first * second + one * third * fourth,
        )
        p, q = rf"p_{{\mathrm{{{end}}}}}", rf"q_{{\mathrm{{{end}}}}}"
        line = (
            rf"{p} {q} (x-1)^2 - x (p_{{\mathrm{{upd}}}} - p_{{\mathrm{{init}}}})^2 &= "
            rf"{q}\, a a' + {p}\, b b' \ge 0"
        )
        steps.append(replace(step, lines=(line,)))
    return tuple(steps)


def _ends() -> tuple[Step, ...]:
    return tuple(
        at_most(
            f"end_{end}",
            text,
            Inequality(
                f"tanh_optimality.end_{end}", x * _gap**2, one * (1 - one) * (x - 1) ** 2, keeps_budget(), touching=at
            ),
        )
        for end, text, one, at in (
            ("init", "So at the end where nobody is present,", p_init, _at_tanh),
            ("upd", "At the end where everybody is present,", p_upd, _at_mirror),
        )
    )


def _all_densities() -> tuple[Step, ...]:
    straight = equal(
        "linear",
        r"$V$ is linear between its ends,",
        "V",
        _variance,
        present * _variance.subs(present, 1) + (1 - present) * _variance.subs(present, 0),
    )
    between = at_most(
        "between",
        r"So a bound on both ends, $v_0$ and $v_1$, bounds it everywhere.",
        Inequality(
            "tanh_optimality.between",
            _least,
            _d * _v1 + (1 - _d) * _v0,
            (x > 1, *_dense, _v0 >= _least, _v1 >= _least),
            touching={x: 2, _v0: 2, _v1: 2, _d: sp.Rational(1, 3)},
        ),
        lines=(r"\frac{x}{(x-1)^2} &\le d\, v_1 + (1 - d)\, v_0",),
    )
    return replace(straight, lines=(r"V(d) &= d\, V(1) + (1 - d)\, V(0)",)), between


def _unique() -> tuple[Step, ...]:
    """Equality at one density gives it at an end, and equality at an end gives the pair."""
    level = sp.Eq(_d * (_v1 - _least) + (1 - _d) * (_v0 - _least), 0)
    both = (x > 1, *_dense, _v0 >= _least, _v1 >= _least, level)
    touching = {x: 2, _v0: 2, _v1: 2, _d: sp.Rational(1, 3)}
    to_ends = lemma(
        "equality_at_an_end",
        r"Equality at some $d < 1$ gives equality at $0$, equality at some $d > 0$ gives equality at $1$: a mean of "
        r"two nonnegative excesses vanishes only if those with positive weight do.",
        [
            Inequality(
                f"tanh_optimality.equality_at_{end}", value, _least, (*both, where), touching=touching
            ).discharge()
            for end, value, where in ((0, _v0, _d < 1), (1, _v1, _d > 0))
        ],
        lines=(
            r"d\,(v_1 - \tfrac{x}{(x-1)^2}) + (1-d)(v_0 - \tfrac{x}{(x-1)^2}) = 0 &\implies "
            r"v_0 = \tfrac{x}{(x-1)^2} \text{ or } d = 1",
        ),
    )
    at_ends = [
        pinned(
            f"equality_at_{end}",
            text,
            (*_apart, sp.Eq(one * (1 - one) * (x - 1) ** 2, x * _gap**2)),
            tanh_pair,
            _at_tanh,
        )
        for end, text, one in (
            (
                "init",
                r"Equality at $d = 0$: both products of slacks vanish. Neither $a = b' = 0$ nor $a' = b = 0$ is "
                r"possible, and $a' = b' = 0$ would make $p_{\mathrm{upd}} < p_{\mathrm{init}}$. So",
                p_init,
            ),
            ("upd", r"Equality at $d = 1$ gives the same.", p_upd),
        )
    ]
    return (to_ends, *at_ends)


def _attained() -> tuple[Step, ...]:
    value = density_variance(present, tanh_pair)
    constant = equal("attained", r"With the $\tanh$ pair $V$ is the same at every density,", "V", value, _least)
    hyperbolic = equal(
        "in_epsilon",
        r"In terms of $\varepsilon$ this is",
        r"\frac{x}{(x-1)^2}",
        _least.subs(x, sp.exp(epsilon)),
        1 / (4 * sp.sinh(epsilon / 2) ** 2),
        (1 / sp.tanh(epsilon / 2) ** 2 - 1) / 4,
    )
    return (
        replace(constant, lines=(r"V(d) &= \frac{x}{(x-1)^2}",)),
        replace(
            hyperbolic,
            lines=(
                r"\frac{x}{(x-1)^2} &= \frac{1}{4\sinh^2(\varepsilon/2)} "
                r"= \frac14\left(\frac{1}{\tanh^2(\varepsilon/2)} - 1\right)",
            ),
        ),
    )


def _random_sample() -> Step:
    """The variance from the sample's own randomness does not depend on the pair."""
    moments = bernoulli_moments()
    names = {
        sampled_size: m,
        sampled_universe: universe,
        sampled_density: present,
        sampled_present: present,
        **dict(zip(moments.parameters, (p_init, p_upd), strict=True)),
    }
    given = moments.variance_fixed_sample.subs(names)
    overall = moments.variance_random_sample.subs(names)
    step = equal(
        "random_sample",
        r"If the sample of $m$ of the $U$ users is itself random, it adds a term without $p_{\mathrm{init}}$ and "
        r"$p_{\mathrm{upd}}$, and the noise of the output, of scale $b$, another: the same pair is the best one.",
        "",
        overall - density_variance(present) / m,
        2 * noise**2 + present * (1 - present) * (universe - m) / (m * (universe - 1)),
    )
    fixed = equal("fixed_sample", "", "", given - density_variance(present) / m, 2 * noise**2)
    return replace(
        step,
        lines=(r"\operatorname{Var}(\tilde d) &= \frac{V(d)}{m} + \frac{d(1-d)}{m} \cdot \frac{U - m}{U - 1} + 2 b^2",),
        obligations=(*step.obligations, *fixed.obligations),
    )
