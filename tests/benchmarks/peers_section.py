"""The section of other packages on the page of synthesizers of tables.

Fits take minutes. They are kept on disk until the page is written, so that a command that was stopped goes on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from packages.definitions import OF_TABLES
from packages.environments import FOLDER
from packages.records import results_of
from pan_estimators.tables.table import Table
from tests.benchmarks.peers_of_tables import PEERS, SAMPLED, NoResultError, Peer, error_of_rows, fitted

UNFINISHED = FOLDER / "peers_of_tables.json"
MOST_FITS = 5
ENOUGH = 100.0
"""No further fit is made of a peer and an epsilon after this processor time, in seconds."""
TARGET, TARGET_OF_TIME = 1.1, 1 / 20

INTRODUCTION = """\
## Other packages, in the same run

Each fit runs in the environment of its package, which [PACKAGES.md](../../audits/PACKAGES.md) describes. The numbers
of iterations are those that the package has by default, except for 300 in the AIM of dpmm. AIM has 30 rounds, and
models of at most 1 MB: by default it begins with the noise of 240 rounds, and its models have at most 80 MB. A fit has
at most {limit:.0f} s of processor time; after a fit that takes longer no larger epsilon is tried. There are up to
{most} fits for each epsilon, and no further one after {enough:.0f} s. AIM is tried at some epsilons only.

Epsilon, delta, data and error are those above. A peer is judged by {sampled:,} rows that it samples. Sampling from the
table itself has the error {sampling:.4f}, and the columns without any dependence have {independent:.4f}. *ratio* is the
error of `calibrated-tree` with degree 3, and at epsilon 10 that of `adaptive-marginals`, divided by that of the peer.
*time* is the processor time of a fit of `calibrated-tree` with degree 3 divided by the median of the peer.

