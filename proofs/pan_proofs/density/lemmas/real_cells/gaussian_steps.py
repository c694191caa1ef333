"""Steps for Gaussian cells, on the whole line and truncated to the unit interval."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.engines.computations import computed_value, free_of
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, equal, lemma

place = sp.Symbol("z", real=True)
first, second = sp.symbols("mu_init mu_upd", real=True)
spread, distance, theta = sp.symbols("sigma Delta theta", positive=True)
_y, _k = sp.Symbol("y", real=True), sp.Symbol("k", positive=True)


def log_density(at: sp.Expr, centre: sp.Expr) -> sp.Expr:
    """Logarithm of the normal density."""
    return -((at - centre) ** 2) / (2 * spread**2) - sp.log(2 * sp.pi * spread**2) / 2


def whole_line() -> tuple[Step, ...]:
    """The logarithm of the ratio is linear in the place, and so unbounded on both sides."""
    log_ratio = log_density(place, second) - log_density(place, first)
    slope = sp.diff(log_ratio, place)
    apart = sp.expand(log_ratio.subs(second, first + distance))
    return (
        equal(
            "log_ratio",
            r"The squares cancel and a linear function of $z$ remains.",
            r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)}",
            log_ratio,
            (second - first) * (2 * place - first - second) / (2 * spread**2),
        ),
        lemma(
            "unbounded",
            r"Let $\mu_{\mathrm{upd}} > \mu_{\mathrm{init}}$ (otherwise exchange the distributions). The slope "
            r"$(\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})/\sigma^2$ is a positive constant, so the ratio exceeds every "
            r"bound for large $z$ and falls below every bound for small $z$: no budget suffices.",
            (
                equality("unbounded.slope", slope, (second - first) / spread**2),
                free_of("unbounded.constant", "the slope does not depend on the place", sp.simplify(slope), place),
                *(
                    computed_value(
                        f"unbounded.{end}",
                        f"the limit of {apart} for z to {end}",
                        partial(sp.limit, apart, place, far),
                        far,
                        engine="sympy",
                    )
                    for end, far in (("infinity", sp.oo), ("minus_infinity", -sp.oo))
                ),
            ),
            lines=(r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)} &\to \pm \infty \quad (z \to \pm \infty)",),
        ),
    )


def stated_whole_line() -> tuple[str, ...]:
    """The ratio, and from where on it is above, and below, any bound, for means in this order."""
    bound = sp.Symbol("K", positive=True)
    log_ratio = (second - first) * (2 * place - first - second) / (2 * spread**2)
    reach, middle = spread**2 * bound / (second - first), (first + second) / 2
    ordered = sp.Gt(second, first, evaluate=False)
    return (
        *symbolic(
            sp.Eq(log_density(place, second) - log_density(place, first), log_ratio, evaluate=False), given=(ordered,)
        ),
        *symbolic(
            sp.Gt(log_ratio, bound, evaluate=False), given=(ordered, sp.Gt(place, middle + reach, evaluate=False))
        ),
        *symbolic(
            sp.Lt(log_ratio, -bound, evaluate=False), given=(ordered, sp.Lt(place, middle - reach, evaluate=False))
        ),
    )


def stated_truncated() -> tuple[str, ...]:
    """Both bounds of the logarithm of the ratio on the unit interval, and that they are attained."""
    log_ratio = distance * (2 * place - 1) / (2 * spread**2)
    fitting = {distance: 2 * spread**2 * epsilon}
    return (
        *symbolic(
            sp.Le(sp.Abs(log_ratio), epsilon, evaluate=False),
            given=(sp.Ge(place, 0, evaluate=False), sp.Le(place, 1, evaluate=False)),
            where=fitting,
        ),
        *(
            one
            for end, value in ((1, epsilon), (0, -epsilon))
            for one in symbolic(sp.Eq(_symmetric_log_ratio().subs(fitting).subs(place, end), value, evaluate=False))
        ),
    )


def _symmetric() -> tuple[sp.Expr, sp.Expr]:
    """The logarithms of the two densities for means symmetric about one half."""
    return log_density(place, (1 - distance) / 2), log_density(place, (1 + distance) / 2)


def _symmetric_log_ratio() -> sp.Expr:
    before, after = _symmetric()
    return after - before


def truncated() -> tuple[Step, ...]:
    """On the unit interval with symmetric means: equal normalisers, and the largest ratio at the ends."""
    logs = _symmetric()
    difference = _symmetric_log_ratio()
    fitting = {distance: 2 * spread**2 * epsilon}
    return (
        equal_as(
            "reflection",
            r"Let the means be $\frac12 (1 \mp \Delta)$. Reflection at $\frac12$ exchanges the two densities, so the "
            r"normalisers on $[0, 1]$ are equal and cancel.",
            (logs[1].subs(place, 1 - place), logs[0]),
            r"f_{\mathrm{upd}}(1 - z) &= f_{\mathrm{init}}(z)",
        ),
        equal_as(
            "truncated_ratio",
            r"The logarithm of the ratio is",
            (difference, distance * (2 * place - 1) / (2 * spread**2)),
            r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)} &= \frac{\Delta (2 z - 1)}{2 \sigma^2},",
        ),
        equal_as(
            "exact",
            r"This grows with $z$: it is largest at $z = 1$, smallest at $z = 0$, and with $\Delta = 2 \sigma^2 "
            r"\varepsilon$ lies between $-\varepsilon$ and $\varepsilon$, with equality at the ends only.",
            (difference.subs(fitting).subs(place, 1), epsilon),
            r"\log \frac{f_{\mathrm{upd}}(1)}{f_{\mathrm{init}}(1)} &= \varepsilon",
        ),
        equal_as(
            "exact_below",
            r"At the other end",
            (difference.subs(fitting).subs(place, 0), -epsilon),
            r"\log \frac{f_{\mathrm{upd}}(0)}{f_{\mathrm{init}}(0)} &= -\varepsilon.",
        ),
        at_most(
            "inside",
            r"In between, with $0 \le z \le 1$:",
            Inequality(
                "gaussian.inside",
                sp.Abs(2 * _y - 1),
                sp.Integer(1),
                (_y >= 0, _y <= 1),
                touching={_y: 1},
            ),
            lines=(r"|2 z - 1|\, \varepsilon &\le \varepsilon",),
        ),
        equal_as(
            "tilted",
            r"So in $y = 2 z - 1 \in [-1, 1]$ the two distributions have the densities proportional to "
            r"$e^{-k y^2 \pm \theta y}$ with $k = 1/(8 \sigma^2)$ and $\theta = \varepsilon/2$.",
            (
                sp.diff(logs[1].subs(fitting).subs(place, (1 + _y) / 2), _y),
                sp.diff(-_k * _y**2 + theta * _y, _y).subs({_k: 1 / (8 * spread**2), theta: epsilon / 2}),
            ),
            r"\frac{d}{dy} \log f_{\mathrm{upd}} &= \frac{d}{dy} \left(-k y^2 + \theta y\right)",
        ),
    )
