"""Moments of sums of independent copies, for every number of copies.

The moments of a sum are polynomials in the number of copies. Each is found by adding up the growth from one copy to the
next, and then proved by induction: it has the right value for no copies, and one more copy changes it as independence
demands. The second question is an identity, for sympy and flint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod

import sympy as sp

from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.obligation import Check, Kind, Obligation, decided, minted
from pan_proofs.engines.relations import eq

Powers = tuple[int, ...]
"""For each variable its power in a product."""
Moments = Callable[[Powers], sp.Expr]
"""The expectation of a product of powers of the variables of one copy."""
Distribution = Mapping[tuple[Fraction, ...], Fraction]
"""A distribution of one copy with finitely many values: for each value its probability."""

_COUNT = sp.Symbol("M", nonnegative=True, integer=True)
_MOST_COPIES = 3


def sum_moment(powers: Powers, single: Moments, count: sp.Expr) -> sp.Expr:
    """The expectation of a product of powers of sums of independent copies.

    Parameters
    ----------
    powers
        The power of each sum.
    single
        The moments of one copy.
    count
        The number of copies.
    """
    known = {_moment(one): sp.sympify(single(one)) for one in _below(powers) if any(one)}
    formal = _polynomial(powers, _centred(known))
    return sp.expand(formal.xreplace({_COUNT: sp.sympify(count)}).xreplace(known))


def moment_of_sum(
    name: str,
    powers: Powers,
    single: Moments,
    count: sp.Symbol,
    stated: sp.Expr,
    distribution: Distribution,
    parameters: Mapping[sp.Symbol, sp.Expr],
) -> Obligation:
    """The obligation that a moment of a sum of independent copies is as stated, for every number of copies.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    powers
        The power of each sum.
    single
        The moments of one copy. That they are right is another question.
    count
        The symbol of the number of copies.
    stated
        The stated moment.
    distribution
        A distribution with finitely many values, from which the same polynomial is computed by enumeration, as a
        control.
    parameters
        Values of the symbols at which the stated moment must differ from that of one copy fewer.
    """
    checks: list[Check] = []
    centred = _centred({_moment(one): sp.sympify(single(one)) for one in _below(powers) if any(one)})
    if centred and any(
        sum((value[place] * weight for value, weight in distribution.items()), Fraction(0))
        for place in range(len(powers))
    ):
        raise ValueError(f"{name}: the copies are centred; give a distribution whose means are 0 as a control")
    for below in _below(powers):
        checks += _by_induction(below, centred)
    checks += _asked("the proved moment is the stated one", sum_moment(powers, single, count), sp.sympify(stated))
    enumerated = all(_agrees(powers, distribution, copies) for copies in range(_MOST_COPIES + 1))
    checks.append(
        decided(
            f"up to {_MOST_COPIES} copies of a distribution with {len(distribution)} values have this moment, by "
            f"enumeration",
            "enumeration",
            enumerated,
        )
    )
    at = {symbol: sp.sympify(value) for symbol, value in parameters.items()}
    fewer = sum_moment(powers, single, count - 1).xreplace(at)
    apart = sp.expand(sp.sympify(stated).xreplace(at) - fewer)
    checks.append(decided("one copy fewer has another moment", "sympy", apart.is_Rational and apart != 0))
    told = f"the sums of {count} independent copies to the powers {powers} have the moment {sp.sstr(stated)}"
    shows = (eq(sum_moment(powers, single, count), sp.sympify(stated)),)
    return minted(name, told, checks, Kind.EQUALITY, shows)


@cache
def _by_induction(powers: Powers, centred: bool) -> tuple[Check, ...]:
    """Whether a polynomial is the moment for no copies, and passes from some copies to one more."""
    told, polynomial = f"the sums to the powers {powers}", _polynomial(powers, centred)
    after = polynomial.xreplace({_COUNT: _COUNT + 1})
    return (
        *_asked(f"{told}: no copies", polynomial.xreplace({_COUNT: sp.S.Zero}), _of_none(powers)),
        *_asked(f"{told}: one more copy", after, _one_more(powers, centred)),
    )


def _asked(question: str, left: sp.Expr, right: sp.Expr) -> list[Check]:
    if left == right:
        return [decided(question, "sympy", True)]
    return [one.about(question) for one in identity_checks(left, right)]


def _moment(powers: Powers) -> sp.Symbol:
    return sp.Symbol(f"mu_{'_'.join(map(str, powers))}", real=True)


def _of_one(powers: Powers, centred: bool) -> sp.Expr:
    """The moment of one copy: a symbol, 1 for no powers, and 0 for a mean if the variables are centred."""
    if not any(powers):
        return sp.S.One
    return sp.S.Zero if centred and sum(powers) == 1 else _moment(powers)


def _centred(known: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether all means that were given are 0; moments without means have shorter polynomials."""
    means = [value for symbol, value in known.items() if sum(map(int, symbol.name.split("_")[1:])) == 1]
    return all(value == 0 for value in means)


