"""Each reason that a check prints is true where it is printed, and is not printed where it is false."""

from __future__ import annotations

import ctypes
import decimal
import logging
import sys
import time
import warnings

import pytest

import panproof
from pan_audits.reports.junit import PARTS, junit
from pan_audits.reports.text import print_gate
from pan_promises.errors import InputError


def noise(rng):
    return rng.laplace(scale=1.0)


def plain(data, rng):
    return sum(data) + noise(rng)


def clock_read(data, rng):
    began = time.perf_counter()
    return sum(data) + noise(rng) + 0 * began


def logged(data, rng):
    logging.getLogger("a").warning("begin")
    return sum(data) + noise(rng)


def view_out(data, rng):
    return memoryview(bytes(data))


def decimal_out(data, rng):
    return decimal.Decimal(sum(data)) + noise(rng)


def infinite(data, rng):
    return noise(rng) + float("inf")


def sorted_out(data, rng):
    return sorted(one + noise(rng) for one in data)


def one_threshold(data, rng):
    noisy = sum(data) + noise(rng)
    return noisy if noisy > 1 else None


def steps_of_two_sizes(data, rng):
    return sum(data) + (2 if data[1] else 1) * rng.discrete_laplace(1.0)


def steps_of_one_size(data, rng):
    return sum(data) + rng.discrete_laplace(1.0)


def normal(data, rng):
    return sum(data) + rng.normal(scale=3.0)


def global_draw(data, rng):
    import random

    return sum(data) + random.random() * random.random()


def pairs(): yield ([1, 1], [1, 0])  # fmt: skip


def helper(data): return sum(data)  # fmt: skip


def dead_branch(data, rng):
    return plain(data, rng) + (helper(data) if len(data) > 5 else 0)


# What is printed


def printed(data, rng):
    print(sum(data))
    return plain(data, rng)


def printed_as_error(data, rng):
    sys.stderr.write(f"{data}\n")
    return plain(data, rng)


def printed_in_c(data, rng):
    ctypes.CDLL(None).printf(b"%d\n", int(data[1]))
    return plain(data, rng)


def logged_data(data, rng):
    logging.getLogger("a").warning("sum %s", sum(data))
    return plain(data, rng)


def warned(data, rng):
    if data[1]:
        warnings.warn("large", stacklevel=1)
    return plain(data, rng)


def coin(data, rng):
    return data[1] if rng.random() < 0.7 else 1 - data[1]


def printed_flip(data, rng):
    told = coin(data, rng)
    print(told == data[1])
    return told


def printed_output(data, rng):
    told = coin(data, rng)
    print("the output is", told)
    return told


def printed_address(data, rng):
    print(object())
    return plain(data, rng)


def printed_noisy_output(data, rng):
    told = plain(data, rng)
    print(f"{time.time()}: {told}")
    return told


def printed_noise(data, rng):
    drawn = noise(rng)
    print(drawn)
    return sum(data) + drawn


LEAKS = (
    printed,
    printed_as_error,
    printed_in_c,
    logged_data,
    warned,
    printed_flip,
)
HARMLESS = (printed_output, printed_address, logged)


class Memory:
    """A noisy sum whose state is a tuple."""

    promise = "epsilon=1,adjacency=event-level"

    def create(self, rng):
        return (0, [noise(rng)])

    def update(self, state, ids, rng):
        number, total = state
        return (number, [total[0] + sum(int(one == 1) for one in ids)])

    def release(self, state, rng):
        return state[1][0] + noise(rng)


class FlatMemory(Memory):
    def create(self, rng):
        return (0, noise(rng))

    def update(self, state, ids, rng):
        return (state[0], state[1] + sum(int(one == 1) for one in ids))

    def release(self, state, rng):
        return state[1] + noise(rng)


class ChangedMemory(Memory):
    def release(self, state, rng):
        state[1][0] += 1
        return state[1][0] + noise(rng)


class LoudMemory(FlatMemory):
    def update(self, state, ids, rng):
        if 1 in list(ids):
            print("one")
        return super().update(state, ids, rng)


PURE = {"epsilon": 1}

TABLE = [
    # A part of the reason, a mechanism for which it is true, one for which it is not, and their promise.
    ("reads the clock (time.perf_counter)", clock_read, logged, PURE),
    ("a number of random or uniform in a way", global_draw, clock_read, PURE),
    ("the state or the output holds a memoryview", view_out, plain, PURE),
    ("a Decimal is combined with noise", decimal_out, infinite, PURE),
    ("several noise variables of the output depend on the same comparisons", sorted_out, one_threshold, PURE),
    ("several step sizes", steps_of_two_sizes, steps_of_one_size, PURE),
    ("(helper, which no run called)", dead_branch, plain, PURE),
]


def told(thing, **promise):
    inputs = () if isinstance(thing, type) else ([1, 1], [1, 0])
    return repr(panproof.check(thing, *inputs, seconds=10, **promise))


