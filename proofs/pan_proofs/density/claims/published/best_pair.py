"""Section 4.2 of the paper: which pair of Bernoulli distributions is best for a given budget, among all pairs."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.private_pairs import (
    density_variance,
    keeps_budget,
    mirrored_pair,
    slacks,
    tanh_pair,
)
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, p_init, p_upd, present, t, x
from pan_proofs.ledger.steps import bounded, counterexample, equal, lemma

_c = sp.Symbol("c", positive=True)
_s, _r = sp.symbols("s r", real=True)
_LARGEST = (x - 1) / (x + 1)
_HALF = sp.Rational(1, 2)


def tanh_optimality() -> Claim:
    """The largest gap, and the least variance at every density, each for one pair only."""
    return Claim(
        id="density.tanh_optimality",
        title="The best pair of Bernoulli distributions for a budget",
        references=(
            Reference("paper", "section 4.2", r"for the difference only, with $c$ fixed, among the pairs $c \mp y$"),
            Reference("thesis", "section 4.3.2", "the same argument"),
            Reference("here", "the best pair", "among all pairs; the variance at every density; uniqueness"),
        ),
        statement=r"The sources: for a fixed $c$, among the pairs $p_{\mathrm{init}} = c - y$, $p_{\mathrm{upd}} = c "
        r"+ y$ that satisfy $\varepsilon$-differential privacy, the one with $y = c \tanh\frac{\varepsilon}{2}$ has "
        r"the largest difference. Here, and stronger: among all pairs of parameters with $p_{\mathrm{upd}} > "
        r"p_{\mathrm{init}}$ that satisfy $\varepsilon$-differential privacy, $p_{\mathrm{init}} = \frac12(1 - "
        r"\tanh\frac{\varepsilon}{2})$, $p_{\mathrm{upd}} = \frac12(1 + \tanh\frac{\varepsilon}{2})$ alone has the "
        r"largest difference, and alone gives the least variance of the estimator at every density.",
        notation=(("$V_c$", r"the variance $V$ for the pair $c\,(1 \mp t)$, $t = \tanh\frac\varepsilon2$"),),
        hypotheses=(
            r"$\varepsilon > 0$ (no upper limit is needed), $x = e^{\varepsilon}$",
            r"$e^{-\varepsilon} \le f_{\mathrm{upd}}(b)/f_{\mathrm{init}}(b) \le e^{\varepsilon}$ for $b = 0, 1$",
            r"for the statement of the sources: $0 < c \le \frac12$, as in Algorithm 2, where $c = \frac12$",
        ),
        silent=(
            r"$c \le \frac12$: for larger $c$ the pair of the sources does not keep the budget (a part below, and "
            r"density.bernoulli\_family)",
            r"without $p_{\mathrm{upd}} > p_{\mathrm{init}}$ the mirrored pair is as good; it is judged in a part of "
            r"its own",
            "the estimator is the unbiased one that is linear in the number of ones",
            "the bits of different users are independent",
            "the variance is that for a fixed sample; a random one adds a term that no pair changes",
            "the scale of the output's noise does not grow with the difference of the parameters",
        ),
        parts=(_fixed_centre(), _region(), _gap(), _variance(), _mirrored(), _small_c(), _large_c()),
        remark=r"Two of the four constraints decide the difference, all four the variance. The pairs that keep the "
        r"budget form a parallelogram; the best pair is one of its two vertices off the diagonal, and the other one is "
        r"its mirror image. Whether the choice of $c$ matters is judged in density.bernoulli\_family.",
    )


def _fixed_centre() -> Part:
    centre, offset = sp.symbols("c y", real=True)
    bound = _LARGEST * centre
    within = (*keeps_budget((centre - offset, centre + offset)), centre > 0)
    values = (sp.S.Zero, 2 * centre * (x - 1), (x - 1) * (1 - 2 * centre), x - 1)
    return Part(
        Role.PUBLISHED,
        "the largest difference, for a fixed c",
        r"Let $0 < c \le \frac12$. Among the pairs $c - y$, $c + y$ that keep the budget the largest difference $2y$ "
        r"is that of $y = c \tanh\frac{\varepsilon}{2}$.",
        (
            bounded(
                "largest_offset",
                r"Let $c - y$, $c + y$ keep the budget. The outcome $1$ asks for $c + y \le x (c - y)$, and so",
                le(offset, bound),
                *within,
                lines=r"y &\le c\,\frac{x-1}{x+1} = c \tanh\frac{\varepsilon}{2}",
            ),
            *(
                equal(f"slack_{number}", r"With equality a slack is, for $c \le \frac12$ not negative,", "", one, value)
                for number, (one, value) in enumerate(
                    zip(slacks((centre - bound, centre + bound)), values, strict=True)
                )
            ),
        ),
        formal=symbolic(sp.Implies(sp.And(*within), sp.Le(2 * offset, 2 * bound), evaluate=False))
        + symbolic(
            sp.And(*(ge(one, 0) for one in slacks((centre - bound, centre + bound)))),
            given=(sp.Gt(x, 1), sp.Gt(centre, 0), sp.Le(centre, _HALF)),
        ),
    )


def _region() -> Part:
    upper, lower = tanh_pair, mirrored_pair
    point = (_s * upper[0] + _r * lower[0], _s * upper[1] + _r * lower[1])
    checked = [
        equal(f"coordinates.{number}", "", "", slack, (x - 1) * value)
        for number, (slack, value) in enumerate(zip(slacks(point), (_r, _s, 1 - _s, 1 - _r), strict=True))
    ]
    return Part(
        Role.PUBLISHED,
        "the pairs that keep the budget",
        r"A pair satisfies $\varepsilon$-differential privacy if and only if it lies in the parallelogram with "
        r"vertices $(0,0)$, $\left(\frac{1}{1+x}, \frac{x}{1+x}\right)$, $(1,1)$, "
        r"$\left(\frac{x}{1+x}, \frac{1}{1+x}\right)$: $0 \le s \le 1$ and $0 \le r \le 1$.",
        (
            lemma(
                "coordinates",
                r"Privacy asks that four slacks be nonnegative: $x f(b) - g(b)$ for both outcomes $b$ and both orders "
                r"of the two distributions. Write $(p_{\mathrm{init}}, p_{\mathrm{upd}}) = s\,(\frac{1}{1+x}, "
                r"\frac{x}{1+x}) + r\,(\frac{x}{1+x}, \frac{1}{1+x})$. With $q = 1 - p$ the slacks are",
                [obligation for step in checked for obligation in step.obligations],
                (
                    r"x p_{\mathrm{init}} - p_{\mathrm{upd}} &= (x-1)\,r",
                    r"x p_{\mathrm{upd}} - p_{\mathrm{init}} &= (x-1)\,s",
                    r"x q_{\mathrm{upd}} - q_{\mathrm{init}} &= (x-1)(1-s)",
                    r"x q_{\mathrm{init}} - q_{\mathrm{upd}} &= (x-1)(1-r)",
                ),
            ),
            equal(
                "basis",
                r"Every point has such coordinates: the determinant of the two vectors does not vanish for $x > 1$.",
                r"\det",
                lambda: sp.Matrix([upper, lower]).det(method="berkowitz"),
                (1 - x) / (1 + x),
            ),
        ),
        formal=symbolic(
            sp.Equivalent(
                sp.And(*(ge(slack, 0) for slack in slacks(point))),
                sp.And(sp.Ge(_s, 0), sp.Le(_s, 1), sp.Ge(_r, 0), sp.Le(_r, 1)),
                evaluate=False,
            ),
            given=(sp.Gt(x, 1),),
        ),
    )


def _gap() -> Part:
    one, _, three, _ = slacks()
    return Part(
        Role.PUBLISHED,
        "the largest difference, among all pairs",
        r"$|p_{\mathrm{upd}} - p_{\mathrm{init}}| \le \tanh\frac{\varepsilon}{2}$ for every pair that keeps the "
        r"budget. If $p_{\mathrm{upd}} > p_{\mathrm{init}}$, equality holds for "
        r"$\frac12(1 \mp \tanh\frac{\varepsilon}{2})$ only.",
        (
            equal_as(
                "certificate",
                r"Two constraints suffice, $p_{\mathrm{upd}} \le x p_{\mathrm{init}}$ and $q_{\mathrm{init}} \le "
                r"x q_{\mathrm{upd}}$: what is missing to the bound is the sum of their slacks. Both vanish for one "
                r"pair only.",
                ((x - 1) - (x + 1) * (p_upd - p_init), one + three),
                r"(x-1) - (x+1)(p_{\mathrm{upd}} - p_{\mathrm{init}}) &= "
                r"(x p_{\mathrm{init}} - p_{\mathrm{upd}}) + (x q_{\mathrm{upd}} - q_{\mathrm{init}}) \ge 0",
            ),
            *(
                equal(f"{name}_is_tanh", text, left, value.subs(x, sp.exp(epsilon)), stated)
                for name, text, left, value, stated in (
                    ("bound", r"In terms of $\varepsilon$", r"\frac{x-1}{x+1}", _LARGEST, sp.tanh(epsilon / 2)),
                    ("init", r"The pair is", r"\frac{1}{1+x}", tanh_pair[0], (1 - sp.tanh(epsilon / 2)) / 2),
                    ("upd", r"The other one is", r"\frac{x}{1+x}", tanh_pair[1], (1 + sp.tanh(epsilon / 2)) / 2),
                )
            ),
        ),
        theorems=("largest_gap", "largest_gap_unique", "tanh_pair_private"),
    )


def _variance_of(pair: tuple[sp.Expr, sp.Expr], share: sp.Expr = present) -> sp.Expr:
    """The variance as a reader writes it, for the statements; the steps derive it from the distribution of the bits."""
    low, high = pair
    return (share * high * (1 - high) + (1 - share) * low * (1 - low)) / sp.expand(high - low) ** 2


def _variance() -> Part:
    return Part(
        Role.PUBLISHED,
        "the least variance, at every density",
        r"$V(d) \ge \frac{x}{(x-1)^2} = \frac{1}{4\sinh^2(\varepsilon/2)}$ for every density $d = d(\mathcal{S}_M)$ "
        r"and every pair that keeps the budget. If $p_{\mathrm{upd}} > p_{\mathrm{init}}$, equality holds at any "
        r"density for $\frac12(1 \mp \tanh\frac{\varepsilon}{2})$ only, and for this pair at every density.",
        (
            equal(
                "variance",
                r"Given the sample, $m d(\mathcal{S}_M)$ bits are $\operatorname{Bernoulli}(p_{\mathrm{upd}})$, the "
                r"others $\operatorname{Bernoulli}(p_{\mathrm{init}})$, all independent. The variance of the density "
                r"before the output's noise, times $m$, is",
                r"V(d)",
                density_variance(present),
                _variance_of((p_init, p_upd)),
            ),
            equal(
                "hyperbolic",
                r"In terms of $\varepsilon$ the bound is",
                r"\frac{x}{(x-1)^2}",
                (x / (x - 1) ** 2).subs(x, sp.exp(epsilon)),
                1 / (4 * sp.sinh(epsilon / 2) ** 2),
            ),
        ),
        theorems=("least_variance", "tanh_variance", "least_variance_unique"),
    )


def _mirrored() -> Part:
    return Part(
        Role.READING,
        "when a one stands for absence",
        r"If $p_{\mathrm{upd}} < p_{\mathrm{init}}$, the same bounds hold, and the mirrored pair $p_{\mathrm{init}} = "
        r"\frac12(1 + \tanh\frac{\varepsilon}{2})$, $p_{\mathrm{upd}} = \frac12(1 - \tanh\frac{\varepsilon}{2})$ is "
        r"the only one that attains them.",
        (
            equal_as(
                "exchanged",
                r"The constraints are the same for the exchanged pair. Its variance is that of the pair at the density "
                r"$1 - d$, so that the bound and its uniqueness pass over. With $V(d; a, b)$ for the variance for "
                r"$p_{\mathrm{init}} = a$ and $p_{\mathrm{upd}} = b$,",
                (density_variance(present, (p_upd, p_init)), density_variance(1 - present)),
                r"V(d; b, a) &= V(1 - d; a, b)",
            ),
        ),
        theorems=("mirrored_gap_unique", "least_variance", "least_variance_unique"),
    )


def _small_c() -> Part:
    family, centre = (_c * (1 - t), _c * (1 + t)), ((1 - t) / 2, (1 + t) / 2)
    bound = sp.Symbol("K", positive=True)
    return Part(
        Role.READING,
        "the choice of $c$ does not matter",
        r"The published argument fixes $c$ and maximises the difference $2ct$ within pairs $c(1 \mp t)$. That leaves "
        r"$c$ open, and it is not a matter of taste: for $c < \frac12$ the variance is larger at every density, "
        r"without limit as $c \to 0$. In the formulas $K$ is any bound.",
        (
            equal(
                "excess",
                r"With $p = c(1 \mp t)$ the difference of the parameters is $2ct$, and the variance exceeds that of "
                r"$c = \frac12$ by",
                r"V_c(d) - V_{1/2}(d)",
                density_variance(present, family) - density_variance(present, centre),
                (1 - 2 * _c) * (1 - t + 2 * t * present) / (4 * _c * t**2),
            ),
            counterexample(
                "worse",
                r"At $e^{\varepsilon} = 3$, so that $t = \frac12$, and $d = 0$, the value $c = \frac14$ more than "
                r"doubles the variance.",
                eq(density_variance(present, family), density_variance(present, centre)),
                {t: _HALF, present: 0, _c: sp.Rational(1, 4)},
                (t < 1, sp.Le(_c, _HALF)),
                (r"V_{1/4}(0) = \tfrac74 &> \tfrac34 = V_{1/2}(0)",),
            ),
        ),
        formal=symbolic(
            gt(_variance_of(family), _variance_of(centre)), given=(t > 0, t < 1, sp.Lt(_c, _HALF), present <= 1)
        )
        + symbolic(
            gt(_variance_of(family), bound),
            given=(t > 0, t < 1, present <= 1, lt(_c, (1 - t) / (4 * t**2 * bound + 2))),
        ),
        holds=False,
        departs="for a fixed $c$",
    )


def _large_c() -> Part:
    family = (_c * (1 - _LARGEST), _c * (1 + _LARGEST))
    return Part(
        Role.READING,
        "$c$ above one half",
        r"For $c > \frac12$ the published pair $c(1 \mp \tanh\frac{\varepsilon}{2})$ does not keep the budget, so that "
        r"its larger difference $2c\tanh\frac{\varepsilon}{2}$ contradicts nothing.",
        (
            equal(
                "slack",
                r"The sources ask for both outcomes and carry out $b = 1$ only. The slack for $b = 0$ and "
                r"$p = c(1 \mp \tanh\frac{\varepsilon}{2})$ is",
                r"x q_{\mathrm{upd}} - q_{\mathrm{init}}",
                slacks(family)[2],
                (x - 1) * (1 - 2 * _c),
            ),
            counterexample(
                "too_large",
                r"At $c = \frac45$ and $e^{\varepsilon} = \frac32$ the parameters are $\frac{16}{25}$ and "
                r"$\frac{24}{25}$: a zero tells the distributions apart by a factor of $9$.",
                le(1 - family[0], x * (1 - family[1])),
                {x: sp.Rational(3, 2), _c: sp.Rational(4, 5)},
                (x > 1, sp.Le(_c, sp.Rational(4, 5))),
                (r"q_{\mathrm{init}} = \tfrac{9}{25} &> \tfrac{3}{2} \cdot \tfrac{1}{25} = x\, q_{\mathrm{upd}}",),
            ),
        ),
        formal=symbolic(gt(1 - family[0], x * (1 - family[1])), given=(x > 1, sp.Gt(_c, _HALF))),
        holds=False,
        departs=r"$0 < c \le \frac12$",
    )


CLAIMS = {"density.tanh_optimality": tanh_optimality}
