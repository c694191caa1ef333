"""Theorem 1.4: the better of the adaptive mechanism and of recomputing, with an epsilon and a delta."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.claims.zcdp_conversion import SOLUTION, inverse
from pan_proofs.continual.doubling import Doubling
from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.roots import positive_root
from pan_proofs.continual.streams import streams
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

_rho, _log, _copies = sp.symbols("rho l N", positive=True)
_root, _last, _switch, _error, _log_two = sp.symbols("r R G a L", nonnegative=True)
_total, _recomputed = sp.symbols("E C", nonnegative=True)
_each, _other = sp.symbols("b bprime", positive=True)
_less, _delta, _bound = sp.symbols("s delta B", nonnegative=True)

_TREE = (
    sp.Ge(_log_two, 8),
    sp.Le(_error, 15 * _log_two**2),
    sp.Le(_last, sp.Rational(99, 70) * (_root + _error)),
    sp.Le(_total, sp.Rational(32, 5) * _log_two**2 * _last + _error),
)
_SWITCHED = (
    sp.Ge(_switch, 0),
    sp.Le(_switch, sp.Rational(99, 70) * (_root + _error)),
    sp.Le(_recomputed, _less * _switch),
    sp.Le(_total, _recomputed),
)
_PARTS_OF_BUDGET = (sp.Le(_each, _rho / (2 * _copies)), sp.Le(_other, _rho / 2))
_NOT_SWITCHED = (
    sp.Ge(_log_two, 8),
    sp.Ge(_switch, 1),
    sp.Le(_last, _switch),
    sp.Le(_error, 15 * _log_two**2),
    sp.Le(_total, sp.Rational(32, 5) * _log_two**2 * _last + _error),
)
_NOT_ABOVE = le(_total, 22 * _log_two**2 * _switch)
_steps = sp.Symbol("T", positive=True)
_LEAST = (ge(_rho, epsilon**2 / (8 * _log)),)
_TERMS = (
    le(1 / _rho, 8 * _log / epsilon**2),
    le(_steps / _rho, 8 * _steps * _log / epsilon**2),
)
"""The square of the first factor and the cube of the second."""
_SMALL_GIVEN = (le(_rho * _steps**2, 1),)
_SMALL = le(_steps**2, 1 / _rho)
_MINUS_LOG = -sp.log(_delta)
_AT_ALL = le(
    1 / sp.sqrt((sp.sqrt(_MINUS_LOG + epsilon) - sp.sqrt(_MINUS_LOG)) ** 2),
    sp.sqrt(8 * _MINUS_LOG) / epsilon,
)
"""The bound on ``1/sqrt(rho)`` for any delta."""
_BELOW_ONE = (gt(_delta, 0), lt(_delta, 1), le(epsilon, 1))
_BUDGET = (sp.Le(epsilon, 1), sp.Ge(_log, 1))


def best_of_both() -> Claim:
    """The budget, both cases of the copy in use, and the conversion."""
    return Claim(
        id="turnstile.best_of_both",
        title="The better of two mechanisms",
        references=(
            Reference("turnstile", "Theorem 1.4, section 1.1", "the formulas are lost"),
            Reference("turnstile", "section 3.3", "the sketch of its proof"),
        ),
        statement=r"For $\varepsilon \le 1$ there is an $(\varepsilon, \delta)$-item-level-differentially private "
        r"mechanism with an error of $\tilde O(\min\{(\sqrt w \log^2 T + \log^4 T) \sqrt{\log(1/\delta)} / "
        r"\varepsilon,\ (T \log(1/\delta))^{1/3} / \varepsilon^{2/3},\ T\})$ with probability $0.99$, for all "
        r"streams of length $T$, where $w$ is the maximum flippancy.",
        hypotheses=(r"$0 < \varepsilon \le 1$, $\delta > 0$, $T$ is sufficiently large",),
        silent=(
            r"the powers of the logarithms are lost; they are read as those of turnstile.adaptive, and $\tilde O$ as "
            r"hiding powers of $\log T$",
            r"$\delta \le e^{-1}$, so that $\log(1/\delta) \ge 1$",
            r"the mechanism has $N$ copies: those of Algorithm 3 for the bounds $2^i$ below $g$, and a last one that "
            r"recomputes, in place of those from $g$ on; each has the budget $\rho/(2N)$",
            r"outputs outside of $[0, T]$ are set to the nearer end, which is post-processing and makes no error "
            r"larger",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "privacy",
                r"The copies and the sparse vector technique have budgets that add up to $\rho$. With $\rho = "
                r"(\sqrt{\log(1/\delta) + \varepsilon} - \sqrt{\log(1/\delta)})^2$ this is $(\varepsilon, \delta)$-"
                r"differential privacy. In the formula $l = \log(1/\delta)$ and $d = \sqrt\rho$.",
                (budgets(), replace(inverse()[0], name="parameters")),
                formal=(
                    *symbolic(le(_copies * _each + _other, _rho), given=_PARTS_OF_BUDGET),
                    *SOLUTION,
                ),
            ),
            Part(
                Role.PUBLISHED,
                "while a copy of Algorithm 1 is in use",
                r"The error is that of Algorithm 3: in units of $1/\sqrt\rho$ at most $10 \sqrt w L^2 + 137 L^4$, $L = "
                r"\log_2 T \ge 8$. It is also at most $22 L^2 G$ for $G = \sqrt g = \sqrt\rho\, (T/\rho)^{1/3} \ge 1$, "
                r"so that it is within a power of $\log T$ of the smaller term.",
                (below_the_switch(), not_above_recomputing()),
                formal=(
                    *symbolic(le(_total, 10 * _root * _log_two**2 + 137 * _log_two**4), given=_TREE),
                    *symbolic(_NOT_ABOVE, given=_NOT_SWITCHED),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "once the last copy is in use",
                r"The last copy has the error of recomputing on every stream. It is used only if $g \le \max(2 w, 2 "
                r"\rho\, \alpha_{\mathrm{SVT}}^2)$, so that the other term of the minimum is not smaller, up to powers "
                r"of $\log T$.",
                switched(),
                formal=symbolic(le(_total, sp.Rational(99, 70) * _less * (_root + _error)), given=_SWITCHED),
            ),
            Part(
                Role.PUBLISHED,
                "from rho to epsilon and delta",
                r"For $\varepsilon \le 1 \le l = \log(1/\delta)$ the budget is $\rho \ge \varepsilon^2 / (8 l)$. So "
                r"$1/\sqrt\rho \le \sqrt{8 l}/\varepsilon$ and $(T/\rho)^{1/3} \le 2 (T l)^{1/3} / \varepsilon^{2/3}$.",
                conversion(),
                formal=(
                    *symbolic(le(epsilon**2 / (8 * _log), _rho), given=_given_budget()),
                    *symbolic(*_TERMS, given=_LEAST),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "any constant in the place of 1",
                r"The text after the theorem extends it to $\varepsilon \le c$ for any constant $c > 1$. With the "
                r"budget $\min(1, \rho)$, as Algorithm 3 needs $\rho \le 1$, the bounds hold with $2 (2 + c)^2$ in the "
                r"place of $8$: $\min(1, \rho) \ge \frac{\varepsilon^2}{2 (2 + c)^2 l}$.",
                any_constant(),
                formal=symbolic(le(_LARGER, sp.Min(1, _rho)), given=_given_larger()),
            ),
            Part(
                Role.PUBLISHED,
                "a budget that is too small for both terms",
                r"If $\rho T^2 \le 1$, then $G \le 1$, and both terms are at least $T$ but for constants. The error "
                r"is at "
                r"most $T$.",
                (smallest_budgets(),),
                formal=symbolic(_SMALL, given=_SMALL_GIVEN),
            ),
            Part(
                Role.READING,
                "delta near 1",
                r"For $\delta$ near $1$ the root of $\log(1/\delta)$ tends to $0$, and $1/\sqrt\rho$ does not: the "
                r"bound does not follow from the conversion there.",
                large_delta(),
                formal=symbolic(_AT_ALL, given=_BELOW_ONE, refuted=True),
                holds=False,
                departs=r"$\delta \le e^{-1}$",
            ),
        ),
        uses=("turnstile.adaptive", "turnstile.recompute", "turnstile.zcdp_conversion", "turnstile.composition"),
    )


def budgets() -> Step:
    """N copies and the sparse vector technique."""
    return at_most(
        "budgets",
        r"The $N$ copies have a budget of $b = \rho/(2N)$ each, Algorithm 2 has $b' = \rho/2$.",
        Inequality(
            "best_of_both.budgets",
            _copies * _each + _other,
            _rho,
            _PARTS_OF_BUDGET,
        ),
        lines=r"N b + b' &\le \rho",
    )


def below_the_switch() -> Step:
    """The error of Algorithm 3; there are fewer copies, so that each has no smaller budget."""
    return at_most(
        "fewer_copies",
        r"There are at most $L + 1$ copies, and each has at least the budget that it has in Algorithm 3. The cutoff is "
        r"at most $L$. So the bounds of turnstile.adaptive hold for the error $E$, with $r = \sqrt w$, $R = "
        r"\sqrt{w_{\max}}$ and the error $a$ of the answers:",
        Inequality(
            "best_of_both.tree",
            _total,
            10 * _root * _log_two**2 + 137 * _log_two**4,
            _TREE,
            gap=sp.Rational(999, 1000),
            weaker=sp.Rational(1, 2),
        ),
        lines=r"E \le \tfrac{32}{5} L^2 R + a &\le 10 r L^2 + 137 L^4",
    )


def not_above_recomputing() -> Step:
    """A copy that is in use has a bound below the switch."""
    return at_most(
        "not_above_recomputing",
        r"The bound of a copy in use is below $g$, so that $R \le G$, and $a \le 15 L^2$:",
        Inequality(
            "best_of_both.not_above",
            _NOT_ABOVE.lhs,
            _NOT_ABOVE.rhs,
            _NOT_SWITCHED,
            gap=sp.Rational(999, 1000),
            weaker=sp.Rational(1, 2),
        ),
        lines=r"E \le \tfrac{32}{5} L^2 R + a &\le 22 L^2 G",
    )


_constant = sp.Symbol("c", positive=True)
_LARGER = epsilon**2 / (2 * (2 + _constant) ** 2 * _log)


def _given_larger() -> tuple[sp.Basic, ...]:
    return (
        le(epsilon, _constant),
        sp.Ge(_constant, 1),
        sp.Ge(_log, 1),
        sp.Ge(_rho, epsilon**2 / (4 * (_log + epsilon))),
    )


def any_constant() -> Steps:
    """Both numbers in the minimum."""
    return (
        at_most(
            "larger_epsilon",
            r"As $l + \varepsilon \le (1 + c) l$ and $4 (1 + c) \le (2 + c)^2$:",
            Inequality(
                "best_of_both.larger",
                _LARGER,
                _rho,
                _given_larger(),
                gap=sp.Rational(3, 5),
                weaker=sp.Rational(1, 10),
            ),
            lines=r"\frac{\varepsilon^2}{2 (2 + c)^2 l} &\le \rho",
        ),
        at_most(
            "budget_of_one",
            r"The other number is not smaller either.",
            Inequality(
                "best_of_both.one",
                _LARGER,
                sp.S.One,
                _given_larger()[:3],
                gap=sp.Rational(3, 5),
                weaker=sp.Rational(1, 10),
            ),
            lines=r"\frac{\varepsilon^2}{2 (2 + c)^2 l} &\le 1",
        ),
    )


def smallest_budgets() -> Step:
    """The third term of the minimum."""
    return at_most(
        "smallest_budgets",
        r"The square of the first factor is at least $T^2$. Then $T/\rho \ge T^3$, too.",
        Inequality("best_of_both.smallest", _SMALL.lhs, _SMALL.rhs, _SMALL_GIVEN),
        lines=r"T^2 &\le \frac1\rho",
    )


def switched() -> Steps:
    """The last copy, and when it is reached."""
    return (
        enumerated(
            "reached_only_if",
            r"By Claim 3.9 the bound $g$ is reached only if $g \le \max(2 w, 2 \rho\, \alpha_{\mathrm{SVT}}^2)$.",
            "streams of 3 and 4 entries over 2 elements of flippancy at least 1, rho = 1/4 and 1, errors 1/2, 1 and 2, "
            "all accurate answers, g = 2 and 4: runs that reach g",
            [
                (stream, Doubling(rho, error), bound)
                for length in (3, 4)
                for stream in streams(length, 2)
                if flippancy(stream) >= 1
                for rho, error in product((Fraction(1, 4), Fraction(1)), (Fraction(1, 2), Fraction(1), Fraction(2)))
                for bound in (2, 4)
            ],
            lambda case: case[1].largest(case[0]) < case[2] or case[2] <= case[1].most(flippancy(case[0])),
            mutant=lambda case: case[1].largest(case[0]) < case[2] or case[2] <= flippancy(case[0]),
        ),
        at_most(
            "recomputing_is_no_worse",
            r"In units of $1/\sqrt\rho$ let $C$ be the error of recomputing with the budget $\rho/(2N)$, and $C \le s "
            r"\sqrt g$: for $g \ge \rho^{1/3} T^{2/3}$ the factor $s$ is a power of $\log T$. With $G = \sqrt g \le "
            r"\frac{99}{70} (r + a)$ the error is then at most a power of $\log T$ times $r + a$ as well. While it is "
            r"not reached, the term of recomputing is not smaller, up to powers of $\log T$, if $g \le 2 \rho^{1/3} "
            r"T^{2/3}$: the largest bound in use is less than $g$.",
            Inequality(
                "best_of_both.switched",
                _total,
                sp.Rational(99, 70) * _less * (_root + _error),
                _SWITCHED,
                weaker=sp.Rational(9, 10),
            ),
            lines=r"E \le C \le s G &\le \tfrac{99}{70}\, s (r + a)",
        ),
        equal_as(
            "factor",
            r"The factor $s$ for $g^3 = \rho T^2$: the cube of the error is $C^3 = 250 N T \lambda \sqrt\rho$ with "
            r"$\lambda = \log T$, and $C = s \sqrt g$. So $s$ does not depend on $\rho$, nor on $T$ but by $N "
            r"\lambda$.",
            (_factor, 5 * sp.cbrt(2 * _copies * sp.Symbol("lambda", positive=True))),
            r"s &= 5 (2 N \lambda)^{1/3}",
        ),
    )


def _factor() -> sp.Expr:
    length, log, factor = sp.symbols("T lambda s", positive=True)
    return positive_root(factor**6 * _rho * length**2 - (250 * _copies * length * log) ** 2 * _rho, factor)


def _given_budget() -> tuple[sp.Basic, ...]:
    return (*_BUDGET, sp.Ge(_rho, epsilon**2 / (4 * (_log + epsilon))))


def conversion() -> Steps:
    """A lower bound of the budget."""
    length, factor = sp.symbols("T r", positive=True)
    least = epsilon**2 / (8 * _log)
    return (
        at_most(
            "least_budget",
            r"By turnstile.zcdp_conversion $\rho \ge \varepsilon^2 / (4 (l + \varepsilon))$, where $\varepsilon \le 1 "
            r"\le l$.",
            Inequality(
                "best_of_both.budget",
                epsilon**2 / (8 * _log),
                _rho,
                _given_budget(),
            ),
            lines=r"\frac{\varepsilon^2}{8 l} \le \frac{\varepsilon^2}{4 (l + \varepsilon)} &\le \rho",
        ),
        *(
            at_most(
                f"{name}_bounded",
                text,
                Inequality(
                    f"best_of_both.{name}",
                    term.lhs,
                    term.rhs,
                    _LEAST,
                ),
            )
            for name, text, term in (
                ("square", r"So the square of the factor of the first term is at most", _TERMS[0]),
                ("cube", r"So the cube of the second term is at most", _TERMS[1]),
            )
        ),
        equal_as(
            "first_term",
            r"At the budget $\varepsilon^2/(8 l)$ the first term has the factor $1/\sqrt\rho$, with the square $8 l / "
            r"\varepsilon^2$:",
            (lambda: positive_root(factor**2 * least - 1, factor), 2 * sp.sqrt(2) * sp.sqrt(_log) / epsilon),
            r"1/\sqrt\rho &= \frac{2 \sqrt 2 \sqrt l}{\varepsilon}",
        ),
        equal_as(
            "second_term",
            r"The second term has the cube $T/\rho$:",
            (
                lambda: positive_root(factor**3 * least - length, factor),
                2 * sp.cbrt(length * _log) / epsilon ** sp.Rational(2, 3),
            ),
            r"(T/\rho)^{1/3} &= \frac{2 (T l)^{1/3}}{\varepsilon^{2/3}}",
        ),
    )


def large_delta() -> Steps:
    """A delta of 0.9999."""
    delta = sp.Rational(9999, 10000)
    return (
        counterexample(
            "delta_near_one",
            r"For $\varepsilon = 1$ and $\delta = 0.9999$ the budget is about $0.98$, and $\sqrt{8 \log(1/\delta)}$ is "
            r"below $0.03$.",
            _AT_ALL,
            {_delta: delta, epsilon: sp.Integer(1)},
            _BELOW_ONE,
        ),
    )


CLAIMS = {"turnstile.best_of_both": best_of_both}
