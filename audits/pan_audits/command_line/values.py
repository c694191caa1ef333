"""Numbers on the command line: read strictly, in a range, before anything is made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import typer

LARGEST_SEED = 2**64 - 1
MOST_USERS = 2**62
MOST_SECONDS = 1e8
"""Three years."""
MOST_GIBIBYTES = 2.0**20
_WHOLE = re.compile(r"-?[0-9]{1,40}")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)

Parse = Callable[[str, str], Any]
"""Makes the value of an option from its text and the name of the option; an error of bad input if it cannot."""


def option(*names: str, parse: Parse, help: str, metavar: str) -> Any:
    """An option whose text goes through ``parse``, so that what it refuses is told in one sentence.

    A parser of Typer's own would show its refusal in a box, below the usage of the command.
    """

    def read(parameter: typer.CallbackParam, value: Any) -> Any:
        return parse(value, max(parameter.opts, key=len)) if isinstance(value, str) else value

    return typer.Option(*names, parser=_as_it_stands, callback=read, help=help, metavar=metavar)


def _as_it_stands(value: Any) -> Any:
    return value


def whole(least: int, most: int, why: str = "") -> Parse:
    """A whole number in decimal digits, in a range."""

    def parse(text: str, name: str) -> int:
        if not _WHOLE.fullmatch(text):
            raise _refusal(f"{name} takes a whole number from {_told(least)} to {_told(most)}, got {_shown(text)}")
        value = int(text)
        if not least <= value <= most:
            reason = f" ({why})" if why else ""
            raise _refusal(f"{name} must be a whole number from {_told(least)} to {_told(most)}{reason}, got {value}")
        return value

    return parse


def real(most: float, unit: str = "") -> Parse:
    """A positive number up to ``most``, decimal or with an exponent."""

    def parse(text: str, name: str) -> float:
        value = _number(text, name)
        if not 0 < value <= most:
            of_unit = f" {unit}" if unit else ""
            raise _refusal(f"{name} must be positive and at most {most:g}{of_unit}, got {_shown(text)}")
        return value

    return parse


def probability(text: str, name: str) -> float:
    """A number strictly between 0 and 1."""
    value = _number(text, name)
    if not 0 < value < 1:
        raise _refusal(f"{name} must lie strictly between 0 and 1, got {_shown(text)}")
    return value


def budget(text: str, name: str = "--epsilon") -> float:
    """A privacy budget: 0.1 or log(3/2)."""
    from pan_estimators import parse_epsilon

    return parse_epsilon(text)


def runs(text: str, name: str = "--runs") -> int:
    """A number of runs: 550000 or 1e9."""
    if _WHOLE.fullmatch(text):
        value: float = int(text)
    else:
        value = _number(text, name)
    if not (math.isfinite(value) and 0 <= value <= 2.0**53 and value == int(value)):
        raise _refusal(f"{name} must be a whole number of runs up to 2^53, such as 550000 or 1e9, got {_shown(text)}")
    return int(value)


def _number(text: str, name: str) -> float:
    if not _REAL.fullmatch(text):
        raise _refusal(f"{name} takes a number such as 0.5 or 1e-6, got {_shown(text)}")
    return float(text)


def _told(number: int) -> str:
    for power in (53, 62, 64):
        if number == 2**power:
            return f"2^{power}"
        if number == 2**power - 1:
            return f"2^{power} - 1"
    return str(number)


def _refusal(sentence: str) -> Exception:
    # The overview of all commands needs no estimators.
    from pan_estimators import InputError

    return InputError(sentence)


def _shown(text: str) -> str:
    from pan_estimators.errors import shown

    return shown(text)
