r"""The symbols that a claim displays, and those that are defined for its reader.

A symbol is a letter or an upright word with its accent, its index and its primes. An index that is itself a symbol, as
in ``x_i``, is any place: the symbol is written ``x_*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.contents import Contents
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.statements import Statement

STANDARD = frozenset(
    (r"\pi", "e", "E", "P", r"\mathrm{Var}", r"\mathbb{E}", r"\mathbb{R}", r"\mathbb{Z}", r"\mathbb{N}", r"\mathrm{d}")
)
"""Symbols that need no definition: constants and sets of numbers, expectation, probability, variance, differentials."""

_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|[A-Za-z]|\d+|\s+|.", re.DOTALL)
_LETTER = re.compile(
    r"[A-Za-z]|\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|iota|kappa|lambda|mu|nu|xi|rho"
    r"|varrho|sigma|tau|upsilon|phi|varphi|chi|psi|omega|pi|ell|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi"
    r"|Omega)"
)
_STYLE = re.compile(r"\\(?:hat|tilde|bar|widehat|widetilde|overline|mathcal|mathbf|mathrm|mathbb)")
_WORDS = re.compile(r"\\(?:text|textit|textbf|operatorname|begin|end)")
_DIFFERENTIAL = re.compile(r"(\\frac\{)d(?=[\^}])|(\\,\s*|\}\{)d(?=[A-Za-z\\])|(\|)d(?=x\|)")
_ONE_PLACE = re.compile(r"\d+|[A-Z]+|\\(?:mathrm|text)\{[^{}]*\}")
_RELATION = re.compile(r"=|<|>|:|\\(?:leq?|geq?|neq?|in|sim|approx|equiv|mapsto|to)(?![a-zA-Z])")
_BINDERS = re.compile(
    r"\\(?:sum|prod)_\{?\s*([A-Za-z])\s*(?:=|\\)|\\,\s*d([A-Za-z])|\\lim_\{\s*(\\?[A-Za-z]+)\s*\\to|\\frac\{d\}\{d(\w)\}"
)
_COMPUTED = re.compile(
    r"[+/-]|(?<![_\d{,])\d+\s*(?:[A-Za-z]|\\[a-z])|\^\{?\d|\\(?:[td]?frac|sum|int|prod|sqrt|cdot|log|max|min)\b"
)
"""The mark of an expression that is computed from its symbols, and names none of them."""


def symbols(formula: str) -> tuple[str, ...]:
    """The symbols of a formula in LaTeX, in order and each once."""
    plain = _DIFFERENTIAL.sub(lambda found: next(filter(None, found.groups())), formula)
    return tuple(dict.fromkeys(_symbols(_TOKEN.findall(plain))))


def displayed(claim: Claim) -> dict[str, str]:
    """The symbols that a claim displays and that nothing in the display binds, each with the place of it.

    They stand in the rows of a step, or are quantities of a formal statement: its other symbols have a domain there.
    """
    found: dict[str, str] = {}
    for part in claim.parts:
        for step in part.steps:
            rows = " ".join(step.lines)
            for name in symbols(rows):
                if name not in _bound(rows):
                    found.setdefault(name, f"step {step.name}")
        for text in part.formal:
            for name in _quantities(text):
                found.setdefault(name, f"the formula of {part.title!r}")
    return found


@cache
def _quantities(text: str) -> tuple[str, ...]:
    """The symbols of a formal statement that have no domain there."""
    return symbols(" ".join(tex(one) for one in Statement.read(text).variables if not one.is_real))


def defined(claim: Claim, contributions: Iterable[Contents]) -> frozenset[str]:
    r"""The symbols that the notation of a claim or of its family names, or that its own texts introduce.

    A text introduces a symbol by a formula that is the symbol, or in which it stands before a relation:
    ``the scale $b$``, ``let $x = e^{\varepsilon}$``.
    """
    tables = [
        symbol for entries in (claim.notation, *(part.notation for part in contributions)) for symbol, _ in entries
    ]
    texts = [claim.title, claim.statement, *claim.hypotheses, *claim.silent]
    texts += [text for part in claim.parts for text in (part.title, part.statement)]
    texts += [step.text for part in claim.parts for step in part.steps]
    named = {name for symbol in tables for one in _formulas(symbol) for name in symbols(one)}
    return frozenset(named.union(*(_introduced(one) for text in texts for one in _formulas(text))))


def undefined(claim: Claim, contributions: Iterable[Contents]) -> Mapping[str, str]:
    """The symbols that a claim displays without a definition, each with the place of it."""
    known = defined(claim, contributions) | STANDARD
    return {name: place for name, place in displayed(claim).items() if not _is_known(name, known)}


def _bound(rows: str) -> frozenset[str]:
    """The symbols over which a display sums, integrates or takes a limit."""
    return frozenset(name for found in _BINDERS.findall(rows) for name in found if name)


def _is_known(name: str, known: frozenset[str]) -> bool:
    """Whether a symbol is known, or the symbol without its primes, or with any index."""
    plain = name.rstrip("'")
    head = plain.partition("_")[0]
    forms = {name, plain, f"{head}_*"} if "_" in plain else {name, plain}
    return any(one.rstrip("'") in forms or one in forms for one in known)


def _formulas(text: str) -> list[str]:
    return text.split("$")[1::2]


def _introduced(formula: str) -> set[str]:
    """The symbols that stand before a relation of a formula, or all symbols of a list of names."""
    sides = _RELATION.split(formula)
    return {name for one in sides[:-1] or sides if not _COMPUTED.search(one) for name in symbols(one)}


def _symbols(tokens: list[str]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        name = ""
        if _WORDS.fullmatch(token):
            at, _ = _argument(tokens, at)
        elif _STYLE.fullmatch(token):
            at, inner = _argument(tokens, at)
            name = f"{token}{{{''.join(inner).strip()}}}"
        elif _LETTER.fullmatch(token):
            name = token
        elif token == "{":
            at, inner = _argument(tokens, at - 1)
            held = list(_symbols(inner))
            # A symbol alone in braces has the index that stands behind them.
            if held == ["".join(inner).strip()] and tokens[at : at + 1] and tokens[at] in "_'":
                name = held[0]
            else:
                yield from held
        if name:
            at, name, places = _marked(tokens, at, name)
            yield name
            yield from places


def _marked(tokens: list[str], at: int, name: str) -> tuple[int, str, list[str]]:
    """A symbol with its primes and its index, and the symbols in the index."""
    places: list[str] = []
    primes = ""
    while at < len(tokens):
        token = tokens[at]
        if token == "'":
            primes, at = f"{primes}'", at + 1
        elif token == "_":
            at, inner = _argument(tokens, at + 1)
            text = "".join(inner).strip()
            fixed = _ONE_PLACE.fullmatch(text)
            name += f"_{{{text}}}" if fixed else "_*"
            places += [] if fixed else list(_symbols(inner))
        elif token == "^" and "".join(_argument(tokens, at + 1)[1]).strip() in ("*", r"\ast", "+", "-"):
            end, inner = _argument(tokens, at + 1)
            name, at = f"{name}^{''.join(inner).strip()}", end
        else:
            break
    return at, f"{name}{primes}", places


def _argument(tokens: list[str], at: int) -> tuple[int, list[str]]:
    """The place after an argument, and the argument without its braces."""
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    if at >= len(tokens) or tokens[at] != "{":
        return at + 1, tokens[at : at + 1]
    depth = 0
    for place in range(at, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[place], 0)
        if depth == 0:
            return place + 1, tokens[at + 1 : place]
    return len(tokens), tokens[at + 1 :]
