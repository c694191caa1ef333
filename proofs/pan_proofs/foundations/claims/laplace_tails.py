"""Both tails of a sum of Laplace variables, with explicit constants."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import le, lt
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.foundations.laplace_integrals import laplace_generating_function
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.notation import alpha, m, scale
from pan_proofs.ledger.steps import below_on_box, equal, implied, lemma

_z, _h, _kappa, _gamma, _gamma_sum, _rate = sp.symbols("z h kappa gamma G r", positive=True)
_s = sp.Symbol("s", real=True)
_reciprocal_of, _guess, _root, _log = sp.symbols("G g r L", real=True)
_threshold = 2 * sp.sqrt(2) * scale * m


def exponent(gamma: sp.Expr, kappa: sp.Expr) -> sp.Expr:
    """Logarithm of the bound for each of the m users, ``-4 kappa/gamma - log(1 - 2 kappa/gamma^2)``."""
    share = sp.Symbol("c", positive=True)
    waiting = sp.integrate(sp.exp(-_rate * _s), (_s, 0, sp.oo)).subs(_rate, 1 - share)
    return -4 * kappa / gamma - sp.log(1 / waiting.subs(share, 2 * kappa / gamma**2))


def _mixture() -> Steps:
    """A Laplace variable is a normal variable of random variance."""
    normal = sp.exp(-(_z**2) / (4 * _gamma_sum)) / sp.sqrt(4 * sp.pi * _gamma_sum)
    integrand = (sp.exp(-_gamma_sum) * normal).subs(_gamma_sum, _h**2) * 2 * _h
    primitive = (sp.exp(-_z) * sp.erf(_h - _z / (2 * _h)) + sp.exp(_z) * sp.erf(_h + _z / (2 * _h))) / 4
    tilt, place = sp.symbols("lambda u", real=True)
    spread = 2 * scale**2 * _gamma_sum
    density = sp.exp(-(place**2) / (2 * spread)) / sp.sqrt(2 * sp.pi * spread)
    given = sp.simplify(sp.integrate(sp.exp(tilt * place) * density, (place, -sp.oo, sp.oo)))
    growth = sp.simplify(sp.log(given).expand(force=True) / _gamma_sum)
    by_mixture = sp.integrate(sp.exp(-_rate * _s), (_s, 0, sp.oo)).subs(_rate, 1 - growth)
    return (
        equal(
            "mixture_primitive",
            r"Let $E$ be exponential with mean $1$ and $N$ standard normal, independent. Given $E = g$, $\sqrt{2 E}\, "
            r"N$ is normal with variance $2 g$. With $g = h^2$ its density at $z > 0$ is the integral over $h > 0$ of "
            r"the left-hand side, which is the derivative of $\Psi(h) = \frac14 \left(e^{-z} \operatorname{erf}(h - "
            r"\frac{z}{2h}) + e^{z} \operatorname{erf}(h + \frac{z}{2h})\right)$.",
            r"2 h\, e^{-h^2}\, \frac{e^{-z^2/(4 h^2)}}{\sqrt{4 \pi h^2}} = \Psi'(h)",
            integrand,
            sp.diff(primitive, _h),
        ),
        equal(
            "mixture",
            r"Hence $b \sqrt{2 E}\, N$ is $\operatorname{Laplace}(0, b)$.",
            "",
            lambda: sp.limit(primitive, _h, sp.oo) - sp.limit(primitive, _h, 0, "+"),
            sp.exp(-_z) / 2,
            lines=r"\Psi(\infty) - \Psi(0) &= \tfrac12 e^{-z}",
        ),
        equal(
            "generating_function",
            r"As a check, the exponential moments agree for $|\lambda| < 1/b$: by integrating the Laplace density, "
            r"and by integrating the normal density of variance $2 b^2 g$, which gives $e^{\lambda^2 b^2 g}$, and "
            r"then $e^{-g + \lambda^2 b^2 g}$ over $g$.",
            "",
            laplace_generating_function(scale, tilt),
            by_mixture,
            lines=r"E e^{\lambda (X_i - \mu_i)} = \frac{1}{2 b} \left(\frac{1}{1/b + \lambda} + "
            r"\frac{1}{1/b - \lambda}\right) &= \frac{1}{1 - b^2 \lambda^2}",
        ),
    )


def _bound() -> Steps:
    argument = alpha / (scale * sp.sqrt(2 * _gamma_sum))
    in_kappa = 2 * sp.sqrt(2) * scale * m * sp.sqrt(_kappa)
    tangent = 2 / (_gamma * m) - _gamma_sum / (_gamma * m) ** 2
    return (
        equal(
            "conditional",
            r"So $X - E X$ has the distribution of $b \sqrt{2 G}\, N$ with $G = E_1 + \cdots + E_m$: given the $E_i$, "
            r"the sum "
            r"is normal with variance $2 b^2 G$. By the bound for the normal tail at $x = \alpha / (b \sqrt{2 G})$, "
            r"$P(|X - E X| \ge \alpha) \le E e^{-\alpha^2/(4 b^2 G)}$.",
            r"-\frac12 \left(\frac{\alpha}{b \sqrt{2 G}}\right)^2",
            lambda: (-(_z**2) / 2).subs(_z, argument),
            -(alpha**2) / (4 * scale**2 * _gamma_sum),
        ),
        implied(
            "tangent",
            r"For any $g > 0$ the reciprocal lies above its tangent at $g$, as $(G - g)^2 \ge 0$.",
            le(2 / _guess - _reciprocal_of / _guess**2, 1 / _reciprocal_of),
            _reciprocal_of > 0,
            _guess > 0,
        ),
        equal(
            "linear_exponent",
            r"Write $\alpha = 2 \sqrt2\, b m \sqrt\kappa$, that is $\kappa = \alpha^2/(8 b^2 m^2)$, and take $g = "
            r"\gamma m$.",
            r"-\frac{\alpha^2}{4 b^2} \left(\frac 2g - \frac{G}{g^2}\right)",
            -(in_kappa**2) / (4 * scale**2) * tangent,
            -4 * _kappa * m / _gamma + 2 * _kappa * _gamma_sum / _gamma**2,
        ),
        equal(
            "exponential_moment",
            r"As $E e^{c E_i} = 1/(1-c)$ for $c < 1$ and the $E_i$ are independent, for $2 \kappa < \gamma^2$ the "
            r"expectation of the exponential of this is $e^{m \Phi}$ with",
            r"\Phi(\gamma, \kappa)",
            lambda: exponent(_gamma, _kappa),
            -4 * _kappa / _gamma - sp.log(1 - 2 * _kappa / _gamma**2),
        ),
    )


def _branches() -> Steps:
    log_two = sp.log(2)
    excess = -_kappa - exponent(sp.Integer(2), _kappa)  # of the bound's exponent over Phi
    bending = sp.diff(excess, _kappa, 2)
    ends = excess.subs(_kappa, 0), excess.subs(_kappa, 1)
    return (
        equal(
            "small_exponent",
            r"Let $\alpha \le 2 \sqrt2\, b m$, so that $\kappa \le 1$. Take $\gamma = 2$.",
            r"\Phi(2, \kappa)",
            lambda: exponent(sp.Integer(2), _kappa),
            -2 * _kappa - sp.log(1 - _kappa / 2),
        ),
        equal(
            "concave",
            r"This is at most $-\kappa$: the excess $-\kappa - \Phi(2, \kappa) = \kappa + \log(1 - \kappa/2)$ is "
            r"concave,",
            r"\frac{d^2}{d\kappa^2} \left(-\kappa - \Phi(2, \kappa)\right)",
            bending,
            -1 / (2 - _kappa) ** 2,
        ),
        lemma(
            "ends",
            r"The excess vanishes at $\kappa = 0$ and is $1 - \log 2 > 0$ at $\kappa = 1$, so it is not negative in "
            r"between.",
            (
                constant_at_most("laplace_sum.start", ends[0], sp.Integer(0)),
                constant_at_most("laplace_sum.end", 1 - ends[1], sp.Rational(7, 10)),
            ),
            lines=r"1 + \log \tfrac12 &> \tfrac{3}{10}",
        ),
        below_on_box(
            "balls",
            r"Independently:",
            exponent(sp.Integer(2), _kappa),
            -_kappa,
            {_kappa: (sp.Rational(1, 100), sp.Integer(1))},
            closest={_kappa: sp.Rational(1, 100)},
            weaker=sp.Integer(2),
            lines=r"\Phi(2, \kappa) &< -\kappa \qquad (\tfrac{1}{100} \le \kappa \le 1)",
        ),
        equal(
            "small_result",
            r"The bound is $e^{-\kappa m}$.",
            r"\kappa m",
            lambda: _kappa_of_alpha() * m,
            alpha**2 / (8 * scale**2 * m),
        ),
        equal(
            "large_exponent",
            r"Let $\kappa > 1$ and $r = \sqrt\kappa$. Take $\gamma = 2 r$; then $2 \kappa < \gamma^2$.",
            r"\Phi(2 r, r^2)",
            lambda: exponent(2 * _rate, _rate**2),
            -2 * _rate + log_two,
        ),
        lemma(
            "log_two",
            r"As $\log 2 < 1 < r$, this is at most $-r$.",
            constant_at_most("laplace_sum.log_two", log_two, sp.Rational(7, 10)),
            lines=r"\log 2 &\le \tfrac{7}{10}",
        ),
        implied(
            "large_bound",
            r"Written out with $L = \log 2$:",
            lt(_log, _root),
            _root > 1,
            _log <= sp.Rational(7, 10),
            gap=sp.Rational(3, 4),
            weaker=sp.Rational(1, 2),
        ),
        equal(
            "large_result",
            r"The bound is $e^{-m \sqrt\kappa}$.",
            r"m \sqrt\kappa",
            lambda: sp.sqrt(_kappa_of_alpha()) * m,
            alpha / (2 * sp.sqrt(2) * scale),
        ),
        equal(
            "border",
            r"At the border $\kappa = 1$, and the two branches agree.",
            r"\frac{\alpha^2}{8 b^2 m}",
            lambda: (alpha**2 / (8 * scale**2 * m)).subs(alpha, _threshold),
            lambda: (alpha / (2 * sp.sqrt(2) * scale)).subs(alpha, _threshold),
        ),
    )


def _kappa_of_alpha() -> sp.Expr:
    return alpha**2 / (8 * scale**2 * m**2)


_tail = sp.Symbol("P_tail", nonnegative=True)


def laplace_sum_tail() -> Claim:
    """Lemma 4.6 of the thesis, proved without its Lemma 4.3."""
    small, large = sp.exp(-(alpha**2) / (8 * scale**2 * m)), sp.exp(-alpha / (2 * sp.sqrt(2) * scale))
    return Claim(
        id="lemma.laplace_sum_tail",
        title="Both tails of a sum of Laplace variables",
        references=(Reference("here", "another proof of Lemma 4.6 of the thesis"),),
        statement=r"Let $X = X_1 + \cdots + X_m$ with independent $X_i \sim \operatorname{Laplace}(\mu_i, b)$. Then "
        r"$P(|X - E X| \ge \alpha)$ is at most $e^{-\alpha^2/(8 b^2 m)}$ for $0 \le \alpha \le 2 \sqrt2\, b m$ and at "
        r"most $e^{-\alpha/(2 \sqrt2\, b)}$ for $\alpha > 2 \sqrt2\, b m$.",
        notation=((r"$\mu_i$", "mean of $X_i$"),),
        hypotheses=(r"$b > 0$", r"$m \ge 1$", "the $X_i$ are independent"),
        parts=(
            Part(
                Role.PUBLISHED,
                "by mixing normal variables",
                r"The bound holds for all $m$, $b$ and $\alpha$, with no factor 2.",
                (*_mixture(), *_bound(), *_branches()),
                formal=(
                    *_stated(small, sp.Integer(2), alpha <= _threshold),
                    *_stated(large, 2 * sp.sqrt(_kappa), alpha > _threshold),
                ),
            ),
        ),
        uses=("lemma.gaussian_tail",),
        remark=r"For $m = 1$ the tail is $e^{-\alpha/b}$; the bound is far from it for large $\alpha$, since its "
        r"exponent is smaller by the factor $2 \sqrt2$.",
    )


def _stated(bound: sp.Expr, guess: sp.Expr, branch: sp.Basic) -> tuple[str, ...]:
    """A branch of the bound, from the bound ``exp(m Phi)`` for the guess that the branch takes."""
    mixed = sp.exp(m * exponent(guess, _kappa))
    return symbolic(sp.Le(_tail, bound), given=(branch, sp.Le(_tail, mixed)), where={_kappa: _kappa_of_alpha()})


CLAIMS = {"lemma.laplace_sum_tail": laplace_sum_tail}
