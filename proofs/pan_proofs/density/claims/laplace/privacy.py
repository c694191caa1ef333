"""Theorem 4.7 of the thesis: the state of the Laplace estimator is private, state and output together are not."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.claims.laplace.cells import density_ratio, ratio_steps
from pan_proofs.density.lemmas.losses.unbounded_losses import (
    cell,
    kept_to_redrawn,
    mean,
    place,
    real_cells_are_unbounded,
    redrawn_density,
)
from pan_proofs.density.lemmas.losses.unbounded_losses import scale as unit
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.sums_over_terms import stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, m, scale, universe
from pan_proofs.ledger.steps import at_most, below_on_box, counterexample, equal, lemma

_k = sp.Symbol("k", positive=True)
_bound = sp.Symbol("K", positive=True)
_half = sp.Rational(1, 2)


def kept_over_redrawn() -> sp.Expr:
    """Ratio of the joint densities at the output that fits the seen cell, ``k`` scales above ``mu_upd``."""
    return sp.simplify(kept_to_redrawn().subs(cell, mean + _k * unit))


def redrawn_over_kept() -> sp.Expr:
    """The reverse ratio for a seen cell at ``mu_upd``, at an output ``k`` scales above what fits it."""
    kept = sp.exp(-_k) / (2 * unit)
    return sp.simplify(redrawn_density().subs(place, mean + _k * unit) / kept)


def redrawn_over_kept_in_mixture() -> sp.Expr:
    """The reverse ratio if the sample is not seen: the user is in it with probability ``m/U``."""
    share = m / universe
    return 1 - share + share * redrawn_over_kept()


def _joint_loss() -> tuple[Step, ...]:
    above = sp.simplify(redrawn_density().subs(place, mean + _k * unit))
    z = sp.Symbol("z", real=True)
    # A fresh cell at z, the noise at k - z, in units of their common scale, taken apart at 0 and k.
    pieces = (
        sp.integrate(sp.exp(z - (_k - z)), (z, -sp.oo, 0))
        + sp.integrate(sp.simplify(sp.exp(-z - (_k - z))), (z, 0, _k))
        + sp.integrate(sp.exp(-z - (z - _k)), (z, _k, sp.oo))
    )
    ratio = kept_over_redrawn()
    weakest = below_on_box(
        "every_budget",
        r"The same cell, $k = 2$, is a counterexample for every $\varepsilon$ that the theorem admits.",
        sp.exp(2 * epsilon),
        ratio.subs(_k, 2),
        {epsilon: (sp.Rational(0), _half)},
        closest={epsilon: _half},
        lines=(r"e^{2\varepsilon} \le e &< \tfrac23 e^2 \qquad (0 < \varepsilon \le \tfrac12)",),
    )
    return (
        equal(
            "convolution",
            r"Let the user appear before the intrusion in both streams and once more after it in $\mathcal{S}'$ only. "
            r"The seen array has the same distribution for both. Given it, the output for $\mathcal{S}$ is centred at "
            r"what the "
            r"array says; for $\mathcal{S}'$ one cell is drawn afresh. In units of the output a cell has the scale $s "
            r"= b/(m (\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})) = 1/(\varepsilon m)$, the same as the noise. So the "
            r"output moves by a fresh cell plus noise; integrating, the density at $k$ scales above its centre is",
            r"g(k) = \frac{1}{4 s} \int_{-\infty}^{\infty} e^{-|z| - |k - z|}\, dz",
            pieces / (4 * unit),
            above,
        ),
        equal(
            "ratio",
            r"Let the seen cell lie $k$ scales above $\mu_{\mathrm{upd}}$, that is at $\mu_{\mathrm{upd}} + k b$, and "
            r"take the output that fits the seen array. For $\mathcal{S}$ the noise is then at its peak, "
            r"$1/(2s)$. The ratio of the joint densities is",
            r"\frac{1}{2 s\, g(k)}",
            1 / (2 * unit * (pieces / (4 * unit))),
            ratio,
        ),
        counterexample(
            "by_hand",
            r"With $\varepsilon = \frac12$, a cell that holds $\mu_{\mathrm{upd}} + 2 b$ and the output that fits it: "
            r"the ratio is $\frac23 e^2 > e = e^{2 \varepsilon}$, since $e > \frac32$. Both densities are continuous, "
            r"so the same holds for a small rectangle of states and outputs.",
            le(ratio, sp.exp(2 * epsilon)),
            {epsilon: _half, _k: sp.Integer(2)},
            hypotheses=(le(epsilon, _half),),
        ),
        weakest,
        lemma(
            "unbounded",
            r"For $k \to \infty$ the ratio exceeds every bound, and so it does for noise of another scale: no "
            r"multiple of $\varepsilon$ bounds the joint loss.",
            real_cells_are_unbounded(),
            lines=(r"\frac{2 e^k}{1 + k} &\to \infty",),
        ),
    )


def _readings() -> tuple[Part, ...]:
    ratio = kept_over_redrawn()
    processed = weighted_sums(
        "post_processing",
        r"The output is drawn from the last array $z$ by a kernel $K(y \mid z)$. Where $f \le F g$, sums $X$ of $f K$ "
        r"over arrays are at most $F$ times those of $g K$, with the weights $a = K$, $x = f$, $y = g$; and integrals "
        r"are as limits of sums. Here $F = e^\varepsilon$.",
    )
    mixture = redrawn_over_kept_in_mixture()
    secret = lemma(
        "reverse",
        r"Let all users have appeared before the intrusion, so that the array seen has the same distribution for "
        r"every sample, "
        r"and let all its cells lie at $\mu_{\mathrm{upd}}$. If $M$ is not seen, the densities are mixtures over $M$. "
        r"For the samples without the user, a share $1 - m/U$, nothing changes, which bounds the ratio of "
        r"$\mathcal{S}$ to $\mathcal{S}'$ by $1/(1 - m/U)$. Not so the reverse ratio: at an output $k$ scales above "
        r"what fits the array a redrawn cell is $(1+k)/2$ times as likely as a kept one, and the mixture retains the "
        r"share $m/U$ of that.",
        (
            computed_value(
                "reverse.ratio",
                "the density of a redrawn cell plus noise over that of the noise",
                redrawn_over_kept,
                (1 + _k) / 2,
                engine="sympy",
            ),
            computed_value(
                "reverse.limit",
                f"the limit of {mixture} for k to infinity",
                lambda: sp.limit(mixture, _k, sp.oo),
                sp.oo,
                engine="sympy",
            ),
        ),
        lines=(r"1 - \frac mU + \frac mU \cdot \frac{1 + k}{2} &\to \infty",),
    )
    secret_by_hand = counterexample(
        "reverse_by_hand",
        r"With two users, one of whom is sampled, $\varepsilon = \frac12$ and $k = 9$:",
        le(mixture, sp.exp(2 * epsilon)),
        {epsilon: _half, m: sp.Integer(1), universe: sp.Integer(2), _k: sp.Integer(9)},
        hypotheses=(le(epsilon, _half),),
        lines=(r"\tfrac12 + \tfrac12 \cdot 5 = 3 &> e = e^{2 \varepsilon}",),
    )
    one_event_claimed = le(ratio.subs(_k, 0), sp.exp(2 * epsilon))
    one_event = counterexample(
        "one_event",
        r"The streams of the counterexample differ in one update. Already a cell at $\mu_{\mathrm{upd}}$, where $k = "
        r"0$, gives the ratio 2, above $e^{2 \varepsilon}$ for $\varepsilon < \frac12 \log 2 = 0.34\ldots$, as for "
        r"$\varepsilon = \frac13$:",
        one_event_claimed,
        {epsilon: sp.Rational(1, 3)},
        (le(epsilon, _half),),
        lines=(r"2 &> e^{2/3} = 1.94\ldots",),
    )
    return (
        Part(
            Role.READING,
            "state and output each on its own, or an intrusion after the last update",
            r"The state alone and the output alone are $\varepsilon$-private, and so are the last array and the output "
            r"together: the output is computed from that array.",
            (processed,),
            formal=stated_weighted_sums(sp.exp(epsilon)),
        ),
        Part(
            Role.READING,
            "event-level adjacency",
            r"The promise is false also for streams that differ in a single update.",
            (one_event,),
            formal=symbolic(one_event_claimed, given=(epsilon <= _half,), refuted=True),
            holds=False,
        ),
        Part(
            Role.READING,
            "the sample is drawn anew and kept secret",
            r"The joint loss is infinite even if the adversary does not learn whose cells are kept.",
            (secret, secret_by_hand),
            formal=symbolic(
                gt(mixture, _bound),
                given=(m <= universe, ge(_k, 2 * universe * _bound / m)),
            ),
            holds=False,
        ),
    )


def _caption() -> tuple[Step, ...]:
    above, below = sp.symbols("u v", positive=True)
    initial, place_above = sp.Rational(45, 100), sp.Symbol("u", real=True)
    ratio = density_ratio(initial + above, initial, initial + above + below, sp.Integer(1))
    return (
        equal(
            "caption_ratio",
            r"Between the means let $z = 0.45 + u = 0.55 - v$ with $u, v > 0$ and $u + v = \frac{1}{10}$.",
            r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)}",
            lambda: sp.expand_log(sp.log(ratio), force=True),
            above - below,
        ),
        at_most(
            "caption_inside",
            r"This is $2u - \frac{1}{10}$, and $0.456 \le z \le 0.545$ means that $0.006 \le u \le 0.095$:",
            Inequality(
                "laplace_privacy.caption",
                (2 * place_above - sp.Rational(1, 10)) ** 2,
                sp.Rational(1, 100),
                (place_above >= sp.Rational(6, 1000), place_above <= sp.Rational(95, 1000)),
                strict=True,
                gap=sp.Rational(81, 100),
                weaker=sp.Rational(80, 100),
            ),
            lines=(r"\left(2u - \tfrac{1}{10}\right)^2 &< \tfrac{1}{100} = \varepsilon^2",),
        ),
    )


def _state() -> tuple[str, ...]:
    """Both bounds of the ratio for every content of the cell, and that both are attained."""
    content, initial, updated = sp.symbols("z mu_init mu_upd", real=True)
    ratio = density_ratio(content, initial, updated, scale)
    apart = (eq(updated - initial, epsilon * scale),)
    above, below = sp.exp(epsilon), sp.exp(-epsilon)
    return (
        *symbolic(le(ratio, above), ge(ratio, below), given=apart),
        *symbolic(eq(ratio, above), given=(*apart, ge(content, updated))),
        *symbolic(eq(ratio, below), given=(*apart, le(content, initial))),
    )


def _inside(low: sp.Rational, high: sp.Rational, *, strict: bool) -> tuple[str, ...]:
    """The ratio of the caption is strictly inside its bounds for all contents between two numbers."""
    content = sp.Symbol("z", real=True)
    initial, updated = sp.Rational(45, 100), sp.Rational(55, 100)
    ratio = density_ratio(content, initial, updated, sp.Integer(1))
    above, below = (sp.Gt(content, low), sp.Lt(content, high)) if strict else (content >= low, content <= high)
    budget = updated - initial
    return symbolic(
        lt(ratio, sp.exp(budget)),
        gt(ratio, sp.exp(-budget)),
        given=(above, below),
    )


def _figure() -> Step:
    initial, updated, width = sp.Rational(45, 100), sp.Rational(55, 100), sp.Integer(1)
    place_inside = sp.Rational(452, 1000)
    loss = sp.log(density_ratio(place_inside, initial, updated, width))
    budget = updated - initial
    return counterexample(
        "figure",
        r"The points where the budget is not used up are those between the means: at $0.452$, outside the caption's "
        r"interval, the ratio is $e^{-0.096} > e^{-0.1}$. Outside $(0.45, 0.55)$ it is equal to $e^{\pm\varepsilon}$, "
        r"not almost equal.",
        eq(sp.Abs(sp.expand_log(loss, force=True)), budget),
        {},
        lines=(r"\log \frac{f_{\mathrm{upd}}(0.452)}{f_{\mathrm{init}}(0.452)} &= -0.096",),
    )


def laplace_privacy() -> Claim:
    """The theorem as printed, with its counterexample."""
    return Claim(
        id="thesis.laplace_privacy",
        title="Pan-privacy of the Laplace density estimator",
        references=(Reference("thesis", "Theorem 4.7, section 4.4.1; Figure 4.6"),),
        statement=r"For $\varepsilon \le \frac12$ and $(\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})/b = \varepsilon$, "
        r"Algorithm 4.3 is $2\varepsilon$-pan-private; its state is $\varepsilon$-differentially private. (Figure "
        r"4.6: for "
        r"the means $0.45$ and $0.55$ and $b = 1$ the ratio is strictly inside its bounds on $[0.456, 0.545]$.)",
        notation=(
            (r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$", "densities of a cell before and after an appearance"),
            ("$Y$", "the sum over arrays of $g K$"),
        ),
        hypotheses=(r"$\varepsilon \le \frac12$", r"$\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon b$"),
        silent=(
            r"Pan-privacy is judged by its definition: array and output together, one unannounced intrusion, "
            r"user-level adjacency, some or all appearances of a user may differ.",
            r"The sample $M$ belongs to what the adversary sees, as in the proof.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the state",
                r"The array alone is $\varepsilon$-differentially private, and the bound is attained, for any "
                r"$\varepsilon > 0$.",
                ratio_steps(),
                formal=_state(),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "state and output together",
                r"The joint loss of array and output is infinite. The argument that is referred to gives the output "
                r"the sensitivity $1/m$ of the density; but a cell is any real number, and drawing it afresh moves "
                r"the output without bound.",
                _joint_loss(),
                formal=symbolic(
                    gt(kept_over_redrawn().subs(_k, 2), sp.exp(2 * epsilon)),
                    given=(epsilon <= sp.Rational(1, 2),),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the caption of Figure 4.6",
                r"On $[0.456, 0.545]$ the ratio is strictly inside its bounds (means $0.45$ and $0.55$, $b = 1$).",
                _caption(),
                formal=_inside(sp.Rational(456, 1000), sp.Rational(545, 1000), strict=False),
            ),
            *_readings(),
            Part(
                Role.READING,
                "the caption's interval as the exact one",
                r"Read as: the ratio is strictly inside its bounds exactly there. That is false: it is so on "
                r"$(0.45, 0.55)$.",
                (_figure(),),
                formal=_inside(sp.Rational(45, 100), sp.Rational(55, 100), strict=True),
                holds=False,
            ),
        ),
        uses=("laplace_cells.state_privacy",),
        nearby="laplace_cells.state_privacy",
        remark=r"The printed chain of inequalities is sound for the state. The sentence that the ratio is almost "
        r"equal to "
        r"$e^{\pm\varepsilon}$ somewhere understates it: it is equal outside the open interval between the means.",
    )


CLAIMS = {"thesis.laplace_privacy": laplace_privacy}
