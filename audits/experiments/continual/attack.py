"""Attacks on exact counts, on counts with little noise, and on the counters; ``python -m experiments attack``.

They reconstruct secret bits from the outputs of a counter of distinct elements, at the sizes of the lower bounds.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from math import comb, sqrt
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_audits.cli.judged import parse_settings
from pan_audits.cli.names import one_of
from pan_audits.cli.options import Json, Seed, Settings
from pan_audits.cli.output import print_json
from pan_audits.cli.values import argument, option, real, whole_option
from pan_estimators.common.registry import ships
from pan_estimators.continual.members import MEMBERS, counters_with, create_counter, parameters_of
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


def attacks(sizes: Sequence[int], queries: int, rho: float, seed: int) -> list[Attacked]:
    """The attacks by inner products, with some queries for each secret bit, and by marginals of one record."""
    found = []
    for bits in sizes:
        steps = (2 * queries * bits + 1) * bits
        contenders: list[tuple[str, float | None, Any]] = [
            ("exact counts", None, ExactCounter()),
            # Theorem 4.5 is about an error below a constant times the square root of n.
            (f"noise of deviation {sqrt(bits) / 4:.3g}", None, NoisyCounter(sqrt(bits) / 4)),
            *_counters(steps, rho, 2 * queries * bits + 1),
        ]
        for label, promised, counter in contenders:
            found.append(Attacked(label, promised, attack_inner_products(counter, bits, queries * bits, seed)))
        for label, promised, counter in (contenders[0], *_counters(2 * bits, rho, 2 * bits)):
            found.append(Attacked(label, promised, attack_marginals(counter, bits, 1, seed)))
    return found


def _counters(steps: int, rho: float, flippancy: int) -> Iterator[tuple[str, float | None, Any]]:
    """The shipped counters whose promise is about their outputs."""
    for name, values in counters_with({"steps": steps, "rho": rho, "flippancy": flippancy}).items():
        counter = create_counter(name, values)
        if not counter.promise.sees_state:
            yield name, counter.promise.rho, counter


_WIDTH = 50
_ROW = 64
_FULL, _EMPTY = "#", "."
_MOST_BITS, _MOST_QUERIES, _MOST_STEPS = 1000, 10_000, 4_000_000


def attack(
    name: Annotated[str, argument(parse=lambda text, _: text, help="exact, noisy, or a shipped turnstile counter.")],
    by: Annotated[
        str,
        option(
            "--by",
            parse=one_of(Reduction),
            help="inner-products (event level) or marginals (item level).",
            metavar="WORD",
        ),
    ] = Reduction.INNER_PRODUCTS.value,
    bits: Annotated[
        int,
        whole_option("--bits", most=_MOST_BITS, help="Number of secret bits, 1 to 1000."),
    ] = 64,
    queries: Annotated[
        int | None,
        whole_option(
            "--queries", most=_MOST_QUERIES, help="Number of inner product queries; by default 4 for each bit."
        ),
    ] = None,
    records: Annotated[
        int,
        whole_option("--records", most=10_000, help="Number of equal rows for marginals."),
    ] = 1,
    noise: Annotated[
        float,
        option("--noise", parse=real(1e9), help="Standard deviation of the noise of noisy.", metavar="FLOAT"),
    ] = 1.0,
    settings: Settings = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Reconstruct secret bits from the outputs of a counter of distinct elements.

    The secret is uniform. Guesses that do not use the outputs recover half of it. The stream is that of the claims
    turnstile.inner_product_reduction (one bit is one entry) and turnstile.marginals_reduction (one record is one item).

    Example: python -m experiments attack noisy --noise 2 --bits 64 --seed 1
    """
    inner = Reduction(by) is Reduction.INNER_PRODUCTS
    asked = 4 * bits if queries is None else queries
    steps = (2 * asked + 1) * bits if inner else 2 * bits * records
    if steps > _MOST_STEPS:
        raise InputError(f"the stream may have at most {_MOST_STEPS:,} entries, and would have {steps:,}")
    counter = counter_named(
        name, steps=steps, elements=bits if inner else records, noise=noise, settings=parse_settings(settings or [])
    )
    used = secrets.randbits(64) if seed is None else seed
    found = (
        attack_inner_products(counter, bits, asked, used) if inner else attack_marginals(counter, bits, records, used)
    )
    if as_json:
        print_json({"counter": name, "seed": used, **found.to_dict()})
        return
    print(f"{name}: {found.steps:,} entries, flippancy at most {found.flippancy:,}, seed {used}")
    print(
        f"recovered {found.recovered} of {found.bits} bits ({found.share:.1%}); guessing recovers 50%, and as many "
        f"with probability {found.by_chance:.2g}"
    )
    print(picture(found.right))
    print(f"largest error of the counter {found.counter_error:.3g}, of the answers {found.answer_error:.3g}")


def picture(right: Sequence[bool]) -> str:
    """Two bars, and rows of marks: one for each secret bit, in order."""
    share = sum(right) / len(right)
    marks = "".join(_FULL if each else _EMPTY for each in right)
    rows = [marks[start : start + _ROW] for start in range(0, len(marks), _ROW)]
    bars = [f"{name} {_bar(part)} {part:.1%}" for name, part in (("recovered", share), ("guessing ", 0.5))]
    return "\n".join([*bars, f"the bits in order, {_FULL} recovered, {_EMPTY} not:", *rows])


def _bar(share: float) -> str:
    full = round(_WIDTH * share)
    return _FULL * full + _EMPTY * (_WIDTH - full)
