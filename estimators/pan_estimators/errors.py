"""The errors that a user meets: one sentence that names the value, the range and where it comes from."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input. The message is one clear sentence, fit to be printed without a traceback."""


class StateFileError(InputError):
    """A state file is truncated, corrupted, foreign, or belongs to another configuration."""


class MissingExtraError(InputError):
    """An optional library is needed that is not installed; the message names the extra."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional library: pip install 'panproof[{extra}]'")


_SHOWN = 60
"""Characters of a value that are shown in a message."""


def shown(value: object) -> str:
    """A value for a message: its ``repr``, on one line, cut in the middle if it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}...{text[-_SHOWN // 4 :]} ({len(text)} characters)"


def on_one_line(name: object) -> str:
    """The name of a file for a message: as it is, or its ``repr`` if it has line breaks or control characters."""
    text = str(name)
    return text if text.isprintable() else repr(text)


_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-9, 500.0


def require_epsilon(epsilon: float, *, below: float | None = None, source: str = "") -> None:
    """Raise :class:`InputError` unless ``0 < epsilon < infinity`` (and ``epsilon < below``).

    Budgets so small or large that the arithmetic of doubles would decide are refused as well.
    """
    if not isinstance(epsilon, (int, float)) or isinstance(epsilon, bool):
        raise InputError(f"epsilon must be a number of nats, got {epsilon!r}")
    if not 0 < epsilon < float("inf"):
        raise InputError(f"epsilon must be positive and finite, got {epsilon!r}")
    if not _SMALLEST_EPSILON <= epsilon <= _LARGEST_EPSILON:
        raise InputError(f"epsilon must lie between {_SMALLEST_EPSILON:g} and {_LARGEST_EPSILON:g}, got {epsilon!r}")
    if below is not None and epsilon >= below:
        raise InputError(f"epsilon must be below {below:g} ({source}), got {epsilon!r}")


def require_count(name: str, value: int, *, least: int = 1, most: int | None = None, source: str = "") -> None:
    """Raise :class:`InputError` unless ``value`` is an integer in ``[least, most]``."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{name} must be a whole number, got {value!r}")
    if value < least or (most is not None and value > most):
        span = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InputError(f"{name} must be {span}{f' ({source})' if source else ''}, got {value}")


def require_probability(name: str, value: float, *, source: str = "") -> None:
    """Raise :class:`InputError` unless ``0 < value < 1``."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1{f' ({source})' if source else ''}, got {value!r}")
