"""Steps that both lower bounds share: very small epsilon, and the scaling of an order of growth."""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from pan_proofs.continual.roots import positive_root
from pan_proofs.continual.streams import NEIGHBOURS, Stream, distinct_counts
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, tex
from pan_proofs.ledger.steps import at_most, compared, enumerated

_length = sp.Symbol("T", positive=True)
_factor = sp.Symbol("x", positive=True)
_delta, _sum = sp.symbols("delta s", nonnegative=True)
_likely, _unlikely = sp.symbols("P Pprime", nonnegative=True)
_short, _bound = sp.symbols("n alpha", positive=True)
_CHAIN = (
    le(_likely, _factor * _unlikely + _length * _sum),
    le(_unlikely, sp.Rational(1, 100)),
    le(_sum, _factor * _delta),
    le(_delta, 1 / (10 * _length)),
    le(_factor, 8),
)
"""Group privacy for a chain of ``T`` steps with the factor ``x``: ``P`` and ``Pprime`` are probabilities of one event
for the ends of the chain, ``s`` is each term of its delta."""
CONTRADICTION = symbolic(lt(_likely, sp.Rational(99, 100)), given=_CHAIN)
"""The event that the last output exceeds ``T/2`` has no probability of 0.99 for the other end of the chain."""
_ROUNDED = (ge(_short, 1), gt(_short, epsilon * _length - 1))
FLOORED = symbolic(le(epsilon * _length / 2, _short), given=_ROUNDED)
"""``floor(eps T)`` is at least half of ``eps T``."""


def scaled_formula(power: int, stated: sp.Expr) -> tuple[str, ...]:
    """The bound ``alpha`` with ``(eps alpha)^power = eps T`` as a formal statement."""
    solves = eq((epsilon * _bound) ** power, epsilon * _length)
    return symbolic(eq(_bound, stated), given=(solves,))


def distinct_insertions(length: int) -> tuple[Stream, ...]:
    """Streams from no-ops to insertions of different elements, one entry more each."""
    return tuple(
        tuple((place, 1) if place < number else None for place in range(length)) for number in range(length + 1)
    )


def tiny(name: str) -> Steps:
    """For epsilon at most 2/T the error is at least T/2.

    Parameters
    ----------
    name
        The name of the claim, for the obligations.
    """
    return (
        enumerated(
            f"{name}_chain",
            r"Let $\varepsilon \le 2/T$. The stream of $T$ no-ops and that of $T$ insertions of different elements are "
            r"joined by $T$ steps between neighbours. The last counts are $0$ and $T$.",
            "T from 1 to 6: each step joins event-neighbours and item-neighbours, and the last count rises by 1",
            [pair for length in range(1, 7) for pair in _steps(length)],
            lambda pair: (
                all(pair[0] in set(NEIGHBOURS[kind](pair[1])) for kind in NEIGHBOURS)
                and distinct_counts(pair[1])[-1] == distinct_counts(pair[0])[-1] + 1
            ),
            mutant=lambda pair: distinct_counts(pair[1])[-1] == 1,
        ),
        compared(
            f"{name}_factor",
            r"By Lemma 2.3 the whole chain has the factor $x = e^{\varepsilon T} \le e^2$, and each of its $T$ terms "
            r"of $\delta'$ is at most $s = x \delta$.",
            le(sp.exp(2), 8),
            lines=r"x \le e^2 &\le 8",
        ),
        at_most(
            f"{name}_contradiction",
            r"If the error were less than $T/2$ with probability $0.99$, the last output would exceed $T/2$ with "
            r"probability $P' \le 0.01$ for the first stream, and $P \ge 0.99$ for the other. For $\delta \le 1/(10 "
            r"T)$ this is impossible:",
            Inequality(
                f"{name}.contradiction",
                _likely,
                sp.Rational(88, 100),
                _CHAIN,
            ),
            lines=r"P \le x P' + T s \le \tfrac{8}{100} + \tfrac{8}{10} &= 0.88 < 0.99",
        ),
    )


def _steps(length: int) -> list[tuple[Stream, Stream]]:
    made = distinct_insertions(length)
    return list(pairwise(made))


def scaled(name: str, text: str, power: int, stated: sp.Expr) -> Step:
    """The bound ``alpha`` with ``(eps alpha)^power = eps T``, as the reduction to small epsilon gives it."""
    bound = _bound
    return equal_as(
        name,
        text,
        (lambda: positive_root((epsilon * bound) ** power - epsilon * _length, bound), stated),
        rf"(\varepsilon \alpha)^{power} = \varepsilon T \quad\text{{for}}\quad \alpha &= {tex(stated)}",
    )


def floored(name: str) -> Step:
    """``floor(eps T)`` is at least half of ``eps T``."""
    return at_most(
        f"{name}_floor",
        r"Rounding $\varepsilon T \ge 1$ down to $n$ loses at most half.",
        Inequality(
            f"{name}.floor",
            epsilon * _length / 2,
            _short,
            _ROUNDED,
        ),
        lines=r"\tfrac12 \varepsilon T &\le n",
    )
