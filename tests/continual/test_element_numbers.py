"""Elements have numbers in the order in which they appear, from a table of hashes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.continual.element_numbers import HASH_BITS, ElementNumbers
from pan_estimators.universes.hashed_cells import hashed_cell
from pan_promises.errors import StateFileError

KEY = bytes(range(16))


def numbered(numbers, texts):
    return numbers.of(pa.array(texts, pa.large_string())).tolist()


@given(st.lists(st.lists(st.text(max_size=3), max_size=20), max_size=6))
def test_the_numbers_are_those_of_a_dictionary(batches):
    numbers, known = ElementNumbers(KEY), {}
    for batch in batches:
        assert numbered(numbers, batch) == [known.setdefault(text, len(known)) for text in batch]
    assert len(numbers) == len(known)
    hashes = [hashed_cell(text, 2**HASH_BITS, KEY) + 1 for text in known]
    assert numbers.hashes().tolist() == hashes


@given(st.lists(st.lists(st.integers(1, 2**HASH_BITS), max_size=40), max_size=8), st.sampled_from([1, 2**40, 2**56]))
def test_hashes_that_stand_close_together_or_are_equal_have_the_numbers_of_a_dictionary(batches, unit):
    """A unit makes many hashes share their home, and equal hashes share their number."""
    numbers, known = ElementNumbers(KEY), {}
    for batch in batches:
        hashes = [1 + value // unit for value in batch]
        found = numbers.of_hashes(np.array(hashes, dtype=np.uint64)).tolist()
        assert found == [known.setdefault(value, len(known)) for value in hashes]


def test_a_table_grows_and_holds_at_most_16_bytes_for_an_element():
    numbers = ElementNumbers(KEY)
    draw = np.random.default_rng(1)
    known = {}
    for _ in range(60):
        hashes = draw.integers(1, 2**HASH_BITS, 2000).astype(np.uint64)
        again = draw.integers(1, 2**62, 10).astype(np.uint64) if not known else np.array(list(known)[:10], np.uint64)
        hashes = np.concatenate([hashes, again])
        expected = [known.setdefault(value, len(known)) for value in hashes.tolist()]
        assert numbers.of_hashes(hashes).tolist() == expected
    assert len(known) > 10**5
    assert 12 * len(known) < numbers.bytes_held <= 16 * len(known)


def test_many_hashes_at_the_last_home_find_places():
    numbers = ElementNumbers(KEY)
    hashes = np.uint64(2**HASH_BITS) - np.arange(700, dtype=np.uint64)
    assert numbers.of_hashes(hashes).tolist() == list(range(700))
    assert numbers.of_hashes(hashes[::-1].copy()).tolist() == list(range(700))[::-1]


def test_the_table_is_made_again_from_its_hashes():
    numbers = ElementNumbers(KEY)
    texts = [f"element {number}" for number in range(5000)]
    numbered(numbers, texts)
    again = ElementNumbers(KEY, numbers.hashes())
    assert numbered(again, [*texts[::-1], "new"]) == [*range(4999, -1, -1), 5000]


@pytest.mark.parametrize("hashes", [[0], [5, 5], [2**HASH_BITS + 1]])
def test_hashes_that_no_table_has_are_refused(hashes):
    with pytest.raises(StateFileError, match="out of range or not different"):
        ElementNumbers(KEY, np.array(hashes, dtype=np.uint64))
