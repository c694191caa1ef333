"""Options that repeat a value of a state file: they must agree with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pan_estimators.common.registry import create_estimator
from pan_estimators.universes.universe import HashedUniverse, IntegerUniverse
from pan_estimators.universes.universe import Universe as UserUniverse
from pan_promises.errors import InputError, on_one_line

SampleOf = Callable[[str, dict[str, Any], int], int]
"""The largest sample of an estimator, by its name and parameters, that fits into a number of bits."""


def require_agreement(
    load: Path,
    found: Any,
    *,
    universe: int | None,
    first: int | None,
    hash_cells: int | None,
    accuracy: Mapping[str, float | None],
    bits: int | None,
    sample_of: SampleOf,
) -> None:
    """Raise :class:`InputError` for an option that contradicts a state file."""
    users, source = found.universe, f"the state file {on_one_line(load)}"
    for option, asked, kept in (
        ("--universe", universe, _integers_of(found, universe)),
        ("--first", first, users.first if isinstance(users, IntegerUniverse) else None),
        ("--hash", hash_cells, users.size if isinstance(users, HashedUniverse) else None),
    ):
        if asked is not None and asked != kept:
            raise InputError(f"{source} was written for {_described(users)}, not for {option} {asked}")
    given = {name: value for name, value in accuracy.items() if value is not None}
    parameters = {key: value for key, value in found.to_dict().items() if key not in ("estimator", "sample_size")}
    parameters["universe"] = users
    if given:
        planned = create_estimator(found.name, **parameters, **given).sample_size
        _require_sample(source, found, planned, " and ".join(f"--{name} {value}" for name, value in given.items()))
    if bits is not None:
        _require_sample(source, found, sample_of(found.name, parameters, bits), f"--memory, {bits} bits")


def _integers_of(found: Any, asked: int | None) -> int | None:
    """The number of users of a universe of integers, or of the edges that it numbers."""
    users: UserUniverse = found.universe
    if isinstance(users, IntegerUniverse):
        return users.size
    if asked is None or users.to_dict().get("kind") != "edges":
        return None
    made = create_estimator(found.name, universe=asked, epsilon=1.0, sample_size=1)
    return asked if made.universe == users else users.size


def _require_sample(source: str, found: Any, wanted: int, option: str) -> None:
    kept = getattr(found, "sample_size", None)
    if kept != wanted:
        raise InputError(f"{source} was written for a sample of {kept} users, and {option} would give {wanted}")


def _described(users: UserUniverse) -> str:
    match users.to_dict():
        case {"kind": "hashed", "size": size}:
            return f"--hash {size}"
        case {"kind": "integers", "size": size, "first": first}:
            return f"--universe {size} --first {first}"
        case {"kind": kind}:
            return f"a universe of {users.size} {kind}"
    return f"a universe of {users.size} users"
