"""Joint distributions on all small streams, computed by Coq: what the Python estimators are compared with."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = HERE / "tables.json"
Stream = tuple[str, ...]
"""Ids in order; a minus before an id deletes it."""


@dataclass(frozen=True)
class Case:
    """Streams of up to some length over users with one of m cells or none; the two probabilities of a one."""

    m: int
    length: int
    p0: Fraction
    p1: Fraction
    deletions: bool = False
    shared: tuple[int, ...] = ()
    """The cells of users who share them. Otherwise each of m users has one, and one user has none."""

    @property
    def hash(self) -> tuple[int, ...]:
        """The cell of each user; m is none."""
        return self.shared or tuple(range(self.m + 1))

    @property
    def name(self) -> str:
        """The key of the case in the table."""
        of_users = f" cells {' '.join(map(str, self.shared))}" if self.shared else ""
        return f"m={self.m} length<={self.length} {self.p0} {self.p1}{' deletions' * self.deletions}{of_users}"

    def rows(self) -> Iterator[tuple[Stream, Stream]]:
        """Every stream, parted at every intrusion."""
        users = [str(user) for user in range(len(self.hash))]
        events = users + [f"-{user}" for user in users] * self.deletions
        for length in range(self.length + 1):
            for stream in product(events, repeat=length):
                for place in range(length + 1):
                    yield stream[:place], stream[place:]


def _pairs(p0: str, p1: str, *, deletions: bool = False, sizes: tuple[tuple[int, int], ...]) -> list[Case]:
    return [Case(m, length, Fraction(p0), Fraction(p1), deletions) for m, length in sizes]


CASES = [
    *_pairs("1/4", "3/4", sizes=((1, 4), (2, 4), (3, 3))),  # optimal Bernoulli, epsilon = log 3
    *_pairs("1/2", "3/4", sizes=((1, 4), (2, 3), (3, 2))),  # Dwork, and the lecture, epsilon = 1
    *_pairs("9/16", "15/16", sizes=((1, 4), (2, 3), (3, 2))),  # centre 3/4, epsilon = log(5/3)
    *_pairs("1/4", "3/4", deletions=True, sizes=((1, 3), (2, 2))),
    *_pairs("1/2", "3/4", deletions=True, sizes=((1, 3), (2, 2))),
    Case(2, 3, Fraction(1, 4), Fraction(3, 4), shared=(0, 0, 1, 1)),  # the distinct counter: one level,
    Case(3, 2, Fraction(1, 4), Fraction(3, 4), shared=(0, 0, 1, 2, 3)),  # and two
]


PAIRS = [
    (Fraction(1, 4), Fraction(3, 4)),
    (Fraction(1, 3), Fraction(2, 3)),
    (Fraction(1, 5), Fraction(2, 5)),
    (Fraction(1, 2), Fraction(3, 5)),
]
NOISES = [(Fraction(1, 2), Fraction(1, 2)), (Fraction(2, 3), Fraction(1, 4))]
CLOSED = [
    *(("rates", (*pair, factor)) for pair in PAIRS for factor in map(Fraction, (4, 9))),
    *(
        ("joint_ratio", (*pair, least, *noise))
        for pair, noise in product(PAIRS, NOISES)
        for least in pair  # insertions and deletions, or insertions only
    ),
]
"""Closed forms of estimators, with the fractions that are put in: the name in Coq, and the numbers."""


def _event(entry: str) -> str:
    return f"Leave {entry[1:]}" if entry.startswith("-") else f"Enter {entry}"


def _coq(stream: Stream) -> str:
    return "[" + "; ".join(_event(entry) for entry in stream) + "]"


def _number(value: Fraction) -> str:
    return f"({value.numerator} # {value.denominator})"


def asked(terms: list[str]) -> list[Fraction]:
    """The fractions that Coq computes for lists of fractions, one after another."""
    flat = " ++ ".join(terms)
    source = (
        "From Coq Require Import List ZArith QArith.\nFrom Pan Require Import Semantics Instances.\n"
        "Import ListNotations.\nOpen Scope Z_scope.\nSet Printing Depth 10000000.\n"
        f'Redirect "table" Eval vm_compute in map (fun q => (Qnum q, Zpos (Qden q))) ({flat}).\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Table.v").write_text(source)
        subprocess.run(["coqc", "-Q", str(HERE), "Pan", "Table.v"], cwd=folder, check=True, capture_output=True)
        answer = (Path(folder) / "table.out").read_text()
    return [Fraction(int(top), int(bottom)) for top, bottom in re.findall(r"\(\s*(\d+),\s*(\d+)\)", answer)]


def computed(case: Case) -> dict[str, str]:
    """The joint probabilities of each row: of each seen state (false first), each number of ones at the end."""
    rows = list(case.rows())
    given = f"[{'; '.join(map(str, case.hash))}]%nat {case.m} {_number(case.p0)} {_number(case.p1)}"
    numbers = asked([f"joint {given} {_coq(one)} {_coq(two)}" for one, two in rows])
    width = 2**case.m * (case.m + 1)
    if len(numbers) != width * len(rows):
        raise ValueError(f"Coq computed {len(numbers)} numbers, not {width * len(rows)}")
    return {
        f"{' '.join(before)} | {' '.join(after)}": " ".join(map(str, numbers[width * place : width * (place + 1)]))
        for place, (before, after) in enumerate(rows)
    }


def closed_forms() -> dict[str, str]:
    """The values of the closed forms, by name and numbers."""
    asked_for = [f"{name} {' '.join(map(_number, numbers))}" for name, numbers in CLOSED]
    values = iter(asked([term if term.startswith("rates") else f"[{term}]" for term in asked_for]))
    return {
        named(name, numbers): " ".join(str(next(values)) for _ in range(2 if name == "rates" else 1))
        for name, numbers in CLOSED
    }


def named(name: str, numbers: tuple[Fraction, ...]) -> str:
    """The key of a closed form in the table."""
    return f"{name} {' '.join(map(str, numbers))}"


def recorded() -> dict[str, dict[str, str]]:
    """All that the table records, computed by Coq."""
    return {"closed forms": closed_forms(), **{case.name: computed(case) for case in CASES}}


def write() -> None:
    """Compute all, and record it."""
    TABLES.write_text(json.dumps(recorded(), indent=0) + "\n")
