"""Attacks: a secret, the stream that hides it, and the bits that the outputs give back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from experiments.continual.attack_counters import ContinualCounter, ExactCounter
from experiments.continual.attack_streams import (
    Bits,
    Entry,
    inner_products,
    marginals,
    stream_of_queries,
    stream_of_rows,
)
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError, shown


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
