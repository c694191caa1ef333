"""The scopes that an exact check covered, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pan_audits.exact.result import Coverage
from pan_audits.problems import judged
from pan_promises.problem import Problem


def largest(coverage: Sequence[Coverage]) -> Coverage:
    """The largest of some covered scopes."""
    return max(coverage, key=lambda row: (row.users, row.length))


def scopes(coverage: Sequence[Coverage]) -> list[Coverage]:
    """The covered scopes: all lengths for the most users, the largest for fewer."""
    most = max((row.users for row in coverage), default=0)
    following = [row.users for row in coverage[1:]] + [0]
    return [row for row, users in zip(coverage, following, strict=True) if row.users == most or users != row.users]


def cells(row: Coverage, problem: Problem, shown: Iterable[str]) -> list[str]:
    """The cells of a row."""
    every = {
        "users": str(row.users),
        "sampled": "" if row.sample_size is None else str(row.sample_size),
        "length": f"{'up to ' * (not judged(problem).exact_length)}{row.length}",
        "inputs": f"{row.streams:,}",
        "pairs": f"{row.pairs:,}",
        "states": f"{row.states:,}",
        "seconds": f"{row.seconds:.2f}",
        "loss": "infinite" if row.loss.unbounded else f"{row.loss.nats:.6g}",
    }
    return [every[name] for name in shown]
