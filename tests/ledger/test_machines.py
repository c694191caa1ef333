"""Words of every length and sums over trees: dynamic programming against lists of all words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.obligation import Kind, Status
from pan_proofs.engines.tree_sums import TreeSum, greatest_tree_sum
from pan_proofs.engines.walks import Machine, bounded_for_every_length, most_to_come, reachable
from tests.ledger.false_machines import BITS, TREE, last_bit, node_sum, rises_less_falls, true_sums

some = settings(max_examples=60, deadline=None)
STATES = range(3)


@st.composite
def machines(draw):
    """A machine with three states and two letters, some of which are refused."""
    table = {
        (state, bit): draw(st.none() | st.tuples(st.sampled_from(STATES), st.integers(-3, 3)))
        for state in STATES
        for bit in BITS
    }
    if all(table[0, bit] is None for bit in BITS):
        table[0, 0] = (0, 0)
    return Machine(0, BITS, lambda state, bit: table[state, bit])


def totals(machine, length):
    return [machine.run(word)[1] for word in machine.words(length) if machine.run(word) is not None]


def test_a_true_bound_for_every_length_is_discharged():
    obligation = bounded_for_every_length("s", "a bound", last_bit, 1, by_definition=rises_less_falls, up_to=6)
    assert obligation.status is Status.DISCHARGED
    assert obligation.kind is Kind.INDUCTION


def test_true_sums_over_trees_are_discharged():
    obligation = greatest_tree_sum("s", "a sum", TREE, true_sums(), by_definition=node_sum, up_to=2)
    assert obligation.status is Status.DISCHARGED


@some
@given(machines())
def test_a_potential_bounds_all_words_and_is_attained_by_short_ones(machine):
    potential = most_to_come(machine, reachable(machine))
    longest = 7
    attained = max(max(totals(machine, length), default=0) for length in range(longest + 1))
    if potential is not None:
        # Without a cycle that adds, a word that adds the most visits each state once.
        assert potential[0] == attained
    else:
        # A cycle of at most three letters adds at least 1 each time.
        far = max(max(totals(machine, length), default=0) for length in range(11))
        assert far > 0


@some
@given(machines(), st.lists(st.integers(-3, 3), min_size=9, max_size=9))
def test_the_greatest_sum_is_that_of_all_words(machine, costs):
    def cost(before, after):
        return costs[3 * before + after]

    def by_listing(word):
        at = [machine.run(word[:place])[0] for place in range(len(word) + 1)]
        total, size = 0, 1
        while size <= len(word):
            total += sum(cost(at[start], at[start + size]) for start in range(0, len(word), size))
            size *= 2
        return total

    tree = TreeSum(machine, cost)
    for height in range(4):
        sums = [by_listing(word) for word in machine.words(2**height) if machine.run(word) is not None]
        if sums:
            assert tree.greatest(height) == max(sums)
        else:
            with pytest.raises(ValueError, match="is allowed"):
                tree.greatest(height)


@some
@given(machines(), st.integers(-4, 4))
def test_a_bound_is_discharged_exactly_if_all_words_keep_it_and_one_attains_it(machine, bound):
    obligation = bounded_for_every_length(
        "s",
        "a bound",
        machine,
        bound,
        by_definition=lambda word: machine.run(word)[1],
        allowed=lambda word: machine.run(word) is not None,
        up_to=6,
    )
    # Words of up to 10 letters show a cycle that adds: each of its turns is three letters at most.
    largest = max(max(totals(machine, length), default=-99) for length in range(1, 11))
    if obligation.status is Status.DISCHARGED:
        assert largest == bound
    else:
        assert largest != bound or most_to_come(machine, reachable(machine)) is None


def test_what_is_shown_of_every_length_says_for_which_quantities():
    """A definition that differs on words that nothing draws is not noticed, so that the statement names the limit."""

    def differs(word):
        return word[-1] if len(word) < 5 else 2

    def differs_far(word):
        return word[-1] if len(word) < 1000 else 2

    for definition, status in ((differs, Status.FAILED), (differs_far, Status.DISCHARGED)):
        obligation = bounded_for_every_length("s", "a bound", last_bit, 1, by_definition=definition, up_to=4)
        assert obligation.status is status
        assert obligation.statement == "a bound (for every length, if 2 states are enough to know what a letter adds)"


def test_infinitely_many_states_are_refused():
    with pytest.raises(ValueError, match="states"):
        reachable(Machine(0, BITS, lambda state, bit: (state + 1, 0)))


def test_only_whole_numbers_are_added():
    with pytest.raises(TypeError, match="whole number"):
        bounded_for_every_length(
            "s", "", Machine(0, BITS, lambda state, bit: (bit, 0.5)), 1, by_definition=len, up_to=2
        )


def test_the_height_of_all_words_is_limited():
    with pytest.raises(ValueError, match="every word"):
        greatest_tree_sum("s", "", TREE, (1, 2), by_definition=node_sum, up_to=2)
