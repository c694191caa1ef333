"""Rows of other packages on the page of synthesizers of tables: each fit runs in the environment of its package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from packages.definitions import OF_TABLES
from packages.environments import python_of
from pan_estimators.tables.table import Table

SCRIPT = Path(__file__).with_name("peer_of_tables.py")
SAMPLED = 100_000
"""Sampled rows, from which the joint distributions of a peer are counted."""
WAITING = 10
"""A fit of lowest priority can wait for other work: the longest time by the clock, as a multiple of processor time."""


@dataclass(frozen=True)
class Peer:
    """A synthesizer of another package.

    Attributes
    ----------
    library
        The package, as ``packages`` names it.
    name
        The synthesizer.
    other
        Other rows of the same fit, in words, if the package samples in a way that the adapter replaces.
    tried
        The epsilons at which it is fitted; all by default.
    """

    library: str
    name: str
    other: str = ""
    tried: tuple[float, ...] = ()

    @property
    def words(self) -> str:
        """Its name on the page."""
        return f"{self.name} of `{self.library}`, delta 1e-6"


OWN_ROWS = "as the package samples it"
PEERS = (
    Peer("smartnoise-synth", "MST", OWN_ROWS),
    Peer("smartnoise-synth", "AIM", OWN_ROWS, (1.0, 10.0)),
    Peer("dpmm", "MST"),
    Peer("dpmm", "AIM", tried=(1.0,)),
)


class NoResultError(Exception):
    """A peer that gave no rows, with the reason in a few words."""


def fitted(
    peer: Peer, table: Table, epsilon: float, delta: float, seed: int, seconds: float
) -> tuple[list[Table], float]:
    """Sampled rows of one fit in each way of the peer, and its processor time.

    Parameters
    ----------
    peer
        The synthesizer.
    table
        The data.
    epsilon, delta
        The budget.
    seed
        For the peer's generators.
    seconds
        The longest processor time of the fit. Its process has the lowest priority.

    Raises
    ------
    NoResultError
        If it cannot be installed, fails, or takes too long.
    """
    (package,) = (one for one in OF_TABLES if one.name == peer.library)
    try:
        python = python_of(package)
    except subprocess.CalledProcessError:
        raise NoResultError("pip cannot install it") from None
    late = NoResultError(f"no result within {seconds:.0f} s")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "rows.npy")
        asked: dict[str, Any] = {
            "library": peer.library,
            "name": peer.name,
            "epsilon": epsilon,
            "delta": delta,
            "seed": seed,
            "seconds": seconds,
            "sizes": dict(zip(table.schema.names, table.schema.sizes, strict=True)),
            "codes": table.codes.tolist(),
            "rows": SAMPLED,
            "out": str(out),
        }
        try:
            ended = subprocess.run(
                ["nice", "-n", "19", str(python), str(SCRIPT)],
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                timeout=WAITING * seconds,
                check=False,
                env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
        except subprocess.TimeoutExpired:
            raise late from None
        if ended.returncode == -signal.SIGXCPU:
            raise late
        if ended.returncode:
            last = ended.stderr.strip().splitlines()[-1:] or ["it ended without a message"]
            raise NoResultError(f"it fails: {last[0][:80]}")
        taken: float = json.loads(ended.stdout.splitlines()[-1])["seconds"]
        return [Table(table.schema, each.astype(np.int64)) for each in np.load(out)], taken


def error_of_rows(rows: Table, table: Table) -> float:
    """The mean total variation distance of all pairs between sampled rows and a table."""
    pairs = combinations(range(len(table.schema.attributes)), 2)
    return float(
        np.mean([np.abs(rows.counts(one) / rows.rows - table.counts(one) / table.rows).sum() / 2 for one in pairs])
    )
