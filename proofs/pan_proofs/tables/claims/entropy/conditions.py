"""The conditions of Theorems 3.5 and 3.6 of the thesis: needed, sufficient, or implied by the others."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import at_most, counterexample, lemma
from pan_proofs.tables.lemmas.uncertainty import log_variance

_at, _noise, _total = sp.symbols("q w W", nonnegative=True)
_small = sp.Symbol("eta", positive=True)
_BOTH = (sp.Le(_noise, _small, evaluate=False), sp.Le(_at, _small, evaluate=False), sp.Le(_small, 1, evaluate=False))
_THREE = sp.And(
    sp.Le(_noise, _small, evaluate=False),
    sp.Le(_noise * _at, _small, evaluate=False),
    sp.Le(_noise**2 * _at, _small, evaluate=False),
    evaluate=False,
)
_NOISY = (
    sp.Le(_noise, _small, evaluate=False),
    sp.Eq(_noise, _total * _at, evaluate=False),
    sp.Ge(_total, 1, evaluate=False),
)
_FEW = (sp.Le(_noise, _small, evaluate=False), sp.Eq(_noise, _total * _at, evaluate=False))
_root = sp.Symbol("y", positive=True)
_log, _theta = sp.symbols("L theta", nonnegative=True)
_p, _n, _size = sp.symbols("p n d", positive=True)
_spread = sp.Symbol("V")
_square = sp.Symbol("z", nonnegative=True)
_UNIFORM = tuple([Fraction(1, 8)] * 8)
_DOMINATED = sp.Le(_size / (_p * _n**2), _size * _total / (_p**2 * _n**3), evaluate=False)
_BY_FIRST = sp.Le(_size / (_p * _n**2), _size * _total / (_p * _n**2), evaluate=False)


def entropy_conditions() -> Claim:
    """One direction of the equivalence holds; three steps are false, and each has a true form."""
    return Claim(
        id="bayesnet.entropy_conditions",
        title="Conditions for the entropy of noisy frequencies",
        references=(Reference("networks", "Theorems 3.5 and 3.6 and their proofs, section 3.4.2"),),
        statement=r"Theorem 3.5: the three conditions $\frac{dMb^2}{p_{\min}n^2}, \frac{dMb^2}{p_{\min}^2n^3}, "
        r"\frac{dM^2b^4}{p_{\min}^3n^4} = o(\frac dn)$ are equivalent to $\varepsilon = \omega\bigl(\sqrt{"
        r"\frac{M}{p_{\min}n}}\,N^{k+1}\bigr)$ and $p_{\min} = \omega(\frac1n)$; $\frac{d}{p_{\min}n^2}$ is dominated "
        r"by $\frac{dMb^2}{p_{\min}^2n^3}$. Theorem 3.6: since $\sigma^2 = O(d^2)$, $\theta\log^2 p_{\min} = "
        r"o(\frac1n)$ "
        r"is sufficient for $d\,\theta\log^2 p_{\min} = o(\frac{\sigma^2}{n})$, and $\frac{\theta}{p_{\min}} = "
        r"o(\frac1n)$ implies it; $\frac{1}{p_{\min}^2n} = o(1)$ implies the other four conditions on the five terms.",
        hypotheses=(r"$p_{\min} < e^{-2}$ in Theorem 3.6", r"$b = \Theta(\frac{N^{k+1}}{\varepsilon})$"),
        silent=(r"$k$ is fixed", "each condition is about the same sequence of distributions and numbers"),
        parts=(
            Part(
                Role.PUBLISHED,
                "sufficient for Theorem 3.5",
                r"Let $q = \frac{1}{p_{\min}n}$ and $w = \frac{Mb^2}{p_{\min}n}$. The three quantities over $\frac dn$ "
                r"are $w$, $wq$ and $w^2q$. If $w$ and $q$ are at most a small number $\eta$, all three are.",
                (_product("w_and_q", _noise * _at), _product("w_twice_and_q", _noise**2 * _at)),
                formal=symbolic(_THREE, given=_BOTH),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the equivalence, with little noise",
                r"If $W = Mb^2$ is small, the three conditions do not imply $p_{\min} = \omega(\frac1n)$. In the "
                r"formula $q$ is $1$ while $w$ is as small as one likes.",
                (_little_noise(),),
                formal=symbolic(sp.Le(_at, _small, evaluate=False), given=_FEW, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the equivalence, with noise of at least one count",
                r"If $W = Mb^2 \ge 1$, the first condition alone implies the two others and $p_{\min} = "
                r"\omega(\frac1n)$: then $q \le w$.",
                (_much_noise(),),
                formal=symbolic(sp.Le(_at, _small, evaluate=False), given=_NOISY),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the dominated term of the bias",
                r"$\frac{d}{p_{\min}n^2}$ is not dominated by $\frac{dW}{p_{\min}^2n^3}$: their ratio is "
                r"$\frac{p_{\min}n}{W}$, which Theorem 3.5 itself lets grow.",
                (_not_dominated(),),
                formal=symbolic(_DOMINATED, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the dominating term of the bias",
                r"If $W \ge 1$, it is dominated by $\frac{dW}{p_{\min}n^2}$.",
                (_by_first(),),
                formal=symbolic(_BY_FIRST, given=(sp.Ge(_total, 1, evaluate=False),)),
            ),
            Part(
                Role.PUBLISHED,
                "implications between conditions of the two theorems",
                r"$\log^2 p \le \frac4p$, so that $\frac{\theta}{p_{\min}} = o(\frac1n)$ implies "
                r"$\theta\log^2 p_{\min} = o(\frac1n)$. As $\log^2 p_{\min} \ge 4$, this implies $\theta = "
                r"o(\frac1n)$. "
                r"In the formulas $y = p_{\min}^{-1/2}$ and $L = |\log p_{\min}|$.",
                _implications(),
                formal=(
                    *symbolic(sp.Gt(_root - 1 - sp.log(_root), 0, evaluate=False), given=(_root > 1,)),
                    *symbolic(
                        sp.Le(_log**2, 4 * _root**2, evaluate=False),
                        given=(_root >= 1, sp.Le(_log, 2 * (_root - 1), evaluate=False)),
                    ),
                    *symbolic(
                        sp.Le(4 * _theta, _log**2 * _theta, evaluate=False), given=(sp.Ge(_log, 2, evaluate=False),)
                    ),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "an upper bound on the variance",
                r"$\sigma^2 = O(d^2)$ bounds $\sigma^2$ from above, where the step needs a bound from below. For the "
                r"uniform distribution on $8$ values $\sigma^2 = 0$, and no noise is dominated. In the formula $V = "
                r"\sigma^2$.",
                (_no_variance(),),
                formal=symbolic(
                    sp.Gt(8 * _theta * sp.log(8) ** 2, _spread / _n, evaluate=False), given=(sp.Gt(_theta, 0),)
                ),
            ),
            Part(
                Role.AMENDED,
                "a bound on the variance from below",
                r"The step needs $\theta L^2 = o(\frac{\sigma^2}{dn})$. If $\sigma^2 \ge c\,d$ for a $c > 0$, "
                r"$\theta L^2 = o(\frac1n)$ is enough. In the formula $q = n\theta L^2$, and $V$ is the variance.",
                (_enough_variance(),),
                formal=symbolic(sp.Le(_size * _at, _small * _variance / _below, evaluate=False), given=_ENOUGH),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the strongest of the five conditions",
                r"The fourth term asks for $\frac{L}{p_{\min}^2n} \to 0$ even if $\sigma^2$ is of order $d^2$. With "
                r"$z = \frac{1}{p_{\min}^2n} = \frac1L$, that is $n = L\,p_{\min}^{-2}$, $z$ tends to $0$ and $Lz = 1$ "
                r"does not.",
                _logarithm_left(),
                formal=(
                    *symbolic(sp.Eq(sp.Limit(1 / _grows, _grows, sp.oo), 0, evaluate=False)),
                    *symbolic(sp.Le(_log * _square, sp.Rational(1, 2), evaluate=False), refuted=True),
                ),
            ),
            Part(
                Role.AMENDED,
                "the strongest condition",
                r"$\frac{L}{p_{\min}^2n} = o(1)$ with $L \ge 2$ implies the four others: over $\frac{d^2}{n}$ the five "
                r"terms are $z$, $z^2$, $Lpz$, $Lz$ and $z^{3/2}$. In the formula $x = \sqrt z$.",
                (*_all_five(),),
                formal=symbolic(*(sp.Le(one, _small, evaluate=False) for one in _FIVE), given=_STRONGEST),
            ),
        ),
        remark=r"In the definition of $O$ for several variables only the largest of them needs to grow, so that "
        r"statements with $p_{\min} \to 0$ or $\varepsilon \to 0$ are read along sequences. For $k$ that grows with "
        r"$N$, $\binom{N}{k+1}$ is not of the order $N^{k+1}$: for $k = N - 1$ it is $1$.",
    )


_variance, _below = sp.symbols("V c", positive=True)
_ENOUGH = (
    sp.Le(_at, _small, evaluate=False),
    sp.Ge(_variance, _below * _size, evaluate=False),
)
_grows = sp.Symbol("L", positive=True)
_x, _prob = sp.symbols("x p", nonnegative=True)
_FIVE = (_x**2, _x**4, _log * _prob * _x**2, _log * _x**2, _x**3)
_STRONGEST = (
    sp.Le(_log * _x**2, _small**2, evaluate=False),
    sp.Ge(_log, 2, evaluate=False),
    sp.Le(_prob, 1, evaluate=False),
    sp.Le(_small, 1, evaluate=False),
)


def _product(name: str, product: sp.Expr) -> Step:
    return at_most(
        name,
        r"A product of small numbers is small.",
        Inequality(f"conditions.{name}", product, _small, _BOTH, touching={_noise: 1, _at: 1, _small: 1}),
    )


def _little_noise() -> Step:
    return counterexample(
        "little_noise",
        r"For instance the uniform distribution with $p_{\min} = \frac1n$ and noise with $W = \frac1{100}$:",
        sp.Le(_at, _small, evaluate=False),
        {_at: sp.S.One, _total: sp.Rational(1, 100), _noise: sp.Rational(1, 100), _small: sp.Rational(1, 100)},
        _FEW,
    )


def _much_noise() -> Step:
    return at_most(
        "much_noise",
        r"Since $w = Wq$:",
        Inequality("conditions.much_noise", _at, _small, _NOISY, touching={_at: 1, _total: 1, _noise: 1, _small: 1}),
    )


def _not_dominated() -> Step:
    return counterexample(
        "not_dominated",
        r"For $p_{\min}n = 500$ and $W = 100$:",
        _DOMINATED,
        {_size: sp.Integer(2), _p: sp.Rational(1, 2), _n: sp.Integer(1000), _total: sp.Integer(100)},
    )


def _by_first() -> Step:
    return at_most(
        "by_first",
        r"It has the same denominator.",
        Inequality(
            "conditions.by_first",
            _size / (_p * _n**2),
            _size * _total / (_p * _n**2),
            (sp.Ge(_total, 1, evaluate=False),),
            touching={_size: 1, _p: 1, _n: 1, _total: 1},
        ),
        lines=(r"\frac{d}{pn^2} &\le \frac{dW}{pn^2}",),
    )


def _implications() -> tuple[Step, ...]:
    return (
        by_slopes(
            "tangent",
            r"With $y = p^{-1/2}$ the logarithm is $L = 2\log y$.",
            Slopes(
                "conditions.tangent",
                _root - 1 - sp.log(_root),
                _root,
                sp.S.One,
                {_root: sp.Rational(101, 100)},
                sp.Rational(1, 1000),
                strict=True,
            ),
            lines=(r"\log y &< y - 1 \quad (y > 1)",),
        ),
        at_most(
            "squared",
            r"So $L \le 2(y - 1)$, and its square is at most $4y^2 = \frac4p$.",
            Inequality(
                "conditions.squared",
                _log**2,
                4 * _root**2 - 4,
                (_root >= 1, sp.Le(_log, 2 * (_root - 1), evaluate=False)),
                touching={_log: 0, _root: 1},
                weaker=sp.Rational(1, 2),
            ),
            lines=(r"L^2 \le 4y^2 - 4 &\le \tfrac4p",),
        ),
        at_most(
            "at_least_four",
            r"From $p_{\min} < e^{-2}$, $L \ge 2$.",
            Inequality(
                "conditions.at_least_four",
                4 * _theta,
                _log**2 * _theta,
                (sp.Ge(_log, 2, evaluate=False), sp.Ge(_theta, 0, evaluate=False)),
                touching={_log: 2, _theta: 1},
            ),
            lines=(r"4\theta &\le L^2\theta",),
        ),
    )


def _no_variance() -> Step:
    return counterexample(
        "no_variance",
        r"The variance of $\log p$ is computed from the distribution. For any $\theta > 0$:",
        sp.Le(8 * _theta * sp.log(8) ** 2, _spread / _n, evaluate=False),
        {_spread: lambda: log_variance(_UNIFORM), _theta: sp.Rational(1, 10**9), _n: sp.Integer(1000)},
        (sp.Gt(_theta, 0, evaluate=False),),
        free=(_theta, _n),
    )


def _enough_variance() -> Step:
    return at_most(
        "enough_variance",
        r"With $q = n\theta L^2 \le \eta$:",
        Inequality(
            "conditions.enough_variance",
            _size * _at,
            _small * _variance / _below,
            _ENOUGH,
            touching={_size: 1, _at: 1, _small: 1, _variance: 1, _below: 1},
        ),
        lines=(r"d\,n\theta L^2 &\le \frac{\eta\,\sigma^2}{c}",),
    )


def _logarithm_left() -> tuple[Step, ...]:
    return (
        lemma(
            "vanishing",
            r"Along $n = L\,p_{\min}^{-2}$ the printed condition holds.",
            tends_to("conditions.vanishing", 1 / _grows, _grows, sp.oo, sp.S.Zero),
            (r"\lim_{L \to \infty} \tfrac1L &= 0",),
        ),
        counterexample(
            "logarithm_left",
            r"The fourth term is not small there, for instance at $L = 100$:",
            sp.Le(_log * _square, sp.Rational(1, 2), evaluate=False),
            {_log: sp.Integer(100), _square: sp.Rational(1, 100)},
        ),
    )


def _all_five() -> tuple[Step, ...]:
    shown = ("z", "z^2", "Lpz", "Lz", "z^{3/2}")
    return tuple(
        at_most(
            f"term_{number}",
            r"With $x = \sqrt z$ and $Lz \le \eta^2$:" if number == 1 else r"In the same way:",
            Inequality(
                f"conditions.term_{number}",
                one,
                _small,
                _STRONGEST,
                weaker=sp.Rational(1, 8),
                touching=_ONE if one.has(_log) else None,
                gap=sp.Rational(3, 4),
            ),
            lines=(rf"{line} &\le \eta",),
        )
        for number, (one, line) in enumerate(zip(_FIVE, shown, strict=True), 1)
    )


_ONE = {_x: sp.sqrt(sp.Rational(1, 2)), _log: sp.Integer(2), _prob: sp.S.One, _small: sp.S.One}

CLAIMS = {"bayesnet.entropy_conditions": entropy_conditions}
