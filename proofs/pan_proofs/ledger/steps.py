"""The kinds of steps that a derivation is made of, each with its engines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import Box, enclosure, positive_on_box
from pan_proofs.engines.computations import at_point, comparison, computed_value, in_every_case, require_work, within
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import (
    Kind,
    Obligation,
    ShownRelation,
    decided,
    minted,
)
from pan_proofs.engines.quantities import Case, equations, is_quantity, one_of, related_in_every_case, require_kinds
from pan_proofs.engines.relations import eq, lt, written
from pan_proofs.ledger.claim import COVERED, Step, rows
from pan_proofs.ledger.kinds import kind_check
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.sentences import conditions, formula

One = TypeVar("One")

_SHOWN = {sp.Le: r"\le", sp.Lt: "<", sp.Ge: r"\ge", sp.Gt: ">", sp.Eq: "=", sp.Ne: r"\ne"}
"""The signs of relations in a display."""
_SHORT_DENOMINATOR = 10
"""The largest denominator of a fraction that a reader compares without decimals."""
_SMALL, _LARGE = sp.Rational(1, 10**5), 10**7
"""Numbers at and beyond which a power of ten is shown."""
_A_PAGE = 500
"""The length of LaTeX from which on an expression is not displayed before what it is equal to."""
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")


def equal(
    name: str, text: str, left: str, *chain: sp.Expr | Callable[[], sp.Expr], lines: str | Sequence[str] = ()
) -> Step:
    """A chain of equalities from what was computed to what is stated.

    Parameters
    ----------
    name, text
        As in :class:`Step`.
    left
        LaTeX of the quantity, printed before the first ``=``; may be empty.
    *chain
        Two expressions or more, the first computed from the definitions; neighbours must be identically equal. A
        function without parameters is called here: an expectation, a limit or an integral that sympy computes. Two
        expressions that are written alike show something only if one of them was computed in this way; so a function
        that only looks up an expression is refused (:func:`pan_proofs.engines.computations.require_work`).
    lines
        The same expressions in LaTeX, with an ``&`` in each row, where the printed form is hard to read.
    """
    if len(chain) < 2:
        raise ValueError(f"{name}: a chain needs two expressions, one of which is the statement")
    for one in filter(_is_function, chain):
        require_work(name, one)
    sides, computed = zip(*map(_evaluated, chain), strict=True)
    require_plain(name, sides)
    obligations = tuple(
        equality(f"{name}.{number}", one, other, computed=any(computed[number : number + 2]))
        for number, (one, other) in enumerate(pairwise(sides))
    )
    return Step(name, text, rows(lines) or _displayed(left, sides), obligations)


def _displayed(left: str, sides: Sequence[sp.Expr]) -> tuple[str, ...]:
    """The rows of a chain of equalities."""
    *computed_first, stated = (tex(expression) for expression in sides)
    # What a definition gives can be a page long; a reader of a named quantity needs what it is equal to.
    shown = [*(one for one in computed_first if not left or len(one) <= _A_PAGE), stated]
    first = f"{left} &= {shown[0]}" if left else f"{shown[0]} &= {shown[1]}"
    # Expressions that sympy prints alike are shown once.
    return (first, *(f"&= {one}" for before, one in pairwise(shown[0 if left else 1 :]) if one != before))


def at_most(name: str, text: str, inequality: Inequality, lines: str | Sequence[str] = ()) -> Step:
    """A polynomial inequality with its three controls, by z3 and cvc5."""
    sign = "<" if inequality.strict else r"\le"
    shown = rows(lines) or (f"{tex(inequality.smaller)} &{sign} {tex(inequality.larger)}",)
    return Step(name, text, shown, (inequality.discharge(),))


def bounded(
    name: str,
    text: str,
    relation: Relational,
    *given: sp.Basic,
    lines: str | Sequence[str] = (),
    **controls: Any,
) -> Step:
    """As :func:`at_most`, from a relation and its hypotheses.

    Parameters
    ----------
    name, text, lines
        As in :class:`Step`; the obligation has the same name.
    relation
        ``smaller <= larger`` or ``smaller < larger``.
    given
        The hypotheses.
    **controls
        The controls of :class:`pan_proofs.engines.inequalities.Inequality`.
    """
    strict = isinstance(relation, (sp.Lt, sp.Gt))
    return at_most(name, text, Inequality(name, relation.lts, relation.gts, given, strict=strict, **controls), lines)


def lemma(
    name: str, text: str, obligations: Obligation | Iterable[Obligation], lines: str | Sequence[str] = ()
) -> Step:
    """Obligations that were discharged elsewhere in this package."""
    gathered = (obligations,) if isinstance(obligations, Obligation) else tuple(obligations)
    return Step(name, text, rows(lines), gathered)


_WIDE = 90
"""The length from which a display of hypotheses and a relation has two rows."""


def implied(name: str, text: str, relation: Relational, *given: Relational, **controls: Any) -> Step:
    """As :func:`bounded`; the display is made from the hypotheses and the relation."""
    told, sign = ", ".join(conditions((), given)), "<" if isinstance(relation, (sp.Lt, sp.Gt)) else r"\le"
    shown = rf"{tex(relation.lts)} {sign} {tex(relation.gts)}"
    wide = len(told) + len(shown) > _WIDE
    lines = (rf"&{told}", rf"&\implies {shown}") if wide else (rf"{told} &\implies {shown}",)
    return bounded(name, text, relation, *given, lines=lines, **controls)


def argument(name: str, text: str, lines: str | Sequence[str] = ()) -> Step:
    """A step that prose alone carries: no engine is asked, and the ledger counts it as such."""
    return Step(name, text, rows(lines), ())


def enumerated(
    name: str,
    text: str,
    question: str,
    cases: Iterable[One],
    holds: Callable[[One], bool],
    *,
    mutant: Callable[[One], bool],
    engine: str = "enumeration",
    lines: str | Sequence[str] = (),
) -> Step:
    """A condition that the kernel decides in each of finitely many cases, with a false condition as a control.

    Parameters
    ----------
    name, text, lines
        As in :class:`Step`.
    question, cases, holds, mutant, engine
        As in :func:`pan_proofs.engines.computations.in_every_case`.
    """
    return Step(name, text, rows(lines), (in_every_case(name, question, cases, holds, mutant=mutant, engine=engine),))


def found(
    name: str,
    text: str,
    question: str,
    compute: Callable[[], Any],
    stated: Any,
    *,
    engine: str = "enumeration",
    quantities: Sequence[sp.Symbol] = (),
    lines: str | Sequence[str] = (),
) -> Step:
    """A value that the kernel computes and compares with the stated one.

    Parameters
    ----------
    name, text, lines
        As in :class:`Step`.
    question, compute, stated, engine, quantities
        As in :func:`pan_proofs.engines.computations.computed_value`.
    """
    made = computed_value(name, question, compute, stated, engine=engine, quantities=quantities)
    return Step(name, text, rows(lines), (made,))


def related(
    name: str,
    text: str,
    question: str,
    relation: Relational,
    cases: Iterable[Case],
    *,
    mutant: Relational,
    parameters: Sequence[sp.Symbol],
    lines: str | Sequence[str] = (),
) -> Step:
    """A relation between quantities that the kernel computes in each of finitely many cases.

    The display ends with the values of the parameters for which it is shown.

    Parameters
    ----------
    name, text, lines
        As in :class:`Step`.
    question, relation, cases, mutant, parameters
        As in :func:`pan_proofs.engines.quantities.related_in_every_case`.
    """
    listed = list(cases)
    made = related_in_every_case(name, question, relation, listed, mutant=mutant, parameters=parameters)
    scope = formula(one_of({one: case[one] for one in parameters} for case in listed)) if listed else ""
    *before, last = rows(lines) or (f"{tex(relation.lhs)} &{_SHOWN[relation.func]} {tex(relation.rhs)}",)
    return Step(name, text, (*before, rf"{last} \quad ({scope})"), (made,))


def compared(name: str, text: str, *relations: Relational, lines: str | Sequence[str] = ()) -> Step:
    """Relations between numbers, each decided exactly or by balls."""
    if not relations:
        raise ValueError(f"{name}: there is no relation to decide")
    require_plain(name, [side for one in relations for side in one.args])
    asked = tuple(comparison(f"{name}.{number}", one) for number, one in enumerate(relations))
    return Step(name, text, rows(lines), asked)


def counterexample(
    name: str,
    text: str,
    claimed: Relational,
    values: Mapping[sp.Symbol, Any],
    hypotheses: Sequence[Relational] = (),
    lines: str | Sequence[str] = (),
    free: Sequence[sp.Symbol] = (),
) -> Step:
    """A point that satisfies the hypotheses and not the claimed relation, decided exactly or by balls.

    Parameters
    ----------
    claimed
        The relation of the source between two expressions (built with ``evaluate=False`` where sympy would decide it).
    values
        Exact values. A function without parameters is called here: a probability or a loss of a stream, a table or a
        data set that is run. A symbol of no kind is a quantity (:mod:`pan_proofs.engines.quantities`): its value was
        computed with the other values.
    free
        The symbols with whose values the quantities have nothing to do.
    """
    exact = {symbol: _evaluated(value)[0] for symbol, value in values.items()}
    quantities = [symbol for symbol in exact if is_quantity(symbol)]
    require_plain(name, (*claimed.args, *exact.values(), *exact), quantities)
    if claimed.free_symbols - set(exact):
        raise ValueError(f"{name}: a counterexample needs values for {claimed.free_symbols - set(exact)}")
    checks = [
        *(kind_check(symbol, value) for symbol, value in exact.items()),
        *(
            check
            for one in hypotheses
            for check in at_point("the values satisfy the hypotheses", one, exact, expected=True)
        ),
        *at_point("the claimed relation is false there", claimed, exact, expected=False),
    ]
    if not lines:
        at = r",\ ".join(f"{tex(symbol)} = {tex(value)}" for symbol, value in exact.items())
        sides = (side.xreplace(exact) for side in claimed.args)
        left, right = map(_with_decimals, sides)
        signs = {sp.Le: ">", sp.Lt: r"\ge", sp.Ge: "<", sp.Gt: r"\le", sp.Eq: r"\ne", sp.Ne: "="}
        lines = (rf"{at}:\quad {left} &{signs[claimed.func]} {right}",)
    told = f"not ({sp.sstr(claimed)}) at {exact}"
    # Of a quantity at the point something is shown for the other values alone.
    at_values = [eq(one, exact[one]) for one in exact if one not in quantities]
    with_them = [one for one in at_values if one.lhs not in free]
    shows = [
        *_under(hypotheses, sp.Not(claimed, evaluate=False)),
        *_under(at_values, _OPPOSITE[claimed.func](*claimed.args, evaluate=False)),
        *_under(with_them, *equations(name, {one: exact[one] for one in quantities})),
    ]
    return Step(name, text, rows(lines), (minted(name, told, checks, Kind.COUNTEREXAMPLE, shows),))


_OPPOSITE = {sp.Le: sp.Gt, sp.Lt: sp.Ge, sp.Ge: sp.Lt, sp.Gt: sp.Le, sp.Eq: sp.Ne, sp.Ne: sp.Eq}


def _under(conditions: Sequence[sp.Basic], *relations: sp.Basic) -> list[ShownRelation]:
    given = tuple(written(one) for one in conditions if one != sp.true)
    return [ShownRelation(written(one), given) for one in relations]


def below_on_box(
    name: str,
    text: str,
    smaller: sp.Expr,
    larger: sp.Expr,
    box: Box,
    *,
    closest: Mapping[sp.Symbol, Any],
    weaker: Fraction | sp.Rational = Fraction(1, 2),
    lines: str | Sequence[str] = (),
) -> Step:
    """A strict inequality between transcendental expressions on a box, by rigorous balls.

    The three controls: the box is not empty; the gap is reported at ``closest``; and the mutant
    ``smaller < weaker * larger`` is refuted there.

    Parameters
    ----------
    closest
        A point of the box at which the sides are close.
    weaker
        A factor that lowers ``larger``, below 1 where it is positive, for which the inequality is false at
        ``closest``.
    """
    factor = sp.Rational(weaker.numerator, weaker.denominator)
    require_plain(name, (smaller, larger, *box))
    require_kinds(name, *({symbol: sides[end] for symbol, sides in box.items()} for end in (0, 1)), ends=True)
    require_kinds(name, closest, ends=True)
    inside = all(low <= sp.sympify(closest[symbol]) <= high for symbol, (low, high) in box.items())
    at = {symbol: sp.sympify(value) for symbol, value in closest.items()}

    def refuted() -> bool:
        # A factor strengthens the statement only if it lowers the larger side.
        stronger = factor * larger
        return bool(enclosure(larger - stronger, at) > 0) and bool(enclosure(smaller - stronger, at) > 0)

    checks = (
        decided(COVERED, "flint", lambda: positive_on_box(larger - smaller, box, defined=(smaller, larger))),
        decided(f"the box holds the point {dict(closest)}", "sympy", inside),
        decided(f"the gap there is {_gap(larger - smaller, at)}", "flint", lambda: enclosure(larger - smaller, at) > 0),
        decided(f"the mutant with the factor {factor} is refuted there", "flint", refuted),
    )
    shown = rows(lines) or (f"{tex(smaller)} &< {tex(larger)}",)
    ends = ", ".join(f"{symbol} in [{low}, {high}]" for symbol, (low, high) in box.items())
    told = f"{sp.sstr(smaller)} < {sp.sstr(larger)} for {ends}"
    shows = (lt(smaller, larger),)
    return Step(name, text, shown, (minted(name, told, checks, Kind.BOX, shows, within(box)),))


def _gap(difference: sp.Expr, at: Mapping[sp.Symbol, sp.Expr]) -> str:
    value = difference.xreplace(dict(at)).evalf(20)
    return f"{float(value):.3g}" if value.is_real else sp.sstr(value)


def require_plain(name: str, expressions: Iterable[sp.Expr], quantities: Sequence[sp.Symbol] = ()) -> None:
    """Refuse expressions that the engines would read in another sense.

    Parameters
    ----------
    name
        Name of the step.
    expressions
        The expressions.
    quantities
        Symbols of no kind that stand for real numbers.

    Raises
    ------
    ValueError
        For floats, complex numbers, symbols that may be complex or infinite, and two symbols of one name.
    """
    gathered = [sp.sympify(expression) for expression in expressions]
    symbols = set().union(*(one.free_symbols for one in gathered))
    if any(one.has(sp.Float, sp.I) for one in gathered):
        raise ValueError(f"{name}: only exact real numbers can be decided")
    if unknown := sorted(str(one) for one in symbols if not one.is_real and one not in quantities):
        raise ValueError(f"{name}: the symbols {', '.join(unknown)} may be complex or infinite; declare them real")
    if len({str(symbol) for symbol in symbols}) < len(symbols):
        raise ValueError(f"{name}: two symbols have the same name, among {sorted(symbols, key=str)}")


def _evaluated(given: Any) -> tuple[sp.Expr, bool]:
    """An expression, or the result of a function without parameters; and whether it was such a function."""
    called = _is_function(given)
    return sp.sympify(given() if called else given), called


def _is_function(given: Any) -> bool:
    return callable(given) and not isinstance(given, sp.Basic)


def _with_decimals(value: sp.Expr) -> str:
    """A number for a reader, with a few digits unless it is a short number itself."""
    shown = tex(value)
    plain = value.is_Integer or (_DECIMAL.fullmatch(shown) and abs(value) < _LARGE)
    digits = "" if plain else _decimal(value)
    return f"{shown} = {digits}" if digits else shown


def _decimal(value: sp.Expr) -> str:
    """A few digits for a reader: all if they end, cut off and not rounded if dots follow, none for short fractions."""
    if value.is_Rational and value.q <= _SHORT_DENOMINATOR:
        return ""
    digits = Decimal(str(sp.N(value, 30)))
    short = value.is_Rational and sp.Rational(f"{float(value):.6g}") == value
    if not _SMALL < abs(value) < _LARGE:
        first = digits.scaleb(-digits.adjusted())
        shown = f"{first.normalize():f}" if short else rf"{_cut(first, 3)}\ldots"
        return rf"{shown} \cdot 10^{{{digits.adjusted()}}}"
    if short:
        return f"{Decimal(f'{float(value):.6g}'):f}"
    return rf"{_cut(digits, max(3 - digits.adjusted(), 1))}\ldots"


def _cut(digits: Decimal, places: int) -> str:
    return f"{digits.quantize(Decimal(1).scaleb(-places), rounding=ROUND_DOWN):f}"
