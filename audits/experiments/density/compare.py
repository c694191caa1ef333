"""Estimators at equal memory: the error of each, and whether it keeps its promise; ``python -m experiments compare``.

The published comparisons use equal sample sizes, and do not count the memory for the ids of the sample. Here
everything that a shipped estimator keeps from one update to the next is counted: cells, ids, keys.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pan_audits.cli.options import Jobs, Json, Parameter, Seed
from pan_audits.cli.output import print_json
from pan_audits.cli.progress import spinner
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import whole_option, words
from pan_audits.exact.check import run_check
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.judging.verdict import Verdict
from pan_audits.reports.text import STYLES, console
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.running.many_runs import releases
from pan_estimators.common.registry import create_estimator, with_budget
from pan_estimators.density.members import MEMBERS
from pan_estimators.streams.generators import uniform_stream, zipf_stream
from pan_estimators.streams.real import STREAMS, load_stream
from pan_estimators.universes.universe import IntegerUniverse
from pan_promises.errors import InputError, require_count, shown, suggestion
from pan_promises.promise import Adjacency, Promise


@dataclass(frozen=True)
class ComparisonRow:
    """One estimator.

    Attributes
    ----------
    name
        As shipped.
    options
        Further parameters.
    sample_size, state_bits
        The largest sample that fits, and the size of its state.
    promised
        The promise of the source for state and output jointly, in nats; ``None`` without a promise.
    check
        The exact check of the cells and the noise that were run, at a few users. It is compared with the promise, or
        without one with 2 epsilon.
    squared_errors
        The squared error of each run, against the density of the stream.
    """

    name: str
    options: Mapping[str, Any]
    sample_size: int
    state_bits: int
    promised: float | None
    check: CheckResult
    squared_errors: NDArray[np.float64]

    @property
    def keeps(self) -> bool:
        """Whether the exact check found no violation."""
        return self.check.verdict is Verdict.NOT_REFUTED

    @property
    def mean_squared_error(self) -> float:
        """Mean squared error, the sampling error included."""
        return float(self.squared_errors.mean())

    @property
    def rmse(self) -> float:
        """Its root."""
        return float(np.sqrt(self.mean_squared_error))

    @property
    def rmse_error(self) -> float:
        """Standard error of :attr:`rmse`, by the delta method."""
        spread = self.squared_errors.std(ddof=1) / np.sqrt(self.squared_errors.size)
        return float(spread / (2 * self.rmse))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "options": dict(self.options),
            "sample_size": self.sample_size,
            "state_bits": self.state_bits,
            "promised": self.promised,
            "loss": self.check.loss and self.check.loss.to_dict(),
            "verdict": str(self.check.verdict),
            "rmse": self.rmse,
            "rmse_standard_error": self.rmse_error,
            "mean_squared_error": self.mean_squared_error,
        }


@dataclass(frozen=True)
class Comparison:
    """All estimators on one stream.

    Attributes
    ----------
    stream, users, updates, density
        The stream, the size of its universe, its length, and its density.
    epsilon, bits, runs, seed
        The settings.
    rows
        The estimators that fit.
    left_out
        The reasons for missing estimators, by name.
    """

    stream: str
    users: int
    updates: int
    density: float
    epsilon: float
    bits: int
    runs: int
    seed: int
    rows: tuple[ComparisonRow, ...]
    left_out: Mapping[str, str]

    @property
    def best(self) -> ComparisonRow | None:
        """The estimator with the least error among those that keep their promise."""
        return min((row for row in self.rows if row.keeps), key=lambda row: row.mean_squared_error, default=None)

    def ratio(self, row: ComparisonRow) -> float | None:
        """The mean squared error in units of the best one's."""
        return row.mean_squared_error / self.best.mean_squared_error if self.best else None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "panproof": 1,
            "stream": self.stream,
            "users": self.users,
            "updates": self.updates,
            "density": self.density,
            "epsilon": float(self.epsilon),
            "bits": self.bits,
            "runs": self.runs,
            "seed": self.seed,
            "exact_counter_bits": self.users,
            "best": self.best and self.best.name,
            "estimators": [row.to_dict() | {"ratio": self.ratio(row)} for row in self.rows],
            "left_out": dict(self.left_out),
        }


_SMALL = {"universe": 2, "sample_size": 1}
"""The parameters that the comparison gives, beside the budget."""


