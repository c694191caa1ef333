"""Displayed formulas read back: the numbers of both sides of an equation, for values of its symbols."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
IGNORED = (r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\big", r"\Big", r"\,", r"\;", r"\!", r"\ ", "&")
IGNORED += (r"\displaystyle",)
MAY_BE_FUNCTIONS = re.compile(r"[PEfghDHRSdI]|\\(?:Phi|psi|phi|varphi|ell|chi|delta|Sigma)")
FUNCTIONS = {r"\log": math.log, r"\exp": math.exp, r"\tanh": math.tanh, r"\sinh": math.sinh, r"\cosh": math.cosh}
RELATIONS = re.compile(r"(?<![\\a-zA-Z])=|\\(?:leq?|geq?|neq?|implies|iff|to)(?![a-zA-Z])|<|>|\\q?quad|,(?=\\ )|:")
GREEK = "alpha|beta|gamma|delta|epsilon|varepsilon|eta|theta|kappa|lambda|mu|nu|rho|sigma|tau|phi|varphi|ell|chi|omega"
NAME = re.compile(rf"[A-Za-z]|\\(?:{GREEK}|Delta|Phi|Sigma|Gamma|Lambda|Omega|Psi)")


class Unreadable(ValueError):  # noqa: N818 - it says what a formula is
    """A formula that is not made of numbers, symbols, their sums, products and powers, and known functions."""


def equations(rows: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The pairs of sides between which a display has a sign of equality."""
    left = ""
    for row in rows:
        text = row if not row.lstrip().startswith("&") else left + row
        pieces = RELATIONS.split(text)
        signs = RELATIONS.findall(text)
        for one, sign, other in zip(pieces, signs, pieces[1:], strict=False):
            if sign == "=":
                yield one, other
        left = pieces[-1]


def names(side: str) -> frozenset[str]:
    """The symbols of a side."""
    return Reader(side, 0).names()


def agree(one: str, other: str) -> bool:
    """Whether two sides have the same numbers at a few points; digits that go on are compared as far as they go."""
    # The two probabilities of a cell are general, or those of a symmetric pair.
    return any(_agree(one, other, symmetric) for symmetric in (False, True))


def _agree(one: str, other: str, symmetric: bool) -> bool:
    found = 0
    for seed in range(60):
        sides = Reader(one, seed, symmetric), Reader(other, seed, symmetric)
        try:
            left, right = (side.whole() for side in sides)
        except Unreadable:
            raise
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            continue
        if isinstance(left, complex) or isinstance(right, complex) or max(abs(left), abs(right)) > 1e12:
            continue
        allowed = 1e-7 + sum(side.rough for side in sides)
        if abs(left - right) > allowed * max(abs(left), abs(right)) + 1e-12:
            return False
        found += 1
        if found == 6:
            return True
    if not found:
        raise Unreadable(f"{one} and {other} are no numbers")
    return True


