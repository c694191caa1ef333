"""A slow estimator that draws from the system: a few equal outputs do not pass for a seeded distribution."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pan_audits.conduct import complete_state
from pan_audits.subject.running import performance
from pan_audits.subject.running.script import run_fresh
from pan_audits.workers.limits import Limits
from pan_promises.promise import Promise
from tests.mechanisms import counter


class _Clock:
    """A clock that moves only where it is told to."""

    now = 0.0

    def monotonic(self):
        return self.now


def test_the_time_of_the_first_performance_does_not_count(monkeypatch):
    clock = _Clock()
    monkeypatch.setattr(performance, "time", clock)
    monkeypatch.setattr(performance, "_digest_of", str)

    def once(earlier):
        clock.now += 2.0 if earlier else 60.0
        return earlier

    _, digests = performance.perform_often(once, 64)
    assert len(digests) == 7
    assert len(performance.perform_often(once, 3)[1]) == 3


@pytest.mark.parametrize(("drawn", "kind"), [(True, "randomness of the system"), (False, "hidden state")])
def test_another_result_in_a_new_process_is_hidden_state_only_if_the_old_one_repeats(monkeypatch, drawn, kind):
    often = 0

    def by_chance(scripts, limits, *, hash_seeds):
        nonlocal often
        traces = run_fresh(scripts, limits, hash_seeds=hash_seeds)
        for place, script in enumerate(scripts):
            often += script.times > 1
            if script.resume_from is not None:
                traces[place] = replace(traces[place], output="another one")
            elif drawn and often == 3:
                traces[place] = replace(traces[place], performed=("another one",) * 64)
        return traces

    unseeded = complete_state.Finding("randomness of the system", complete_state.Severity.WARNING, "no seed reaches it")
    monkeypatch.setattr(complete_state, "run_fresh", by_chance)
    monkeypatch.setattr(complete_state, "findings_of_unseeded", lambda *_: [unseeded])
    found = complete_state.check_conduct(
        counter.Counter(),
        range(10),
        promise=Promise.parse("epsilon=1,adjacency=user-level"),
        error=1e-6,
        limits=Limits(),
        seed=1,
    )
    assert often == 3
    assert [one.check for one in found] == [kind]
