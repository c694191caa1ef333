"""Numbers on the command line: read strictly, in a range, before they are used."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import typer

from pan_promises.errors import InputError, Problems, shown

LARGEST_SEED = 2**64 - 1
MOST_USERS = 2**62
MOST_GIBIBYTES = 2.0**20
_WHOLE = re.compile(r"-?[0-9]{1,40}")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)

Parse = Callable[[str, str], Any]
"""Makes the value of an option from its text and the name of the option; an error of bad input if it cannot."""


def option(*names: str, parse: Parse, help: str, metavar: str) -> Any:
    """An option whose text goes through ``parse``, which refuses it with one sentence."""
    return typer.Option(*names, parser=_as_it_stands, callback=_reader(parse), help=help, metavar=metavar)


def whole_option(*names: str, least: int = 1, most: int, help: str, metavar: str = "INTEGER") -> Any:
    """An option that takes a whole number in a range."""
    return typer.Option(*names, min=least, max=most, help=help, metavar=metavar)


def seed_option(help: str) -> Any:
    """The option ``--seed``."""
    return whole_option("--seed", least=0, most=LARGEST_SEED, help=help)


def words(*names: str, parse: Parse, help: str, metavar: str | None = None) -> Any:
    """An option whose value is text, or a list of texts; ``parse`` refuses each bad one with one sentence."""
    return typer.Option(*names, callback=_reader(parse), help=help, metavar=metavar)


def argument(*, parse: Parse, help: str, metavar: str | None = None) -> Any:
    """An argument, or a list of them, whose text goes through ``parse``."""
    return typer.Argument(callback=_reader(parse), help=help, metavar=metavar)


def _reader(parse: Parse) -> Callable[[typer.CallbackParam, Any], Any]:
    def read(parameter: typer.CallbackParam, value: Any) -> Any:
        long = [name for name in parameter.opts if name.startswith("--")]
        name = " or ".join(long) if len(long) > 1 else max(parameter.opts, key=len)
        name = name if name.startswith("-") else name.upper()
        if isinstance(value, str):
            return parse(value, name)
        if isinstance(value, (list, tuple)):
            problems, found = Problems(), []
            for one in value:
                with problems.collected():
                    found.append(parse(one, name))
            problems.raise_any()
            return found
        return value

    return read


def _as_it_stands(value: Any) -> Any:
    return value


def real(most: float, unit: str = "") -> Parse:
    """A positive number up to ``most``, decimal or with an exponent."""

    def parse(text: str, name: str) -> float:
        value = _number(text, name)
        if not 0 < value <= most:
            of_unit = f" {unit}" if unit else ""
            raise InputError(f"{name} must be positive and at most {most:g}{of_unit}, got {shown(text)}")
        return value

    return parse


def probability(text: str, name: str) -> float:
    """A number strictly between 0 and 1."""
    value = _number(text, name)
    if not 0 < value < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1, got {shown(text)}")
    return value


def budget(text: str, name: str = "--epsilon") -> float:
    """A privacy budget: 0.1 or log(3/2)."""
    from pan_promises.errors import require_epsilon
    from pan_promises.exact_epsilon import parse_epsilon

    value = parse_epsilon(text)
    require_epsilon(value, name=name)
    return value


def runs(text: str, name: str = "--runs") -> int:
    """A number of runs: 550000 or 1e9."""
    if _WHOLE.fullmatch(text):
        value: float = int(text)
    else:
        value = _number(text, name)
    if not (math.isfinite(value) and 0 <= value <= 2.0**53 and value == int(value)):
        raise InputError(f"{name} must be a whole number of runs up to 2^53, such as 550000 or 1e9, got {shown(text)}")
    return int(value)


def _number(text: str, name: str) -> float:
    if not _REAL.fullmatch(text):
        raise InputError(f"{name} takes a number such as 0.5 or 1e-6, got {shown(text)}")
    return float(text)


def parse_bits(text: str) -> int:
    """A memory size in bits: ``4096`` and ``4096B`` are bytes, ``32kbit`` are bits, ``4KiB`` is 4096 bytes."""
    match = re.fullmatch(r" *([0-9]{1,30}(?:\.[0-9]{1,30})?) *([kKmMgG]i?)?(bits?|b|B|bytes?)? *", text)
    if not match:
        raise InputError(
            f"a memory size is a number of bytes, or a number with a unit such as 32kbit or 4KiB; got {shown(text)}"
        )
    number, prefix, unit = match.groups()
    factor = 1
    if prefix:
        base = 1024 if prefix.endswith("i") else 1000
        factor = base ** ("kmg".index(prefix[0].lower()) + 1)
    bits = float(number) * factor * (1 if unit and unit.startswith("bit") else 8)
    if not 1 <= bits <= 2**50:
        raise InputError(f"a memory size must lie between 1 bit and 2**50 bits, got {shown(text)}")
    return int(bits)
