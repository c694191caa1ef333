"""What ``panproof estimate`` does: start or go on, read the ids, and say what they amount to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.command_line.room import require_room
from pan_audits.sources.reading import Reading
from pan_estimators import (
    CalibratedCells,
    HashedUniverse,
    InputError,
    IntegerUniverse,
    NumpyRandomness,
    SampledCells,
    SecureRandomness,
    confidence_interval,
    create_estimator,
    distinct_count,
    load_state,
)
from pan_estimators import Universe as UserUniverse
from pan_estimators.errors import shown


@dataclass(frozen=True)
class Estimate:
    """What was estimated, with what it rests on."""

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
        yield f"promise         {self.promise}"
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
            "secure_randomness": self.secure,
        }


def user_universe(
    universe: int | None, first: int | None, hash_cells: int | None, load: Path | None = None
) -> UserUniverse | None:
    """The users that the options describe; ``None`` if they say nothing, and a state file does."""
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
    name: str, parameters: dict[str, Any], memory: str | None, seed: int | None, load: Path | None
) -> tuple[Any, Any, Any]:
    """Estimator, state and randomness: new ones, or those of a state file."""
    randomness = SecureRandomness() if seed is None else NumpyRandomness(seed)
    given = {key: value for key, value in parameters.items() if value is not None}
    if name != "exact-counter" and "epsilon" not in given and load is None:
        raise InputError(f"{name} needs a privacy budget: give --epsilon")
    if load is not None:
        found, state = load_state(load)
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
    elif name != "exact-counter" and not given.keys() & {"sample_size", "alpha", "beta"}:
        given["sample_size"] = given["universe"].size
    estimator = create_estimator(name, **given)
    require_room(estimator)
    return estimator, estimator.create(randomness), randomness


def parse_bits(text: str) -> int:
    """A memory size in bits: ``4096`` and ``4096B`` are bytes, ``32kbit`` are bits, ``4KiB`` is 4096 bytes."""
    match = re.fullmatch(r" *([0-9]{1,30}(?:\.[0-9]{1,30})?) *([kKmMgG]i?)?(bits?|b|B|bytes?)? *", text)
    if not match:
        raise InputError(f"a memory size is a number of bytes, or like 32kbit or 4KiB; got {shown(text)}")
    number, prefix, unit = match.groups()
    factor = 1
    if prefix:
        base = 1024 if prefix.endswith("i") else 1000
        factor = base ** ("kmg".index(prefix[0].lower()) + 1)
    bits = float(number) * factor * (1 if unit and unit.startswith("bit") else 8)
    if not 1 <= bits <= 2**50:
        raise InputError(f"a memory size must lie between 1 bit and 2**50 bits, got {shown(text)}")
    return int(bits)


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


def consume(estimator: Any, state: Any, randomness: Any, file: str, reading: Reading) -> Any:
    """The state after all ids of a file."""
    from pan_audits.sources import open_source

    reading = reading.for_universe(estimator.universe)
    empty = True
    with _byte_bar(file) as progress:
        source = open_source(file, reading, progress=progress)
        for ids in source.batches:
            state = estimator.update(state, ids, randomness)
            empty = False
    if empty:
        left_out = " but missing ones" if reading.tally.skipped else ""
        raise InputError(f"{source.name} has no ids{left_out}: the stream is empty")
    return state


@contextmanager
def _byte_bar(file: str) -> Iterator[Any]:
    from pan_audits.reports.text import console

    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    size = Path(file).stat().st_size if file != "-" and Path(file).is_file() else None
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("reading", total=size)
        yield lambda done: bar.update(task, completed=done)


def released(estimator: Any, state: Any, randomness: Any, level: float) -> Estimate:
    """Release from a state, and what that says about density and distinct count."""
    density = float(estimator.release(state, randomness))
    interval, reason = None, ""
    if isinstance(estimator, (SampledCells, CalibratedCells)) and not state.announced:
        interval = confidence_interval(estimator, density, level=level)
    elif estimator.name != "exact-counter":
        reason = f"the sample of {estimator.name} depends on the stream, and its output has no known distribution"
    promise = estimator.promise
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
        promise=_promise(promise, isinstance(estimator, CalibratedCells)),
        secure=isinstance(randomness, SecureRandomness),
    )


def _promise(promise: Any, proved: bool) -> str:
    if promise is None:
        return "none for these parameters"
    kept = "proved (panproof gate certifies it)" if proved else "as published, not as kept (panproof gate tells)"
    return f"{promise.describe()}: {kept}"


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
