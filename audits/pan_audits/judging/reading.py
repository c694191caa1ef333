"""The reading of untrusted documents: each value is checked when it is read.

A document chooses no code. Each value must have the type that the reader asks for. Otherwise it is refused,
with a sentence that names its place.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, BinaryIO, NoReturn, TypeVar

from pan_promises.errors import InputError, suggestion

MOST_BYTES = 64 * 2**20
"""Greatest size of a document. No witness and no report is longer."""

LARGEST_NUMBER = 1e308
"""Greatest absolute value of a number of a document."""

_SHOWN = 60
_LARGEST_WHOLE = 2**128

_Choice = TypeVar("_Choice", bound=Enum)


@dataclass(frozen=True)
class Field:
    """A value of a JSON document, and its place there.

    Attributes
    ----------
    value
        As ``json`` read it.
    place
        For example ``privacy.witness.pair``; empty for the whole document.
    """

    value: Any
    place: str = ""

    def refuse(self, wanted: str) -> NoReturn:
        """Raise the sentence that names the expected value."""
        shown = json.dumps(self.value, default=str)
        if len(shown) > _SHOWN:
            shown = shown[: _SHOWN - 3] + "..."
        raise InputError(f"{self.place or 'the document'}: must be {wanted}, got {shown}")

    @classmethod
    def of(cls, document: Field | Mapping[str, Any]) -> Field:
        """A document from Python as a field; a field as it is."""
        return document if isinstance(document, Field) else cls(document)

    @contextlib.contextmanager
    def placed(self) -> Iterator[None]:
        """Add the place to errors that others raise about the value."""
        try:
            yield
        except InputError as problem:
            raise InputError(f"{self.place}: {problem}" if self.place else str(problem)) from None

    def __getitem__(self, name: str) -> Field:
        """A required field."""
        if name not in self._object():
            raise InputError(f"{self.place or 'the document'}: {name!r} is missing")
        return self._inner(name)

    def get(self, name: str) -> Field | None:
        """An optional field, which may be missing or ``null``."""
        return None if self._object().get(name) is None else self._inner(name)

    def needs(self, what: str, *names: str) -> Field:
        """The same field. It must have all of these keys; ``what`` names its kind in the message."""
        if missing := [name for name in names if name not in self._object()]:
            raise InputError(f"{self.place or 'the document'}: not {what}: {missing[0]!r} is missing")
        return self

    def only(self, known: Iterable[str]) -> Field:
        """The same field. It must have no other keys than these."""
        names = list(known)
        if unknown := sorted(set(self._object()) - set(names)):
            one, known_here = json.dumps(unknown[0][:_SHOWN]), suggestion(unknown[0], sorted(names))
            raise InputError(f"{self.place or 'the document'}: there is no {one} here; {known_here}")
        return self

    def entries(self) -> Iterator[tuple[str, Field]]:
        """All fields by name."""
        return ((name, self._inner(name)) for name in self._object())

    def items(self, *, least: int = 0, most: int = 100_000, what: str = "a list") -> list[Field]:
        """The elements of a list."""
        if not isinstance(self.value, list) or not least <= len(self.value) <= most:
            span = f"of {least} elements" if least == most else f"of {least} to {most} elements"
            self.refuse(f"{what} {span}")
        return [Field(element, f"{self.place}[{number}]") for number, element in enumerate(self.value)]

    def text(self, most: int = 1000) -> str:
        """A text."""
        if not isinstance(self.value, str) or len(self.value) > most:
            self.refuse(f"a text of at most {most} characters")
        return self.value

    def whole(self, least: int = 0, most: int = _LARGEST_WHOLE) -> int:
        """A whole number in ``[least, most]``."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return self.value

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number in ``[least, most]``."""
        if type(self.value) not in (int, float) or not least <= self.value <= most or abs(self.value) > LARGEST_NUMBER:
            self.refuse("a finite number" if math.isinf(most - least) else f"a number from {least:g} to {most:g}")
        return float(self.value)

    def truth(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def choice(self, kind: type[_Choice]) -> _Choice:
        """One of the values of an enumeration."""
        known = {str(one.value): one for one in kind}
        if not isinstance(self.value, str) or self.value not in known:
            self.refuse(f"one of {', '.join(known)}")
        return known[self.value]

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.value

    def _inner(self, name: str) -> Field:
        own = name if len(name) <= _SHOWN and name.isprintable() else json.dumps(name[:_SHOWN])
        return Field(self.value[name], f"{self.place}.{own}" if self.place else own)


def read_text(file: BinaryIO, source: str) -> str:
    """The text of a document, which may be a device or a pipe without an end."""
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(f"{source} has more than {MOST_BYTES // 2**20} MiB, more than any witness or report")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(f"{source} is not text in UTF-8: byte {problem.start} cannot be read") from None


def parse_document(text: str, source: str) -> Field:
    """A JSON object."""
    try:
        found = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_not_finite, parse_float=_finite, parse_int=_whole
        )
        # Half of a surrogate pair could be neither printed nor hashed later.
        json.dumps(found, ensure_ascii=False).encode()
    except InputError as problem:
        raise InputError(f"{source}: {problem}") from None
    except UnicodeEncodeError:
        raise InputError(f"{source} holds half of a surrogate pair, which is not a character") from None
    except RecursionError:
        raise InputError(f"{source} is nested too deeply") from None
    except ValueError:
        raise InputError(f"{source} is not JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{source} is not a witness or a report: it holds no JSON object")
    return Field(found)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the key {json.dumps(twice[:_SHOWN])} occurs twice")
    return found


def _not_finite(text: str) -> NoReturn:
    raise InputError(f"{text} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InputError(f"the number {text[:_SHOWN]} is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > _SHOWN:
        raise InputError(f"a whole number of {len(text)} digits is too large")
    return int(text)
