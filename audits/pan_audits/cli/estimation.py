"""What ``panproof estimate`` begins with and reports: an estimator and its state, options that agree with it, lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.cli.room import require_room
from pan_audits.cli.values import parse_bits
from pan_audits.judging.capabilities import interval_of
from pan_estimators.common.estimator import Standing, standing_of
from pan_estimators.common.registry import create_estimator, takes
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.releasing import releases_covered
from pan_estimators.states.state_file import load_state
from pan_estimators.universes.collisions import distinct_count
from pan_estimators.universes.universe import HashedUniverse, IntegerUniverse
from pan_estimators.universes.universe import Universe as UserUniverse
from pan_promises.errors import InputError, on_one_line

_KEPT = {
    Standing.PROVED: "proved (panproof gate certifies it)",
    Standing.PUBLISHED: "published, not proved (panproof gate judges it)",
    Standing.REFUTED: "published, and refuted (panproof check {estimator.name} --set epsilon={estimator.epsilon!r})",
}
_WARNINGS = {
    Standing.REFUTED: "warning         the promise does not hold: the loss can be larger than promised",
    Standing.NONE: "warning         without a promise, nothing here is private: neither the output nor the state",
}


@dataclass(frozen=True)
class Report:
    """A state and its parameters, with the estimate that was released from it, if one was.

    Attributes
    ----------
    document
        The report, JSON-ready.
    interval
        The interval of the estimate, if there is one.
    """

    document: dict[str, Any]
    interval: Any = None

    def lines(self) -> Iterator[str]:
        """The report for a terminal."""
        about = self.document
        released = "density" in about
        if released:
            cells = "cells" if about["hashed"] else "users"
            density = f"density         {about['density']:.4f}"
            count = f"distinct count  {about['distinct_count']:,.0f}"
            if self.interval:
                spread, ends = self.interval, f"{about['interval']['level']:.0%} interval"
                density += f"   {ends} {spread.density_low:.4f} .. {spread.density_high:.4f}"
                count += f"   {ends} {spread.count_low:,.0f} .. {spread.count_high:,.0f}"
            yield density + f"   of {about['universe']:,} {cells}"
            yield count
            if about["no_interval"]:
                yield f"no interval     {about['no_interval']}"
        sampled = f", {about['sample_size']:,} users sampled" if about["sample_size"] else ""
        yield f"state           {about['state_bits']:,} bits{sampled}{'' if released else '; saved, nothing released'}"
        yield f"promise         {about['promise']}{_use_made(about['releases'], about['releases_covered'])}"
        if about["standing"] in _WARNINGS:
            yield _WARNINGS[about["standing"]]
        if not about["secure_randomness"]:
            yield "warning         seeded randomness: reproducible, hence not private"


def report_of(estimator: Any, state: Any, randomness: Any, density: float | None, level: float) -> Report:
    """The report on a state, with the density that was released from it."""
    found: dict[str, Any] = {}
    interval = None
    if density is not None:
        known, reason = interval_of(estimator), ""
        if known is not None and not state.announced:
            interval = known(density, level=level)
        elif estimator.name != "exact-counter":
            reason = f"the sample of {estimator.name} depends on the stream, and its output has no known distribution"
        found = {
            "density": density,
            "distinct_count": distinct_count(estimator, density),
            "interval": interval
            and {
                "level": level,
                "density": [interval.density_low, interval.density_high],
                "distinct_count": [interval.count_low, _number(interval.count_high)],
            },
            "no_interval": reason or None,
        }
    document = {
        "estimator": estimator.name,
        **found,
        "universe": estimator.universe.size,
        "hashed": isinstance(estimator.universe, HashedUniverse),
        "state_bits": estimator.state_bits,
        "sample_size": getattr(estimator, "sample_size", None),
        "promise": _promise(estimator),
        "standing": str(standing_of(estimator)),
        "releases": state.releases,
        "releases_covered": releases_covered(estimator),
        "secure_randomness": isinstance(randomness, SecureRandomness),
    }
    return Report(document, interval)


def _use_made(releases: int, covered: int | None) -> str:
    """The used part of the promise, as the end of a line; empty without a promise."""
    if covered is None:
        return ""
    return f"; release {releases} of {covered}" if releases else f"; no release yet, {covered} left"


def user_universe(
    universe: int | None, first: int | None, hash_cells: int | None, load: Path | None = None
) -> UserUniverse | None:
    """The users by the options; ``None`` if a state file describes them instead."""
    if load is not None and universe is None and hash_cells is None:
        return None
    if (universe is None) == (hash_cells is None):
        raise InputError("give either --universe, the number of users, or --hash, a number of cells for any ids")
    if universe is not None:
        return IntegerUniverse(universe, first or 0)
    if first is not None:
        raise InputError("--first is the smallest id of --universe; hashed ids (--hash) have none")
    return HashedUniverse(hash_cells or 0)


def start(
    name: str,
    parameters: dict[str, Any],
    memory: str | None,
    seed: int | None,
    load: Path | None,
    key_file: Path | None = None,
) -> tuple[Any, Any, Any]:
    """Estimator, state and randomness: new ones, or those of a state file."""
    randomness = SecureRandomness() if seed is None else NumpyRandomness(seed)
    given = {key: value for key, value in parameters.items() if value is not None}
    budgets = {"epsilon", "promise_epsilon"}
    if load is None and given.keys().isdisjoint(budgets) and any(takes(name, one) for one in budgets):
        raise InputError(f"{name} needs a privacy budget: give --promise-epsilon")
    if load is not None:
        found, state = load_state(load, key_file=key_file)
        wanted = {key: value for key, value in given.items() if key not in ("universe", "alpha", "beta")}
        for key, value in wanted.items():
            if found.to_dict().get(key) != value:
                raise InputError(
                    f"the state file {load} was written for {key} = {found.to_dict().get(key)}, not {value}"
                )
        if found.name != name:
            raise InputError(f"the state file {load} was written by {found.name}, not by {name}")
        return found, state, randomness
    if memory is not None:
        if given.keys() & {"sample_size", "alpha", "beta"}:
            raise InputError("give one of --memory, --sample-size, or --alpha and --beta")
        given["sample_size"] = sample_in(name, given, parse_bits(memory))
    elif takes(name, "sample_size") and not given.keys() & {"sample_size", "alpha", "beta"}:
        given["sample_size"] = given["universe"].size
    estimator = create_estimator(name, **given)
    require_room(estimator)
    return estimator, estimator.create(randomness), randomness


def sample_in(name: str, given: dict[str, Any], bits: int) -> int:
    """The largest sample whose state, ids included, fits into ``bits``."""

    def fits(sample: int) -> bool:
        return int(create_estimator(name, **given, sample_size=sample).state_bits) <= bits

    low, high = 0, given["universe"].size
    if fits(high):
        return int(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    if low == 0:
        raise InputError(f"{bits} bits of memory are too few for a sample of one user out of {given['universe'].size}")
    return int(low)


def _promise(estimator: Any) -> str:
    promise = estimator.promise
    if promise is None:
        return "none for these parameters"
    kept = _KEPT[standing_of(estimator)].format(estimator=estimator)
    return f"{promise.describe()}: {kept}"


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def require_agreement(
    load: Path,
    found: Any,
    *,
    universe: int | None,
    first: int | None,
    hash_cells: int | None,
    accuracy: Mapping[str, float | None],
    bits: int | None,
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
        _require_sample(source, found, sample_in(found.name, parameters, bits), f"--memory, {bits} bits")


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
