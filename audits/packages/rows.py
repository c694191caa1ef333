"""One row is judged in a process of its own, with a limit of time. A row that fails stops no other row."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from packages.environments import ROOT

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
