"""Exact identities, each decided twice: by sympy, and by exact polynomials or balls of python-flint.

Sympy brings the difference to a normal form over generators (``exp(epsilon/2)`` and the like). The
second engine does not use that normal form: it multiplies out the two sides over the same generators, as fractions
of polynomials over the rationals. That the generators were chosen well is checked by a third question,
put to the sides as they were written: balls at random points must overlap.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import lcm
from typing import Any

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.evaluation import Arithmetic
from pan_proofs.engines.obligation import Answer, Check, Kind, MissingEngine, Obligation, decided, load_engine, minted
from pan_proofs.engines.relations import eq

_KEPT = (sp.exp, sp.log, sp.Abs, sp.Max, sp.Min, sp.erf, sp.erfc)
"""Functions that are not written as exponentials."""
_POINTS = 12
_TRIES = 600
_RADIUS = 1e-20
_FINE, _MULTIPLES = 100, 16
"""From which denominator of exponents on a second symbol is used, and the largest power of it."""


def equality(name: str, left: sp.Expr, right: sp.Expr, statement: str = "", *, computed: bool = False) -> Obligation:
    """The obligation that two expressions are the same for all values of their symbols.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    left, right
        The two sides.
    statement
        As in :class:`Obligation`; the equation by default.
    computed
        Whether sympy computed one of the sides for this question.
    """
    left, right = sp.sympify(left), sp.sympify(right)
    told = statement or f"{sp.sstr(left)} = {sp.sstr(right)}"
    shows = (eq(left, right),)
    if left == right:
        question = "the computed side is written as stated" if computed else "the two sides are written alike"
        alike = decided(question, "sympy", True)
        return minted(name, told, (alike,), Kind.VALUE if computed else Kind.IDENTICAL, shows)
    return minted(name, told, identity_checks(left, right), Kind.EQUALITY, shows)


def identical(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether :func:`equality` would be discharged. The engine that takes longest is asked only if the others agree."""
    if left == right:
        return True
    answers = {check.answer for check in _independent_checks(left, right)}
    if answers & {Answer.FAILS, Answer.UNKNOWN, Answer.SKIPPED}:
        return False
    return all(check.answer is Answer.HOLDS for check in identity_checks(left, right))


def identity_checks(left: sp.Expr, right: sp.Expr) -> tuple[Check, ...]:
    """The questions and answers for ``left = right``, for all values of the symbols.

    Returns
    -------
    tuple of Check
        At least one answer besides sympy's is needed for the obligation to be discharged.
    """
    left, right = sp.sympify(left), sp.sympify(right)
    vanishes = _answer(_vanishes(left - right))
    first = Check("the difference has the normal form 0", "sympy", Answer.HOLDS, vanishes)
    return (first, *_independent_checks(left, right))


def _independent_checks(left: sp.Expr, right: sp.Expr) -> tuple[Check, ...]:
    try:
        load_engine("flint")
    except MissingEngine:
        # It may be there the next time.
        return _asked.__wrapped__(left, right)
    return _asked(left, right)


@cache
def _asked(left: sp.Expr, right: sp.Expr) -> tuple[Check, ...]:
    balls = _ball_check(left, right)
    independent = [*_polynomial_check(left, right), *balls]
    # Generators stand for exponentials, logarithms and roots: only the balls see the sides as they are written.
    rational = left.is_rational_function() and right.is_rational_function()
    if not independent or not (balls or rational):
        independent.append(decided("balls of both sides can be compared", "flint", None))
    return tuple(independent)


def generators(expressions: Iterable[sp.Expr]) -> tuple[sp.Expr, ...]:
    """The expressions over plain symbols: ``tanh`` and its kin as exponentials, and those as powers of a symbol.

    Logarithms, roots and powers with symbolic exponents become symbols of their own, which is sound: an
    identity that holds for any values holds for theirs.
    """
    return abstracted(expressions)[0]


