"""Options of the commands with values that are nearly right, far too large, or no values at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.fuzzing.command import ends_as_it_should

NUMBERS = st.sampled_from(
    ["0", "1", "2", "7", "-1", "-0", "+3", "1_0", " 4", "٣", "0x7", "1e3", "1e400", "nan", "inf", "-inf", "1e-400"]
    + ["0.5", "0.1", "1.5", ".", "e", "", "9" * 20, "9" * 400, "-" + "9" * 400, "99999999999999", "100000000000"]
    + [str(2**power + step) for power in (16, 53, 62, 63, 64, 128) for step in (-1, 0, 1)]
)
SMALL = st.sampled_from(["1", "2", "3"])
FRACTIONS = st.sampled_from(["0.5", "0.1", "0.05", "0.9"])
BUDGETS = (
    st.sampled_from(
        ["0.5", "1", "log(3/2)", "2*log(3/2)", "1/10", "1e-9", "500", "501", "1e-300", "log(2)/9" + "9" * 400]
    )
    | st.sampled_from(["log(%s)", "1/%s", "%s*log(2)", "%s", "ln(%s/7)", "log(1%s/%s)", "((%s))"]).flatmap(
        lambda form: st.sampled_from(["0", "1", "7", "9" * 400, "1e400", "-1", "x", "1.5", "9" * 5000]).map(
            lambda number: form.replace("%s", number)
        )
    )
    | st.text("0123456789.e+-*/()logn _", max_size=12)
    | NUMBERS
)
ANY = NUMBERS | BUDGETS | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
PROMISES = st.lists(
    st.sampled_from(["epsilon", "delta", "adjacency", "observed", "intrusions", "outputs", "x", ""]).flatmap(
        lambda name: (ANY | st.sampled_from(["user-level", "state", "1"])).map(lambda value: f"{name}={value}")
    ),
    max_size=4,
).map(",".join)
SETTINGS = st.sampled_from(["universe", "sample_size", "epsilon", "alpha", "vertices", "colour", "", "a b"]).flatmap(
    lambda name: (ANY | st.sampled_from(["{}", "[", '{"a":1,"a":2}', "[" * 5000])).map(lambda value: f"{name}={value}")
)
NO_NAMES = ["nobody", ""]
"""Of ten calls one has such a name, or a file that cannot be read."""


def mostly(*sound, never=NO_NAMES):
    return st.integers(0, 9).flatmap(lambda number: st.sampled_from(never if number == 9 else sound))


ESTIMATORS = mostly("dwork", "optimal-bernoulli", "calibrated-bernoulli", "exact-counter", "graph-density", "laplace")

# For each command its arguments, options that are sound, and options with values of all kinds.
COMMANDS = {
    "estimate": (
        st.tuples(ESTIMATORS, mostly("in.txt", "-", never=["in.csv", "nowhere", "."])),
        [
            "--promise-epsilon 1 -u 9",
            "--promise-epsilon 1 -u 9 -m 5",
            "--promise-epsilon 1 --hash 50",
            "-u 9",
            "--promise-epsilon 1",
        ],
        {
            "--promise-epsilon": BUDGETS,
            "--universe": NUMBERS | st.just("9"),
            "--first": NUMBERS,
            "--hash": NUMBERS,
            "--memory": ANY | st.sampled_from(["1KiB", "32kbit", "1e9GB"]),
            "--sample-size": NUMBERS | SMALL,
            "--alpha": NUMBERS | FRACTIONS,
            "--beta": NUMBERS | FRACTIONS,
            "--level": NUMBERS | FRACTIONS,
            "--seed": NUMBERS,
            "--format": ANY | st.just("csv"),
            "--ids": ANY | st.just("text"),
            "--column": ANY,
            "--missing": ANY | st.just("skip"),
            "--missing-text": ANY,
            "--load": st.just("in.txt"),
        },
    ),
    "count": (
        st.tuples(mostly("in.txt", "-", never=["in.csv", "nowhere", "."])),
        [
            "--promise-epsilon 1 --from 1e4 --to 1e9",
            "--promise-epsilon 2 --from 1e6 --to 1e7 --memory 1KiB",
            "--promise-epsilon 1 --state s",
            "--state s",
        ],
        {
            "--promise-epsilon": BUDGETS,
            "--memory": ANY | st.sampled_from(["1KiB", "1023bit", "1e9GB"]),
            "--level": NUMBERS | FRACTIONS,
            "--seed": NUMBERS,
            "--format": ANY | st.sampled_from(["csv", "arrow", "parquet"]),
            "--ids": ANY | st.just("integer"),
            "--column": ANY,
            "--missing": ANY | st.just("skip"),
            "--missing-text": ANY,
            "--checkpoint": ANY | st.just("1"),
            "--state": st.sampled_from(["in.txt", "s", ".", "nowhere/s"]),
            "--key-file": st.sampled_from(["in.txt", "s", "k", "."]),
            "--input": ANY | st.just("rest"),
        },
    ),
    "stream": (
        st.tuples(mostly("uniform", "zipf")),
        ["-u 9 -t 9"],
        {"--universe": NUMBERS | SMALL, "--length": NUMBERS | SMALL, "--seed": NUMBERS},
    ),
    "plan": (
        st.tuples(mostly("dwork", "optimal-bernoulli", "laplace")),
        [
            "--promise-epsilon 1 --alpha 0.1 --beta 0.1",
            "--promise-epsilon 1 --alpha 0.1 -m 9",
            "--promise-epsilon 1 --alpha 0.1",
        ],
        {
            "--promise-epsilon": BUDGETS,
            "--alpha": NUMBERS | FRACTIONS,
            "--beta": NUMBERS | FRACTIONS,
            "--sample-size": NUMBERS,
        },
    ),
    "check": (
        st.tuples(ESTIMATORS),
        [
            "--users 1 --length 1 --appearances 2 --seconds 0.2 -e 0.5",
            "--users 1 --length 1 --appearances 2 --seconds 0.2",
        ],
        {
            "--promise-epsilon": BUDGETS,
            "--users": NUMBERS | SMALL,
            "--length": NUMBERS,
            "--appearances": NUMBERS,
            "--sample-size": NUMBERS | SMALL,
            "--seconds": NUMBERS,
            "--promise": PROMISES,
            "--set": SETTINGS,
        },
    ),
}


@st.composite
def calls(draw, *names):
    """The words of a call: a command, its arguments, and some of its options with values of all kinds."""
    name = draw(st.sampled_from(names))
    arguments, sound, options = COMMANDS[name]
    words = [name, *draw(arguments), *draw(st.sampled_from(sound)).split()]
    # The last of several options of a name counts; with many of these one would hide what the others do.
    for option in draw(st.lists(st.sampled_from(list(options)), min_size=1, max_size=2, unique=True)):
        words += [option, draw(options[option])]
    return words + (["--json"] if draw(st.booleans()) and name != "stream" else [])


def is_understood_or_refused(words):
    with tempfile.TemporaryDirectory() as folder:
        here = Path.cwd()
        os.chdir(folder)
        try:
            Path("in.txt").write_text("1\n2\n2\n")
            Path("in.csv").write_text("id,x\n1,2\n")
            ends_as_it_should(words, b"1\n2\n")
        finally:
            os.chdir(here)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(calls("estimate", "stream", "plan"))
@example(["stream", "uniform", "--seed", "-1"])
@example(["stream", "uniform", "-t", "99999999999999"])
@example(["plan", "dwork", "--promise-epsilon", "1", "--alpha", "0.1", "-m", "99999999999999999999"])
@example(["plan", "dwork", "--promise-epsilon", "1", "--alpha", "0.1", "-m", str(2**62)])
@example(["estimate", "dwork", "in.txt", "-u", "9", "--promise-epsilon", f"log({'9' * 400})"])
@example(["estimate", "dwork", "in.txt", "-u", "9", "--promise-epsilon", f"1/{'9' * 400}"])
@example(["estimate", "dwork", "in.txt", "-u", "100000000000", "--promise-epsilon", "1"])
def test_any_options_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(calls("check"))
def test_any_options_of_a_check_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(calls("count"))
@example(["count", "in.txt", "--promise-epsilon", "1", "--from", "nan"])
@example(["count", "in.txt", "--promise-epsilon", "1", "--from", "1e4", "--to", "1e4"])
@example(["count", "in.txt", "--promise-epsilon", "1", "--to", "1e400"])
@example(["count", "in.txt", "--promise-epsilon", "log(9/4)", "--state", "s", "--key-file", "in.txt"])
def test_any_options_of_a_count_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(calls("count"))
def test_hundreds_of_options_of_a_count_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)


@pytest.mark.slow
@settings(max_examples=700, suppress_health_check=list(HealthCheck))
@given(calls("estimate", "stream", "plan"))
def test_many_options_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)


@pytest.mark.more
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(calls("check"))
def test_a_hundred_options_of_a_check_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)
