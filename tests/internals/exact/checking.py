"""Mechanisms that are followed in this process, without the time of a process of their own."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from pan_audits.choices.numbers import as_float
from pan_audits.exact.check import run_check
from pan_audits.exact.factoring import Parts
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Update
from pan_audits.exact.search import search_pairs, whole_or_in_parts
from pan_audits.exact.stepping import Stepper
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation import errors_seen
from pan_audits.subject.isolation.whole_input import labelled, whole_input_estimator
from pan_promises.promise import Adjacency, Promise


def function_of(expression, **names):
    """The function of ``data`` and ``rng`` that an expression stands for; a function as it is."""
    known = {"np": np, "math": math, "Decimal": Decimal, "Fraction": Fraction, **names}
    return eval(f"lambda data, rng: {expression}", known) if isinstance(expression, str) else expression


STREAMS = [(Update(place), SegmentEnd.RELEASE) for place in (0, 1)]
"""The streams that stand for two inputs."""


def stepper_of(mechanism, left, right, *, parts=False):
    """The code of a function of its whole input, on two inputs."""
    inputs, problem = labelled([(left, right)])
    estimator = whole_input_estimator(function_of(mechanism), problem, inputs, None, {})
    return Stepper(estimator, problem.labels, parts=Parts() if parts else None)


def searched(mechanism, left, right, *, parts=None):
    """The stepper and the largest loss: of whole outputs, element by element, or as the check chooses."""
    promise = Promise(epsilon=1, adjacency=Adjacency.USER_LEVEL)
    search = partial(search_pairs, pairs=[STREAMS], promise=promise)
    stepper = stepper_of(mechanism, left, right, parts=bool(parts))
    return whole_or_in_parts(stepper, search) if parts is None else (stepper, search(stepper))


def loss_of(mechanism, left, right):
    """The loss between two inputs."""
    _, found = searched(mechanism, left, right, parts=False)
    assert not found.bounded_only
    return found.worst.loss


def delta_of(mechanism, left, right, epsilon):
    """The deltas of an epsilon in both directions."""
    stepper = stepper_of(mechanism, left, right)
    return tuple(as_float(PrivacyProfile.of(stepper, *both).delta(epsilon)) for both in (STREAMS, STREAMS[::-1]))


def probabilities(mechanism, data):
    """The probability of each output without noise, as doubles."""
    stepper = stepper_of(mechanism, data, None)
    return {
        str(stepper.shown[key[0]]): float(sum(weight for weight, _ in paths))
        for key, paths in stepper.distribution(STREAMS[0]).items()
    }


def examined(kind, promise=None, *, parameters=None, **scope):
    """The result of the check of a class that reads a stream."""
    stated = Promise.parse(promise or kind.promise)
    mechanism = Mechanism(
        kind.__name__, kind(**(parameters or {})), stated, tuple(range(8)), {}, source="", shipped=False
    )
    return run_check(lambda users, size: mechanism, CheckSettings(**scope))


def judged(function, left, right, bounds):
    """The result of the check of a function on two inputs; the errors of the function are outputs."""
    inputs, problem = labelled([(left, right)])
    promise = Promise.parse(f"{bounds},adjacency=given,observed=output,intrusions=0")
    estimator = ErrorsSeen(whole_input_estimator(function_of(function), problem, inputs, None, {}))
    mechanism = Mechanism("f", estimator, promise, problem.labels, {}, source="", shipped=False, problem=problem)
    return run_check(lambda users, size: mechanism, CheckSettings())


class ErrorsSeen(errors_seen.ErrorsSeen):
    """It remembers no error itself, so that it stays the same."""

    def _seen(self, name, method, *arguments, **options):
        return errors_seen.ErrorsSeen(self.inner)._seen(name, method, *arguments, **options)
