"""The classes of a Markov chain are the strongly connected components of its steps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from pan_audits.exact.growth import communicating_classes


@given(st.integers(1, 12), st.data())
def test_classes_are_those_of_the_library(states, data):
    state = st.integers(0, states - 1)
    steps = data.draw(st.lists(st.tuples(state, state), max_size=3 * states))
    count, label = communicating_classes(steps, states)
    graph = np.zeros((states, states))
    for before, after in steps:
        graph[before, after] = 1
    expected, classes = connected_components(csr_array(graph), connection="strong")
    assert (count, set(label.tolist())) == (expected, set(range(expected)))
    together = label[:, None] == label
    assert np.array_equal(together, classes[:, None] == classes)


def test_a_long_chain_and_a_long_circle_need_no_recursion():
    chain = [(n, n + 1) for n in range(5000 - 1)]
    assert communicating_classes(chain, 5000)[0] == 5000
    assert communicating_classes([*chain, (4999, 0)], 5000)[0] == 1
