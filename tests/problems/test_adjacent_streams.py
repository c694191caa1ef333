"""Adjacent streams, universes and estimators: what holds for all of them."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pan_audits.events.observing.values import fingerprint
from pan_audits.problems.inputs.streams import SegmentEnd, Side, schedules
from pan_audits.problems.inputs.streams.catalogue import JUDGED
from pan_audits.problems.inputs.streams.family import materialise
from pan_audits.problems.inputs.streams.shrink import shrink
from pan_audits.problems.inputs.streams.strategies import pairs
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    Adjacency,
    EdgeUniverse,
    HashedUniverse,
    InputError,
    IntegerUniverse,
    LabelUniverse,
    NumpyRandomness,
    Promise,
    as_id_array,
    is_erased,
)
from tests.command_line.test_parsers import understood_or_refused
from tests.density.instances import small

SCHEDULE = (SegmentEnd.INTRUSION, SegmentEnd.RELEASE)
POPULATION = tuple(range(10))


def ids_of(side):
    return [materialise(segment)[0].tolist() for segment in side.segments]


def adjacent(pair):
    """Adjacency by its definition: without the user both streams are the same."""
    user = pair.family.user
    left, right = ([[i for i in segment if i != user] for segment in ids_of(side)] for side in pair.sides)
    return left == right


@given(st.data(), st.sampled_from(JUDGED), st.booleans())
def test_generated_pairs_are_adjacent_and_can_be_written_down(data, adjacency, deletions):
    pair = data.draw(pairs(adjacency=adjacency, schedule=SCHEDULE, population=POPULATION, deletions=deletions))
    assert adjacent(pair)
    lengths = [sum(map(len, ids_of(side))) for side in pair.sides]
    if adjacency is Adjacency.EVENT_LEVEL:
        assert abs(lengths[0] - lengths[1]) == 1
    for side in pair.sides:
        assert Side.from_dict(side.to_dict()) == side
        assert side.fingerprint(SCHEDULE) == Side.from_dict(side.to_dict()).fingerprint(SCHEDULE)


@settings(max_examples=10, suppress_health_check=[HealthCheck.nested_given])
@given(st.data(), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_a_shrunk_pair_is_adjacent_no_longer_and_still_a_violation(data, least, seed):
    pair = data.draw(pairs(adjacency=Adjacency.USER_LEVEL, schedule=SCHEDULE, population=POPULATION))

    def violated(candidate):
        return max(candidate.family.patterns[candidate.left][1], candidate.family.patterns[candidate.right][1]) >= least

    if not violated(pair):
        return
    small_pair = shrink(pair, violated, seed=seed)
    assert adjacent(small_pair)
    assert violated(small_pair)
    assert small_pair.size <= pair.size


@given(st.integers(0, 3), st.integers(1, 3), st.integers(0, 2))
def test_schedules_end_with_an_output_and_hold_every_step_of_the_promise(intrusions, outputs, announced):
    if intrusions + announced == 0:
        return
    promise = Promise(
        epsilon=1, adjacency=Adjacency.USER_LEVEL, intrusions=intrusions, outputs=outputs, announced=announced
    )
    for schedule in schedules(promise):
        assert schedule[-1] is SegmentEnd.RELEASE
        assert schedule.count(SegmentEnd.INTRUSION) == intrusions
        assert schedule.count(SegmentEnd.ANNOUNCED) == announced
        assert schedule.count(SegmentEnd.RELEASE) == outputs


@given(st.integers(-(2**40), 2**40), st.integers(1, 200), st.data())
def test_integers_of_a_universe_have_their_own_cells(first, size, data):
    universe = IntegerUniverse(size, first)
    ids = data.draw(st.lists(st.integers(first, first + size - 1), max_size=30))
    assert universe.encode(ids).tolist() == [i - first for i in ids]
    outside = data.draw(st.integers().filter(lambda i: not first <= i < first + size))
    with pytest.raises(InputError):
        universe.encode([outside])


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1), min_size=1, unique=True
    )
)
def test_labels_have_their_own_cells(labels):
    universe = LabelUniverse(labels)
    codes = universe.encode(labels).tolist()
    assert sorted(codes) == list(range(len(labels)))
    assert universe.encode(np.array(labels[::-1])).tolist() == codes[::-1]


@given(st.integers(2, 300), st.data())
def test_edges_have_their_own_cells_in_either_direction(vertices, data):
    universe = EdgeUniverse(vertices)
    vertex = st.integers(0, vertices - 1)
    edges = data.draw(st.lists(st.tuples(vertex, vertex).filter(lambda edge: edge[0] != edge[1]), min_size=1))
    codes = universe.encode(np.array(edges))
    assert (codes == universe.encode(np.array(edges)[:, ::-1])).all()
    assert len(set(codes.tolist())) == len({frozenset(edge) for edge in edges})
    assert 0 <= codes.min() <= codes.max() < universe.size


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.integers(1, 2**40))
def test_hashed_cells_depend_on_the_id_alone(ids, size):
    universe = HashedUniverse(size, b"k" * 16)
    cells = universe.encode(ids)
    assert [universe.encode([i]).item() for i in ids] == cells.tolist()
    assert all(0 <= cell < size for cell in cells.tolist())


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text() | st.binary() | st.booleans(), st.lists, max_leaves=8
    )
)
def test_any_value_is_an_array_of_ids_or_is_refused(value):
    array = understood_or_refused(as_id_array, value)
    assert array is None or array.dtype.kind in "iuU"


@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
@given(cuts=st.lists(st.integers(0, 12), max_size=4), seed=st.integers(0, 2**32 - 1), data=st.data())
@settings(max_examples=15)
def test_a_state_goes_on_however_the_stream_is_cut(name, cuts, seed, data):
    """Any cut of the stream is accepted; an update by nothing does not change the state, a release only its count."""
    estimator = small(name)
    ids = data.draw(st.lists(st.sampled_from(estimator.universe.example_ids(8)), min_size=12, max_size=12))
    state = estimator.create(NumpyRandomness(seed))
    bounds = [0, *sorted(cuts), len(ids)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        before, piece = fingerprint(state), ids[start:end]
        piece = np.array(piece, dtype=np.int64).reshape(-1, 2) if isinstance(ids[0], tuple) else piece
        state = estimator.update(state, piece, NumpyRandomness((seed, number)))
        assert start < end or fingerprint(state) == before
    expected = copy.deepcopy(state)
    output = estimator.release(state, NumpyRandomness((seed, 99)))
    assert np.isfinite(output)
    expected.releases = 1
    if is_erased(estimator, state):
        expected.erase()
    assert fingerprint(state) == fingerprint(expected)