def abstracted(expressions: Iterable[sp.Expr]) -> tuple[tuple[sp.Expr, ...], dict[sp.Dummy, sp.Expr]]:
    """As :func:`generators`; and the expression for which each of the new symbols stands."""
    plain = [_exponentials(sp.sympify(expression)) for expression in expressions]
    atoms: set[sp.Expr] = set().union(*(expression.atoms(sp.exp, sp.Pow, sp.log) for expression in plain))
    steps: dict[sp.Expr, int] = {}
    exponents: dict[sp.Expr, dict[sp.Expr, sp.Rational]] = {}
    for atom in atoms:
        if isinstance(atom, sp.exp):
            terms = _terms(atom.exp)
            exponents[atom] = terms
            for base, factor in terms.items():
                if _is_log_of_rational(base) and factor.is_Integer:
                    continue
                steps[base] = lcm(steps.get(base, 1), int(factor.q))
    names = {
        base: sp.Dummy(f"x{number}", positive=True)
        for number, base in enumerate(sorted(steps, key=sp.default_sort_key))
    }
    # A power of one symbol for exp(4247/5000) and E would have thousands of factors: these get a symbol each.
    finest = {
        base: least
        for base in names
        if steps[base] > _FINE and (least := _finest(base, steps[base], exponents.values())) is not None
    }
    fine = {base: sp.Dummy(f"{names[base].name}_fine", positive=True) for base in finest}
    steps |= dict.fromkeys(fine, 1)

    def power(base: sp.Expr, factor: sp.Rational) -> sp.Expr:
        if base not in names:
            return base.args[0] ** factor
        if base not in fine:
            return names[base] ** (factor * steps[base])
        times = _times(factor, finest[base])
        return fine[base] ** times * names[base] ** (factor - times * finest[base])

    table: dict[sp.Expr, sp.Expr] = {
        atom: sp.Mul(*(power(*one) for one in terms.items())) for atom, terms in exponents.items()
    }
    if sp.S.One in fine:
        table[sp.E] = names[sp.S.One]
    replaced = [expression.xreplace(table) if table else expression for expression in plain]
    others: dict[sp.Expr, sp.Expr] = {}

    def opaque(atom: sp.Expr) -> sp.Expr:
        return others.setdefault(atom, sp.Dummy(f"y{len(others)}", positive=atom.is_positive))

    found = tuple(
        expression.replace(_is_opaque, opaque) if _has_opaque(expression) else expression for expression in replaced
    )
    stands_for = {dummy: sp.exp(base / steps[base], evaluate=False) for base, dummy in names.items()}
    stands_for |= {dummy: sp.exp(base * finest[base], evaluate=False) for base, dummy in fine.items()}
    return found, stands_for | {dummy: atom for atom, dummy in others.items()}


def _finest(base: sp.Expr, step: int, exponents: Iterable[dict[sp.Expr, sp.Rational]]) -> sp.Rational | None:
    """A factor of an exponent of which all others are small multiples, up to whole numbers; ``None`` without one."""
    factors = [terms[base] for terms in exponents if base in terms]
    of_full_step = [factor for factor in factors if factor.q == step]
    if not of_full_step:
        return None
    least = min(of_full_step, key=abs)
    few = all(abs(_times(factor, least)) <= _MULTIPLES for factor in factors)
    return least if few else None


def _times(factor: sp.Rational, least: sp.Rational) -> int:
    """The multiple of the finest factor that differs from a factor by a whole number: the nearest one to 0."""
    step = int(least.q)
    found = int(factor * step) * pow(int(least.p), -1, step) % step
    return found - step if 2 * found > step else found


def _is_opaque(part: sp.Basic) -> bool:
    return isinstance(part, (sp.log, sp.Abs)) or (part.is_Pow and not part.exp.is_Integer) or part in (sp.pi, sp.E)


def _has_opaque(expression: sp.Expr) -> bool:
    return any(map(_is_opaque, expression.atoms(sp.log, sp.Abs, sp.Pow, sp.NumberSymbol)))


def _is_log_of_rational(expression: sp.Expr) -> bool:
    return isinstance(expression, sp.log) and bool(expression.args[0].is_Rational)


def _exponentials(expression: sp.Expr) -> sp.Expr:
    # Sympy goes through all parts, also where there is nothing to rewrite.
    hyperbolic = expression.atoms(sp.Function) - expression.atoms(*_KEPT)
    rewritten = expression.rewrite(sp.exp) if hyperbolic else expression
    powers = rewritten.atoms(sp.Pow, sp.exp, sp.log)
    logs = any(isinstance(one, sp.log) for one in powers)
    if not logs and all(isinstance(one, sp.exp) for one in powers):
        return rewritten
    if all(one.is_Pow and one.exp.is_Integer for one in powers):
        return rewritten
    return sp.expand_power_exp(sp.expand_log(rewritten) if logs else rewritten)


