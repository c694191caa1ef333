"""The later steps of a mechanism on tables: the model of an observation, and rows that are sampled from it."""

from __future__ import annotations

from typing import Any

from pan_audits.inputs.tables.sampled import summary
from pan_promises.errors import InputError
from pan_promises.looks import Observed
from pan_promises.problem import Problem

_NEEDED = {
    Observed.MODEL: ("post_process",),
    Observed.SAMPLE: ("post_process", "sample"),
}


def seen_later(made: Any, released: Any, observed: Observed, problem: Problem, randomness: Any) -> Any:
    """The observation that later steps make of the output."""
    for method in _NEEDED[observed]:
        if not callable(getattr(made, method, None)):
            raise InputError(
                f"a promise with observed={observed} is about a mechanism with a method {method}, or about an object "
                "with fit and sample or generate"
            )
    model = made.post_process(released)
    if observed is Observed.MODEL:
        return model
    return summary(made.sample(model, problem.sampled or problem.rows, randomness), problem)
