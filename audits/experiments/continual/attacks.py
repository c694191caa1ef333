"""Attacks on exact counts, on counts with little noise, and on the counters, at the sizes of the lower bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from math import comb, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from experiments.continual.setting import Scale
from pan_estimators.continual.members import counters_with, create_counter
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError, shown, suggestion

Entry = tuple[int, int] | None
"""An element with 1 for an insertion or -1 for a deletion; ``None`` is the no-op."""
Bits = NDArray[np.int64]


def entries_of(bits: Bits, sign: int) -> Iterator[Entry]:
    """One entry for each bit: its element where it is 1, a no-op where it is 0."""
    return ((element, sign) if bit else None for element, bit in enumerate(bits.tolist()))


def stream_of_queries(secret: Bits, queries: Bits) -> tuple[Entry, ...]:
    """The secret bits as insertions; then the ones of each query, inserted and deleted again."""
    entries: list[Entry] = [*entries_of(secret, 1)]
    for query in queries:
        entries += [*entries_of(query, 1), *entries_of(query, -1)]
    return tuple(entries)


def inner_products(outputs: Sequence[float], queries: Bits) -> NDArray[np.float64]:
    """For each query ``r[n] + |q_j| - r[2 j n]``, from the outputs ``r`` of a counter."""
    found = np.asarray(outputs, dtype=np.float64)
    number, size = queries.shape
    times = 2 * size * np.arange(1, number + 1)
    return np.asarray(found[size - 1] + queries.sum(axis=1) - found[times - 1], dtype=np.float64)


def stream_of_rows(row: Bits, records: int) -> tuple[Entry, ...]:
    """A table of equal rows: for each attribute that the row has, all records are inserted, and deleted again."""
    entries: list[Entry] = []
    for bit in row.tolist():
        column = np.full(records, bit, dtype=np.int64)
        entries += [*entries_of(column, 1), *entries_of(column, -1)]
    return tuple(entries)


def marginals(outputs: Sequence[float], attributes: int, records: int) -> NDArray[np.float64]:
    """For each attribute ``r[(2 j - 1) n] / n``, from the outputs ``r`` of a counter."""
    found = np.asarray(outputs, dtype=np.float64)
    times = (2 * np.arange(1, attributes + 1) - 1) * records
    return np.asarray(found[times - 1] / records, dtype=np.float64)


OWN = ("exact", "noisy")
"""The counters of this file."""


class ContinualCounter(Protocol):
    """A counter that puts out an estimate of the distinct count after each entry."""

    def release(self, stream: Sequence[Entry], randomness: Any) -> Sequence[float]:
        """The outputs."""


@dataclass(frozen=True)
class ExactCounter:
    """The distinct counts themselves."""

    def release(self, stream: Sequence[Entry], randomness: Any) -> list[float]:
        """The distinct count after each entry."""
        counts: Counter[int] = Counter()
        found, present = [], 0
        for entry in stream:
            if entry is not None:
                element, sign = entry
                present -= counts[element] > 0
                counts[element] += sign
                present += counts[element] > 0
            found.append(float(present))
        return found


@dataclass(frozen=True)
class NoisyCounter:
    """The distinct counts, each with normal noise of its own.

    Attributes
    ----------
    noise
        The standard deviation of the noise.
    """

    noise: float

    def release(self, stream: Sequence[Entry], randomness: Any) -> list[float]:
        """The distinct count after each entry, with noise."""
        counts = ExactCounter().release(stream, randomness)
        drawn = randomness.normal(0.0, self.noise, len(counts))
        return [count + float(added) for count, added in zip(counts, drawn, strict=True)]


def counter_named(name: str, *, steps: int, elements: int, noise: float, settings: Mapping[str, Any]) -> Any:
    """A counter by its name."""
    if name in OWN:
        if settings:
            raise InputError(f"--set is for shipped estimators; the counter {name} has no such parameter")
        return ExactCounter() if name == "exact" else NoisyCounter(noise)
    from pan_estimators.common.registry import ships
    from pan_estimators.continual.members import MEMBERS, create_counter, parameters_of

    if ships(name) and name not in MEMBERS:
        raise InputError(f"{name} takes no streams of insertions and deletions, and cannot be attacked in this way")
    if name not in MEMBERS:
        raise InputError(f"unknown counter {shown(name)}; {suggestion(name, [*OWN, *MEMBERS])}")
    known = parameters_of(name)
    sizes = {key: value for key, value in (("steps", steps), ("elements", elements)) if key in known}
    return create_counter(name, {**sizes, **settings})


class Reduction(StrEnum):
    """The batch problem that is embedded in the stream."""

    INNER_PRODUCTS = "inner-products"
    MARGINALS = "marginals"


@dataclass(frozen=True)
class Attack:
    """The outcome of one attack.

    Attributes
    ----------
    reduction
        The embedded problem.
    right
        For each secret bit whether it was recovered.
    steps
        The length of the stream.
    flippancy
        The bound of the reduction on the maximum flippancy of the stream.
    counter_error
        The largest error of the outputs that are used.
    answer_error
        The largest error of the answers that they give.
    by_chance
        The probability that guesses without the outputs recover at least as many bits: the secret is uniform.
    """

    reduction: Reduction
    right: tuple[bool, ...]
    steps: int
    flippancy: int
    counter_error: float
    answer_error: float
    by_chance: float

    @property
    def bits(self) -> int:
        """The number of secret bits."""
        return len(self.right)

    @property
    def recovered(self) -> int:
        """The number of bits that were recovered."""
        return sum(self.right)

    @property
    def share(self) -> float:
        """The share of the bits that was recovered."""
        return self.recovered / self.bits

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        found = {**asdict(self), "reduction": str(self.reduction)}
        del found["right"]
        return {**found, "bits": self.bits, "recovered": self.recovered, "share": self.share, "guessing": 0.5}


def attack_inner_products(counter: ContinualCounter, bits: int, queries: int, seed: int | None = None) -> Attack:
    """Reconstruct bits from random inner product queries, by least squares and rounding (event level)."""
    randomness = NumpyRandomness(seed)
    secret = _uniform_bits(randomness, bits)
    asked = _uniform_bits(randomness, bits * queries).reshape(queries, bits)
    stream = stream_of_queries(secret, asked)
    outputs = _outputs(counter, stream, randomness)
    answers = inner_products(outputs, asked)
    # Around one half of each bit. The last column is the error of the output at the time n, which all answers share.
    columns = np.column_stack([asked.astype(np.float64), np.ones(queries)])
    solved = np.linalg.lstsq(columns, answers - asked.sum(axis=1) / 2, rcond=None)[0]
    guessed = (solved[:bits] > 0).astype(np.int64)
    used = [bits - 1, *(2 * bits * np.arange(1, queries + 1) - 1).tolist()]
    errors = np.abs(answers - asked @ secret)
    return _result(Reduction.INNER_PRODUCTS, secret, guessed, stream, outputs, used, errors, 2 * queries)


def attack_marginals(counter: ContinualCounter, bits: int, records: int, seed: int | None = None) -> Attack:
    """Reconstruct a row from the marginals of a table of equal rows, by rounding (item level, a group of items)."""
    randomness = NumpyRandomness(seed)
    secret = _uniform_bits(randomness, bits)
    stream = stream_of_rows(secret, records)
    outputs = _outputs(counter, stream, randomness)
    answers = marginals(outputs, bits, records)
    used = ((2 * np.arange(1, bits + 1) - 1) * records - 1).tolist()
    guessed = (answers > 0.5).astype(np.int64)
    return _result(Reduction.MARGINALS, secret, guessed, stream, outputs, used, np.abs(answers - secret), 2 * bits)


def chance_of_guesses(bits: int, recovered: int) -> float:
    """The probability that guesses of uniform bits are right at least so often."""
    return float(Fraction(sum(comb(bits, right) for right in range(recovered, bits + 1)), 2**bits))


def _uniform_bits(randomness: NumpyRandomness, number: int) -> Bits:
    return np.asarray(randomness.generator.integers(0, 2, number), dtype=np.int64)


def _outputs(counter: ContinualCounter, stream: tuple[Entry, ...], randomness: NumpyRandomness) -> Sequence[float]:
    outputs = list(counter.release(stream, randomness))
    if len(outputs) != len(stream):
        raise InputError(f"a counter gives one output after each of the {len(stream)} entries, got {len(outputs)}")
    if not all(np.isfinite(outputs)):
        wrong = next(one for one in outputs if not np.isfinite(one))
        raise InputError(f"each output of a counter is a finite number, got {shown(wrong)}")
    return outputs


def _result(
    reduction: Reduction,
    secret: Bits,
    guessed: Bits,
    stream: tuple[Entry, ...],
    outputs: Sequence[float],
    used: Sequence[int],
    errors: Any,
    flippancy: int,
) -> Attack:
    exact = ExactCounter().release(stream, None)
    right = tuple((guessed == secret).tolist())
    return Attack(
        reduction=reduction,
        right=right,
        steps=len(stream),
        flippancy=flippancy,
        counter_error=max(abs(float(outputs[place]) - exact[place]) for place in used),
        answer_error=float(np.max(errors)),
        by_chance=chance_of_guesses(len(right), sum(right)),
    )


@dataclass(frozen=True)
class Attacked:
    """One attack.

    Attributes
    ----------
    counter
        The attacked counter, in words.
    promised
        The rho that it promises for one element; ``None`` for none.
    attack
        The outcome.
    """

    counter: str
    promised: float | None
    attack: Attack


def attacks(scale: Scale, seed: int) -> list[Attacked]:
    """The attacks by inner products, for all sizes, and by marginals of one record."""
    found = []
    for bits in scale.bits:
        queries = scale.queries * bits
        steps = (2 * queries + 1) * bits
        contenders: list[tuple[str, float | None, object]] = [
            ("exact counts", None, ExactCounter()),
            # Theorem 4.5 is about an error below a constant times the square root of n.
            (f"noise of deviation {sqrt(bits) / 4:.3g}", None, NoisyCounter(sqrt(bits) / 4)),
        ]
        given = {"steps": steps, "rho": scale.budget, "flippancy": 2 * queries + 1}
        for name, values in counters_with(given).items():
            counter = create_counter(name, values)
            if not counter.promise.sees_state:
                contenders.append((name, counter.promise.rho, counter))
        for label, promised, attacked in contenders:
            found.append(Attacked(label, promised, attack_inner_products(attacked, bits, queries, seed)))  # type: ignore[arg-type]
        found.append(Attacked("exact counts", None, attack_marginals(ExactCounter(), bits, 1, seed)))
        rows = {"steps": 2 * bits, "rho": scale.budget, "flippancy": 2 * bits}
        for name, values in counters_with(rows).items():
            counter = create_counter(name, values)
            if not counter.promise.sees_state:
                found.append(Attacked(name, counter.promise.rho, attack_marginals(counter, bits, 1, seed)))
    return found
