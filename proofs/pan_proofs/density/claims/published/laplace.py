"""Theorem 4.7 of the thesis: the state of the Laplace estimator is private, state and output together are not."""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.laplace_integrals import laplace_density
from pan_proofs.foundations.sums_over_terms import stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import epsilon, m, universe
from pan_proofs.ledger.steps import below_on_box, bounded, counterexample, equal

_k, unit, height = sp.symbols("k s h", positive=True)
_half = sp.Rational(1, 2)
_PROMISED = sp.exp(2 * epsilon)
_WITHIN = (le(epsilon, _half),)
_SCALE = r"$\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon b$"
_PLACES = (sp.Rational(45, 100), sp.Rational(55, 100))
"""The two means of the figure."""


def density_ratio(place: sp.Expr, initial: sp.Expr, updated: sp.Expr, width: sp.Expr) -> sp.Expr:
    """Ratio of the two densities of a cell that holds ``place``."""
    return laplace_density(place, updated, width) / laplace_density(place, initial, width)


@cache
def redrawn_density() -> sp.Expr:
    """Density of a cell plus noise, both of the scale s, at ``h > 0`` above the cell's mean, by integrating."""
    z = sp.Symbol("z", real=True)
    beside = sp.integrate(sp.exp(2 * z / unit), (z, -sp.oo, 0)) * sp.exp(-height / unit)
    middle = sp.integrate(sp.Integer(1), (z, 0, height)) * sp.exp(-height / unit)
    return sp.simplify((2 * beside + middle) / (4 * unit**2))


def kept_over_redrawn() -> sp.Expr:
    """Ratio of the joint densities at the output that fits the seen cell, ``k`` scales above ``mu_upd``."""
    return sp.simplify(1 / (2 * unit) / redrawn_density().subs(height, _k * unit))


def redrawn_over_kept() -> sp.Expr:
    """The reverse ratio for a seen cell at ``mu_upd``, at an output ``k`` scales above what fits it."""
    kept = sp.exp(-_k) / (2 * unit)
    return sp.simplify(redrawn_density().subs(height, _k * unit) / kept)


def state_privacy() -> Claim:
    """The array of Laplace cells is epsilon-private, and no better."""
    return Claim(
        id="laplace_cells.state_privacy",
        title="The state of the Laplace density estimator",
        references=(
            Reference("here", "the part of the thesis' Theorem 4.7 that is true"),
            Reference("thesis", "proof of Theorem 4.7, section 4.4.1"),
        ),
        statement=r"Cells drawn from $\operatorname{Laplace}(\mu_{\mathrm{init}}, b)$ before and from "
        r"$\operatorname{Laplace}(\mu_{\mathrm{upd}}, b)$ after a user's first appearance, with $(\mu_{\mathrm{upd}} - "
        r"\mu_{\mathrm{init}})/b = \varepsilon$: at any time the array of cells is $\varepsilon$-differentially "
        r"private at the user level, for every $\varepsilon > 0$, and for no smaller budget.",
        notation=((r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$", "densities of a cell before and after an appearance"),),
        hypotheses=(r"$b > 0$", rf"{_SCALE[:-1]} > 0$"),
        silent=(
            r"Fresh draws are independent of everything before; an appearance redraws the cell, so that its "
            r"distribution does not depend on the number of appearances.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "private and tight",
                r"For every $z$: $e^{-\varepsilon} \le f_{\mathrm{upd}}(z)/f_{\mathrm{init}}(z) \le e^{\varepsilon}$, "
                r"with equality on the left for $z \le \mu_{\mathrm{init}}$ and on the right for $z \ge "
                r"\mu_{\mathrm{upd}}$; the logarithm is linear in between.",
                (_between(),),
                theorems=("cell_private", "cell_tight", "cell_tight_below"),
            ),
        ),
        remark=r"No assumption $\varepsilon \le \frac12$ is needed. This is about the state alone; state and output "
        r"together are another matter.",
    )


def _between() -> Step:
    above, below = sp.symbols("u v", positive=True)
    ratio = density_ratio(_PLACES[0] + above, _PLACES[0], _PLACES[0] + above + below, unit)
    return equal(
        "between",
        r"Between the means let $z = \mu_{\mathrm{init}} + u = \mu_{\mathrm{upd}} - v$ with $u, v > 0$, and a scale "
        r"$s$.",
        r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)}",
        lambda: sp.expand_log(sp.log(ratio), force=True),
        (above - below) / unit,
    )


