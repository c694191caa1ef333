"""The witnesses of other people's packages: their bounds follow from their counts, and they replay.

Without the packages, exact binomial bounds are computed anew from the counts. Witnesses of packages that are installed
here are replayed. The slow test replays all whose environments `make packages` has made.
"""

from __future__ import annotations

import copy
import json
import subprocess
from importlib.metadata import PackageNotFoundError, version
from math import exp

import numpy as np
import pytest
from scipy.stats import beta, binom

from packages.definitions import PACKAGES
from packages.environments import FOLDER, ROOT, digest, why_missing
from packages.records import WITNESSES, replays
from pan_audits.judging.reading import Field
from pan_audits.subject.intake.documents import promise_in

ALL = sorted(WITNESSES.glob("*/*.json"))
FILES = [file for file in ALL if "exact" not in json.loads(file.read_text())]
EXACT = [file for file in ALL if file not in FILES]
BUDGET = 1e-6
"""Probability of a wrong refutation, as the page states it."""


def faults(document: dict) -> list[str]:
    """Why the counts do not show the bounds of a witness. The bounds are one-sided, each with the whole error.

    The loss can come from a test of the ratio alone. Such a test may err with the stated probability only. It errs at
    least where both counts are as extreme as these, whatever the smaller probability is.
    """
    counts, error = document["counts"], document["error"]
    left, right, runs = counts["left"], counts["right"], counts["runs"]
    at_least = beta.ppf(error, left, runs - left + 1)
    at_most = beta.isf(error, right + 1, runs - right) if right < runs else 1.0
    found = []
    if not 0 < error <= BUDGET:
        found.append("the error is outside the budget")
    if document["probability_left_at_least"] > at_least:
        found.append("the event is rarer on the one side")
    if document["probability_right_at_most"] < at_most:
        found.append("the event is more frequent on the other side")
    smaller = np.linspace(0, 1, 20_001)[1:] * exp(-document["loss_at_least"])
    greater = smaller * exp(document["loss_at_least"])
    if np.max(binom.sf(left - 1, runs, greater) * binom.cdf(right, runs, smaller)) > error:
        found.append("the loss is smaller")
    return found


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_exact_binomial_bounds_of_the_counts_show_the_loss(file):
    document = json.loads(file.read_text())
    assert faults(document) == []
    promise = document["promise"]
    if promise["epsilon"] is not None:
        assert document["loss_at_least"] > promise["epsilon"]
    else:
        assert document["concentrated"]["rho_at_least"] > promise["rho"]


@pytest.mark.parametrize("file", EXACT, ids=[file.stem for file in EXACT])
def test_probabilities_of_an_exact_witness_show_the_loss(file):
    document = json.loads(file.read_text())
    loss, promise = document["loss"], document["promise"]
    assert document["exact"] is True
    if document["delta"] is not None:
        assert document["delta"] > promise["delta"]
        return
    *_, low = document["probabilities"]
    assert loss["unbounded"] == (low == "0")
    if not loss["unbounded"]:
        assert loss["nats"] > float(promise_in(Field(promise)).epsilon)


@pytest.mark.parametrize("damage", ["left", "right", "runs", "error", "loss_at_least"])
def test_a_damaged_witness_does_not_show_its_loss(damage):
    document = copy.deepcopy(json.loads(FILES[0].read_text()))
    counts = document["counts"]
    if damage == "loss_at_least":
        document[damage] *= 1.1
    elif damage in counts:
        counts[damage] = {"left": counts["left"] // 2, "right": 100, "runs": counts["runs"] * 2}[damage]
    else:
        document[damage] *= 10
    assert faults(document)


def is_here(package) -> bool:
    """Whether its witnesses can be replayed in the environment of the tests."""
    if package.source:
        return not why_missing(package)
    try:
        return version(package.name) == package.version
    except PackageNotFoundError:
        return False


def witnesses_of(package) -> int:
    return len(list((WITNESSES / package.name).glob("*.json")))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["datasketches", "smooth-binary-mechanism"])
def test_witnesses_of_packages_that_are_installed_replay(name):
    package = next(each for each in PACKAGES if each.name == name)
    if not is_here(package):
        pytest.skip(f"{name} {package.version} is not here")
    found = replays(package)
    assert all(found.values()), found
    assert len(found) == witnesses_of(package) > 0


@pytest.mark.slow
@pytest.mark.parametrize("package", [each for each in PACKAGES if witnesses_of(each)], ids=lambda package: package.name)
def test_witnesses_replay_in_the_environments(package):
    folder = FOLDER / package.name
    if not (folder / "pins").is_file() or (folder / "pins").read_text() != digest(package):
        pytest.skip("make packages has made no environment of these pins")
    command = [folder / "bin" / "python", "-W", "ignore", "-m", "packages.records", package.name]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=600).stdout)
    assert all(found.values()), found
    assert len(found) == witnesses_of(package)
