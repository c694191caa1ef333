"""The distinct user counter: its releases, its promise, its warnings, and threads."""

import copy
import json
import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest

from pan_estimators import DistinctUserCounter, InputError, NumpyRandomness
from tests.density.distinct_users import IDS, KEY, RANGE, counter


def test_a_release_erases_the_counter_and_keeps_the_output():
    one = DistinctUserCounter(1, **RANGE)
    key = one.estimator.universe.key
    one.add_many(IDS)
    assert "no release yet, 1 left" in one.promise
    cells = one._state.cells
    count = one.release()
    assert not cells.any()
    assert one.erased
    assert abs(count.count / 3_000 - 1) < 6 * one.expected_error(3_000)
    assert count.reliable
    assert "release 1 of 1" in count.promise
    assert "void" not in count.promise
    assert one.estimator.universe.key != key
    assert key.hex().encode() not in one.to_bytes()
    for use in (one.release, lambda: one.add(1), lambda: one.add_many([1])):
        with pytest.raises(InputError, match="covers 1 release, and 1 was made"):
            use()
    again = DistinctUserCounter.from_bytes(one.to_bytes())
    assert again.erased
    assert again.outputs == one.outputs
    assert again.get() == count.count
    with pytest.raises(InputError, match="covers 1 release"):
        again.release()


def test_the_aliases_and_the_context_manager():
    with counter() as one:
        assert one.partial_fit(IDS) is one
        one.update(5)
        value = one.get()
        assert one.get() == value
        assert one.releases == 1
    with counter() as one:
        one.add("a")
        state = one._state
    assert not state.cells.any()
    assert one.erased
    with pytest.raises(InputError, match="erased"):
        one.to_bytes()
    with pytest.raises(InputError, match="and 0 were made"):
        one.add("a")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"epsilon": 0.0001}, "between 0.001 and 20"),
        ({"epsilon": 21}, "between 0.001 and 20"),
        ({"epsilon": None}, "number of nats"),
        ({"memory": 127}, "memory in bytes"),
        ({"memory": "8KiB"}, "memory in bytes"),
        ({"least": 10, "most": 5}, "from a smaller to a larger"),
        ({"least": 0}, "from a smaller to a larger"),
        ({"least": "a"}, "two numbers"),
        ({"most": None}, "two numbers"),
        ({"key": b"short"}, "16 bytes"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        counter(**parameters)


def test_a_large_error_and_an_estimate_outside_of_the_range_are_told():
    with pytest.warns(UserWarning, match="the standard error reaches"):
        poor = DistinctUserCounter(0.1, memory=1024, least=1e2, most=1e5, key=bytes(16), randomness=NumpyRandomness(1))
    poor.add_many(IDS[:800])
    assert any("standard error is" in told for told in poor.release().warnings)
    far = counter(least=1e4, most=1e9)
    far.add_many(IDS[:500])
    count = far.release()
    assert not count.reliable
    assert any("outside three times" in told for told in count.warnings)
    assert json.loads(json.dumps(count.to_dict(), allow_nan=False))["reliable"] is False


def test_crafted_ids_spoil_the_estimate_and_the_output_says_so():
    """A person who knows the key sends 20,000 ids that touch the second level only."""
    one = counter(memory=2**13, least=1e4, most=1e9)
    geometry = one.estimator.geometry
    ids = np.arange(200_000)
    indices = one.estimator.universe.encode(ids)
    low, high = geometry.first_indices[1:3]
    one.add_many(ids[(indices >= low) & (indices < high)])
    count = one.release()
    assert not count.reliable
    assert any("contradict" in told for told in count.warnings)


def test_it_is_shown_in_a_notebook_and_drawn():
    one = counter()
    assert "expected error" in repr(one)
    assert "<div>" in one._repr_html_()
    with pytest.raises(InputError, match="before a release"):
        one.plot()
    one.add_many(IDS)
    one.release()
    assert "distinct count" in repr(one)
    assert "<table>" in one._repr_html_()
    assert len(one.plot().axes) == 2


def test_threads_count_together_and_no_thread_adds_after_the_last_release():
    one = DistinctUserCounter(1, least=1e4, most=1e9)
    problems = []

    def feed(part):
        try:
            for start in range(0, 40_000, 5_000):
                one.add_many(range(part * 40_000 + start, part * 40_000 + start + 5_000))
                one.add(part)
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=feed, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert abs(one.release().count / 160_000 - 1) < 6 * one.expected_error(160_000)


def test_two_counters_with_one_key_count_in_two_threads():
    counters = [DistinctUserCounter(1, least=1e4, most=1e9, key=KEY) for _ in range(2)]
    problems = []

    def feed(one):
        try:
            for start in range(0, 600_000, 100_000):
                one.add_many(np.arange(start, start + 100_000))
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=feed, args=(one,)) for one in counters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_counter_is_not_copied(copied):
    with pytest.raises(InputError, match="could be released again"):
        copied(counter(memory=128))


