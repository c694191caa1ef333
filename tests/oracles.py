"""Compare the answers of panproof with those that were frozen: ``python -m tests.oracles``, or with ``--freeze`` anew.

Each answer is the JSON of a command with a fixed seed. The frozen file holds its verdict in words, and a digest of
all of it without times, so that a change shows where it happens. A redesign changes nothing here, or says why.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pan_estimators.common.registry import ESTIMATORS, with_budget

FROZEN = Path(__file__).with_suffix(".json")
JUDGED = (
    *("outside_memory:Bit", "outside_memory:ModuleGlobal", "hidden_state:HiddenInTheModule"),
    *("hidden_state:CachesAConstant", "evasive:KeepsItsNoise", "evasive:NoiseInHalfOfTheRuns"),
    *("evasive:CountsItsReleases", "first_input:Counter", "first_input:LastOfTheClass"),
    *("tables.correct:Histogram", "tables.broken_noise:PositiveNoise"),
)
PARAMETERS = {"steps": 3, "rho": 0.5, "flippancy": 2, "cutoff": 1, "threshold": 1}
"""Values for estimators that have no default ones."""

VARYING = frozenset({"seconds", "panproof", "version"})


def commands():
    """The commands, as words."""
    listed = json.loads(answer(("list",))[1])["estimators"]
    for each in (one["name"] for one in listed):
        taken = inspect.signature(ESTIMATORS[each]).parameters
        given = with_budget(each, 0.5, {}) if {"epsilon", "promise_epsilon"} & set(taken) else {}
        budget = tuple(word for name, value in given.items() for word in ("--set", f"{name}={value}"))
        yield "check", each, *budget, "--runs", "2000"
        yield "audit", each, *budget, "--seed", "1", "--runs", "4000", "--confirmation-runs", "500"
    for each in JUDGED:
        yield "check", f"tests.mechanisms.{each}", "--runs", "2000"
        yield "gate", f"tests.mechanisms.{each}", "--seed", "1", "--runs", "4000", "--confirmation-runs", "500"
    yield ("claims",)


def answer(words):
    """The exit code, and the standard output."""
    made = subprocess.run(
        [sys.executable, "-m", "pan_audits", *words, "--json"],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    return made.returncode, made.stdout or made.stderr


def without_times(document):
    """The document without what differs from run to run."""
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if key not in VARYING}
    return [without_times(one) for one in document] if isinstance(document, list) else document


def told(words):
    """The verdict of a command in words, with a digest of its whole answer."""
    code, text = answer(words)
    asked = words
    while code == 2 and (missing := re.search(r"needs a value for (\w+)", text)) and missing[1] in PARAMETERS:
        asked = (*asked, "--set", f"{missing[1]}={PARAMETERS[missing[1]]}")
        code, text = answer(asked)
    try:
        document = without_times(json.loads(text))
    except json.JSONDecodeError:
        return {"exit code": code, "answer": text.strip()}
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]
    if words == ("claims",):
        return {"verdicts": {each["id"]: each["verdict"] for each in document["claims"]}, "digest": digest}
    return {"exit code": code, "verdict": document.get("verdict"), "reason": document.get("reason"), "digest": digest}


def main():
    """Compare, or freeze anew; the exit code is 1 if anything differs."""
    asked = list(commands())
    with ThreadPoolExecutor(2) as threads:
        found = dict(zip(map(" ".join, asked), threads.map(told, asked), strict=True))
    if "--freeze" in sys.argv:
        FROZEN.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    frozen = json.loads(FROZEN.read_text())
    differing = [name for name in {**frozen, **found} if frozen.get(name) != found.get(name)]
    for name in differing:
        print(f"panproof {name}\n  frozen {frozen.get(name)}\n  now    {found.get(name)}")
    print(f"{len(differing)} of {len(found)} answers differ from those in {FROZEN.name}")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