def _options(name: str, factory: Callable[..., Any]) -> Mapping[str, Any] | None:
    """The options of an estimator beside what the comparison gives, or ``None`` if it is not compared."""
    given = with_budget(name, 0.1, _SMALL)
    if not set(signature(factory).parameters) >= set(given):
        return None
    small = factory(**given)
    promise = small.promise
    if getattr(small, "deletions", False) or (promise is not None and promise.announced):
        return None
    outputs = 1 if promise is None else promise.outputs
    return {"outputs": outputs} if outputs != 1 else {}


COMPARED: Mapping[str, Mapping[str, Any]] = {
    name: options for name, factory in MEMBERS.items() if (options := _options(name, factory)) is not None
}
"""The compared estimators, with their parameters besides universe, epsilon and size: those of insertions, without
announced intrusions."""

SYNTHETIC: Mapping[str, Callable[..., NDArray[np.int64]]] = {"uniform": uniform_stream, "zipf": zipf_stream}
"""The streams of the paper, Section 6, where U and T are 100,000."""

_SCOPE = CheckSettings(users=3, length=2, appearances=3)


def compared(
    *,
    bits: int,
    epsilon: float,
    stream: str = "online-retail",
    runs: int = 300,
    seed: int | None = None,
    jobs: int = 1,
    progress: Callable[[str], Any] | None = None,
) -> Comparison:
    """Run every estimator of :data:`COMPARED` with the largest sample that fits into ``bits``."""
    require_count("the number of bits", bits)
    require_count("the number of runs", runs, least=2)
    seed = secrets.randbelow(2**32) if seed is None else seed
    require_count("the seed", seed, least=0)
    ids, universe = _stream(stream, seed)
    density = np.unique(ids).size / universe.size
    rows: list[ComparisonRow] = []
    left_out: dict[str, str] = {}
    for place, (name, options) in enumerate(COMPARED.items()):
        if progress:
            progress(name)
        try:
            estimator = largest_fitting(name, universe=universe, epsilon=epsilon, bits=bits, **options)
        except InputError as problem:
            left_out[name] = str(problem)
            continue
        seeds = [np.random.SeedSequence(seed, spawn_key=(place, run)) for run in range(runs)]
        errors = releases(estimator, ids, seeds, jobs=jobs) - density
        promise = estimator.promise
        rows.append(
            ComparisonRow(
                name=name,
                options=options,
                sample_size=estimator.sample_size,
                state_bits=estimator.state_bits,
                promised=float(promise.epsilon) if promise else None,
                check=check_small(estimator, epsilon),
                squared_errors=errors**2,
            )
        )
    if not rows:
        name, reason = next(iter(left_out.items()))
        raise InputError(f"no estimator can be compared; {name}: {reason}")
    return Comparison(stream, universe.size, ids.size, density, epsilon, bits, runs, seed, tuple(rows), left_out)