The packages do not name their adjacency. Their noise has the sensitivity of an added row: for one replaced row the
rho of the same noise is twice as large. The rows above that begin with "with twice the rho" have such noise too.
"""
OWN = """\
Rows "as the package samples it" are of the same fits. `mbi` 1.1.0 makes rows by the method "round", in which all rows
with the same parents get the values of an attribute in the order of the rows: two attributes with the same parent
depend on each other as strongly as they can. The other rows of these fits are drawn by its method "sample".
"""


@dataclass
class Cell:
    """The fits of a peer at one epsilon.

    Attributes
    ----------
    errors
        Of each way of sampling, a number for each fit.
    seconds
        Of each fit.
    reason
        Why there is no result, if there is none.
    """

    errors: list[list[float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    reason: str = ""

    def mean(self, way: int = 0) -> float:
        """The mean error of a way of sampling."""
        return float(np.mean(self.errors[way]))

    def words(self, way: int = 0) -> str:
        """The mean error with its standard error, if there are several fits."""
        numbers = self.errors[way]
        spread = f" ± {np.std(numbers, ddof=1) / math.sqrt(len(numbers)):.4f}" if len(numbers) > 1 else ""
        return f"{self.mean(way):.4f}{spread}"


class Kept:
    """Cells on disk until the page is written."""

    def __init__(self, file: Path = UNFINISHED) -> None:
        self._file = file
        self._cells: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}

    def cell(self, peer: Peer, epsilon: float, table: Table, delta: float, limit: float) -> Cell:
        """The fits of a peer, which are made if they are not there."""
        key = f"{peer.library} {peer.name} {epsilon:g} {limit:g}"
        if key not in self._cells:
            self._cells[key] = asdict(measured(peer, epsilon, table, delta, limit))
            self._file.parent.mkdir(exist_ok=True)
            self._file.write_text(json.dumps(self._cells, indent=1))
        return Cell(**self._cells[key])

    def forget(self) -> None:
        """Begin anew."""
        self._file.unlink(missing_ok=True)


def measured(peer: Peer, epsilon: float, table: Table, delta: float, limit: float) -> Cell:
    """Some fits of a peer."""
    found = Cell()
    while len(found.seconds) < MOST_FITS and sum(found.seconds) < ENOUGH:
        try:
            samples, seconds = fitted(peer, table, epsilon, delta, 1 + len(found.seconds), limit)
        except NoResultError as reason:
            return Cell(reason=str(reason))
        found.seconds.append(seconds)
        errors = [error_of_rows(one, table) for one in samples]
        found.errors = [[*before, one] for before, one in zip(found.errors or [[]] * len(errors), errors, strict=True)]
        print(f"{peer.words}: epsilon {epsilon:g}, {errors}, {seconds:.0f} s", flush=True)
    return found


@dataclass(frozen=True)
class Ours:
    """One of our mechanisms in this run.

    Attributes
    ----------
    name
        Of the mechanism.
    errors
        For each epsilon.
    seconds
        Of a fit.
    """

    name: str
    errors: Mapping[float, float]
    seconds: float


def section(
    table: Table,
    ours: Mapping[float, Ours],
    alike: Mapping[float, Ours],
    delta: float,
    limit: float,
    kept: Kept,
    extremes: tuple[float, float],
) -> list[str]:
    """The lines of the section.

    Parameters
    ----------
    table
        The data.
    ours, alike
        For each epsilon, the mechanism with which the peers are compared: with its own noise, and with theirs.
    delta, limit
        Of the peers; the longest processor time of a fit.
    kept
        The fits on disk.
    extremes
        The errors of sampling from the table, and of columns without dependence.
    """
    epsilons = sorted(ours)
    told = {"limit": limit, "most": MOST_FITS, "enough": ENOUGH, "sampled": SAMPLED}
    lines = ["", INTRODUCTION.format(**told, sampling=extremes[0], independent=extremes[1])]
    lines += ["| | " + " | ".join(f"error at {epsilon:g} | ratio" for epsilon in epsilons) + " | seconds | time |"]
    lines += ["|---|" + "---:|" * (2 * len(epsilons) + 2)]
    every: dict[Peer, dict[float, Cell]] = {}
    for peer in PEERS:
        cells = every[peer] = cells_of(peer, epsilons, table, delta, limit, kept)
        lines.append(_line(peer.words, cells, ours, 0))
        if peer.other and any(cell.errors for cell in cells.values()):
            lines.append(_line(f"the same, {peer.other}", cells, ours, 1))
    return [*lines, "", OWN, *conclusions(every, ours, alike), ""]


def cells_of(
    peer: Peer, epsilons: Sequence[float], table: Table, delta: float, limit: float, kept: Kept
) -> dict[float, Cell]:
    """The cells of a peer, by epsilon."""
    cells: dict[float, Cell] = {}
    for epsilon in epsilons:
        late = any(cell.reason.startswith("no result") for cell in cells.values())
        late = late or bool(peer.tried and epsilon not in peer.tried)
        cells[epsilon] = Cell(reason="not tried") if late else kept.cell(peer, epsilon, table, delta, limit)
    return cells


def _line(words: str, cells: Mapping[float, Cell], ours: Mapping[float, Ours], way: int) -> str:
    shown = [
        f"{cell.words(way)} | {ours[epsilon].errors[epsilon] / cell.mean(way):.2f}"
        if cell.errors
        else f"{cell.reason} | "
        for epsilon, cell in cells.items()
    ]
    taken = [seconds for cell in cells.values() for seconds in cell.seconds]
    tree = ours[min(ours)].seconds
    speed = f"{np.median(taken):.1f} | {tree / np.median(taken):.5f}" if taken else " | "
    return f"| {words} | " + " | ".join(shown) + f" | {speed} |"


def conclusions(
    every: Mapping[Peer, Mapping[float, Cell]], ours: Mapping[float, Ours], alike: Mapping[float, Ours]
) -> list[str]:
    """For each epsilon the ratio to the best peer that is not refuted, and to the time of its fit.

    Parameters
    ----------
    every
        The cells of each peer.
    ours, alike
        For each epsilon, our mechanism with its own noise, and with noise of the sensitivity of the peers.
    """
    lines = [
        f"The target is at most {TARGET:g} times the error of the best peer that the gate does not refute, and at most "
        f"1/{1 / TARGET_OF_TIME:.0f} of the time of its fit:",
        "",
    ]
    for epsilon, own in sorted(ours.items()):
        known = [
            (cells[epsilon].mean(), peer)
            for peer, cells in every.items()
            if cells[epsilon].errors and not refuted(peer)
        ]
        if not known:
            lines.append(f"- epsilon {epsilon:g}: no peer has a result, so that nothing is compared.")
            continue
        best, peer = min(known, key=lambda one: one[0])
        time = own.seconds / float(np.median(every[peer][epsilon].seconds))
        told = [
            f"{one.errors[epsilon] / best:.2f} times its error{words}, so that the target "
            f"{'holds' if one.errors[epsilon] / best <= TARGET and time <= TARGET_OF_TIME else 'does not hold'}"
            for one, words in ((own, ""), (alike[epsilon], " with twice the rho, as the peer has"))
        ]
        lines.append(
            f"- epsilon {epsilon:g}: the best peer is {peer.name} of `{peer.library}`. `{own.name}` takes {time:.4f} "
            f"of its time. It has {told[0]}; it has {told[1]}."
        )
    return lines


def refuted(peer: Peer) -> bool:
    """Whether the page of packages has a refutation of this synthesizer."""
    (package,) = (one for one in OF_TABLES if one.name == peer.library)
    results = results_of(package)
    return any(
        results.get(row.slug, {}).get("verdict") == "REFUTED"
        for row in package.rows
        if row.name.split(",")[0].upper() == peer.name
    )