def laplace_privacy() -> Claim:
    """The theorem as printed, with its counterexample."""
    return Claim(
        id="thesis.laplace_privacy",
        title="Pan-privacy of the Laplace density estimator",
        references=(Reference("thesis", "Theorem 4.7, section 4.4.1; Figure 4.6"),),
        statement=r"For $\varepsilon \le \frac12$ and $(\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})/b = \varepsilon$, "
        r"Algorithm 4.3 is $2\varepsilon$-pan-private; its state is $\varepsilon$-differentially private. (Figure 4.6: "
        r"for the means $0.45$ and $0.55$ and $b = 1$ the ratio is strictly inside its bounds on $[0.456, 0.545]$.)",
        notation=(
            (r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$", "densities of a cell before and after an appearance"),
            ("$Y$", "the sum over arrays of $g K$"),
        ),
        hypotheses=(r"$\varepsilon \le \frac12$", _SCALE),
        silent=(
            r"Pan-privacy is judged by its definition: array and output together, one unannounced intrusion, "
            r"user-level adjacency, some or all appearances of a user may differ.",
            r"The sample $M$ belongs to what the adversary sees, as in the proof.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the state",
                r"The densities of a cell before and after an appearance have a ratio of at most $e^\varepsilon$, for "
                r"any $\varepsilon > 0$; the bound is attained (laplace\_cells.state\_privacy). A user has one cell.",
                (),
                theorems=("cell_private", "cell_tight"),
            ),
            _joint(),
            _caption(),
            Part(
                Role.READING,
                "state and output each on its own, or an intrusion after the last update",
                r"The state alone and the output alone are $\varepsilon$-private, and so are the last array and the "
                r"output together: the output is computed from that array.",
                (
                    weighted_sums(
                        "post_processing",
                        r"The output is drawn from the last array $z$ by a kernel $K(y \mid z)$. Where $f \le F g$, "
                        r"sums $X$ of $f K$ over arrays are at most $F$ times those of $g K$, with the weights $a = "
                        r"K$, $x = f$, $y = g$; and integrals are as limits of sums. Here $F = e^\varepsilon$.",
                    ),
                ),
                formal=stated_weighted_sums(sp.exp(epsilon)),
            ),
            _one_event(),
            _secret_sample(),
            _exact_interval(),
        ),
        uses=("laplace_cells.state_privacy",),
        nearby="laplace_cells.state_privacy",
        remark=r"The printed chain of inequalities is sound for the state. The sentence that the ratio is almost equal "
        r"to $e^{\pm\varepsilon}$ somewhere understates it: it is equal outside the open interval between the means.",
    )


def _joint() -> Part:
    ratio = kept_over_redrawn()
    return Part(
        Role.COUNTEREXAMPLE,
        "state and output together",
        r"The joint loss of array and output is infinite, for noise of any scale. The argument that is referred to "
        r"gives the output the sensitivity $1/m$ of the density; but a cell is any real number, and drawing it afresh "
        r"moves the output without bound.",
        (
            counterexample(
                "by_hand",
                r"Let the user appear before the intrusion in both streams and once more after it in $\mathcal{S}'$ "
                r"only. The seen array has the same distribution for both. Given it, the output for $\mathcal{S}$ is "
                r"centred at what the array says; for $\mathcal{S}'$ one cell is drawn afresh, and has in units of the "
                r"output the scale of the noise. For a cell $k$ scales above $\mu_{\mathrm{upd}}$ and the output that "
                r"fits it the ratio of the densities is $\frac{2 e^k}{1 + k}$. With $\varepsilon = \frac12$ and $k = "
                r"2$ it is $\frac23 e^2 > e = e^{2 \varepsilon}$.",
                le(ratio, _PROMISED),
                {epsilon: _half, _k: sp.Integer(2)},
                hypotheses=_WITHIN,
            ),
            below_on_box(
                "every_budget",
                r"The same cell, $k = 2$, is a counterexample for every $\varepsilon$ that the theorem admits.",
                _PROMISED,
                ratio.subs(_k, 2),
                {epsilon: (sp.Rational(0), _half)},
                closest={epsilon: _half},
            ),
        ),
        formal=symbolic(gt(ratio.subs(_k, 2), _PROMISED), given=(epsilon <= _half,)),
        theorems=("unbounded", "unbounded_cells"),
    )


def _one_event() -> Part:
    claimed = le(kept_over_redrawn().subs(_k, 0), _PROMISED)
    return derived(
        Role.READING,
        "event-level adjacency",
        r"The promise is false also for streams that differ in a single update.",
        counterexample(
            "one_event",
            r"The streams of the counterexample differ in one update. Already a cell at $\mu_{\mathrm{upd}}$, "
            r"where $k = 0$, gives the ratio 2, above $e^{2 \varepsilon}$ for $\varepsilon < \frac12 \log 2 = "
            r"0.34\ldots$, as for $\varepsilon = \frac13$:",
            claimed,
            {epsilon: sp.Rational(1, 3)},
            _WITHIN,
        ),
        holds=False,
    )


