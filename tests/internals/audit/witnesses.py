"""Real witnesses, made once: of an audit and of an exact check, as the JSON that the commands write."""

from __future__ import annotations

import copy
import json
from functools import cache

from pan_audits import Settings, find_mechanism, run_gate
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_estimators import Promise, parse_epsilon

TEN_LINES = "tests.mechanisms.ten_lines"
QUICK = Settings(runs=3000, seed=1, accuracy_runs=0, confirmation_runs=500, exact=False, hygiene=False, workers=0)


@cache
def _audited(name: str, epsilon: float | None, promise: str | None) -> str:
    parameters = {"epsilon": epsilon, "universe": 4, "sample_size": None if epsilon is None else 4}
    mechanism = find_mechanism(name, parameters=parameters, promise=Promise.parse(promise) if promise else None)
    return json.dumps(run_gate(mechanism, QUICK).to_dict())


@cache
def exact_result(name="dwork", epsilon="log(3/2)", promise=None):
    """A small exact check that refuted."""
    given = {} if epsilon is None else {"epsilon": parse_epsilon(epsilon)}
    instances = SmallInstances(name, given, Promise.parse(promise) if promise else None)
    return run_check(instances, CheckSettings(users=2, length=2, appearances=2))


def audited_report(name="exact-counter", epsilon=None, promise="epsilon=0.2,adjacency=user-level"):
    """The report of a gate that refuted by runs."""
    return json.loads(_audited(name, epsilon, promise))


def audited_witness(**changes):
    return copy.deepcopy(audited_report()["privacy"]["witness"]) | changes


def exact_report(name="dwork", epsilon="log(3/2)", promise=None):
    """The report of an exact check that refuted."""
    return json.loads(json.dumps(exact_result(name, epsilon, promise).to_dict()))


def exact_witness(**changes):
    return copy.deepcopy(exact_report()["minimal_witness"]) | changes
