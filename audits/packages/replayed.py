"""Replay all witnesses of one package in its environment: python -m packages.replayed PACKAGE."""

from __future__ import annotations

import json
import sys

from packages.definitions import PACKAGES, Package
from packages.judged import replay
from packages.records import witness_of


def replays(package: Package) -> dict[str, bool]:
    """By row, whether its witness refutes again: with the same counts, unless the package draws from the system."""
    found = {}
    for row in package.rows:
        file, unseeded = witness_of(package, row), row.of_the_system or package.of_the_system
        if file.is_file():
            told = replay(json.loads(file.read_text()), row)
            found[row.slug] = told["replayed"] == "REFUTED" and (told["identical"] or unseeded)
    return found


if __name__ == "__main__":
    print(json.dumps(replays(next(each for each in PACKAGES if each.name == sys.argv[1]))))
