"""A promise always says what it is about."""

from __future__ import annotations

import math

import pytest

from pan_estimators import Adjacency, InputError, Observed, Promise
from pan_promises.problem import Problem


def test_a_promise_survives_its_dictionary_and_says_what_it_is():
    promise = Promise(epsilon=0.2, adjacency="user-level", delta=1e-6, intrusions=2, outputs=2, announced=1)
    assert Promise.from_dict(promise.to_dict()) == promise
    assert promise.adjacency is Adjacency.USER_LEVEL
    assert promise.describe() == (
        "0.2 (delta 1e-06), user-level, 1 announced intrusion, 2 intrusions, 2 outputs, state and output jointly"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epsilon=0.5", "a promise needs an adjacency: one of user-level, user-level-nested, event-level"),
        ("adjacency=user-level", "a promise needs an epsilon"),
        ("epsilon=0.5,adjacency=everyone", "unknown adjacency 'everyone'"),
        ("epsilon=0.5,adjacency=user-level,observed=all", "unknown observation 'all'"),
        ("epsilon=zero,adjacency=user-level", "the epsilon of a promise must be a number, got 'zero'"),
        ("epsilon=0,adjacency=user-level", "positive and finite, got 0"),
        ("epsilon=1,delta=1,adjacency=user-level", r"delta of a promise must lie in \[0, 1\)"),
        ("epsilon=1,adjacency=user-level,rho=1", "either a rho, or an epsilon"),
        ("epsilon=1,adjacency=user-level,intrusions=9", "from 0 to 4, got 9"),
        ("epsilon=1,adjacency=user-level,intrusions=0", "needs at least one intrusion"),
        ("epsilon=1,adjacency=user-level,outputs=0", "needs at least one output"),
        ("epsilon", "has no '='"),
        ("epsilon=1,epsilon=2,adjacency=user-level", "'epsilon' twice"),
        ("epsilon=1,adjacency=user-level,intrusions=1_0", "intrusions of a promise must be a number, got '1_0'"),
        ("epsilon=1,adjacency=user-level,intrusions=١", "intrusions of a promise must be a number"),
        ("rho=1_0,adjacency=user-level", "rho of a promise must be a number"),
        ("rho=0,adjacency=replace-row,observed=output", "rho of a promise must be positive"),
        ("epsilon=1,adjacency=user-level,outputs=all", "outputs of a promise must be a number"),
        ("epsilon=1,adjacency=user-level,outputs=-1", "whole number of at least 0, or 'every'"),
    ],
)
def test_an_incomplete_promise_is_refused(text, words):
    with pytest.raises(InputError, match=words):
        Promise.parse(text)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"epsilon": True}, "epsilon of a promise must be positive and finite, got True"),
        ({"epsilon": 1, "delta": False}, "delta of a promise must lie in .*, got False"),
        ({"epsilon": 1, "public": 5}, "list of names, got 5"),
        ({"epsilon": 10**400}, "must be positive and finite"),
        ({"epsilon": 1, "claim": 5}, "the claim of a promise is an id, got 5"),
        ({"epsilon": 1, "public": "n"}, "list of names, got 'n'"),
    ],
)
def test_a_value_of_another_type_is_refused(values, words):
    with pytest.raises(InputError, match=words):
        Promise.from_dict({"adjacency": "user-level", **values})


def test_an_unknown_kind_of_inputs_is_refused_with_its_like():
    with pytest.raises(InputError, match="unknown kind of inputs 'tabel'; did you mean table"):
        Problem("tabel")


def test_a_part_of_a_promise_keeps_the_rest():
    whole = Promise(epsilon=1.0, adjacency=Adjacency.EVENT_LEVEL, intrusions=2, claim="x")
    part = whole.about(Observed.STATE, epsilon=0.5)
    assert (part.epsilon, part.adjacency, part.intrusions, part.claim) == (0.5, Adjacency.EVENT_LEVEL, 2, None)
    assert math.isclose(whole.epsilon, 1.0)


@pytest.mark.parametrize("observed", ["transcript", "model", "sample"])
def test_a_promise_about_tables_names_no_intrusion(observed):
    promise = Promise.parse(f"epsilon=1,adjacency=replace-row,observed={observed}")
    assert promise.describe() == f"1, replace-row, {'the' if observed != 'sample' else 'a'} {observed}"
