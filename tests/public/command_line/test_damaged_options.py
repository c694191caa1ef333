"""Options of the commands with values that are nearly right, far too large, or no values at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.public.fuzzing.command import ends_as_it_should

NUMBERS = st.sampled_from(
    [
        "0",
        "1",
        "2",
        "3",
        "7",
        "-1",
        "-0",
        "+3",
        "1_0",
        "٣",
        "0x7",
        "1e3",
        "1e400",
        "nan",
        "inf",
        "-inf",
        "1e-400",
        "0.5",
        "0.1",
        "1.5",
        ".",
        "e",
        "99999999999999",
        "100000000000",
    ]
    + ["", " 4", "9" * 20, "9" * 400, "-" + "9" * 400]
    + [str(2**power + step) for power in (16, 53, 62, 63, 64, 128) for step in (-1, 0, 1)]
)
FRACTIONS = st.sampled_from(["0.5", "0.1", "0.05", "0.9"])
BUDGETS = (
    st.sampled_from(
        ["0.5", "1", "log(3/2)", "2*log(3/2)", "1/10", "1e-9", "500", "501", "1e-300", "log(2)/9" + "9" * 400]
    )
    | st.builds(
        lambda form, number: form.replace("%s", number),
        st.sampled_from(["log(%s)", "1/%s", "%s*log(2)", "ln(%s/7)", "log(1%s/%s)", "((%s))"]),
        NUMBERS | st.just("9" * 900),
    )
    | st.text("0123456789.e+-*/()logn _", max_size=12)
)
SETTINGS = st.builds(
    "{}={}".format,
    st.sampled_from(
        [
            "epsilon",
            "delta",
            "adjacency",
            "observed",
            "intrusions",
            "universe",
            "sample_size",
            "vertices",
            "colour",
            "x",
        ]
    ),
    NUMBERS | st.sampled_from(["user-level", "state", "{}", "[", '{"a":1,"a":2}', "[" * 5000]),
)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
SOUND = st.sampled_from(
    ["text", "csv", "parquet", "skip", "rest", "integer", "1KiB", "1023bit", "1e9GB", "in.txt", "s", ".", "nowhere/s"]
)
ANY = NUMBERS | FRACTIONS | BUDGETS | SETTINGS | TEXTS | SOUND
NAMES = st.sampled_from(
    ["dwork", "optimal-bernoulli", "calibrated-bernoulli", "exact-counter", "graph-density", "nobody"]
)
READING = "--level --seed --format --ids --column --missing --missing-text --memory"

# For each command, calls that are sound, and options that get values of all kinds.
COMMANDS = {
    "estimate": (
        ["in.txt --promise-epsilon 1 -u 9 -m 5", "- --promise-epsilon 1 --hash 50", "in.txt -u 9", "in.csv -u 9"],
        f"--promise-epsilon --universe --first --hash --sample-size --alpha --beta --state {READING}",
    ),
    "count": (
        ["in.txt --promise-epsilon 1 --from 1e4 --to 1e9", "- --promise-epsilon 1 --state s", "in.txt --state s"],
        f"--promise-epsilon --from --to --checkpoint --state --key-file --input {READING}",
    ),
    "stream": (["uniform -u 9 -l 9", "zipf -u 9"], "--universe --length --seed"),
    "plan": (
        ["--promise-epsilon 1 --alpha 0.1 --beta 0.1", "--promise-epsilon 1 --alpha 0.1"],
        "--promise-epsilon --alpha --beta --sample-size",
    ),
    "check": (
        ["--users 1 --length 1 --appearances 2 --seconds 0.2 -e 0.5", "--users 1 --length 1 --seconds 0.2"],
        "--promise-epsilon --users --length --appearances --sample-size --seconds --promise --set",
    ),
}


@st.composite
def calls(draw, *commands):
    """The words of a call: a command, its arguments, and some of its options with values of all kinds."""
    name = draw(st.sampled_from(commands))
    sound, options = COMMANDS[name]
    words = [name, *([] if name in ("count", "stream") else [draw(NAMES)]), *draw(st.sampled_from(sound)).split()]
    # The last of several options of a name counts; with many of these one would hide what the others do.
    for option in draw(st.lists(st.sampled_from(options.split()), min_size=1, max_size=2, unique=True)):
        words += [option, draw(ANY)]
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


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(calls(*COMMANDS))
@example(["stream", "uniform", "-l", "99999999999999"])
@example(["plan", "dwork", "--promise-epsilon", "1", "--alpha", "0.1", "-m", str(2**62)])
@example(["estimate", "dwork", "in.txt", "-u", "9", "--promise-epsilon", f"1/{'9' * 400}"])
@example(["count", "in.txt", "--promise-epsilon", "1", "--from", "nan"])
@example(["count", "in.txt", "--promise-epsilon", "1", "--from", "1e4", "--to", "1e4"])
@example(["count", "in.txt", "--promise-epsilon", "log(9/4)", "--state", "s", "--key-file", "in.txt"])
def test_any_options_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)


@pytest.mark.slow
@settings(max_examples=900, suppress_health_check=list(HealthCheck))
@given(calls(*COMMANDS))
def test_many_options_are_understood_or_refused_with_one_sentence(words):
    is_understood_or_refused(words)
