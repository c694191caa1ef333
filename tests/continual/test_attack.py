"""Attacks on counters of distinct elements: the reductions, the reconstruction, and the command."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from experiments.continual.attack import picture
from experiments.continual.attacks import (
    ExactCounter,
    NoisyCounter,
    attack_inner_products,
    attack_marginals,
    chance_of_guesses,
    counter_named,
    inner_products,
    marginals,
    stream_of_queries,
    stream_of_rows,
)
from pan_promises.errors import InputError
from pan_proofs.continual import reductions
from pan_proofs.continual.streams import distinct_counts
from tests.command import validate

entries = st.none() | st.tuples(st.integers(0, 3), st.sampled_from((1, -1)))


class Blind:
    """It puts out the same number whatever the stream."""

    def release(self, stream, randomness):
        return [0.0] * len(stream)


class Short:
    """It forgets the last output."""

    def release(self, stream, randomness):
        return [0.0] * (len(stream) - 1)


class Endless:
    """Its outputs are no numbers."""

    def release(self, stream, randomness):
        return [float("nan")] * len(stream)


@st.composite
def asked(draw):
    size, number = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    bits = st.integers(0, 1)
    secret = draw(st.lists(bits, min_size=size, max_size=size))
    queries = draw(st.lists(st.lists(bits, min_size=size, max_size=size), min_size=number, max_size=number))
    return np.array(secret), np.array(queries)


@given(asked())
def test_the_streams_and_answers_are_those_of_the_claims(case):
    secret, queries = case
    rows = tuple(tuple(query) for query in queries.tolist())
    stream = stream_of_queries(secret, queries)
    assert stream == reductions.stream_of_queries(tuple(secret.tolist()), rows)
    outputs = ExactCounter().release(stream, None)
    assert inner_products(outputs, queries).tolist() == (queries @ secret).tolist()
    records = len(queries)
    table = stream_of_rows(secret, records)
    assert table == reductions.stream_of_records((tuple(secret.tolist()),) * records)
    found = marginals(ExactCounter().release(table, None), len(secret), records)
    assert found.tolist() == secret.tolist()


@given(st.lists(entries, min_size=1, max_size=30).map(tuple))
def test_the_exact_counter_is_the_definition(stream):
    assert ExactCounter().release(stream, None) == list(map(float, distinct_counts(stream)))


@pytest.mark.parametrize("seed", range(3))
def test_an_exact_counter_gives_every_bit_away(seed):
    for found in (attack_inner_products(ExactCounter(), 24, 96, seed), attack_marginals(ExactCounter(), 50, 1, seed)):
        assert found.recovered == found.bits
        assert found.answer_error == found.counter_error == 0


def test_a_counter_without_information_is_guessed():
    """The number of recovered bits is binomial: outside of these bounds with probability below 1e-9."""
    for found in (attack_inner_products(Blind(), 400, 100, 5), attack_marginals(Blind(), 400, 1, 5)):
        assert 140 <= found.recovered <= 260
        assert found.by_chance > 1e-9


def test_more_noise_hides_more_bits():
    shares = [attack_marginals(NoisyCounter(noise), 1000, 1, 3).share for noise in (0.1, 0.5, 2.0, 50.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.99
    assert shares[-1] < 0.6
    alone, many = (attack_marginals(NoisyCounter(2.0), 300, records, 3) for records in (1, 25))
    assert many.share > alone.share


@pytest.mark.parametrize("seed", range(4))
def test_an_error_of_the_counter_is_at_most_doubled(seed):
    found = attack_inner_products(NoisyCounter(2.0), 16, 64, seed)
    assert 0 < found.answer_error <= 2 * found.counter_error
    averaged = attack_marginals(NoisyCounter(2.0), 32, 4, seed)
    assert averaged.answer_error == pytest.approx(averaged.counter_error / 4)


@given(st.integers(1, 60), st.data())
def test_the_chance_of_guesses_is_the_binomial_tail(bits, data):
    recovered = data.draw(st.integers(0, bits))
    assert chance_of_guesses(bits, recovered) == pytest.approx(binom.sf(recovered - 1, bits, 0.5), rel=1e-9)
    assert chance_of_guesses(bits, bits) == float(Fraction(1, 2**bits))


def test_outputs_that_cannot_be_used_are_refused():
    with pytest.raises(InputError, match=r"one output after each of the 20 entries, got 19"):
        attack_marginals(Short(), 10, 1, 1)
    with pytest.raises(InputError, match=r"finite number, got"):
        attack_marginals(Endless(), 10, 1, 1)


def test_names_that_are_no_counters_are_refused():
    sizes = {"steps": 4, "elements": 2, "noise": 1.0}
    with pytest.raises(InputError, match=r"did you mean noisy\?"):
        counter_named("nosy", **sizes, settings={})
    with pytest.raises(InputError, match=r"dwork takes no streams of insertions and deletions"):
        counter_named("dwork", **sizes, settings={})
    with pytest.raises(InputError, match=r"--set is for shipped estimators"):
        counter_named("exact", **sizes, settings={"a": 1})


def test_the_command_prints_the_share_beside_guessing(experiments):
    outcome = experiments("attack", "noisy", "--noise", 2, "--bits", 64, "--seed", 1)
    assert outcome.code == 0
    assert "flippancy at most 512, seed 1" in outcome.out.splitlines()[0]
    assert "of 64 bits" in outcome.out
    assert "guessing recovers 50%" in outcome.out
    rows = outcome.out.splitlines()
    assert rows[3] == f"guessing  {'#' * 25}{'.' * 25} 50.0%"
    assert f"recovered {rows[5].count('#')} of 64 bits" in outcome.out


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_the_picture_has_a_mark_for_each_bit(right):
    recovered, guessing, _, *rows = picture(right).splitlines()
    assert "".join(rows) == "".join("#" if each else "." for each in right)
    assert recovered.endswith(f" {sum(right) / len(right):.1%}")
    assert abs(recovered.count("#") - 50 * sum(right) / len(right)) <= 0.5
    assert guessing.count("#") == 25


@pytest.mark.parametrize("by", ["inner-products", "marginals"])
def test_the_document_follows_its_schema_and_a_seed_repeats_it(experiments, by):
    words = ("attack", "noisy", "--by", by, "--bits", 16, "--seed", 3, "--json")
    found = json.loads(experiments(*words).out)
    validate("attack", found)
    assert found == json.loads(experiments(*words).out)
    assert found["share"] == found["recovered"] / found["bits"]


def test_a_shipped_counter_is_attacked(experiments):
    words = ("attack", "turnstile-recompute", "--set", "period=1", "--bits", 16, "--seed", 1, "--json", "--set")
    careless, private = (json.loads(experiments(*words, f"rho={rho}").out) for rho in ("1e6", "0.01"))
    assert careless["recovered"] == 16
    assert private["recovered"] < 16
    refused = experiments("attack", "turnstile-recompute", "--set", "size=1").one_sentence()
    assert "has no parameter 'size'" in refused


def test_streams_that_are_too_long_are_refused(experiments):
    told = experiments("attack", "exact", "--bits", 1000, "--queries", 10_000).one_sentence()
    assert "at most 4,000,000 entries, and would have 20,001,000" in told
