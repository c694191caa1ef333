"""The steps of ``panproof estimate``: start or continue, read the ids, release the estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.command_line.progress import byte_bar
from pan_audits.command_line.room import require_room
from pan_audits.command_line.saving import StateKeeper
from pan_audits.command_line.values import parse_bits
from pan_audits.judging.capabilities import interval_of
from pan_audits.sources.reading import Reading
from pan_estimators.common.registry import create_estimator, takes
from pan_estimators.common.standing import Standing, standing_of
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.releasing import releases_covered
from pan_estimators.states.state_file import load_state
from pan_estimators.universes.collisions import distinct_count
from pan_estimators.universes.universe import HashedUniverse, IntegerUniverse
from pan_estimators.universes.universe import Universe as UserUniverse
from pan_promises.errors import InputError

_KEPT = {
    Standing.PROVED: "proved (panproof gate certifies it)",
    Standing.PUBLISHED: "published, not proved (panproof gate judges it)",
    Standing.REFUTED: "published, and refuted (panproof check {name} --set epsilon={budget})",
}
_WARNINGS = {
    Standing.REFUTED: "warning         the promise does not hold: the loss can be larger than promised",
    Standing.NONE: "warning         without a promise, nothing here is private: neither the output nor the state",
}


@dataclass(frozen=True)
class Estimate:
    """An estimate and its parameters."""

    name: str
    users: int
    hashed: bool
    density: float
    count: float
    level: float
    interval: Any
    no_interval: str
    state_bits: int
    sample_size: int | None
    promise: str
    standing: Standing
    releases: int
    covered: int | None
    secure: bool

    def lines(self) -> Iterator[str]:
        cells = "cells" if self.hashed else "users"
        density, count = f"density         {self.density:.4f}", f"distinct count  {self.count:,.0f}"
        if self.interval:
            spread, ends = self.interval, f"{self.level:.0%} interval"
            density += f"   {ends} {spread.density_low:.4f} .. {spread.density_high:.4f}"
            count += f"   {ends} {spread.count_low:,.0f} .. {spread.count_high:,.0f}"
        yield density + f"   of {self.users:,} {cells}"
        yield count
        if self.no_interval:
            yield f"no interval     {self.no_interval}"
        sampled = f", {self.sample_size:,} users sampled" if self.sample_size else ""
        yield f"state           {self.state_bits:,} bits{sampled}"
        yield f"promise         {self.promise}{use_made(self.releases, self.covered)}"
        if self.standing in _WARNINGS:
            yield _WARNINGS[self.standing]
        if not self.secure:
            yield "warning         seeded randomness: reproducible, hence not private"

    def to_dict(self) -> dict[str, Any]:
        spread = self.interval
        return {
            "estimator": self.name,
            "density": self.density,
            "distinct_count": self.count,
            "interval": spread
            and {
                "level": self.level,
                "density": [spread.density_low, spread.density_high],
                "distinct_count": [spread.count_low, _number(spread.count_high)],
            },
            "no_interval": self.no_interval or None,
            "universe": self.users,
            "hashed": self.hashed,
            "state_bits": self.state_bits,
            "sample_size": self.sample_size,
            "promise": self.promise,
            "standing": str(self.standing),
            "releases": self.releases,
            "releases_covered": self.covered,
            "secure_randomness": self.secure,
        }


@dataclass(frozen=True)
class Unreleased:
    """A state with ids, without a release."""

    name: str
    users: int
    hashed: bool
    state_bits: int
    sample_size: int | None
    promise: str
    standing: Standing
    releases: int
    covered: int | None
    secure: bool

    def lines(self) -> Iterator[str]:
        sampled = f", {self.sample_size:,} users sampled" if self.sample_size else ""
        yield f"state           {self.state_bits:,} bits{sampled}; saved, nothing released"
        yield f"promise         {self.promise}{use_made(self.releases, self.covered)}"
        if self.standing in _WARNINGS:
            yield _WARNINGS[self.standing]
        if not self.secure:
            yield "warning         seeded randomness: reproducible, hence not private"

    def to_dict(self) -> dict[str, Any]:
        return {
            "estimator": self.name,
            "universe": self.users,
            "hashed": self.hashed,
            "state_bits": self.state_bits,
            "sample_size": self.sample_size,
            "promise": self.promise,
            "standing": str(self.standing),
            "releases": self.releases,
            "releases_covered": self.covered,
            "secure_randomness": self.secure,
        }


def use_made(releases: int, covered: int | None) -> str:
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
    if load is None and "epsilon" not in given and takes(name, "epsilon"):
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


def consume(keeper: StateKeeper, file: str, reading: Reading) -> None:
    """Let a state take all ids of a file."""
    from pan_audits.sources import open_source

    reading = reading.for_universe(keeper.estimator.universe)
    empty = True
    with byte_bar(file) as progress:
        source = open_source(file, reading, progress=progress)
        for ids in source.batches:
            keeper.update(ids)
            empty = False
    if empty:
        left_out = " but missing ones" if reading.tally.skipped else ""
        raise InputError(f"{source.name} has no ids{left_out}: the stream is empty")


def released(estimator: Any, state: Any, randomness: Any, level: float) -> Estimate:
    """Release from a state, and compute the density and the distinct count."""
    density = float(estimator.release(state, randomness))
    interval, reason = None, ""
    known = interval_of(estimator)
    if known is not None and not state.announced:
        interval = known(density, level=level)
    elif estimator.name != "exact-counter":
        reason = f"the sample of {estimator.name} depends on the stream, and its output has no known distribution"
    return Estimate(
        name=estimator.name,
        users=estimator.universe.size,
        hashed=isinstance(estimator.universe, HashedUniverse),
        density=density,
        count=distinct_count(estimator, density),
        level=level,
        interval=interval,
        no_interval=reason,
        state_bits=estimator.state_bits,
        sample_size=getattr(estimator, "sample_size", None),
        promise=_promise(estimator),
        standing=standing_of(estimator),
        releases=state.releases,
        covered=releases_covered(estimator),
        secure=isinstance(randomness, SecureRandomness),
    )


def unreleased(estimator: Any, state: Any, randomness: Any) -> Unreleased:
    """The report on a state without a release."""
    return Unreleased(
        name=estimator.name,
        users=estimator.universe.size,
        hashed=isinstance(estimator.universe, HashedUniverse),
        state_bits=estimator.state_bits,
        sample_size=getattr(estimator, "sample_size", None),
        promise=_promise(estimator),
        standing=standing_of(estimator),
        releases=state.releases,
        covered=releases_covered(estimator),
        secure=isinstance(randomness, SecureRandomness),
    )


def _promise(estimator: Any) -> str:
    promise = estimator.promise
    if promise is None:
        return "none for these parameters"
    kept = _KEPT[standing_of(estimator)].format(name=estimator.name, budget=float(estimator.epsilon))
    return f"{promise.describe()}: {kept}"


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
