"""Make the page anew: python -m packages [PACKAGE ...] [--limit SECONDS] [--anew] [--page].

A command that was stopped goes on where it ended. Rows that failed are tried again by the next command. Each row is
judged in a process of its own, with a limit of time. A row that fails stops no other row.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from packages.definitions import PACKAGES
from packages.environments import ROOT, python_of, why_missing
from packages.page import page
from packages.records import Done, keep, results_of
from packages.rows import Package, Row

PAGE = ROOT / "audits" / "PACKAGES.md"


FAILED = "FAILED"
"""The verdict of a row that gave no result, with the reason."""

LIMIT = 900.0
"""Seconds of a row."""

_LONGEST = 200


def failed(reason: str) -> dict[str, Any]:
    """The result of a row that has no verdict."""
    return {"verdict": FAILED, "loss": None, "unseeded": False, "reason": reason}


def measured(command: Sequence[object], limit: float = LIMIT) -> dict[str, Any]:
    """The result that a command writes into the file that it gets as its last word.

    Parameters
    ----------
    command
        The command without the file.
    limit
        Seconds after which the command and the processes of its group end.

    Returns
    -------
    dict
        The result, with the day and the seconds. It is FAILED with a reason if there was none.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file, told = Path(folder) / "result.json", Path(folder) / "errors"
        with told.open("wb") as errors:
            process = subprocess.Popen(
                [str(word) for word in [*command, file]], cwd=ROOT, stderr=errors, start_new_session=True
            )
            try:
                code = process.wait(limit)
                reason = f"exit code {code}: {_last_line(told)}" if code or not file.exists() else ""
            except subprocess.TimeoutExpired:
                reason = f"no result within {limit:g} seconds"
            finally:
                _end(process)
        found: dict[str, Any] = failed(reason) if reason else agreed(json.loads(file.read_text()))
    return found | {"day": date.today().isoformat(), "seconds": round(time.monotonic() - began)}


def agreed(found: dict[str, Any]) -> dict[str, Any]:
    """The same result, or FAILED if a refutation was not made twice, or did not replay."""
    if found["verdict"] != "REFUTED":
        return found
    if found["again"] != "REFUTED":
        return failed(f"a second seed gave {found['again']} after REFUTED")
    if found["replayed"] != "REFUTED" or not (found["identical"] or found["unseeded"]):
        return failed("the witness of a refutation did not replay")
    return found


def _last_line(told: Path) -> str:
    lines = told.read_text(errors="replace").replace(f"{ROOT}/", "").split("\n")
    return next((line.strip()[:_LONGEST] for line in reversed(lines) if line.strip()), "no message")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and all of its group, also after an interruption."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def written() -> None:
    """Write the page of the results on disk."""
    PAGE.write_text(page({package.name: results_of(package) for package in PACKAGES}))


def why_not(package: Package) -> str:
    """Why a package cannot be judged here, in a sentence; empty if its environment stands."""
    if why := why_missing(package):
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
