"""The complete state: the checks of conduct that perform a script in new processes, and compare the forms of states."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pan_audits.conduct.finding import Finding, defect, warning
from pan_audits.conduct.randomness import (
    Trials,
    are_alike,
    findings_of_deployment,
    findings_of_kept_noise,
    findings_of_randomness,
    findings_of_system,
    is_of_system,
)
from pan_audits.events.observing.forms import form_of
from pan_audits.events.observing.values import fingerprint
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.statistics import proportion_lower, proportion_upper
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_audits.subject.isolation.messages import Script
from pan_audits.subject.isolation.script import Trace, run_fresh
from pan_audits.subject.running.course import Course, course_of
from pan_audits.workers.limits import Failure, Limits, MechanismError
from pan_promises.errors import InputError
from pan_promises.promise import Promise

_REPEATED = 64
"""Performances under one seed."""


def check_conduct(mechanism: Mechanism, *, error: float, limits: Limits, seed: int = 0) -> list[Finding]:
    """Every defect that makes an audit measure the wrong thing.

    *   State outside the declared state: attributes of the estimator or its class that change; a
        state that leads to another output in a new process.
    *   Parts of the state or the output without features.
    *   Random numbers of the system, whose runs do not pass for independent draws of one distribution.
    *   Randomness from another source: results that differ for the same seed, or with the
        state of the global generators, or with the hash seed; or no use of the given randomness.
    *   Runs with the secure randomness of a deployment that have another distribution than seeded ones.
    *   A release that changes the state, unless the estimator declares that its states count their releases: then a
        release may add one to the count, and erase the state.
    *   A random generator inside the state: an adversary who sees it can compute all later noise. Noise that is
        drawn once and kept in the state.
    """
    estimator, population, promise = mechanism.estimator, mechanism.population, mechanism.promise
    whole = judged(mechanism.problem).whole
    once = Script(tuple(population[:5]), tuple(population[2:6] or population), seed)
    hash_seed, global_seed = _other_seeds(seed)

    def run(*scripts: Script, hash_seeds: Sequence[int | None] = ()) -> list[Trace]:
        traces = run_fresh(estimator, scripts, limits, hash_seeds=hash_seeds or [None] * len(scripts))
        for trace in traces:
            if isinstance(trace, Failure):
                raise MechanismError(trace.sentence)
        return [trace for trace in traces if isinstance(trace, Trace)]

    often = replace(once, times=_REPEATED)
    # Everything that must not matter differs at once. If nothing comes of it, each alone need not be tried.
    # The global generators differ in each performance too: a coin of theirs falls alike for two seeds half the time.
    tossed = replace(often, global_seed=global_seed, global_step=1)
    # Fewer ids, so that a counter of updates differs too.
    away = Script(tuple(population[::-1][:3]), tuple(population[::-1][1:2]), seed + 1)
    home, varied, elsewhere = run(often, tossed, away, hash_seeds=(None, hash_seed, None))
    # A state that is rebuilt from the ids is not moved, and a mechanism on a whole input has none.
    stays = whole or bool(getattr(estimator, "rebuilds_states", False))
    moved = [] if stays else [replace(once, resume_from=home.midway)]
    if are_alike(home, varied):
        repeated = again = hashed = varied
        resumed = run(*moved)
    else:
        scripts = [often, tossed, once, *moved]
        hash_seeds = [None, None, hash_seed] + [None] * len(moved)
        repeated, again, hashed, *resumed = run(*scripts, hash_seeds=hash_seeds)
    moved_wrongly = any((home.state_end, home.output) != (one.state_end, one.output) for one in resumed)
    changed = changed_attributes([home, again, hashed, elsewhere])
    findings = [*_findings_of_one(home, changed, elsewhere, promise), *_opaque_parts([home, elsewhere], promise)]
    # Only a repeatable result can be compared with the result in a new process.
    of_system = not changed and is_of_system(home, repeated)
    if not (of_system or changed) and moved_wrongly:
        # A few outputs of a slow estimator may have been equal by chance.
        of_system = is_of_system(home, *run(often))
    trials = Trials(estimator, once.first, once.rest, limits, seed)
    if of_system:
        findings += findings_of_system(trials, error / 2)
    else:
        findings += findings_of_randomness(home, again, hashed, bool(changed))
    other_source = any(each.check == "randomness" and each.is_defect for each in findings)
    if not (of_system or other_source or changed):  # the culprit is named already
        findings += _findings_of_moves(home, moved_wrongly)
    if home.draws and not of_system and not whole:
        findings += findings_of_kept_noise(trials)
    if not of_system and not any(finding.is_defect for finding in findings):
        findings += findings_of_deployment(trials, error / 2)
    return findings


def _other_seeds(seed: int) -> tuple[int, int]:
    """Seeds of the interpreter and of the global generators that the judged code cannot know beforehand."""
    hash_seed, global_seed = np.random.default_rng([seed, 1]).integers(2, 2**31, size=2)
    return int(hash_seed), int(global_seed)


def changed_attributes(traces: Sequence[Trace]) -> tuple[str, ...]:
    """Attributes of the estimator that changed in the first run, without caches.

    A value that an estimator computes and keeps is a cache if it is the same after other ids and
    with another seed.
    """
    home = traces[0]
    kept = [
        name
        for name in dict.fromkeys(name for trace in traces for name in trace.new_attributes)
        if len({trace.new_attributes.get(name) for trace in traces}) > 1
    ]
    return tuple(sorted({*home.changed_attributes, *kept}))


def _opaque_parts(traces: Sequence[Trace], promise: Promise) -> Iterator[Finding]:
    """The parts that the adversary sees and the audit cannot read, except parts that are equal in unrelated runs."""
    seen = [
        {**(trace.opaque_states if promise.sees_state else {}), **(trace.opaque_output if promise.sees_output else {})}
        for trace in traces
    ]
    kinds = {path: kind for parts in seen for path, (kind, _) in parts.items()}
    varying = [path for path in kinds if len({parts.get(path) for parts in seen}) > 1]
    if varying:
        named = [f"{path!r} ({kinds[path]})" for path in varying]
        most = 3
        shown = ", ".join(named[:most]) + (f" and {len(named) - most} more" if len(named) > most else "")
        yield defect(
            "unreadable",
            f"the audit cannot read {shown}, which the adversary sees; "
            "keep it as numbers, arrays, lists, sets, dictionaries, or objects with such attributes",
        )


def _findings_of_one(trace: Trace, changed: Sequence[str], elsewhere: Trace, promise: Promise) -> Iterator[Finding]:
    if changed:
        names = ", ".join(map(repr, changed))
        yield defect(
            "hidden state",
            f"the estimator's own {names} changes while it runs; keep data between updates in the state",
        )
    if not promise.sees_state and trace.output == elsewhere.output == fingerprint(None):
        yield defect("release", "release returns None; it must return its output")
    # An erased state is the same after other ids and with another seed.
    erased = trace.state_left != "" and trace.state_left == elsewhere.state_left
    if trace.release_changed_state and not erased:
        yield defect("release", "release changes the state; release must leave the state as it is")
    if trace.has_generator:
        yield (defect if promise.sees_state else warning)(
            "generator in the state",
            "the state holds a random generator; an adversary who sees it can compute all later noise"
            + ("" if promise.sees_state else ", but the adversary of this promise sees outputs alone"),
        )


def _findings_of_moves(home: Trace, moved_wrongly: bool) -> Iterator[Finding]:
    """The finding about data between updates, or between runs, that are not in the state."""
    if moved_wrongly:
        yield defect(
            "hidden state",
            "the declared state gives another result in a new process than in its own process: the estimator keeps "
            "data outside the state (a class or module variable, a closure, a file)",
        )
    elif len(set(home.performed)) > 1:
        yield defect(
            "hidden state",
            "a later run in the same process differs from the first under the same seed: "
            "the estimator keeps data between runs outside the state",
        )


FORM = "form of the state"
"""Name of the check."""

_PAIRS = 3
_FIRST_RUNS = 20
_FEWEST, _MOST = 100, 600

_Forms = tuple[str, ...]
"""The forms of the states that one run shows."""


def compared_forms(mechanism: Mechanism, *, error: float, seed: int) -> list[Finding]:
    """Compare the forms of states on neighbouring streams."""
    estimator, promise = mechanism.estimator, mechanism.promise
    if not isinstance(estimator, IsolatedEstimator) or not promise.sees_state or not notion_of(promise).bets:
        return []
    try:
        pairs = mechanism.pairs(seed)
    except InputError:
        return []
    needed = math.ceil(30 * math.exp(min(float(promise.epsilon), 10.0)))
    runs = min(_MOST, max(_FEWEST, needed))
    for number, pair in enumerate(pairs[:_PAIRS]):
        courses = [course_of(pair.family, place) for place in (pair.left, pair.right)]
        first = [_forms(estimator, course, _FIRST_RUNS, (seed, number, 0)) for course in courses]
        if first[0] == first[1]:
            continue
        more = [_forms(estimator, course, runs, (seed, number, 1 + side)) for side, course in enumerate(courses)]
        # The forms are chosen by other runs than those that are counted.
        forms = list(first[0] | first[1])
        if _differ(forms, more[0], more[1], runs, promise, error / _PAIRS):
            told = (
                "the states differ in memory by more than their numbers, and by more than the promise permits: in "
                "types, in an order, in the layout of arrays, in shared parts, in the sign of a zero, or in the bits "
                f"of a NaN (on the pair: {pair.describe()})"
            )
            return [defect(FORM, told)]
    return []


def _forms(estimator: IsolatedEstimator, course: Course, runs: int, seed: Sequence[int]) -> Counter[_Forms]:
    stacks = estimator.runs_apart(course, runs, seed, states_seen=True)
    return Counter(tuple(map(form_of, one.states)) for stack in stacks for one in stack)


def _differ(
    forms: Sequence[_Forms], one: Counter[_Forms], other: Counter[_Forms], runs: int, promise: Promise, error: float
) -> bool:
    """Whether a form is more frequent on one side than the promise permits."""
    share = error / (4 * len(forms))
    factor = math.exp(float(promise.epsilon))
    for form in forms:
        for many, few in ((one[form], other[form]), (other[form], one[form])):
            greatest = proportion_upper(few, runs, error=share)
            if proportion_lower(many, runs, error=share) > factor * greatest + promise.delta:
                return True
    return False
