"""Every witness is replayed, or refused with one sentence. No other code runs."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pan_audits.audit import replay as replaying
from pan_audits.audit.sampler import Sampler
from pan_audits.exact import witness as exact_witnesses
from tests.internals.audit.witnesses import audited_report, exact_report
from tests.public.fuzzing.commands import InThisProcess, in_order, run, run_here, watched
from tests.public.fuzzing.mutations import mutated

LARGEST, MOST_RUNS, MOST_ENUMERATED = 10**5, 2000, 64
BITS = (b'"', b"{", b"[", b"}", b"\\ud800", b"NaN", b"-Infinity", b"1e999", b"\xff", b"[" * 10**5, b"9" * 5000, b",")


def whole_numbers(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    yield from (abs(one) for one in [value] if isinstance(one, int))
    for one in inner:
        yield from whole_numbers(one)


@pytest.fixture
def here(monkeypatch):
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
        sizes = [len(task.left), len(task.right), *whole_numbers(dict(task.reference.parameters))]
        if max(sizes) > MOST_ENUMERATED:
            raise replaying.InputError("too large for this process")
        return run_here(tasks)

    monkeypatch.setattr(replaying, "Sampler", sampler)
    monkeypatch.setattr(exact_witnesses, "run_in_workers", exact)


@st.composite
def damaged(draw, documents):
    """A document with another value somewhere, or a text with other bytes somewhere."""
    document = draw(st.sampled_from(documents))
    if draw(st.booleans()):
        return json.dumps(draw(mutated(document))).encode()
    text = json.dumps(document).encode()
    start = draw(st.integers(0, len(text)))
    stop = start + draw(st.integers(0, 6))
    put = draw(st.sampled_from(BITS) | st.binary(max_size=4) | st.just(text[stop : stop + 40]))
    return text[:start] + put + text[stop:]


@pytest.mark.parametrize("examples", [40, pytest.param(2000, marks=pytest.mark.slow)])
def test_any_damage_to_a_witness_is_replayed_or_refused_and_runs_no_code_that_it_names(
    here, monkeypatch, tmp_path, examples
):
    path, reports = tmp_path / "witness.json", (audited_report(), exact_report())
    documents = (*reports, reports[0]["privacy"]["witness"], reports[1]["minimal_witness"])
    seen = {0: 0, 1: 0, 2: 0, 3: 0}

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(damaged(documents), st.sampled_from([(), ("--fresh",), ("--runs", "20"), ("--json",)]))
    def test(content, options):
        path.write_bytes(content)
        code, _, err = run("replay", path, *options)
        in_order(code, err)
        seen[code] += 1

    for document in documents:
        path.write_text(json.dumps(document))
        assert run("replay", path)[0] == 1
    with watched(monkeypatch) as found:
        test()
    assert found.started == []
    assert found.imported == set()
    assert min(seen[1], seen[2]) > examples // 20, seen
