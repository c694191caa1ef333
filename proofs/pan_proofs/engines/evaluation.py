"""Expressions of sympy as programs over any numbers: balls, power series, fractions of polynomials.

A part that stands several times is computed once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from typing import Any

import sympy as sp

_NUMBERS = (sp.E, sp.pi)
_SEVERAL = (sp.Add, sp.Mul, sp.Max, sp.Min)
"""Operations of several arguments that are computed two by two."""
_SIGNS = {operator.add: " + ", operator.mul: " * "}
_Instruction = tuple[Callable[..., Any], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """The numbers over which expressions are computed.

    Attributes
    ----------
    kind
        Their name, for messages.
    number
        From a rational number, E or pi to such a number.
    functions
        The functions that are known beside sums, products and powers, by their classes.
    """

    kind: str
    number: Callable[[sp.Expr], Any]
    functions: Mapping[Any, Callable[..., Any]]

    def values(self, expressions: tuple[sp.Expr, ...], at: Mapping[sp.Symbol, Any]) -> list[Any]:
        """The values of expressions, given those of their symbols.

        Raises
        ------
        TypeError
            For a function that is not known here.
        """
        return _program(expressions, self).run(at)

    def function(self, expressions: tuple[sp.Expr, ...], symbols: tuple[sp.Symbol, ...]) -> Callable[..., list[Any]]:
        """As :meth:`values`, as a function of the values of the symbols, for thousands of calls."""
        return _program(expressions, self).function(symbols)

    def instruction(self, part: sp.Expr) -> Callable[..., Any]:
        """The function from the values of the arguments of a part to its own."""
        if part.is_Pow and part.exp.is_Integer:
            return partial(integer_power, int(part.exp))
        if part.func in self.functions:
            return self.functions[part.func]
        if part.is_Add or part.is_Mul:
            return operator.add if part.is_Add else operator.mul
        raise TypeError(f"no {self.kind} for expressions like {part!r}")


def integer_power(times: int, base: Any) -> Any:
    """A power of any number that has products and quotients."""
    return base**times if times >= 0 else 1 / base**-times


@dataclass(frozen=True)
class _Program:
    """Inputs and constants come first, then what the instructions compute from earlier places."""

    inputs: tuple[sp.Symbol, ...]
    constants: tuple[Any, ...]
    code: tuple[_Instruction, ...]
    results: tuple[int, ...]

    def run(self, at: Mapping[sp.Symbol, Any]) -> list[Any]:
        done = [at[symbol] for symbol in self.inputs]
        done += self.constants
        for function, places in self.code:
            done.append(function(*[done[place] for place in places]))
        return [done[place] for place in self.results]

    def function(self, symbols: tuple[sp.Symbol, ...]) -> Callable[..., list[Any]]:
        names = [f"at{symbols.index(one)}" for one in self.inputs]
        known: dict[str, Any] = {}
        for constant in self.constants:
            names.append(f"c{len(names)}")
            known[names[-1]] = constant
        lines = []
        for function, places in self.code:
            called, arguments = f"f{len(names)}", [names[place] for place in places]
            known[called] = function
            sign = _SIGNS.get(function)
            said = sign.join(arguments) if sign else f"{called}({', '.join(arguments)})"
            names.append(f"v{len(names)}")
            lines.append(f"{names[-1]} = {said}")
        lines.append(f"return [{', '.join(names[place] for place in self.results)}]")
        listed = ", ".join(f"at{number}" for number in range(len(symbols)))
        exec("\n ".join((f"def made({listed}):", *lines)), known)  # of names and signs alone
        made: Callable[..., list[Any]] = known["made"]
        return made


@lru_cache(maxsize=4000)
def _program(expressions: tuple[sp.Expr, ...], arithmetic: Arithmetic) -> _Program:
    inputs = sorted(set().union(*(one.free_symbols for one in expressions)), key=str)
    numbers = sorted(set().union(*(one.atoms(sp.Rational, *map(type, _NUMBERS)) for one in expressions)), key=str)
    places = {part: place for place, part in enumerate((*inputs, *numbers))}
    leaves, code = len(places), list[_Instruction]()

    def added(function: Callable[..., Any], *arguments: int) -> int:
        code.append((function, arguments))
        return leaves + len(code) - 1

    def place(part: sp.Expr) -> int:
        if part not in places:
            function = arithmetic.instruction(part)
            # Of an integer power the exponent is in the instruction.
            first, *rest = map(place, part.args[:1] if part.is_Pow and part.exp.is_Integer else part.args)
            if isinstance(part, _SEVERAL):
                places[part] = reduce(partial(added, function), rest, first)
            else:
                places[part] = added(function, first, *rest)
        return places[part]

    results = tuple(map(place, expressions))
    return _Program(tuple(inputs), tuple(map(arithmetic.number, numbers)), tuple(code), results)
