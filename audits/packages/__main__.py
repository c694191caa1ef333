"""Make the page anew: python -m packages [PACKAGE ...] [--limit SECONDS] [--anew] [--page].

A command that was stopped goes on where it ended. Rows that failed are tried again by the next command.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from packages.definitions import PACKAGES, Package, Row
from packages.environments import ROOT, python_of
from packages.page import page
from packages.records import Done, keep, results_of
from packages.rows import FAILED, LIMIT, measured
from packages.sources import why_missing

PAGE = ROOT / "audits" / "PACKAGES.md"


def written() -> None:
    """Write the page of the results on disk."""
    PAGE.write_text(page({package.name: results_of(package) for package in PACKAGES}))


def why_not(package: Package) -> str:
    """Why a package cannot be judged here, in a sentence; empty if its environment stands."""
    if package.repository and (why := why_missing(package.name)):
        return why
    try:
        python_of(package)
    except subprocess.CalledProcessError as problem:
        return f"{', '.join(package.pins)} could not be installed (exit code {problem.returncode})"
    return ""


def judge_all(
    packages: Sequence[Package],
    done: Done,
    judge: Callable[[Package, Row], dict[str, Any]],
    ready: Callable[[Package], str] = why_not,
) -> list[str]:
    """Judge the rows that are not done, and keep each result at once.

    Parameters
    ----------
    packages
        The packages, one after the other.
    done
        The rows that are done already. It is forgotten after the last row if none failed.
    judge
        Makes the result of a row.
    ready
        Says why a package cannot be judged.

    Returns
    -------
    list of str
        One line for each row that failed, and for each package that could not be judged. Rows of such a package keep
        the results that they have.
    """
    faults = []
    for package in packages:
        rows = [row for row in package.rows if (package.name, row.slug) not in done]
        if not rows:
            continue
        if why := ready(package):
            faults.append(f"{package.name}: {why}")
            continue
        for row in rows:
            found = judge(package, row)
            keep(package, row, found, found.pop("witness", None))
            told = f": {found['reason']}" if found["verdict"] == FAILED else ""
            print(f"{package.name} {row.slug}: {found['verdict']} ({found['seconds']} s){told}", flush=True)
            if found["verdict"] == FAILED:
                faults.append(f"{package.name} {row.slug}: {found['reason']}")
            else:
                done.add(package.name, row.slug)
    if not faults:
        done.forget([package.name for package in packages])
    return faults


def main() -> None:
    """Judge the named packages, or all, and write the page of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [package.name for package in PACKAGES]
    parser.add_argument("packages", nargs="*", help="judge these only; the results of the others are those on disk")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds of a row ({LIMIT:g})")
    parser.add_argument("--anew", action="store_true", help="judge all rows again, also after a stopped command")
    parser.add_argument("--page", action="store_true", help="judge nothing; write the page of the results on disk")
    given = parser.parse_args()
    if unknown := set(given.packages) - set(names):
        raise SystemExit(f"unknown package {min(unknown)}; the table has {', '.join(names)}")
    faults: list[str] = []
    if not given.page:
        done, chosen = Done(), given.packages or names
        if given.anew:
            done.forget(chosen)

        def judge(package: Package, row: Row) -> dict[str, Any]:
            command = [python_of(package), "-W", "ignore", "-m", "packages.judged", package.name, row.slug]
            return measured(command, given.limit)

        wanted = [package for package in PACKAGES if package.name in chosen]
        try:
            faults = judge_all(wanted, done, judge)
        finally:
            written()
    else:
        written()
    print(f"written to {PAGE.relative_to(ROOT)}")
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main()
