"""Many runs of a counter at once: each is a single run with draws of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.problems.inputs.turnstile.streams import to_text
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.intake.many_whole_inputs import ManyWholeInputs
from pan_audits.subject.running.course import is_shipped
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.members import MEMBERS, create_counter, parameters_for
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError
from pan_promises.looks import Observed

SIZE = {"steps": 9, "rho": 0.5, "epsilon": 1.0, "flippancy": 2, "period": 2}
AT_ONCE = tuple(name for name, factory in MEMBERS.items() if hasattr(factory, "release_many"))

ENTRIES = st.one_of(st.none(), st.tuples(st.integers(0, 2), st.sampled_from([1, -1])))


@dataclass
class Draws:
    """Standard normal numbers, kept, or those of one run given out again."""

    generator: np.random.Generator
    kept: list[Any] = field(default_factory=list)
    run: int | None = None

    def gaussian(self, location: Any = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        if self.run is not None:
            drawn = self.kept.pop(0)[self.run]
            assert np.shape(drawn) == (np.shape(location) if size is None else tuple(np.atleast_1d(size)))
        else:
            drawn = self.generator.standard_normal(np.shape(location) if size is None else size)
            self.kept.append(drawn)
        return location + scale * drawn


def made(name: str) -> Any:
    parameters = parameters_for(name, SIZE)
    assert parameters is not None
    return create_counter(name, parameters)


def test_the_counters_with_noise_of_fixed_times_make_many_runs_at_once() -> None:
    assert set(AT_ONCE) == {"turnstile-given-flippancy", "turnstile-recompute", "calibrated-turnstile", "presence"}


@pytest.mark.parametrize("name", AT_ONCE)
@given(stream=st.lists(ENTRIES, max_size=9), runs=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_a_run_of_many_is_a_single_run_on_its_own_draws(name: str, stream: list[Any], runs: int, seed: int) -> None:
    counter, draws = made(name), Draws(np.random.default_rng(seed))
    outputs = counter.release_many(tuple(stream), runs, draws)
    assert outputs.shape == (runs, len(stream))
    for run in range(runs):
        again = Draws(draws.generator, list(draws.kept), run)
        assert outputs[run].tolist() == counter.release(tuple(stream), again)
        assert not again.kept


@pytest.mark.parametrize("runs", [0, -1, 2**31 + 1, 1.5, True])
def test_a_number_of_runs_is_a_count(runs: Any) -> None:
    with pytest.raises(InputError):
        made("presence").release_many((), runs, NumpyRandomness(0))


def test_too_long_a_stream_is_refused() -> None:
    with pytest.raises(InputError, match="at most 9 steps"):
        made("presence").release_many(((0, 1),) * 10, 2, NumpyRandomness(0))


def test_runs_with_one_noise_for_all_would_be_found() -> None:
    class Shared(TurnstileGivenFlippancy):
        def release_many(self, stream: Any, runs: int, randomness: Any) -> Any:
            return np.tile(super().release_many(stream, 1, randomness), (runs, 1))

    counter, draws = Shared(9, 0.5, 2), Draws(np.random.default_rng(1))
    outputs = counter.release_many(((0, 1),), 2, draws)
    with pytest.raises(IndexError):
        assert outputs[1].tolist() == counter.release(((0, 1),), Draws(draws.generator, list(draws.kept), 1))


@pytest.mark.parametrize("name", sorted(name for name in MEMBERS if parameters_for(name, SIZE) is not None))
def test_a_shipped_counter_is_audited_by_many_runs_where_it_makes_them(name: str) -> None:
    parameters = parameters_for(name, SIZE)
    estimator = find_mechanism(name, parameters=parameters).estimator
    assert isinstance(estimator, ManyWholeInputs) == (name in AT_ONCE)
    assert is_shipped(estimator) == (name in AT_ONCE)


def test_states_are_seen_in_single_runs() -> None:
    estimator = find_mechanism("presence", parameters={"steps": 2, "rho": 0.5}).estimator
    stream = ((0, 1), (1, 1))
    label = to_text(stream, Observed.STATE)
    randomness = NumpyRandomness(0)
    states = estimator.update_many(estimator.create_many(3, randomness), np.array([label]), randomness)
    seen = estimator.release_many(states, randomness)
    assert [type(each).__name__ for each in seen] == ["SquareRootState"] * 3
    assert estimator.state_of(states, 0) == label
