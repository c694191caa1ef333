"""Every witness is replayed, or refused with one sentence. No other code runs."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pan_audits.audit import replay as replaying
from pan_audits.audit.sampler import Sampler
from pan_audits.exact import witness as exact_witnesses
from tests.auditing.witnesses import audited_report, exact_report
from tests.fuzzing.commands import InThisProcess, in_order, run, run_here, watched
from tests.fuzzing.mutations import mutated

MANY = pytest.param(1000, marks=pytest.mark.slow)
LARGEST, MOST_RUNS, MOST_ENUMERATED = 10**5, 2000, 64


def whole_numbers(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    yield from (abs(one) for one in [value] if isinstance(one, int))
    for one in inner:
        yield from whole_numbers(one)


@pytest.fixture
def here(monkeypatch, tmp_path):
    """Replays in this process; what would take its memory is left to the limits of real workers, tested elsewhere."""

    def sampler(mechanism, *rest):
        made = Sampler(mechanism, engine=InThisProcess())
        draw = made.draw_joined

        def draw_joined(groups):
            sizes = [mechanism.estimator.universe.size, getattr(mechanism.estimator, "sample_size", 0)]
            updates = sum(len(side) for side in groups[0][0].family.sides)
            runs = sum(request.runs for group in groups for request in group)
            if max(sizes) > LARGEST or updates * runs > LARGEST or runs > MOST_RUNS:
                raise replaying.InputError("too large for this process")
            return draw(groups)

        made.draw_joined = draw_joined
        return made

    def exact(tasks, *rest):
        (task,) = tasks
        sizes = [len(task.left), len(task.right), *whole_numbers(dict(task.asked.parameters))]
        if max(sizes) > MOST_ENUMERATED:
            raise replaying.InputError("too large for this process")
        return run_here(tasks)

    monkeypatch.setattr(replaying, "Sampler", sampler)
    monkeypatch.setattr(exact_witnesses, "run_in_workers", exact)
    path = tmp_path / "witness.json"
    documents = (
        audited_report(),
        audited_report()["privacy"]["witness"],
        exact_report(),
        exact_report()["minimal_witness"],
    )
    for document in documents:
        path.write_text(json.dumps(document))
        assert run("replay", path)[0] == 1
    return path, documents


def replayed(path, content, *options):
    path.write_bytes(content)
    code, _, err = run("replay", path, *options)
    in_order(code, err)
    return code


@pytest.mark.parametrize("examples", [20, MANY])
def test_any_change_to_a_witness_is_replayed_or_refused_and_runs_no_code_that_it_names(here, monkeypatch, examples):
    path, documents = here
    seen = {0: 0, 1: 0, 2: 0, 3: 0}

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(
        st.sampled_from(documents).flatmap(mutated), st.sampled_from([(), ("--fresh",), ("--runs", "20"), ("--json",)])
    )
    def test(document, options):
        seen[replayed(path, json.dumps(document).encode(), *options)] += 1

    with watched(monkeypatch) as found:
        test()
    assert found.started == []
    assert found.imported == set()
    assert min(seen[1], seen[2]) > examples // 20, seen


@pytest.mark.parametrize("examples", [20, MANY])
def test_any_damage_to_the_text_of_a_witness_is_replayed_or_refused(here, monkeypatch, examples):
    path, documents = here
    texts = [json.dumps(documents[place]).encode() for place in (1, 3)]
    bits = [
        b'"',
        b"{",
        b"[",
        b"}",
        b"\\ud800",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"\xff",
        b"[" * 10**5,
        b"9" * 5000,
        b",",
    ]

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(texts), st.data())
    def test(text, data):
        start = data.draw(st.integers(0, len(text)))
        stop = start + data.draw(st.integers(0, 6))
        put = data.draw(st.sampled_from(bits) | st.binary(max_size=4) | st.just(text[stop : stop + 40]))
        replayed(path, text[:start] + put + text[stop:])

    with watched(monkeypatch) as found:
        test()
    assert found.started == []
    assert found.imported == set()