def _below(powers: Powers) -> Iterator[Powers]:
    """All products of lower or equal powers, the lower ones first."""
    yield from product(*(range(power + 1) for power in powers))


def _of_none(powers: Powers) -> sp.Expr:
    return sp.S.Zero if any(powers) else sp.S.One


def _one_more(powers: Powers, centred: bool) -> sp.Expr:
    """The moment with one more copy, by the binomial theorem: the copy is independent of the sum before it."""
    terms = []
    for before in _below(powers):
        left = tuple(power - one for power, one in zip(powers, before, strict=True))
        ways = prod(comb(power, one) for power, one in zip(powers, before, strict=True))
        terms.append(ways * _polynomial(before, centred) * _of_one(left, centred))
    return sp.Add(*terms)


@cache
def _polynomial(powers: Powers, centred: bool) -> sp.Expr:
    """The moment as a polynomial in the number of copies, over symbols for the moments of one copy."""
    if not any(powers):
        return sp.S.One
    growth = sp.Add(
        *(
            prod(comb(power, one) for power, one in zip(powers, before, strict=True))
            * _polynomial(before, centred)
            * _of_one(tuple(power - one for power, one in zip(powers, before, strict=True)), centred)
            for before in _below(powers)
            if before != powers
        )
    )
    return sp.expand(sp.Add(*(_added_up(term) for term in sp.Add.make_args(sp.expand(growth)))))


def _added_up(term: sp.Expr) -> sp.Expr:
    """The sum of a term over the numbers of copies before the last, by the sums of powers."""
    factor, powers = term.as_independent(_COUNT)
    degree = sp.degree(powers, _COUNT) if powers.has(_COUNT) else 0
    return factor * _sum_of_powers(int(degree))


@cache
def _sum_of_powers(degree: int) -> sp.Expr:
    number = sp.Symbol("k", integer=True, nonnegative=True)
    return sp.expand(sp.summation(number**degree, (number, 0, _COUNT - 1)))


def _agrees(powers: Powers, distribution: Distribution, copies: int) -> bool:
    """Whether the polynomial has the value that enumeration of all outcomes of the copies gives."""
    total = Fraction(0)
    for outcome in product(distribution.items(), repeat=copies):
        chance = prod((weight for _, weight in outcome), start=Fraction(1))
        sums = [sum((value[place] for value, _ in outcome), Fraction(0)) for place in range(len(powers))]
        total += chance * prod((one**power for one, power in zip(sums, powers, strict=True)), start=Fraction(1))

    def single(one: Powers) -> sp.Expr:
        terms = (
            weight * prod((part**power for part, power in zip(value, one, strict=True)), start=Fraction(1))
            for value, weight in distribution.items()
        )
        return sp.Rational(sum(terms, Fraction(0)))

    return bool(
        sum(distribution.values()) == 1 and sum_moment(powers, single, sp.Integer(copies)) == sp.Rational(total)
    )
