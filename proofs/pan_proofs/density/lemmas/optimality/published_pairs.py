"""Parts of the claim on the best pair: the mirrored pair, and the published family for other values of c."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.density.lemmas.optimality.least_variance import pinned
from pan_proofs.density.lemmas.optimality.private_pairs import density_variance, keeps_budget, mirrored_pair, slacks
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.notation import p_init, p_upd, present, t, x
from pan_proofs.ledger.steps import at_most, counterexample, equal, lemma

_c = sp.Symbol("c", positive=True)
_gap = p_upd - p_init
_at_mirror = {x: 2, p_init: sp.Rational(2, 3), p_upd: sp.Rational(1, 3)}


def fixed_centre() -> Part:
    """The criterion of the sources: the largest difference among the pairs around one value."""
    centre, offset = sp.symbols("c y", real=True)
    bound = (x - 1) / (x + 1) * centre
    around = (centre - offset, centre + offset)
    within = (*keeps_budget(around), centre > 0)
    largest = at_most(
        "largest_offset",
        r"Let $c - y$, $c + y$ keep the budget. The outcome $1$ asks for $c + y \le x (c - y)$, and so",
        Inequality(
            "tanh_optimality.largest_offset",
            offset,
            bound,
            within,
            touching={x: 3, centre: sp.Rational(1, 2), offset: sp.Rational(1, 4)},
        ),
        lines=(r"y &\le c\,\frac{x-1}{x+1} = c \tanh\frac{\varepsilon}{2}",),
    )
    values = (sp.S.Zero, 2 * centre * (x - 1), (x - 1) * (1 - 2 * centre), x - 1)
    checked = [
        equal(f"slacks_at_the_largest.{number}", "", "", slack, value)
        for number, (slack, value) in enumerate(zip(slacks((centre - bound, centre + bound)), values, strict=True))
    ]
    attained = lemma(
        "slacks_at_the_largest",
        r"With equality the slacks of the four constraints are the following ones, nonnegative for $c \le \frac12$.",
        [obligation for step in checked for obligation in step.obligations],
        lines=(
            r"x p_{\mathrm{init}} - p_{\mathrm{upd}} &= 0",
            r"x p_{\mathrm{upd}} - p_{\mathrm{init}} &= 2c\,(x-1)",
            r"x q_{\mathrm{upd}} - q_{\mathrm{init}} &= (x-1)(1-2c)",
            r"x q_{\mathrm{init}} - q_{\mathrm{upd}} &= x-1",
        ),
    )
    probability = at_most(
        "probabilities",
        r"Both parameters are probabilities: $p_{\mathrm{init}} = \frac{2c}{x+1} > 0$, and",
        Inequality(
            "tanh_optimality.probabilities",
            centre + bound,
            x / (x + 1),
            (x > 1, centre > 0, centre <= sp.Rational(1, 2)),
            touching={x: 2, centre: sp.Rational(1, 2)},
        ),
        lines=(r"p_{\mathrm{upd}} = \frac{2cx}{x+1} &\le \frac{x}{x+1} < 1",),
    )
    return Part(
        Role.PUBLISHED,
        "the largest difference, for a fixed c",
        r"Let $0 < c \le \frac12$. Among the pairs $c - y$, $c + y$ that keep the budget the largest difference $2y$ "
        r"is that of $y = c \tanh\frac{\varepsilon}{2}$.",
        (largest, attained, probability),
        formal=symbolic(sp.Implies(sp.And(*within), sp.Le(2 * offset, 2 * bound), evaluate=False))
        + symbolic(
            sp.And(*(ge(slack, 0) for slack in slacks((centre - bound, centre + bound)))),
            given=(sp.Gt(x, 1), sp.Gt(centre, 0), sp.Le(centre, sp.Rational(1, 2))),
        ),
    )


def printed_family_parts() -> tuple[Part, ...]:
    """The mirrored pair; the published family with ``c < 1/2``, and with ``c > 1/2``."""
    return _mirrored(), _small_c(), _large_c()


def _mirrored() -> Part:
    tight = (*keeps_budget(), p_upd < p_init, sp.Eq(p_init * (1 - p_init) * (x - 1) ** 2, x * _gap**2))
    only = pinned(
        "mirror",
        r"Equality at $d = 0$ with $p_{\mathrm{upd}} < p_{\mathrm{init}}$ gives",
        tight,
        mirrored_pair,
        _at_mirror,
    )
    largest = pinned(
        "mirror_gap",
        r"The largest difference gives the same pair.",
        (*keeps_budget(), sp.Eq(-_gap, (x - 1) / (x + 1))),
        mirrored_pair,
        _at_mirror,
    )
    bound, least = (x - 1) / (x + 1), x / (x - 1) ** 2
    mirrored = sp.And(*(sp.Eq(one, value) for one, value in zip((p_init, p_upd), mirrored_pair, strict=True)))
    same = replace(
        equal(
            "mirror_variance",
            "Its variance is the same at every density.",
            "V",
            density_variance(present, mirrored_pair),
            x / (x - 1) ** 2,
        ),
        lines=(r"V(d) &= \frac{x}{(x-1)^2}",),
    )
    return Part(
        Role.READING,
        "when a one stands for absence",
        r"If $p_{\mathrm{upd}} < p_{\mathrm{init}}$, the same bounds hold, and the mirrored pair $p_{\mathrm{init}} = "
        r"\frac12(1 + \tanh\frac{\varepsilon}{2})$, $p_{\mathrm{upd}} = \frac12(1 - \tanh\frac{\varepsilon}{2})$ is "
        r"the only one that attains them.",
        (only, largest, same),
        formal=symbolic(
            sp.Implies(sp.And(*keeps_budget(), p_upd < p_init), sp.Le(p_init - p_upd, bound), evaluate=False),
            sp.Implies(sp.And(*keeps_budget(), sp.Eq(-_gap, bound)), mirrored, evaluate=False),
            sp.Implies(
                sp.And(*keeps_budget(), p_upd < p_init, present <= 1),
                ge(_stated_variance((p_init, p_upd)), least),
                evaluate=False,
            ),
            sp.Implies(
                sp.And(*keeps_budget(), p_upd < p_init, present <= 1, sp.Eq(_stated_variance((p_init, p_upd)), least)),
                mirrored,
                evaluate=False,
            ),
            eq(_stated_variance(mirrored_pair), least),
        ),
    )


def _stated_variance(pair: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The variance as a reader writes it, for the statements; the steps derive it from the distribution of the bits."""
    low, high = pair
    return (present * high * (1 - high) + (1 - present) * low * (1 - low)) / sp.expand(high - low) ** 2


