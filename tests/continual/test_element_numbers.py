"""Elements have numbers in the order in which they appear, from a table of hashes."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.continual.element_numbers import HASH_BITS, ElementNumbers
from pan_audits.continual.sorted_hashes import SortedHashes
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


@given(
    st.lists(st.lists(st.integers(0, 2**HASH_BITS - 1), max_size=40), max_size=8), st.sampled_from([1, 2**40, 2**56])
)
def test_hashes_that_stand_close_together_or_are_equal_have_the_numbers_of_a_dictionary(batches, unit):
    """A unit makes many hashes share their bucket, and equal hashes share their number."""
    numbers, known = ElementNumbers(KEY), {}
    for batch in batches:
        hashes = [1 + value // unit for value in batch]
        found = numbers.of_hashes(np.array(hashes, dtype=np.uint64)).tolist()
        assert found == [known.setdefault(value, len(known)) for value in hashes]


def test_a_table_grows_and_holds_at_most_12_bytes_for_an_element():
    numbers = ElementNumbers(KEY)
    draw = np.random.default_rng(1)
    known = {}
    for _ in range(70):
        hashes = draw.integers(1, 2**HASH_BITS, 2000).astype(np.uint64)
        again = draw.integers(1, 2**62, 10).astype(np.uint64) if not known else np.array(list(known)[:10], np.uint64)
        hashes = np.concatenate([hashes, again])
        expected = [known.setdefault(value, len(known)) for value in hashes.tolist()]
        assert numbers.of_hashes(hashes).tolist() == expected
        assert numbers.bytes_held <= 10.3 * len(known) + 2**20
    assert len(known) > 1.4 * 10**5
    assert 10 * len(known) < numbers.bytes_held <= 12 * len(known)


@pytest.mark.slow
def test_five_million_elements_have_12_bytes_each_at_every_size():
    numbers, draw = ElementNumbers(KEY), np.random.default_rng(2)
    for count in range(1, 80):
        numbers.of_hashes(draw.integers(1, 2**HASH_BITS, 2**16).astype(np.uint64))
        assert len(numbers) == count * 2**16
        assert numbers.bytes_held <= 10.3 * len(numbers) + 2**20
    assert np.unique(numbers.hashes()).size == len(numbers)


def test_hashes_that_share_their_lower_bits_are_told_apart():
    """The lower 48 bits alone are stored. The others follow from the place."""
    numbers = ElementNumbers(KEY)
    hashes = 1 + (np.arange(2**14, dtype=np.uint64) << np.uint64(48))
    assert numbers.of_hashes(hashes).tolist() == list(range(2**14))
    assert numbers.of_hashes(hashes[::-1].copy()).tolist() == list(range(2**14))[::-1]
    assert numbers.hashes().tolist() == hashes.tolist()


def test_the_highest_hashes_have_numbers():
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


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5])
def test_groups_are_joined_with_at_most_9_bytes_more_for_each_hash(share):
    hashes = np.unique(np.random.default_rng(3).integers(0, 2**HASH_BITS, 10**5).astype(np.uint64))
    later = np.random.default_rng(4).random(hashes.size) < share
    tracemalloc.start()
    try:
        groups = [SortedHashes.of(hashes[part], np.flatnonzero(part).astype(np.int32)) for part in (~later, later)]
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        groups[0].take_in(groups[1])
        more = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert groups[0].hashes().tolist() == hashes.tolist()
    assert groups[0].numbers.tolist() == list(range(hashes.size))
    assert more <= 9 * hashes.size


@pytest.mark.parametrize("sizes", [(2 * 10**4, 2 * 10**5), (2 * 10**5, 6 * 10**4), (10**5, 1.2 * 10**5)])
def test_joining_needs_at_most_9_bytes_more_for_each_hash_in_any_order(monkeypatch, sizes):
    hashes, joined = np.random.default_rng(5).integers(1, 2**HASH_BITS, int(sum(sizes))).astype(np.uint64), []
    take_in = SortedHashes.take_in

    def measured(self, others):
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        take_in(self, others)
        joined.append((len(self), tracemalloc.get_traced_memory()[1] - before))

    monkeypatch.setattr(SortedHashes, "take_in", measured)
    table = ElementNumbers(KEY)
    tracemalloc.start()
    try:
        for part in np.split(hashes, [int(sizes[0])]):
            table.of_hashes(part)
    finally:
        tracemalloc.stop()
    assert joined
    assert all(more <= 9 * size for size, more in joined)
