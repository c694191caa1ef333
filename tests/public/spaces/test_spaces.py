"""A space of data in place of pairs: what is drawn, found, shrunk, said and replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as arrays
import hypothesis.extra.pandas as frames
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panproof
from pan_audits.problems.inputs.labelled import marked
from pan_audits.problems.inputs.spaces.literals import from_text, to_text
from pan_audits.problems.inputs.spaces.strategies import Space, explore, pairs
from pan_promises.errors import InputError
from tests.public.spaces.reported import raises

LISTS = st.lists(st.integers(0, 10), max_size=6)


def noisy_sum(data: Any, rng: Any) -> float:
    return float(sum(data) + rng.laplace(scale=3.0))


def coin(bit: int, rng: Any) -> int:
    return bit if rng.random() < 0.75 else 1 - bit


def drawn(data: st.SearchStrategy[Any], neighbours: Any, examples: int = 150) -> list[tuple[Any, Any]]:
    """The pairs of a space, by the same seed."""
    found: list[tuple[Any, Any]] = []

    def ask(left: str, right: str) -> tuple[float, bool]:
        found.append((from_text(left), from_text(right)))
        return 0.0, False

    explore(pairs(Space(data, ()), neighbours), ask, examples=examples, seed=1)
    return found


PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.tuples(inner),
        st.dictionaries(st.text(), inner),
        st.sets(st.integers()),
        st.frozensets(st.text()),
    ),
    max_leaves=8,
)


@given(PLAIN)
def test_an_input_is_read_from_its_text(value: Any) -> None:
    text = to_text(value)
    again = from_text(text)
    assert to_text(again) == text
    assert type(again) is type(value)


@pytest.mark.parametrize("neighbours", ["add-row", "replace-row", "coordinate:4"])
def test_a_neighbour_passes_the_filter_of_the_strategy(neighbours: str) -> None:
    data = LISTS.filter(lambda rows: sum(rows) % 2 == 0)
    found = drawn(data, neighbours)
    assert found
    assert all(sum(right) % 2 == 0 for _, right in found)


def test_a_row_of_a_tuple_is_replaced_by_one_of_its_own_place() -> None:
    found = drawn(st.tuples(st.integers(0, 3), st.integers(10, 13)), "replace-row")
    assert found
    assert all(first <= 3 < 10 <= second for _, (first, second) in found)


@pytest.mark.parametrize("data", [st.sets(st.integers(0, 9)), st.binary(max_size=3)])
def test_a_set_and_bytes_have_rows(data: st.SearchStrategy[Any]) -> None:
    assert all(len(left) == len(right) + 1 for left, right in drawn(data, "add-row"))


@given(st.one_of(arrays.arrays(np.int8, (2, 3)), arrays.arrays(np.float64, 3), arrays.arrays(np.bool_, (0, 2))))
def test_an_array_is_read_from_its_text(value: Any) -> None:
    again = from_text(to_text(value))
    assert again.dtype == value.dtype
    np.testing.assert_array_equal(again, value)


@pytest.mark.parametrize(
    "text", ["__import__('os')", "[1, x]", "array", "(1).real", "lambda: 1", "1 + 1", "open('f')", "["]
)
def test_a_text_of_code_is_no_input(text: str) -> None:
    with pytest.raises(InputError):
        from_text(text)


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_a_marked_pair_is_the_pair_with_marks(left: list[int], right: list[int]) -> None:
    one, other = marked(str(left), str(right))
    if len(one) + len(other) < 100:
        assert (one.replace("«", "").replace("»", ""), other.replace("«", "").replace("»", "")) == (
            str(left),
            str(right),
        )


def test_a_neighbour_by_a_row_stays_in_the_space() -> None:
    for left, right in drawn(st.lists(st.sampled_from([0, 7]), min_size=2, max_size=5), "add-row"):
        assert len(left) == len(right) + 1
        assert len(right) >= 2
        assert len(left) <= 5
        assert {*left, *right} <= {0, 7}


def test_a_row_that_would_leave_the_space_is_not_removed() -> None:
    even = LISTS.filter(lambda rows: len(rows) % 2 == 0)
    with pytest.raises(InputError, match="neighbours"):
        drawn(even, "add-row")


@pytest.mark.parametrize(
    "order", [sorted, lambda rows: sorted(rows, reverse=True), lambda rows: list(dict.fromkeys(rows))]
)
def test_a_replaced_row_keeps_the_order_that_all_inputs_have(order: Any) -> None:
    found = drawn(LISTS.map(order), "replace-row", 300)
    assert len(found) > 50
    for left, right in found:
        assert len(left) == len(right)
        assert order(right) == right


def test_all_rows_of_one_user_differ_and_no_others() -> None:
    rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=6)
    found = drawn(rows, "user-level:0", 300)
    without = lambda rows, user: [row for row in rows if row[0] != user]  # noqa: E731
    for left, right in found:
        assert any(without(left, user) == without(right, user) for user in range(3))
    assert max(len(left) - len(right) for left, right in found) >= 2


def test_one_number_changes_by_at_most_a_distance() -> None:
    for left, right in drawn(st.tuples(st.integers(0, 9), st.lists(st.floats(0, 1), max_size=3)), "coordinate:2"):
        one, other = [left[0], *left[1]], [right[0], *right[1]]
        apart = [abs(a - b) for a, b in zip(one, other, strict=True) if a != b]
        assert len(apart) == 1
        assert apart[0] <= 2
        assert 0 <= right[0] <= 9


def test_data_frames_arrays_texts_and_dictionaries_have_rows() -> None:
    columns = [frames.column("user", elements=st.integers(0, 2)), frames.column("x", elements=st.floats(0, 1))]
    table = frames.data_frames(columns, index=frames.range_indexes(max_size=4))
    for left, right in drawn(table, "user-level:user", 60):
        assert list(left.columns) == list(right.columns) == ["user", "x"]
        assert (left.dtypes == right.dtypes).all()
    for data in (
        arrays.arrays(np.int64, st.integers(0, 4), elements=st.integers(0, 5)),
        st.text("ab", max_size=4),
        st.dictionaries(st.integers(0, 9), st.booleans(), max_size=4),
        table,
    ):
        assert all(len(left) == len(right) + 1 for left, right in drawn(data, "add-row", 60))


def test_a_function_makes_the_neighbours_with_or_without_a_draw() -> None:
    assert all(right == [*left, 3] for left, right in drawn(LISTS, lambda rows: [[*rows, 3]]))
    found = drawn(LISTS, lambda rows, draw: [*rows, draw(st.integers(0, 1))])
    assert {right[-1] for _, right in found} == {0, 1}


def test_constants_of_the_code_give_lists_of_their_length() -> None:
    def looked(numbers: tuple[int, ...]) -> int:
        lengths: list[tuple[int, int]] = []

        def ask(left: str, right: str) -> tuple[float, bool]:
            lengths.append((len(from_text(left)), len(from_text(right))))
            return 0.0, False

        space = Space(st.lists(st.booleans(), max_size=200), numbers)
        explore(pairs(space, "add-row"), ask, examples=100, seed=1)
        return lengths.count((70, 69))

    assert looked((70,)) > looked(())


def test_the_exact_check_shrinks_the_worst_pair_to_the_smallest_that_refutes() -> None:
    result = panproof.check(noisy_sum, data=LISTS, neighbours="add-row", epsilon=1)
    assert result.verdict == "REFUTED"
    document = result.to_dict()
    assert document["witness"]["users"] == ["[]", "[10]"]
    assert document["minimal_witness"]["users"] == ["[]", "[4]"]
    assert "[«4»]" in document["minimal_witness"]["description"]


def test_a_small_space_is_covered_and_said_to_be() -> None:
    result = panproof.check(coin, data=st.integers(0, 1), neighbours="local", epsilon="log(3)").to_dict()
    assert result["verdict"] == "NOT_REFUTED"
    assert "on every pair of the space, 2 in all" in result["reason"]


def test_a_large_space_is_not_said_to_be_covered() -> None:
    result = panproof.check(noisy_sum, data=st.lists(st.integers(0, 3)), neighbours="add-row", epsilon=1).to_dict()
    assert result["verdict"] == "NOT_REFUTED"
    assert "pairs of the space, neighbours add-row, were tried, and no others" in result["note"]
    assert "every pair" not in result["reason"]


def test_errors_on_both_sides_count_for_nothing_and_on_one_side_for_an_infinite_loss() -> None:
    result = panproof.check(raises, data=st.lists(st.integers(0, 1), max_size=6), neighbours="add-row", epsilon=1)
    document = result.to_dict()
    assert document["loss"]["unbounded"]
    assert document["minimal_witness"]["users"] in (["[1, 1, 1]", "[1, 1]"], ["[1, 1]", "[1, 1, 1]"])
    assert "both inputs always fail" in document["note"]


def test_an_audit_shrinks_and_repeats_itself_by_its_seed() -> None:
    def audited() -> dict[str, Any]:
        found: dict[str, Any] = panproof.audit(
            noisy_sum, data=LISTS, neighbours="add-row", epsilon=1, seed=3, runs=20_000, error=1e-3
        ).to_dict()
        found.pop("seconds")
        return found

    first = audited()
    assert first["verdict"] == "REFUTED"
    inputs = first["privacy"]["witness"]["family"]["inputs"]
    assert sorted(inputs, key=len)[0] == "[]"
    assert from_text(sorted(inputs, key=len)[1]) in ([4], [5], [6])
    assert first["privacy"]["witness"]["loss_at_least"] > 1
    assert audited() == first


@pytest.mark.parametrize("command", ["check", "audit --seed 1 --runs 20000"])
def test_a_witness_replays_without_the_strategy(
    command: str, panproof: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "from hypothesis import strategies as st\n"
        "rows = st.lists(st.integers(0, 10), max_size=6)\n"
        "def noisy(data, rng):\n    return sum(data) + rng.laplace(scale=2.0)\n"
    )
    (tmp_path / "own_space.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    kind, *options = command.split()
    words = f"{kind} own_space.py:noisy --data own_space.py:rows --neighbours add-row --epsilon 1 --witness w.json"
    made = panproof(" ".join([words, *options]))
    assert made.code == 1, made.err
    assert "replay w.json --estimator own_space.py:noisy" in made.out
    (tmp_path / "own_space.py").write_text(text.replace("rows = st", "none = st"))
    replayed = panproof("replay w.json --estimator own_space.py:noisy --json")
    assert replayed.code == 1, replayed.err
    assert json.loads(replayed.out)["verdict"] == "REFUTED"


def test_a_promise_about_other_neighbours_than_those_of_the_space_is_not_judged() -> None:
    promise = "epsilon=1,adjacency=replace-row,observed=output,intrusions=0"
    result = panproof.check(noisy_sum, data=LISTS, neighbours="add-row", promise=promise)
    assert result.verdict == "INCONCLUSIVE"
    assert "the neighbours in the space are add-row" in result.report.reason


@pytest.mark.parametrize(
    ("data", "neighbours", "sentence"),
    [
        (LISTS, None, "needs its neighbours"),
        (LISTS, "add-rows", "unknown neighbours"),
        (LISTS, "user-level", "user-level:0"),
        (LISTS, "local:1", "written as local"),
        (LISTS, "coordinate:x", "largest change"),
        (LISTS, "user-level:0", "names the place of the user"),
        (st.integers(), "add-row", "no two inputs"),
        ([1, 2], "add-row", "is a strategy of Hypothesis"),
        (st.datetimes(), "local", "no plain data"),
    ],
)
def test_bad_input_gets_one_sentence(data: Any, neighbours: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        panproof.check(noisy_sum, data=data, neighbours=neighbours, epsilon=1)