def _small_c() -> Part:
    family = (_c * (1 - t), _c * (1 + t))
    centre = ((1 - t) / 2, (1 + t) / 2)
    excess = replace(
        equal(
            "excess",
            r"With $p = c(1 \mp t)$ the difference of the parameters is $2ct$, and the variance exceeds that of "
            r"$c = \frac12$ by",
            "",
            density_variance(present, family) - density_variance(present, centre),
            (1 - 2 * _c) * (1 - t + 2 * t * present) / (4 * _c * t**2),
        ),
        lines=(r"V_c(d) - V_{1/2}(d) &= \frac{(1 - 2c)(1 - t + 2td)}{4 c\, t^2}",),
    )
    bound = sp.Symbol("K", positive=True)
    at = {t: sp.Rational(1, 2), present: 0, _c: sp.Rational(1, 4)}
    example = counterexample(
        "worse",
        r"At $e^{\varepsilon} = 3$, so that $t = \frac12$, and $d = 0$, the value $c = \frac14$ more than doubles the "
        r"variance.",
        eq(density_variance(present, family), density_variance(present, centre)),
        at,
        (t < 1, sp.Le(_c, sp.Rational(1, 2))),
        lines=(r"V_{1/4}(0) = \tfrac74 &> \tfrac34 = V_{1/2}(0)",),
    )
    return Part(
        Role.READING,
        "the choice of $c$ does not matter",
        r"The published argument fixes $c$ and maximises the difference $2ct$ within pairs $c(1 \mp t)$. That leaves "
        r"$c$ open, and it is not a matter of taste: for $c < \frac12$ the variance is larger at every density, "
        r"without limit as $c \to 0$. In the formulas $K$ is any bound.",
        (excess, example),
        formal=symbolic(
            gt(_stated_variance(family), _stated_variance(centre)),
            given=(t > 0, t < 1, sp.Lt(_c, sp.Rational(1, 2)), present <= 1),
        )
        + symbolic(
            gt(_stated_variance(family), bound),
            given=(t > 0, t < 1, present <= 1, lt(_c, (1 - t) / (4 * t**2 * bound + 2))),
        ),
        holds=False,
        departs="for a fixed $c$",
    )


def _large_c() -> Part:
    half = (x - 1) / (x + 1)
    family = (_c * (1 - half), _c * (1 + half))
    third = slacks(family)[2]
    slack = equal(
        "slack",
        r"The sources ask for both outcomes and carry out $b = 1$ only. The slack for $b = 0$ and "
        r"$p = c(1 \mp \tanh\frac{\varepsilon}{2})$ is",
        r"x q_{\mathrm{upd}} - q_{\mathrm{init}}",
        third,
        (x - 1) * (1 - 2 * _c),
    )
    example = counterexample(
        "too_large",
        r"At $c = \frac45$ and $e^{\varepsilon} = \frac32$ the parameters are $\frac{16}{25}$ and $\frac{24}{25}$: "
        r"a zero tells the distributions apart by a factor of $9$.",
        le(1 - family[0], x * (1 - family[1])),
        {x: sp.Rational(3, 2), _c: sp.Rational(4, 5)},
        (x > 1, sp.Le(_c, sp.Rational(4, 5))),
        lines=(r"q_{\mathrm{init}} = \tfrac{9}{25} &> \tfrac{3}{2} \cdot \tfrac{1}{25} = x\, q_{\mathrm{upd}}",),
    )
    return Part(
        Role.READING,
        "$c$ above one half",
        r"For $c > \frac12$ the published pair $c(1 \mp \tanh\frac{\varepsilon}{2})$ does not keep the budget, so that "
        r"its larger difference $2c\tanh\frac{\varepsilon}{2}$ contradicts nothing.",
        (slack, example),
        formal=symbolic(gt(1 - family[0], x * (1 - family[1])), given=(x > 1, sp.Gt(_c, sp.Rational(1, 2)))),
        holds=False,
        departs=r"$0 < c \le \frac12$",
    )
