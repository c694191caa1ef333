"""The sizes of the experiments on counters: those of the source's questions."""

from __future__ import annotations

from dataclasses import dataclass

from pan_promises.errors import require_count


@dataclass(frozen=True)
class Scale:
    """The sizes.

    Attributes
    ----------
    lengths
        The numbers T of steps of synthetic streams.
    flippancies
        The numbers w of changes of each element of a synthetic stream.
    budgets
        The values of rho.
    budget
        The rho of real streams, of the curves and of the attacks.
    most_entries
        Entries over which the runs of one counter on one stream are spread: long streams get few runs.
    coverage_length, coverage_runs
        Steps and runs of the measurement of intervals.
    bits
        The numbers of secret bits of the attacks.
    queries
        Queries for each secret bit.
    real
        The real streams, each with the distance between two releases: ``event``, ``hour`` or ``day``.
    """

    lengths: tuple[int, ...] = (2**12, 2**16, 2**20)
    flippancies: tuple[int, ...] = (2, 16, 256)
    budgets: tuple[float, ...] = (0.05, 0.5, 5.0)
    budget: float = 0.5
    most_entries: int = 2**20
    coverage_length: int = 2**8
    coverage_runs: int = 3000
    bits: tuple[int, ...] = (32, 96)
    queries: int = 4
    real: tuple[tuple[str, str], ...] = (
        ("online-retail-pairs", "event"),
        ("online-retail-pairs", "day"),
        ("online-retail-customers", "event"),
        ("online-retail-customers", "day"),
        ("nycflights13-airborne", "event"),
        ("nycflights13-airborne", "hour"),
        ("nycflights13-airborne", "day"),
    )

    def __post_init__(self) -> None:
        for length in self.lengths:
            require_count("the number of steps", length, least=2)
        require_count("the runs of the measurement of intervals", self.coverage_runs)

    def runs(self, entries: int) -> int:
        """The number of runs on a stream of this length."""
        return max(1, min(8, self.most_entries // entries))


WHOLE = Scale()
"""The sizes of ``python -m experiments reproduce turnstile``."""
