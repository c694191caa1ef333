"""The front door refuses a wrong use with one sentence, before anything runs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import panproof
from tests.mechanisms.whole_inputs import ChoosesItsNeighbours
from tests.public.front_door.mechanisms import GIVEN, Rows, Tally, mechanism


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((mechanism, 0), {"epsilon": 1}, "two inputs"),
        ((mechanism, 0, 1), {"epsilon": 1, "neighbours": [(0, 1)]}, "not both"),
        ((mechanism,), {"epsilon": 1}, "which inputs are neighbours"),
        ((mechanism, 0, 1), {}, "makes no promise"),
        ((Tally,), {"adjacency": "user-level"}, "give both"),
        ((3,), {"epsilon": 1, "adjacency": "user-level"}, "cannot be audited"),
        (("nothing",), {"epsilon": 1}, "unknown estimator"),
        (("dwork", 0, 1), {"promise_epsilon": 0.1}, "it takes no inputs"),
        ((mechanism, 0, 1), {"epsilon": 10**400}, "a double can hold"),
        ((mechanism, 0, 1), {"promise": 5}, "a Promise, a dictionary or a text"),
        ((mechanism, 0, 1), {"promise": GIVEN, "epsilon": 0.5}, "takes no epsilon"),
        ((mechanism, 0, 1), {"promise": GIVEN, "adjacency": "given"}, "not both"),
        ((mechanism,), {"epsilon": 1, "neighbours": lambda: (([n], [n]) for n in range(257))}, "more than 256 pairs"),
    ],
)
def test_bad_input_is_one_sentence(arguments, options, words):
    with pytest.raises(panproof.InputError, match=words):
        panproof.check(*arguments, **options)


def test_a_live_class_does_not_choose_the_pairs_on_which_it_is_judged():
    with pytest.raises(panproof.InputError, match="says itself which inputs are neighbours"):
        panproof.check(ChoosesItsNeighbours)


@pytest.mark.parametrize(
    ("inputs", "options", "words"),
    [
        ((), {"epsilon": 1.7}, "is made already: it takes no epsilon"),
        ((), {"colour": 3}, "is made already: it takes no colour"),
        ((0, 1), {}, "reads a stream: it takes no inputs"),
        ((), {"isolation": "none at all"}, "unknown isolation"),
    ],
)
def test_a_shipped_estimator_that_is_made_takes_no_further_options(inputs, options, words):
    made = panproof.estimator("calibrated-bernoulli", universe=16, promise_epsilon=1.0, sample_size=16)
    with pytest.raises(panproof.InputError, match=words):
        panproof.check(made, *inputs, **options)


def test_an_object_takes_no_further_parameters():
    with pytest.raises(panproof.InputError, match="has no parameter 'colour'"):
        panproof.check(Tally(4), promise="epsilon=1,adjacency=user-level", colour=3)


def test_an_audit_makes_no_exact_check():
    with pytest.raises(panproof.InputError, match=r"panproof\.gate makes both"):
        panproof.audit(mechanism, 0, 1, epsilon=1, exact=True)


async def async_mechanism(data, rng):
    return data


async def async_generator_mechanism(data, rng):
    yield data


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (lambda: 0, r"called as f\(data\) or f\(data, rng\).* is or makes an object of int$"),
        (lambda data, rng, scale: data, "needs a value for its parameter 'scale'"),
        (async_mechanism, "is an async function; a mechanism is an ordinary function"),
        (async_generator_mechanism, "is an async generator function; a mechanism is an ordinary function"),
    ],
)
def test_a_function_that_is_no_mechanism_is_refused_with_the_form_of_one(thing, words):
    with pytest.raises(panproof.InputError, match=words):
        panproof.check(thing, 0, 1, epsilon=1)


class _NotSent:
    def __reduce__(self):
        raise AssertionError("something ran before the options were read")

    def __call__(self, data, rng):
        return data


NOT_SENT = _NotSent()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": -2}, "the seed must be at least 0, got -2"),
        ({"confirmation_runs": 3}, "the number of confirmation runs must be at least 100, got 3"),
        ({"seconds": -1}, "the time for the search must be positive and at most 100,000,000 s, got -1 s"),
        ({"error": 2}, r"the error budget must lie in \(0, 1/2\], got 2"),
        ({"jobs": 0, "seed": -2, "runs": 1}, "jobs .*; the number of runs .*; the seed "),
    ],
)
@pytest.mark.parametrize("judge", [panproof.gate, panproof.audit])
def test_an_effort_outside_its_range_is_refused_before_anything_runs(judge, options, words):
    # The exact check would refute this promise at once, and nothing could be sent to a process.
    with pytest.raises(panproof.InputError, match=words):
        judge(NOT_SENT, 0, 1, epsilon=0.1, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seconds": -1}, "the time must be positive and at most 100,000,000 s, got -1 s"),
        ({"users": 0, "length": 1000}, "number of users .*; the length of a stream "),
    ],
)
def test_a_scope_outside_its_range_is_refused_before_anything_runs(options, words):
    with pytest.raises(panproof.InputError, match=words):
        panproof.check(NOT_SENT, 0, 1, epsilon=0.1, **options)


@pytest.mark.parametrize("judge", [panproof.check, panproof.gate, panproof.audit])
def test_all_unknown_options_are_named_at_once(judge):
    with pytest.raises(panproof.InputError, match=r"'bogus'; .* has no parameter 'colour'"):
        judge(mechanism, 0, 1, epsilon=0.1, bogus=1, colour=2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: panproof.claims(3), "the id of a claim is a text, got 3"),
        (lambda: panproof.claims("density.tanh_optimality", jobs=0), "jobs must be between 1 and 256, got 0"),
        (lambda: panproof.estimator(3), "the name of an estimator is a text, got 3"),
        (lambda: panproof.check(mechanism, 0, 1, epsilon=1, isolation=3), "unknown isolation 3"),
        (lambda: panproof.check("dwork", promise_epsilon=1.0, universe="a"), "universe is a number of users"),
    ],
)
def test_what_is_no_name_is_refused_with_a_sentence(call, words):
    with pytest.raises(panproof.InputError, match=words):
        call()


@pytest.mark.parametrize(
    ("quantity", "relation", "words"),
    [
        ("varience", "<=", "Stated states an error with an unknown quantity 'varience'; did you mean variance"),
        ("variance", "<<", "Stated states an error with an unknown relation '<<'; known are =, <="),
    ],
)
def test_an_unknown_word_of_a_statement_is_refused_with_its_like(quantity, relation, words):
    class Stated(Rows):
        statements = (
            SimpleNamespace(claim="", quantity=quantity, relation=relation, target="DENSITY", alpha=None, value=float),
        )

    with pytest.raises(panproof.InputError, match=words):
        panproof.gate(Stated, epsilon=1, adjacency="replace-row", runs=1000, seed=1, jobs=1, exact=False)
