"""The error of Algorithm 3 with constants: steps for its claim."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.continual.doubling import Doubling
from pan_proofs.continual.flippancy import truncated
from pan_proofs.continual.streams import Stream, distinct_counts, elements, existence, streams
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Steps
from pan_proofs.ledger.steps import at_most, compared, enumerated, lemma

_height = sp.Symbol("L", real=True)
_root, _last, _error = sp.symbols("r R a", nonnegative=True)
_error_of_copy, _total = sp.symbols("C E", nonnegative=True)

_COPY = sp.Rational(7, 4) * _height - (6 + sp.Rational(7, 10) * _height + sp.log(_height + 1))
_SPARSE = sp.Rational(15, 8) * _height - (sp.Rational(7, 10) * (_height + 1) + 6 + sp.log(_height))
_FROM = sp.Integer(8)
PARTS = (
    sp.Ge(_height, 8),
    sp.Le(_error, 15 * _height**2),
    sp.Le(_last, sp.Rational(99, 70) * (_root + _error)),
    sp.Le(_error_of_copy, sp.Rational(32, 5) * _height**2 * _last),
    sp.Le(_total, _error_of_copy + _error),
)
BOUND = le(_total, 10 * _root * _height**2 + 137 * _height**4)
"""The error in units of ``1 / sqrt(rho)``: ``r`` is the root of the flippancy, ``L = log2 T``."""


def error() -> Steps:
    """From the answers below to the constants."""
    return (
        enumerated(
            "answers_below",
            r"The copy for $w_t$ is used only after an answer below: at most $\sqrt{w_t/\rho} + "
            r"\alpha_{\mathrm{SVT}}$ items have flippancy $w_t$ or more. These include all items that the copy cuts "
            r"off, those of flippancy more than $w_t$. The last copy, with $w_t \ge T$, cuts nothing off.",
            "streams of 4 entries over 2 elements, rho = 4, errors 0 and 1/2, all accurate answers, every time: the "
            "count that the copy misses is at most sqrt(w_t / rho) + error",
            [
                (stream, Doubling(Fraction(4), error), run)
                for stream in streams(4, 2)
                for error in (Fraction(0), Fraction(1, 2))
                for run in Doubling(Fraction(4), error).runs(stream)
            ],
            lambda case: all(
                case[1].at_most(_missed(case[0], time, bound), bound, case[1].error)
                for time, bound in enumerate(case[2], start=1)
            ),
            mutant=lambda case: all(_missed(case[0], time, bound) == 0 for time, bound in enumerate(case[2], start=1)),
        ),
        compared(
            "logarithms",
            r"In the bounds below:",
            le(sp.log(2), sp.Rational(7, 10)),
            le(sp.log(400), 6),
            lines=(r"\log 2 &\le \tfrac{7}{10}", r"\log 400 &\le 6"),
        ),
        lemma(
            "noise_of_copies",
            r"A copy with bound $W$ has noise of variance at most $V = 8 W (L + 1)^3 / \rho$ at each time, by Theorem "
            r"3.2 with its part of the budget. By Lemma A.2 its $T$ errors exceed $\lambda = \sqrt{2 V \log(400 T (L + "
            r"1))}$ with probability at most $0.005 / (L + 1)$. So $\lambda^2 = \frac{W}{\rho}\, 16 (L + 1)^3 (\log "
            r"400 + L \log 2 + \log(L + 1))$. For $L \ge 8$ the last factor is at most $\frac74 L$:",
            Slopes("adaptive.copies", _COPY, _height, _FROM, {_height: sp.Rational(81, 10)}, sp.Integer(2)).discharge(),
            lines=r"6 + \tfrac{7}{10} L + \log(L + 1) &\le \tfrac74 L",
        ),
        at_most(
            "error_of_copies",
            r"With the $\sqrt{W/\rho}$ items, the error of a copy is at most $(\frac{\lambda \sqrt\rho}{\sqrt W} + 1) "
            r"\sqrt{W/\rho}$. Its factor is at most $\frac{32}{5} L^2$:",
            Inequality(
                "adaptive.error_of_copies",
                16 * (_height + 1) ** 3 * sp.Rational(7, 4) * _height,
                (sp.Rational(32, 5) * _height**2 - 1) ** 2,
                (sp.Ge(_height, 8),),
                gap=sp.Rational(99, 100),
                weaker=sp.Rational(1, 2),
            ),
            lines=r"16 (L + 1)^3 \cdot \tfrac74 L &\le \left(\tfrac{32}{5} L^2 - 1\right)^2",
        ),
        lemma(
            "error_of_answers",
            r"The error $a / \sqrt\rho$ of the answers, $a = 8 L (\log k + \log(400 L))$ with $k = T + L \le 2 T$ "
            r"queries, is at most $15 L^2 / \sqrt\rho$:",
            Slopes(
                "adaptive.answers", _SPARSE, _height, _FROM, {_height: sp.Rational(81, 10)}, sp.Integer(1)
            ).discharge(),
            lines=r"8 L \left(\tfrac{7}{10} (L + 1) + 6 + \log L\right) &\le 15 L^2",
        ),
        at_most(
            "largest_root",
            r"By Claim 3.9 $w_{\max} \le 2 w + 2 a^2$. So $R = \sqrt{w_{\max}}$ and $r = \sqrt w$ satisfy $R^2 \le 2 "
            r"(r + a)^2$, and $R \le \frac{99}{70} (r + a)$.",
            Inequality(
                "adaptive.largest_root",
                _last,
                sp.Rational(99, 70) * (_root + _error),
                (sp.Le(_last**2, 2 * _root**2 + 2 * _error**2),),
                weaker=sp.Rational(9, 10),
            ),
        ),
        at_most(
            "total",
            r"All in all, in units of $1/\sqrt\rho$, with the error $C$ of the copy in use:",
            Inequality(
                "adaptive.total",
                _total,
                10 * _root * _height**2 + 137 * _height**4,
                PARTS,
                gap=sp.Rational(999, 1000),
                weaker=sp.Rational(1, 2),
            ),
            lines=r"E \le C + a &\le 10 r L^2 + 137 L^4",
        ),
        compared(
            "probability",
            r"The answers are inaccurate with probability at most $0.005$, and the $L + 1$ copies together have larger "
            r"errors with probability at most $0.005$.",
            le(sp.Rational(5, 1000) + sp.Rational(5, 1000), 1 - sp.Rational(99, 100)),
        ),
    )


def _missed(stream: Stream, time: int, bound: int) -> int:
    """The distinct count at a time, minus the sum of the truncated vectors."""
    begun = stream[:time]
    kept = sum(truncated(existence(begun, element), bound)[-1] for element in elements(begun))
    return distinct_counts(begun)[-1] - kept