def largest_fitting(name: str, *, universe: IntegerUniverse, epsilon: float, bits: int, **options: Any) -> Any:
    """The shipped estimator ``name`` with the largest sample whose whole state takes at most ``bits``."""

    def make(size: int) -> Any:
        return create_estimator(
            name, **with_budget(name, epsilon, {"universe": universe, "sample_size": size} | options)
        )

    whole = make(universe.size)
    if whole.state_bits <= bits:
        # A sample of all users needs neither ids nor a key.
        return whole
    # Otherwise every further user adds the same number of bits.
    first = make(1).state_bits
    if first > bits:
        raise InputError(f"a sample of one user takes {first:,} bits, more than {bits:,}")
    each = make(2).state_bits - first if universe.size > 2 else bits
    estimator = make(min(1 + (bits - first) // each, universe.size - 1))
    assert estimator.state_bits <= bits
    return estimator


def check_small(estimator: Any, epsilon: float) -> CheckResult:
    """The exact check of an estimator's own cells and noise, with a few users in place of its universe.

    The information in a user's cell and in the noise does not depend on the number of users. The calibrated
    parameters depend on it, and are kept.
    """
    promise = estimator.promise or Promise(epsilon=2 * epsilon, adjacency=Adjacency.USER_LEVEL)

    def make(users: int, sample_size: int | None) -> Mechanism:
        small = replace(estimator, universe=IntegerUniverse(users), sample_size=sample_size or users)
        return Mechanism(
            name=estimator.name,
            estimator=small,
            promise=promise,
            population=tuple(range(users)),
            configuration=small.to_dict(),
            source="",
            shipped=True,
        )

    return run_check(make, _SCOPE)


def _stream(name: str, seed: int) -> tuple[NDArray[np.int64], IntegerUniverse]:
    if name in SYNTHETIC:
        return SYNTHETIC[name](seed=seed), IntegerUniverse(10**5)
    if name not in STREAMS:
        raise InputError(f"unknown stream {shown(name)}; {suggestion(name, [*STREAMS, *SYNTHETIC])}")
    loaded = load_stream(name, numbered=True)
    assert isinstance(loaded.universe, IntegerUniverse)
    return loaded.ids, loaded.universe


_COLUMNS = ("sampled", "state bits", "promised", "exact loss", "RMSE", "std. error", "MSE / best kept")


@formerly(epsilon="parameter", e="parameter")
def compare(
    bits: Annotated[
        int,
        whole_option("--bits", "-b", most=10**9, help="Memory for the whole state, in bits."),
    ] = 20_000,
    parameter: Parameter = 0.2,
    stream: Annotated[
        str,
        words(
            "--stream",
            parse=lambda text, _: text,
            help="online-retail, nycflights13, uniform or zipf; the last two have 100,000 users and updates.",
        ),
    ] = "online-retail",
    runs: Annotated[int, whole_option("--runs", most=10**9, help="Runs of each estimator.")] = 300,
    seed: Seed = None,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Compare the estimators of the density of a stream of insertions at equal memory.

    Each estimator has the largest sample for which its whole state, with ids and keys, fits into ``--bits``. The table
    shows the root mean squared error, and the exact privacy loss beside the promised one. A broken promise is not an
    error of the command: the exit code is 0, and 2 for bad input.

    Example: python -m experiments compare --stream uniform --bits 20000 --parameter 0.2
    """
    began = time.perf_counter()
    with spinner("compare") as progress:
        found = compared(
            bits=bits,
            epsilon=parameter,
            stream=stream,
            runs=runs,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    if as_json:
        print_json(found.to_dict())
    else:
        console().print(_render(found, seconds=time.perf_counter() - began))


def _render(found: Comparison, *, seconds: float) -> Group:
    """The estimator with the least error among those that keep their promise, then one row for each estimator."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("estimator", no_wrap=True)
    table.add_column("promise", no_wrap=True)
    for heading in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in found.rows:
        ratio = found.ratio(row)
        table.add_row(
            _name(row),
            Text(str(row.check.verdict), style=STYLES[row.check.verdict]),
            f"{row.sample_size:,}",
            f"{row.state_bits:,}",
            "nothing" if row.promised is None else f"{row.promised:.3g}",
            row.check.loss.describe() if row.check.loss else "unknown",
            f"{row.rmse:.4f}",
            f"{row.rmse_error:.4f}",
            "" if ratio is None else f"{ratio:.2f}",
        )
    table.add_row("exact-counter", "no promise", f"{found.users:,}", f"{found.users:,}", "nothing", "", "0", "", "")
    notes = [f"left out: {name}: {reason}" for name, reason in found.left_out.items()]
    return Group(Text(_verdict(found)), Text(""), table, *map(Text, notes), Text(_legend(found, seconds), style="dim"))


def _name(row: ComparisonRow) -> str:
    options = ", ".join(f"{value} {name}" for name, value in row.options.items())
    return f"{row.name} ({options})" if options else row.name


def _verdict(found: Comparison) -> str:
    best = found.best
    if best is None:
        return "None of these estimators keeps its promise."
    worse = [row for row in found.rows if row.mean_squared_error < best.mean_squared_error]
    others = f"; only estimators that break their promise have less: {', '.join(map(_name, worse))}" if worse else ""
    return f"{_name(best)} has the least error of those that keep their promise, {best.rmse:.4f}{others}."


def _legend(found: Comparison, seconds: float) -> str:
    fits = "does not fit" if found.users > found.bits else "fits as well"
    silent = any(row.promised is None for row in found.rows)
    held = "(an estimator without a promise is compared with 2 epsilon)" if silent else ""
    return (
        f"\nStream {found.stream}: {found.updates:,} updates by {found.users:,} users, density {found.density:.4f}; "
        f"epsilon {float(found.epsilon):.4g}{held}. Each has the largest sample for which cells, ids and keys take "
        f"at most {found.bits:,} bits; the exact counter, which is not private, {fits}. RMSE against the "
        f"density of the stream, {found.runs} runs each, seed {found.seed}; exact loss in nats, on every stream of "
        f"up to 2 updates by up to 3 users; {seconds:.0f} s."
    )