def _secret_sample() -> Part:
    share, bound = m / universe, sp.Symbol("K", positive=True)
    mixture = 1 - share + share * redrawn_over_kept()
    return Part(
        Role.READING,
        "the sample is drawn anew and kept secret",
        r"The joint loss is infinite even if the adversary does not learn whose cells are kept.",
        (
            equal(
                "reverse",
                r"Let all users have appeared before the intrusion, so that the array seen has the same distribution "
                r"for every sample, and let all its cells lie at $\mu_{\mathrm{upd}}$. If $M$ is not seen, the "
                r"densities are mixtures over $M$. For the samples without the user, a share $1 - m/U$, nothing "
                r"changes. At an output $k$ scales above what fits the array a redrawn cell is $(1+k)/2$ times as "
                r"likely as a kept one, and the mixture retains the share $m/U$ of that, without bound:",
                "",
                mixture,
                1 - share + share * (1 + _k) / 2,
            ),
            counterexample(
                "reverse_by_hand",
                r"With two users, one of whom is sampled, $\varepsilon = \frac12$ and $k = 9$:",
                le(mixture, _PROMISED),
                {epsilon: _half, m: sp.Integer(1), universe: sp.Integer(2), _k: sp.Integer(9)},
                hypotheses=_WITHIN,
                lines=(r"\tfrac12 + \tfrac12 \cdot 5 = 3 &> e = e^{2 \varepsilon}",),
            ),
        ),
        formal=symbolic(gt(mixture, bound), given=(m <= universe, ge(_k, 2 * universe * bound / m))),
        holds=False,
    )


def _inside(low: sp.Rational, high: sp.Rational, *, strict: bool) -> tuple[str, ...]:
    """The ratio of the caption is strictly inside its bounds for all contents between two numbers."""
    content = sp.Symbol("z", real=True)
    ratio, budget = density_ratio(content, *_PLACES, sp.S.One), _PLACES[1] - _PLACES[0]
    within = (sp.Gt(content, low), sp.Lt(content, high)) if strict else (content >= low, content <= high)
    return symbolic(lt(ratio, sp.exp(budget)), gt(ratio, sp.exp(-budget)), given=within)


def _caption() -> Part:
    above = sp.Symbol("u", real=True)
    return Part(
        Role.PUBLISHED,
        "the caption of Figure 4.6",
        r"On $[0.456, 0.545]$ the ratio is strictly inside its bounds (means $0.45$ and $0.55$, $b = 1$).",
        (
            _between(),
            bounded(
                "caption_inside",
                r"With $z = 0.45 + u$ and $s = 1$ this is $2u - \frac{1}{10}$, and $0.456 \le z \le 0.545$ means that "
                r"$0.006 \le u \le 0.095$:",
                lt((2 * above - sp.Rational(1, 10)) ** 2, sp.Rational(1, 100)),
                above >= sp.Rational(6, 1000),
                above <= sp.Rational(95, 1000),
                gap=sp.Rational(81, 100),
                weaker=sp.Rational(80, 100),
            ),
        ),
        formal=_inside(sp.Rational(456, 1000), sp.Rational(545, 1000), strict=False),
    )


def _exact_interval() -> Part:
    loss = sp.log(density_ratio(sp.Rational(452, 1000), *_PLACES, sp.S.One))
    return Part(
        Role.READING,
        "the caption's interval as the exact one",
        r"Read as: the ratio is strictly inside its bounds exactly there. That is false: it is so on $(0.45, 0.55)$.",
        (
            counterexample(
                "figure",
                r"The points where the budget is not used up are those between the means: at $0.452$, outside the "
                r"caption's interval, the ratio is $e^{-0.096} > e^{-0.1}$. Outside $(0.45, 0.55)$ it is equal to "
                r"$e^{\pm\varepsilon}$, not almost equal.",
                eq(sp.Abs(sp.expand_log(loss, force=True)), _PLACES[1] - _PLACES[0]),
                {},
                lines=(r"\log \frac{f_{\mathrm{upd}}(0.452)}{f_{\mathrm{init}}(0.452)} &= -0.096",),
            ),
        ),
        formal=_inside(*_PLACES, strict=True),
        holds=False,
    )


CLAIMS = {"laplace_cells.state_privacy": state_privacy, "thesis.laplace_privacy": laplace_privacy}
