"""Small instances of an estimator that was configured for any size, and their check in a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pan_audits.exact.check import run_check
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.problems import judged
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_audits.subject.isolation.space import SpaceNamed
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, MechanismError
from pan_estimators.common.estimator import KeepsParameters
from pan_estimators.common.registry import ships
from pan_promises.errors import InputError
from pan_promises.promise import Promise

_SIZES = {"universe", "vertices", "sample_size", "alpha", "beta"}
"""Parameters for the size of a shipped estimator of streams. All others determine its behaviour."""


@dataclass(frozen=True)
class SmallInstances:
    """Makes the estimator ``name`` for a few users.

    Attributes
    ----------
    name
        As for :func:`pan_audits.find_mechanism`.
    parameters
        All parameters except those for its size. A mechanism that is given its whole input has no such parameters.
    promise
        A promise instead of the estimator's own.
    calibrated
        The estimator at its real size, where its cells and noise depend on that size; the small
        instances keep them.
    limits, isolation, inputs, thing, with_neighbours, space
        As for :func:`pan_audits.find_mechanism`.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise | None = None
    calibrated: KeepsParameters | None = None
    limits: Limits = field(default_factory=Limits)
    isolation: str = "best"
    inputs: str = ""
    thing: bytes = field(default=b"", repr=False)
    with_neighbours: bool = False
    space: SpaceNamed | None = None

    @classmethod
    def of(cls, mechanism: Mechanism, limits: Limits | None = None) -> SmallInstances:
        """The small instances of a mechanism that was configured for its real size."""
        sizes: set[str] = set()
        if mechanism.shipped and not judged(mechanism.problem).whole:
            sizes = _SIZES | set(getattr(mechanism.estimator, "size_parameters", ()))
        parameters = {key: value for key, value in mechanism.parameters.items() if key not in sizes}
        whole = mechanism.estimator if mechanism.shipped and isinstance(mechanism.estimator, KeepsParameters) else None
        level = "best" if mechanism.shipped else mechanism.isolation.level
        return cls(
            mechanism.name,
            parameters,
            mechanism.promise,
            whole,
            limits or Limits(),
            level,
            mechanism.inputs,
            mechanism.thing,
            mechanism.with_neighbours,
            mechanism.space,
        )

    def __call__(self, users: int, sample_size: int | None) -> Mechanism:
        """The instance for a number of users."""
        mechanism = find_mechanism(
            self.name,
            parameters=self.parameters,
            sizes={"universe": users, "sample_size": sample_size},
            promise=self.promise,
            limits=self.limits,
            isolation=self.isolation,
            inputs=self.inputs,
            thing=self.thing,
            with_neighbours=self.with_neighbours,
            space=self.space,
        )
        if self.calibrated is None:
            return mechanism
        small = mechanism.estimator.with_parameters_of(self.calibrated)
        return replace(mechanism, estimator=small, promise=self.promise or small.promise)


def small_instances(asked: Mapping[str, Any], limits: Limits) -> SmallInstances:
    """The small instances of a thing, by the arguments of :func:`pan_audits.find_mechanism`.

    A shipped estimator by name has as many users as the check, so that its sample can contain everyone.
    """
    if "promised" in asked and not asked.get("thing") and ships(asked["name"]):
        return SmallInstances(**{key: value for key, value in asked.items() if key != "promised"})
    return SmallInstances.of(find_mechanism(**asked), limits)


@dataclass(frozen=True)
class _Task:
    instances: SmallInstances
    settings: CheckSettings

    def __call__(self) -> CheckResult | InputError:
        try:
            return run_check(self.instances, self.settings)
        except InputError as problem:
            return problem


_TO_ANSWER = 240.0
"""Seconds for one call of the judged code, if nobody asked for a time."""


def limits_of(settings: CheckSettings) -> Limits:
    """The limits on one call of the judged code in a check."""
    return Limits(seconds=_TO_ANSWER if settings.seconds is None else 3 * settings.seconds + 60)


def check_in_worker(instances: SmallInstances, settings: CheckSettings, limits: Limits) -> CheckResult:
    """:func:`run_check` in a process of its own, under limits. The check itself ends by its work or by its clock."""
    whole = replace(limits, seconds=max(limits.seconds, 4 * settings.clock + 60))
    (outcome,) = run_in_workers([_Task(instances, settings)], 1, whole)
    if isinstance(outcome.result, Failure):
        raise MechanismError(outcome.result.sentence)
    if isinstance(outcome.result, InputError):
        raise outcome.result
    result: CheckResult = outcome.result
    return result
