"""Parameters of an estimator that have no option of their own: ``--set name=value``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

_OWN_OPTIONS = {
    "epsilon": "--epsilon",
    "universe": "--universe (--users in check)",
    "sample_size": "--sample-size",
}


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``name=value`` pairs; a value is JSON where it can be, else text.

    Raises
    ------
    InputError
        For what is no pair, a name that comes twice, and one that has an option of its own.
    """
    from pan_estimators import InputError
    from pan_estimators.errors import shown

    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--set takes name=value, got {shown(pair)}")
        if name in _OWN_OPTIONS:
            raise InputError(f"--set is for parameters without an option of their own; give {_OWN_OPTIONS[name]}")
        if name in found:
            raise InputError(f"--set gives {shown(name)} twice")
        found[name] = _value(name, value)
    return found


def _value(name: str, text: str) -> Any:
    from pan_estimators import InputError
    from pan_estimators.errors import shown

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            raise InputError(f"--set {name} has an object in which a key comes twice, got {shown(text)}")
        return made

    try:
        # NaN and Infinity are no JSON: they stay text.
        return json.loads(text, object_pairs_hook=once, parse_constant=_refuse)
    except InputError:
        raise
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
