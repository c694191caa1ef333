"""Names on the command line: of estimators, streams, engines and the like, with a suggestion for a misspelt one.

Each function makes the value of an option from its text and the name of the option. A function imports its table of
names when it is called, since the overview of the commands needs none of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from pan_promises.errors import InputError, shown, suggestion

SYNTHETIC = ("uniform", "zipf")


def choice(name: str, kind: type[StrEnum], help: str) -> Any:
    """An option that takes one of a few words, as a member of their enumeration."""
    import typer

    return typer.Option(name, metavar="|".join(kind), help=help)


def one_of(known: Iterable[Any]) -> Callable[[str, str], Any]:
    """One of several words; a member of an enumeration becomes that member."""
    words = list(map(str, known))

    def parse(text: str, name: str) -> Any:
        if text not in words:
            raise InputError(f"unknown value {shown(text)} of {name}; {suggestion(text, words)}")
        return known(text) if isinstance(known, type) else text

    return parse


def estimator(text: str, name: str = "") -> str:
    """A shipped or installed estimator, or ``module:Class``."""
    from pan_audits.subject.isolation.importing import installed_mechanisms, unknown_estimator

    if ":" not in text and text not in _shipped() and text not in installed_mechanisms():
        raise unknown_estimator(text)
    return text


def program(text: str, name: str = "") -> str:
    """The name of a program, by its words for a shell."""
    from pan_audits.subject.isolation.command import Command
    from pan_audits.subject.isolation.sandbox import PROGRAM

    return Command.named(PROGRAM + text, os.getcwd()).__qualname__


def shipped_estimator(text: str, name: str = "") -> str:
    """A shipped estimator."""
    if text not in (known := _shipped()):
        meant = suggestion(text, known, overview="`panproof list` shows all")
        raise InputError(f"unknown estimator {shown(text)}; {meant}")
    return text


def estimator_of_ids(text: str, name: str = "") -> str:
    """A shipped estimator that reads a stream of ids and releases the estimate."""
    from pan_estimators.common.registry import ESTIMATORS_OF_IDS

    if shipped_estimator(text) not in ESTIMATORS_OF_IDS:
        raise InputError(
            f"this command is for estimators that read a stream of ids and release the density, and {text} is none; "
            "panproof list names them"
        )
    return text


def _shipped() -> Any:
    from pan_estimators.common.registry import ESTIMATORS

    return ESTIMATORS


def real_stream(text: str, name: str = "") -> str:
    """A shipped stream."""
    return _stream(text, ())


def printed_stream(text: str, name: str = "") -> str:
    """A shipped or synthetic stream, of ids or of insertions and deletions."""
    from pan_estimators.streams.real import TURNSTILE_STREAMS

    return _stream(text, (*SYNTHETIC, *TURNSTILE_STREAMS))


def _stream(text: str, more: Iterable[str]) -> str:
    from pan_estimators.streams.real import STREAMS

    if text not in (known := [*STREAMS, *more]):
        raise InputError(f"unknown stream {shown(text)}; {suggestion(text, known)}")
    return text


def engine(text: str, name: str = "") -> str:
    """An engine of the runs."""
    from pan_audits.workers.engines import ENGINES

    if text not in ENGINES:
        raise InputError(f"unknown engine {shown(text)}; {suggestion(text, ENGINES)}")
    return text


def isolation(text: str, name: str = "") -> str:
    """A level of isolation."""
    from pan_audits.subject.isolation.sandbox import level_named

    # The search for the best level takes time. It is done when the code is run.
    if text != "best":
        level_named(text)
    return text


def promise(text: str, name: str = "--promise") -> str:
    """A promise; the text stays, since reports show it as it was given."""
    from pan_promises.promise import Promise

    if text:
        Promise.parse(text)
    return text


def claim(text: str, name: str = "") -> str:
    """A claim of the ledger, by its id or by the name in another source."""
    from pan_proofs.ledger import resolve

    resolve(text)
    return text
