"""The words of an observation: the form of an output beside its noise."""

from __future__ import annotations

import pytest

import panproof


def told(form):
    """The witness of a mechanism whose output has a form around one noisy number."""

    def mechanism(data, rng):
        return form(rng.laplace(float(data), 1.0))

    return panproof.check(mechanism, 0, 1, epsilon=0.5).witness.describe()


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (lambda number: ["a", number], "an output with noise at 0, of the form ['a', noise]: "),
        (lambda number: {"b": (1, -number)}, ", of the form {'b': (1, noise)}: "),
        (lambda number: ["\x1b[31m<b>", number], ", of the form ['\\x1b[31m<b>', noise]: "),
    ],
)
def test_an_output_is_shown_with_its_parts_without_noise(form, shown):
    assert shown in told(form)


def test_an_output_of_noise_alone_has_no_form():
    assert "of the form" not in told(lambda number: [number])


@pytest.mark.more
def test_a_long_text_beside_the_noise_is_shortened_in_a_moment():
    # With a search from each letter this takes hours.
    assert "of the form ['aaaa" in (words := told(lambda number: ["a" * 1_000_000, number]))
    assert len(words) < 500