@pytest.mark.more
@pytest.mark.parametrize(("reason", "where", "where_not", "promise"), TABLE, ids=[row[1].__name__ for row in TABLE])
def test_a_reason_stands_where_it_is_true_alone(reason, where, where_not, promise):
    assert reason in told(where, **promise)
    assert reason not in told(where_not, **promise)


def test_a_state_that_is_a_tuple_is_followed():
    for kind in (Memory, FlatMemory):
        result = panproof.check(kind, users=2, length=2)
        assert (str(result.verdict), result.loss) == ("NOT_REFUTED", pytest.approx(1)), kind


def test_a_release_that_changes_a_part_of_a_tuple_is_named():
    result = panproof.check(ChangedMemory, users=2, length=2)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "release changes the state" in repr(result)


def test_the_function_of_the_inputs_is_no_line_that_never_ran():
    result = panproof.check(plain, neighbours=pairs, epsilon=1)
    assert str(result.verdict) == "NOT_REFUTED"
    assert "never" not in repr(result)


@pytest.mark.parametrize(
    "leak",
    [*LEAKS[:2], *(pytest.param(one, marks=pytest.mark.more) for one in LEAKS[2:])],
    ids=lambda one: one.__name__,
)
def test_bytes_that_differ_between_neighbours_are_named(leak):
    result = panproof.check(leak, [1, 1], [1, 0], epsilon=1)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "standard output and error differ between neighbours by more than the promise allows" in repr(result)


@pytest.mark.parametrize(
    "harmless",
    [HARMLESS[0], *(pytest.param(one, marks=pytest.mark.more) for one in HARMLESS[1:])],
    ids=lambda one: one.__name__,
)
def test_bytes_that_keep_the_promise_prevent_nothing(harmless):
    assert str(panproof.check(harmless, [1, 1], [1, 0], epsilon=1).verdict) == "NOT_REFUTED"


def test_what_an_update_prints_is_seen_too():
    result = panproof.check(LoudMemory, users=2, length=2)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "standard output" in repr(result)


def gated(mechanism, **options):
    return panproof.gate(mechanism, [1, 1], [1, 0], epsilon=1, runs=4000, seed=3, **options)


@pytest.mark.parametrize(
    "leak",
    [printed_noise, *(pytest.param(one, marks=pytest.mark.more) for one in (printed_flip, logged_data))],
    ids=lambda one: one.__name__,
)
def test_a_gate_names_printed_bytes_that_break_the_promise(leak):
    result = gated(leak, exact=False)
    (finding,) = [one for one in result.report.findings if one.check == "printing"]
    assert (str(finding.severity), str(result.verdict)) == ("defect", "INCONCLUSIVE")
    assert "standard output and error differ between neighbours" in repr(result)


@pytest.mark.more
@pytest.mark.parametrize("harmless", [printed_output, printed_noisy_output], ids=lambda one: one.__name__)
def test_a_gate_accepts_printed_bytes_that_follow_from_the_output(harmless):
    result = gated(harmless)
    (finding,) = [one for one in result.report.findings if one.check == "printing"]
    assert (str(finding.severity), str(result.verdict)) == ("note", "NOT_REFUTED")
    assert "sys.stdout" not in repr(result)


@pytest.mark.more
def test_a_gate_takes_the_printed_bytes_of_the_exact_check():
    result = gated(printed)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert [str(one.severity) for one in result.report.findings if one.check == "printing"] == ["defect"]


def named(name):
    def mechanism(data, rng):
        return sum(data) + rng.laplace(scale=1.0)

    mechanism.__qualname__ = mechanism.__name__ = name
    return mechanism


FORGED = ["a\nCERTIFIED  x.py:Esc", "a\r\x1b[31mCERTIFIED", "a\u202eDEIFITREC"]


@pytest.mark.parametrize("name", FORGED, ids=["newline", "control", "direction"])
@pytest.mark.more
def test_a_name_from_outside_is_one_line(name):
    result = panproof.check(named(name), [1, 1], [1, 0], epsilon=1)
    lines = repr(result).split("\n")
    assert all(line.isprintable() for line in lines)
    assert not any(line.startswith("CERTIFIED") for line in lines)
    assert name not in result._repr_html_()
    with pytest.raises(InputError) as problem:
        panproof.check(name)
    assert str(problem.value).isprintable()


def test_a_name_from_outside_is_one_line_of_every_report(tmp_path, capsys):
    report = gated(named(FORGED[0])).report
    print_gate(report)
    printed = capsys.readouterr().out.splitlines()
    assert not any(line.startswith("CERTIFIED") for line in printed)
    document = junit([report])
    assert FORGED[0] not in document
    assert "&#10;" not in document
    assert all(part(report).failure.isprintable() for part in PARTS.values())


def test_an_audit_that_finds_nothing_has_a_plot_of_what_it_would_have_found():
    figure = panproof.audit(plain, [1, 1], [1, 0], epsilon=1, runs=4000, seed=3).plot()
    assert any("would be found from" in text.get_text() for text in figure.axes[0].texts)
    checked = panproof.check(normal, [1, 1], [1, 0], rho=0.1).plot()
    assert [text.get_text() for text in checked.axes[0].texts]
