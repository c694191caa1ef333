"""Errors for bad input: one sentence that names the value, the allowed range and the source of the constraint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def printable(text: object) -> str:
    """A text on one line, with escapes for line breaks, control sequences and marks of direction.

    Parameters
    ----------
    text
        Anything that has a text: a name from outside, or a sentence with one in it.
    """
    told = str(text)
    if told.isprintable():
        return told
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in told)


class InputError(ValueError):
    """An error for bad input. The message is one clear sentence that can be printed without a traceback."""

    def __str__(self) -> str:
        return printable(super().__str__())


class CollectedInputError(InputError):
    """An error for several bad inputs that were found together. As a text it is one line; a command prints several.

    Parameters
    ----------
    *sentences
        One sentence for each bad input.
    """

    def __init__(self, *sentences: str) -> None:
        super().__init__(*sentences)

    def __str__(self) -> str:
        return "; ".join(sentences_of(self))


def sentences_of(problem: InputError) -> tuple[str, ...]:
    """The sentences of an error: one, or one for each of several bad inputs.

    Parameters
    ----------
    problem
        The error.
    """
    return tuple(map(printable, problem.args)) if isinstance(problem, CollectedInputError) else (str(problem),)


class Problems:
    """A collector of independent bad inputs, which reports them together."""

    def __init__(self) -> None:
        self._sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Add one bad input.

        Parameters
        ----------
        sentence
            Its message.
        """
        self._sentences.append(sentence)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Collect an :class:`InputError` of the body instead of raising it."""
        try:
            yield
        except InputError as problem:
            self._sentences += sentences_of(problem)

    def raise_any(self) -> None:
        """Raise the collected errors, if there are any.

        Raises
        ------
        InputError
            If one sentence was collected; :class:`CollectedInputError` if there are several different ones.
        """
        distinct = tuple(dict.fromkeys(self._sentences))
        if distinct:
            raise CollectedInputError(*distinct) if len(distinct) > 1 else InputError(distinct[0])


class StateFileError(InputError):
    """A state file is truncated, corrupted, foreign, or belongs to another configuration."""


class MissingExtraError(InputError):
    """An optional library is needed and not installed. The message names the extra that installs it.

    Parameters
    ----------
    purpose
        The operation that needs the library, for the message.
    extra
        The extra of panproof that installs it.
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional library: pip install 'panproof[{extra}]'")


_SHOWN = 60
"""Characters of a value that are shown in a message."""


def shown(value: object) -> str:
    """A value as text for a message: its ``repr``, cut in the middle above 60 characters.

    Parameters
    ----------
    value
        Any value.
    """
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}...{text[-_SHOWN // 4 :]} ({len(text)} characters)"


_CLOSE, _MOST_SUGGESTED, _LONGEST_NAME, _SHORTEST_PART = 0.6, 3, 100, 3
_AS_CLOSE = 0.1
"""Greatest difference in similarity between the closest name and another suggested name."""


def suggestion(name: str, known: Iterable[str], *, overview: str = "") -> str:
    """The end of a message about an unknown name: the similar names, then all known names.

    Parameters
    ----------
    name
        The unknown name.
    known
        The names that exist.
    overview
        A sentence that says where all names are shown. By default they are listed in the message.

    Returns
    -------
    For example ``did you mean dwork? known are dwork, laplace``.
    """
    names = list(dict.fromkeys(map(str, known)))
    lowered = {one.lower(): one for one in names}
    # Python code may give a value of another type.
    wanted = str(name).lower()[:_LONGEST_NAME]
    found = difflib.get_close_matches(wanted, lowered, n=_MOST_SUGGESTED, cutoff=_CLOSE)
    likeness = [difflib.SequenceMatcher(None, one, wanted).ratio() for one in found]
    close = [lowered[one] for one, like in zip(found, likeness, strict=True) if like >= likeness[0] - _AS_CLOSE]
    if not close and len(wanted) >= _SHORTEST_PART:
        close = [one for one in names if wanted in one.lower()][:_MOST_SUGGESTED]
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return meant + (overview or f"known are {', '.join(names) or 'none'}")


def on_one_line(name: object) -> str:
    """A file name for a message: unchanged, or its ``repr`` if it has line breaks or control characters.

    Parameters
    ----------
    name
        The name, or a path.
    """
    text = str(name)
    return text if text.isprintable() else repr(text)


_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-9, 500.0


def require_epsilon(epsilon: float, *, below: float | None = None, source: str = "", name: str = "epsilon") -> None:
    """Raise :class:`InputError` unless epsilon is a budget that the arithmetic of doubles can represent.

    Parameters
    ----------
    epsilon
        The budget in nats. It must lie between 1e-9 and 500.
    below
        A number that the budget must stay below, if any.
    source
        The source of that constraint, for the message.
    name
        The name of the budget, for the message.

    Raises
    ------
    InputError
        If epsilon is not a number, or is out of range.
    """
    if not isinstance(epsilon, (int, float)) or isinstance(epsilon, bool):
        raise InputError(f"{name} must be a number of nats, got {epsilon!r}")
    if not 0 < epsilon < float("inf"):
        raise InputError(f"{name} must be positive and finite, got {epsilon!r}")
    if not _SMALLEST_EPSILON <= epsilon <= _LARGEST_EPSILON:
        raise InputError(f"{name} must lie between {_SMALLEST_EPSILON:g} and {_LARGEST_EPSILON:g}, got {epsilon!r}")
    if below is not None and epsilon >= below:
        raise InputError(f"{name} must be below {below:g} ({source}), got {epsilon!r}")


def require_count(name: str, value: int, *, least: int = 1, most: int | None = None, source: str = "") -> None:
    """Raise :class:`InputError` unless ``value`` is an integer from ``least`` to ``most``.

    Parameters
    ----------
    name
        The name of the value, for the message.
    value
        The value.
    least, most
        The range, both ends included. ``None`` for ``most`` means no upper end.
    source
        The source of the constraint, for the message.

    Raises
    ------
    InputError
        If the value is not an integer, or is out of range.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{name} must be a whole number, got {value!r}")
    if value < least or (most is not None and value > most):
        span = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InputError(f"{name} must be {span}{f' ({source})' if source else ''}, got {value}")


def require_probability(name: str, value: float, *, source: str = "") -> None:
    """Raise :class:`InputError` unless ``0 < value < 1``.

    Parameters
    ----------
    name
        The name of the value, for the message.
    value
        The value.
    source
        The source of the constraint, for the message.

    Raises
    ------
    InputError
        If the value is not a number, or is out of range.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1{f' ({source})' if source else ''}, got {value!r}")