class Reader:
    """A formula from left to right; each symbol gets a number that depends on its name and on the seed alone."""

    def __init__(self, text: str, seed: object, symmetric: bool = False) -> None:
        self.tokens = [one for one in TOKEN.findall(text) if not one.isspace() and one not in IGNORED]
        self.at, self.seed, self.symmetric, self.rough = 0, seed, symmetric, 0.0

    def names(self) -> frozenset[str]:
        found, at = set(), 0
        while at < len(self.tokens):
            if NAME.fullmatch(self.tokens[at]):
                self.at = at
                found.add(self.named())
                at = self.at
            else:
                at += 1
        self.at = 0
        return frozenset(found - {"e"})

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise Unreadable(f"{wanted or 'more'} expected, got {token!r} in {''.join(self.tokens)}")
        self.at += 1
        return token

    def whole(self) -> float:
        value = self.sum()
        if self.peek() not in ("", "."):
            raise Unreadable(f"{self.peek()!r} in {''.join(self.tokens)}")
        return value

    def sum(self) -> float:
        total = -self.product() if self.peek() == "-" and self.take() else self.product()
        while self.peek() in ("+", "-"):
            total += self.product() if self.take() == "+" else -self.product()
        return total

    def product(self) -> float:
        value = self.power()
        while True:
            if self.peek() == r"\cdot":
                self.take()
                value *= self.power()
            elif self.peek() == "/":
                self.take()
                value /= self.power()
            elif (
                self.peek()
                in ("(", "[", "{", r"\left", r"\frac", r"\tfrac", r"\dfrac", r"\sqrt", r"\max", r"\min", *FUNCTIONS)
                or NAME.fullmatch(self.peek())
                or self.peek()[:1].isdigit()
            ):
                value *= self.power()
            else:
                return value

    def power(self) -> float:
        if self.peek() == "e" and self.tokens[self.at + 1 : self.at + 2] != ["_"]:
            self.take()
            base: float = math.e
        else:
            base = self.atom()
        while self.peek() in ("^", "!"):
            base = base ** self.argument() if self.take() == "^" else math.gamma(base + 1)
        return base

    def argument(self) -> float:
        if self.peek() == "{":
            return self.within("{", "}")
        token = self.take()
        if token.isdigit():
            # Without braces an argument is one digit.
            rest = token[1:]
            if rest:
                self.tokens.insert(self.at, rest)
            return float(token[0])
        self.at -= 1
        return self.atom()

    def within(self, opening: str, closing: str) -> float:
        self.take(opening)
        value = self.sum()
        self.take(closing)
        return value

    def atom(self) -> float:
        token = self.peek()
        if token == r"\left":
            self.take()
            token = self.peek()
        if token[:1].isdigit():
            self.take()
            if self.peek() == r"\ldots" and self.take():
                # The digits are cut off: the number lies within one unit of the last one.
                half = 10.0 ** -len(token.partition(".")[2]) / 2
                self.rough = max(self.rough, half / float(token))
                return float(token) + half
            return float(token)
        if token in ("(", "["):
            return self.within(token, {"(": ")", "[": "]"}[token])
        if token == "{":
            return self.within("{", "}")
        if token in (r"\frac", r"\tfrac", r"\dfrac"):
            self.take()
            top = self.argument()
            return top / self.argument()
        if token == r"\sqrt":
            self.take()
            order = self.within("[", "]") if self.peek() == "[" else 2.0
            return self.argument() ** (1 / order)
        if token in FUNCTIONS:
            self.take()
            power = self.argument() if self.peek() == "^" and self.take() else 1.0
            # A power behind braces is that of the function.
            bare = self.peek() not in ("(", "{", r"\left")
            value = self.argument() if self.peek() == "{" else self.power()
            if bare and (NAME.fullmatch(self.peek()) or self.peek() in (r"\left", "(")):
                raise Unreadable(f"an argument of several factors in {''.join(self.tokens)}")
            return FUNCTIONS[token](value) ** power
        if token in (r"\max", r"\min"):
            self.take()
            self.take(r"\{")
            values = [self.sum()]
            while self.peek() == "," and self.take():
                values.append(self.sum())
            self.take(r"\}")
            return max(values) if token == r"\max" else min(values)
        if NAME.fullmatch(token):
            return self.symbol()
        raise Unreadable(f"{token!r} in {''.join(self.tokens)}")

    def symbol(self) -> float:
        name = self.named()
        if self.peek() in ("(", "[", r"\mid") and MAY_BE_FUNCTIONS.match(name):
            raise Unreadable(f"{name} may be a function")
        if self.symmetric and "init" in name:
            return 1 - self.number(name.replace("init", "upd"))
        return self.number(name)

    def number(self, name: str) -> float:
        source = random.Random(f"{self.seed} {name}")
        below_one = "init" in name or "upd" in name or source.random() < 0.5
        return source.uniform(0.2, 0.9) if below_one else source.uniform(1.1, 3.0)

    def named(self) -> str:
        name = self.take()
        while self.peek() in ("'", "_"):
            name += self.take()
            if name.endswith("_"):
                name += self.group()
        return name

    def group(self) -> str:
        token = self.take()
        if token != "{":
            return token
        depth, said = 1, ""
        while depth:
            token = self.take()
            depth += {"{": 1, "}": -1}.get(token, 0)
            said += token if depth else ""
        return said
