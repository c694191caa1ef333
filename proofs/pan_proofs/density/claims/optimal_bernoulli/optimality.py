"""Section 4.2 of the paper: which pair of Bernoulli distributions is best for a given budget, among all pairs."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.density.lemmas.optimality.least_variance import least_variance_part, pinned
from pan_proofs.density.lemmas.optimality.private_pairs import keeps_budget, mirrored_pair, slacks, tanh_pair, vertices
from pan_proofs.density.lemmas.optimality.published_pairs import fixed_centre, printed_family_parts
from pan_proofs.engines.computations import computed_value, of_one_sign
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import epsilon, p_init, p_upd, x
from pan_proofs.ledger.steps import at_most, equal, lemma

_s, _r = sp.symbols("s r", real=True)
_gap = p_upd - p_init
_largest = (x - 1) / (x + 1)
_at_tanh = {x: 2, p_init: sp.Rational(1, 3), p_upd: sp.Rational(2, 3)}
_at_mirror = {x: 2, p_init: sp.Rational(2, 3), p_upd: sp.Rational(1, 3)}


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
        parts=(fixed_centre(), _region_part(), _gap_part(), least_variance_part(), *printed_family_parts()),
        remark=r"Two of the four constraints decide the difference, all four the variance. The pairs that keep the "
        r"budget form a parallelogram; the best pair is one of its two vertices off the diagonal, and the other one is "
        r"its mirror image. Whether the choice of $c$ matters is judged in density.bernoulli\_family.",
    )


def _region_part() -> Part:
    upper, lower = tanh_pair, mirrored_pair
    corners = [(sp.S.Zero, sp.S.Zero), upper, (sp.S.One, sp.S.One), lower]
    above_one = sp.Symbol("y", positive=True)
    crossings = lemma(
        "crossings",
        r"Privacy asks that four slacks be nonnegative: $x f(b) - g(b)$ for both outcomes $b$ and both orders of the "
        r"two distributions. Of the six pairs of bounding lines two are parallel; the other four cross in points that "
        r"satisfy "
        r"all four constraints.",
        (
            computed_value(
                "crossings",
                "each pair of lines solved for a crossing, those with nonnegative slacks, clockwise",
                lambda: list(vertices()),
                corners,
                engine="sympy",
            ),
            of_one_sign(
                "crossings.slacks",
                "each slack at each crossing is nonnegative for x = 1 + y, y > 0",
                *(sp.cancel(slack.subs(x, 1 + above_one)) for corner in corners for slack in slacks(corner)),
                strict=False,
            ),
        ),
        lines=(
            r"(0, 0),\quad \left(\tfrac{1}{1+x}, \tfrac{x}{1+x}\right), &\quad "
            r"(1, 1),\quad \left(\tfrac{x}{1+x}, \tfrac{1}{1+x}\right)",
        ),
    )
    point = (_s * upper[0] + _r * lower[0], _s * upper[1] + _r * lower[1])
    names = (
        r"x p_{\mathrm{init}} - p_{\mathrm{upd}} &= (x-1)\,r",
        r"x p_{\mathrm{upd}} - p_{\mathrm{init}} &= (x-1)\,s",
        r"x q_{\mathrm{upd}} - q_{\mathrm{init}} &= (x-1)(1-s)",
        r"x q_{\mathrm{init}} - q_{\mathrm{upd}} &= (x-1)(1-r)",
    )
    values = (_r, _s, 1 - _s, 1 - _r)
    checked = [
        equal(f"coordinates.{number}", "", "", slack, (x - 1) * value)
        for number, (slack, value) in enumerate(zip(slacks(point), values, strict=True))
    ]
    coordinates = lemma(
        "coordinates",
        r"Write $(p_{\mathrm{init}}, p_{\mathrm{upd}}) = s\,(\frac{1}{1+x}, \frac{x}{1+x}) + "
        r"r\,(\frac{x}{1+x}, \frac{1}{1+x})$. With $q = 1 - p$ the slacks are",
        [obligation for step in checked for obligation in step.obligations],
        lines=names,
    )
    basis = equal(
        "basis",
        r"Every point has such coordinates: the determinant of the two vectors does not vanish for $x > 1$.",
        r"\det",
        lambda: sp.Matrix([upper, lower]).det(method="berkowitz"),
        (1 - x) / (1 + x),
    )
    return Part(
        Role.PUBLISHED,
        "the pairs that keep the budget",
        r"A pair satisfies $\varepsilon$-differential privacy if and only if it lies in the parallelogram with "
        r"vertices $(0,0)$, $\left(\frac{1}{1+x}, \frac{x}{1+x}\right)$, $(1,1)$, "
        r"$\left(\frac{x}{1+x}, \frac{1}{1+x}\right)$: $0 \le s \le 1$ and $0 \le r \le 1$.",
        (crossings, coordinates, replace(basis, lines=(r"\det &= \frac{1 - x}{1 + x}",))),
        formal=symbolic(
            sp.Equivalent(
                sp.And(*(ge(slack, 0) for slack in slacks(point))),
                sp.And(sp.Ge(_s, 0), sp.Le(_s, 1), sp.Ge(_r, 0), sp.Le(_r, 1)),
                evaluate=False,
            ),
            given=(sp.Gt(x, 1),),
        ),
    )


def _gap_part() -> Part:
    one, _, three, _ = slacks()
    certificate = replace(
        equal(
            "certificate",
            r"Two constraints suffice, $p_{\mathrm{upd}} \le x p_{\mathrm{init}}$ and $q_{\mathrm{init}} \le "
            r"x q_{\mathrm{upd}}$: what is missing to the bound is the sum of their slacks.",
            "",
            (x - 1) - (x + 1) * _gap,
            one + three,
        ),
        lines=(
            r"(x-1) - (x+1)(p_{\mathrm{upd}} - p_{\mathrm{init}}) &= "
            r"(x p_{\mathrm{init}} - p_{\mathrm{upd}}) + (x q_{\mathrm{upd}} - q_{\mathrm{init}}) \ge 0",
        ),
    )
    bound = at_most(
        "gap",
        r"So the difference is bounded,",
        Inequality("tanh_optimality.gap", _gap, _largest, keeps_budget(), touching=_at_tanh),
    )
    mirrored = at_most(
        "gap_mirrored",
        r"With the distributions exchanged, which exchanges the constraints, the opposite difference is bounded too.",
        Inequality("tanh_optimality.gap_mirrored", -_gap, _largest, keeps_budget(), touching=_at_mirror),
    )
    unique = pinned(
        "unique",
        r"Equality forces both slacks to vanish, two independent linear equations. They leave",
        (*keeps_budget(), sp.Eq(_gap, _largest)),
        tanh_pair,
        _at_tanh,
    )
    half = sp.tanh(epsilon / 2)
    names = [
        equal(
            "bound_is_tanh",
            r"In terms of $\varepsilon$ the bound is",
            r"\frac{x-1}{x+1}",
            _largest.subs(x, sp.exp(epsilon)),
            half,
        ),
        equal(
            "init_is_tanh",
            "The pair is the published one with $c = \\frac12$.",
            r"p_{\mathrm{init}}",
            tanh_pair[0].subs(x, sp.exp(epsilon)),
            (1 - half) / 2,
        ),
        equal("upd_is_tanh", "Likewise", r"p_{\mathrm{upd}}", tanh_pair[1].subs(x, sp.exp(epsilon)), (1 + half) / 2),
    ]
    return Part(
        Role.PUBLISHED,
        "the largest difference, among all pairs",
        r"$|p_{\mathrm{upd}} - p_{\mathrm{init}}| \le \tanh\frac{\varepsilon}{2}$ for every pair that keeps the "
        r"budget. If $p_{\mathrm{upd}} > p_{\mathrm{init}}$, equality holds for "
        r"$\frac12(1 \mp \tanh\frac{\varepsilon}{2})$ only.",
        (certificate, bound, mirrored, unique, *names),
        formal=symbolic(
            sp.Implies(sp.And(*keeps_budget()), sp.Le(sp.Abs(_gap), _largest)),
            sp.Implies(
                sp.And(*keeps_budget(), sp.Eq(_gap, _largest)),
                sp.And(*(sp.Eq(one, value) for one, value in zip((p_init, p_upd), tanh_pair, strict=True))),
                evaluate=False,
            ),
        ),
    )


CLAIMS = {"density.tanh_optimality": tanh_optimality}