def _told_by_a_child(use):
    """What a forked process is told that uses an object of its parent."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        told = "nothing"
        try:
            use()
        except InputError as problem:
            told = str(problem)
        except BaseException as problem:
            told = repr(problem)
        os.write(into, told.encode())
        os._exit(0)
    os.waitpid(child, 0)
    told = os.read(out, 10_000).decode()
    os.close(out)
    os.close(into)
    return told


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_forked_process_has_a_spent_copy():
    one = counter(releases=2)
    one.add_many(IDS)
    one.release()
    for use in (one.release, lambda: one.add(1), lambda: one.add_many([1]), one.to_bytes, lambda: one.partial_fit([1])):
        assert "belongs to the parent" in _told_by_a_child(use)
    assert _told_by_a_child(one.get) == "nothing"
    assert _told_by_a_child(lambda: one.outputs[0].count / (one._state.cells.size == 0)) == "nothing"
    assert _told_by_a_child(lambda: one.renewed().add_many(IDS)) == "nothing"
    # The parent goes on, also with a counter that it read from bytes, and a later counter is kept too.
    assert one.release().reliable
    again = DistinctUserCounter.from_bytes(counter().to_bytes())
    assert "belongs to the parent" in _told_by_a_child(again.release)
    assert "belongs to the parent" in _told_by_a_child(again.renewed().release)
    # A finished counter has nothing to leave.
    assert "covers 2 releases" in _told_by_a_child(one.release)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_fork_while_a_thread_counts_leaves_no_lock_behind():
    one = counter()
    with one._lock:
        assert "belongs to the parent" in _told_by_a_child(lambda: one.add(1))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_workers_that_are_forked_have_no_release():
    one = counter()
    one.add_many(IDS)
    told = multiprocessing.get_context("fork").Queue()
    worker = multiprocessing.get_context("fork").Process(target=_release_of, args=(one, told))
    worker.start()
    assert "belongs to the parent" in told.get(timeout=60)
    worker.join()


def _release_of(one, told):
    try:
        told.put(repr(one.release()))
    except InputError as problem:
        told.put(str(problem))


def test_several_releases_share_one_promise_and_a_renewed_counter_has_another_key():
    one = DistinctUserCounter(1, least=1e3, most=1e9, releases=3)
    one.add_many(range(4_000))
    for number in (1, 2):
        assert abs(one.release().count / 4_000 - 1) < 0.25
        assert f"distinct.releases); release {number} of 3" in one.promise
        one = DistinctUserCounter.from_bytes(one.to_bytes())
    one.add_many(range(4_000, 8_000))
    key = one.estimator.universe.key
    assert abs(one.release().count / 8_000 - 1) < 0.25
    assert one.erased
    assert len(one.outputs) == 3
    other = one.renewed()
    assert other.estimator.universe.key not in (key, bytes(16))
    assert not other.erased
    assert other.releases == 0
    assert one.worst_error > DistinctUserCounter(1, least=1e3, most=1e9).worst_error