def _terms(exponent: sp.Expr) -> dict[sp.Expr, sp.Rational]:
    terms: dict[sp.Expr, sp.Rational] = {}
    for term in sp.Add.make_args(sp.expand(exponent)):
        factor, base = term.as_coeff_Mul()
        if not factor.is_Rational:
            factor, base = sp.Integer(1), term
        terms[base] = terms.get(base, sp.Integer(0)) + factor
    return terms


@cache
def _vanishes(difference: sp.Expr) -> bool:
    if difference == 0 or (difference.is_polynomial() and sp.expand(difference) == 0):
        return True
    (plain,) = generators([difference])
    whole = sp.together(plain)
    # The numerator is multiplied out faster than a common factor is found.
    if sp.expand(sp.fraction(whole)[0]) == 0 or sp.cancel(whole) == 0:
        return True
    return bool(sp.simplify(difference) == 0)


def _polynomial_check(left: sp.Expr, right: sp.Expr) -> list[Check]:
    question = "the two sides, multiplied out as fractions of polynomials, are the same"
    try:
        # Generators that depend on one another can hide an identity: what differs here is left to the balls.
        same = _same_fraction(*generators([left, right]))
        return [decided(question, "flint", True)] if same else []
    except TypeError:
        return []
    except MissingEngine:
        return [Check(question, "flint", Answer.HOLDS, Answer.SKIPPED)]


def _same_fraction(left: sp.Expr, right: sp.Expr) -> bool:
    flint = load_engine("flint")
    symbols = sorted(left.free_symbols | right.free_symbols, key=sp.default_sort_key) or [sp.Dummy("unused")]
    context = flint.fmpq_mpoly_ctx.get([f"x{number}" for number in range(len(symbols))], flint.Ordering.lex)

    def number(constant: sp.Expr) -> _Fraction:
        return _Fraction(context.constant(int(constant.p)), context.constant(int(constant.q)))

    one = context.constant(1)
    at = {symbol: _Fraction(place, one) for symbol, place in zip(symbols, context.gens(), strict=True)}
    first, second = Arithmetic("fraction of polynomials", number, {}).values((left, right), at)
    if first.bottom == 0 or second.bottom == 0:
        raise TypeError("a denominator vanishes")
    return bool(first.top * second.bottom == second.top * first.bottom)


@dataclass(frozen=True)
class _Fraction:
    """A fraction of polynomials of flint; no common factor is looked for."""

    top: Any
    bottom: Any

    def __add__(self, other: _Fraction) -> _Fraction:
        if self.bottom == other.bottom:
            return _Fraction(self.top + other.top, self.bottom)
        return _Fraction(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __mul__(self, other: _Fraction) -> _Fraction:
        return _Fraction(self.top * other.top, self.bottom * other.bottom)

    def __pow__(self, times: int) -> _Fraction:
        return _Fraction(self.top**times, self.bottom**times)

    def __rtruediv__(self, one: int) -> _Fraction:
        return _Fraction(one * self.bottom, self.top)


def _ball_check(left: sp.Expr, right: sp.Expr) -> list[Check]:
    question = f"balls of both sides overlap at {_POINTS} random points"
    source = random.Random(str(left) + str(right))
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    overlaps = 0
    try:
        for _ in range(_TRIES):
            largest = source.choice((1, 1, 10))
            point = {symbol: _value(symbol, largest, source) for symbol in symbols}
            # Only points at which both sides are defined, with small balls, count.
            difference = enclosure(left - right, point) if left != right else enclosure(left, point) * 0
            if not difference.is_finite() or float(difference.rad()) > _RADIUS:
                continue
            if not difference.contains(0):
                return [Check(question, "flint", Answer.HOLDS, Answer.FAILS)]
            overlaps += 1
            if overlaps == _POINTS or not symbols:
                return [decided(question, "flint", True)]
    except (TypeError, ZeroDivisionError):
        return []
    except MissingEngine:
        return [Check(question, "flint", Answer.HOLDS, Answer.SKIPPED)]
    return []


def _value(symbol: sp.Symbol, largest: int, source: random.Random) -> sp.Rational:
    if symbol.is_integer:
        return sp.Integer(source.randint(0 if not symbol.is_positive else 1, 14))
    value = sp.Rational(source.randint(1, 999), 1000) * largest
    if symbol.is_negative or (not symbol.is_nonnegative and source.random() < 0.5):
        return -value
    return value


def _answer(truth: bool) -> Answer:
    return Answer.HOLDS if truth else Answer.FAILS
