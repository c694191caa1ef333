"""The scopes that an exact check covered, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pan_audits.exact.result import Coverage
from pan_promises.adjacency import OF_STREAMS, OF_TABLES, Adjacency
from pan_promises.problem import Kind


def scopes(coverage: Sequence[Coverage]) -> list[Coverage]:
    """The covered scopes: all lengths for the most users, the largest for fewer."""
    most = max((row.users for row in coverage), default=0)
    following = [row.users for row in coverage[1:]] + [0]
    return [row for row, users in zip(coverage, following, strict=True) if row.users == most or users != row.users]


def cells(row: Coverage, kind: Kind, shown: Iterable[str]) -> list[str]:
    """The cells of a row."""
    every = {
        "users": str(row.users),
        "sampled": "" if row.sample_size is None else str(row.sample_size),
        "length": f"{'' if kind is Kind.TURNSTILE else 'up to '}{row.length}",
        "inputs": f"{row.streams:,}",
        "pairs": f"{row.pairs:,}",
        "states": f"{row.states:,}",
        "seconds": f"{row.seconds:.2f}",
        "loss": "infinite" if row.loss.unbounded else f"{row.loss.nats:.6g}",
    }
    return [every[name] for name in shown]


def headings(kind: Kind, adjacency: Adjacency) -> dict[str, str]:
    """The columns that mean something for the inputs of this kind and adjacency, with their headings."""
    numbers = {"pairs": "pairs", "seconds": "seconds", "loss": "loss"}
    if kind is Kind.TURNSTILE:
        return {"users": "elements", "length": "entries", "inputs": "streams"} | numbers
    if adjacency in OF_STREAMS:
        scope = {"users": "users", "sampled": "sampled", "length": "updates", "inputs": "streams", "pairs": "pairs"}
        return scope | {"states": "states"} | numbers
    if adjacency in OF_TABLES:
        return {"users": "rows", "inputs": "tables"} | numbers
    return {"inputs": "inputs"} | numbers
