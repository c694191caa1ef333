"""``panproof estimate``: every format, the interval, and what it says to bad input."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tests.command_line.conftest import IDS

DISTINCT = np.unique(IDS).size
BASIC = ("estimate", "optimal-bernoulli", "--promise-epsilon", "1", "--universe", "1000", "--seed", "3")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("ids.txt", None),
        ("ids.txt.gz", None),
        ("ids.txt.zst", None),
        ("ids.csv", "customer_id"),
        ("ids.tsv", "customer_id"),
        ("ids.csv.gz", "customer_id"),
        ("ids.csv.zst", "customer_id"),
        ("ids.parquet", "customer_id"),
    ],
)
def test_every_format_gives_the_same_result(panproof, files, name, column):
    arguments = (*BASIC, "--json", *(("--column", column) if column else ()), files / name)
    outcome = panproof(*arguments)
    assert outcome.code == 0, outcome.err
    plain = panproof(*BASIC, "--json", files / "ids.txt")
    assert json.loads(outcome.out) == json.loads(plain.out)


def test_standard_input_is_read_compressed_or_not(panproof, files):
    plain = panproof(*BASIC, "--json", files / "ids.txt")
    for name, options in (("ids.txt", ()), ("ids.txt.gz", ()), ("ids.csv", ("--format", "csv", "-c", "customer_id"))):
        piped = panproof(*BASIC, "--json", *options, "-", stdin=(files / name).read_bytes())
        assert piped.out == plain.out, piped.err


def test_the_interval_holds_the_truth_and_nothing_exact_is_printed(panproof, files):
    outcome = panproof("estimate", "exact-counter", "--universe", 1000, "--json", files / "ids.txt")
    assert json.loads(outcome.out)["distinct_count"] == DISTINCT
    document = json.loads(panproof(*BASIC, "--json", "--level", "0.999", files / "ids.txt").out)
    low, high = document["interval"]["distinct_count"]
    assert low <= DISTINCT <= high
    assert str(IDS.size) not in json.dumps(document)
    assert not document["secure_randomness"]


def test_fresh_randomness_is_secure_and_differs(panproof, files):
    arguments = [word for word in BASIC if word not in ("--seed", "3")]
    documents = [json.loads(panproof(*arguments, "--json", files / "ids.txt").out) for _ in range(2)]
    assert documents[0]["density"] != documents[1]["density"]
    assert all(document["secure_randomness"] for document in documents)


def test_names_are_hashed(panproof, files):
    for column in ("name", "customer_id"):
        outcome = panproof(
            "estimate", "dwork", "--promise-epsilon", 1, "--hash", 4000, "-c", column, "--level", 0.999, "--json",
            files / "ids.parquet",
        )  # fmt: skip
        document = json.loads(outcome.out)
        assert document["hashed"]
        low, high = document["interval"]["distinct_count"]
        assert low <= DISTINCT
        assert high is None or high >= DISTINCT


def test_memory_bounds_the_state(panproof, files):
    for memory, bits in (("200", 1600), ("1kbit", 1000), ("0.5KiB", 4096)):
        document = json.loads(panproof(*BASIC, "--memory", memory, "--json", files / "ids.txt").out)
        assert 0.9 * min(bits, 1000) < document["state_bits"] <= bits
    assert "too few" in panproof(*BASIC, "--memory", "2bits", files / "ids.txt").one_sentence()


def test_a_saved_state_goes_on(panproof, files, tmp_path):
    halves = []
    for number, part in enumerate((IDS[:2000], IDS[2000:])):
        (tmp_path / f"{number}.txt").write_text("\n".join(map(str, part)))
        halves.append(tmp_path / f"{number}.txt")
    state = tmp_path / "state"
    assert panproof(*BASIC, "--update-only", "--save", state, halves[0]).code == 0
    kept = state.read_bytes()
    outcome = panproof(*BASIC, "--load", state, "--save", state, "--json", halves[1])
    assert outcome.code == 0, outcome.err
    low, high = json.loads(outcome.out)["interval"]["distinct_count"]
    assert low - 300 <= DISTINCT <= high + 300
    state.write_bytes(kept)
    for wrong, words in (
        (("dwork", "--promise-epsilon", 1, "-u", 1000), "was written by optimal-bernoulli"),
        (("optimal-bernoulli", "--promise-epsilon", 0.8, "-u", 1000), "was written for epsilon = 0.5"),
    ):
        assert words in panproof("estimate", *wrong, "--load", state, halves[1]).one_sentence()


def test_a_failure_leaves_the_saved_state_as_it_was(panproof, files, tmp_path):
    state = tmp_path / "state"
    panproof(*BASIC, "--update-only", "--save", state, files / "ids.txt")
    before = state.read_bytes()
    (tmp_path / "bad.txt").write_text("1\n2\n5000\n")
    panproof(*BASIC, "--load", state, "--save", state, tmp_path / "bad.txt").one_sentence()
    assert state.read_bytes() == before


@pytest.mark.parametrize("damage", ["truncated", "flipped", "foreign", "empty"])
def test_a_damaged_state_file_is_refused(panproof, files, tmp_path, damage):
    state = tmp_path / "state"
    panproof(*BASIC, "--update-only", "--save", state, files / "ids.txt")
    data = bytearray(state.read_bytes())
    if damage == "flipped":
        data[-3] ^= 4
    content = {"truncated": data[:-5], "flipped": data, "foreign": b"\x89PNG\r\n", "empty": b""}[damage]
    state.write_bytes(bytes(content))
    assert str(state) in panproof(*BASIC, "--load", state, files / "ids.txt").one_sentence()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing", "--promise-epsilon", 1, "-u", 9), "unknown estimator 'nothing'"),
        (("dwork", "--promise-epsilon", 1), "--universe, the number of users, or --hash"),
        (("dwork", "--promise-epsilon", 1, "-u", 9, "--hash", 9), "either --universe"),
        (("dwork", "-u", 1000), "give --promise-epsilon"),
        (("dwork", "--promise-epsilon", 0, "-u", 1000), "epsilon must be"),
        (("dwork", "--promise-epsilon", "nan", "-u", 1000), "epsilon must be"),
        (("dwork", "--promise-epsilon", "inf", "-u", 1000), "epsilon must be"),
        (("dwork", "--promise-epsilon", "-2", "-u", 1000), "epsilon must be"),
        (("dwork", "--promise-epsilon", 1, "-u", 1000, "-m", 1001), "1001"),
        (("dwork", "--promise-epsilon", 1, "-u", 0), "universe"),
        (("dwork", "--promise-epsilon", 1, "-u", 100), "outside"),
        (("dwork", "--promise-epsilon", 1, "-u", 1000, "--memory", "lots"), "a memory size is"),
        (("dwork", "--promise-epsilon", 1, "-u", 1000, "-m", 5, "--memory", "1MB"), "give one of --memory"),
        (("dwork", "--promise-epsilon", 1, "-u", 1000, "--level", 1.5), "level"),
        (("dwork", "--promise-epsilon", 1, "-u", 1000, "--alpha", 0.1), "beta"),
    ],
)
def test_wrong_arguments_are_one_sentence(panproof, files, arguments, words):
    assert words in panproof("estimate", *arguments, files / "ids.txt").one_sentence()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the stream is empty"),
        (b"\n\n", "missing ids, the first in line 1"),
        (b"1\nalice\n", "'alice' is not an integer"),
        (b"1\nnan\n", "'nan' is not an integer"),
        (b"1\n-4\n", "outside"),
        (b"1\n99999999999999999999999\n", "not an integer of 64 bits"),
        (b"1.5\n", "not an integer"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"\x1f\x8b\x08\x00broken", "damaged"),
        (b"\x28\xb5\x2f\xfdbroken", "damaged"),
    ],
)
def test_bad_text_is_one_sentence(panproof, tmp_path, content, words):
    (tmp_path / "in.txt").write_bytes(content)
    assert words in panproof(*BASIC, tmp_path / "in.txt").one_sentence()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("customer_id,x\n", "the stream is empty"),
        ("", "is empty"),
        ("customer,x\n1,2\n", "has no column 'customer_id'"),
        ("customer_id,x\n1,2\n,3\n", "missing ids"),
        ("customer_id,x\nNaN,2\n", "--missing-text"),
        ("customer_id,x\n1,2\n3\n", "cannot be read as CSV"),
    ],
)
def test_bad_csv_is_one_sentence(panproof, tmp_path, content, words):
    (tmp_path / "in.csv").write_text(content)
    assert words in panproof(*BASIC, "-c", "customer_id", tmp_path / "in.csv").one_sentence()


def test_bad_parquet_is_one_sentence(panproof, files, tmp_path):
    whole = (files / "ids.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "not.parquet").write_bytes(b"no parquet at all")
    for name in ("cut.parquet", "not.parquet"):
        assert "damaged" in panproof(*BASIC, "-c", "customer_id", tmp_path / name).one_sentence()
    assert "no column 'id'" in panproof(*BASIC, "-c", "id", files / "ids.parquet").one_sentence()
    assert "choose one with --column" in panproof(*BASIC, files / "ids.parquet").one_sentence()
    parquet.write_table(arrow.table({"id": [1.0, float("nan")]}), tmp_path / "nan.parquet")
    parquet.write_table(arrow.table({"id": [1, None]}), tmp_path / "null.parquet")
    parquet.write_table(arrow.table({"id": arrow.array([], arrow.int64())}), tmp_path / "empty.parquet")
    for name, words in (("nan", "id"), ("null", "missing ids"), ("empty", "the stream is empty")):
        assert words in panproof(*BASIC, tmp_path / f"{name}.parquet").one_sentence()


def test_a_file_that_is_not_there_is_one_sentence(panproof, tmp_path):
    assert "there is no file" in panproof(*BASIC, tmp_path / "nowhere").one_sentence()
    assert "is not a file" in panproof(*BASIC, tmp_path).one_sentence()
    assert "standard input has no ids" in panproof(*BASIC, "-", stdin=b"").one_sentence()


def test_an_estimator_without_a_known_distribution_gives_no_interval(panproof, files):
    document = json.loads(
        panproof(
            "estimate",
            "pan-private-distinct-sampling",
            "--promise-epsilon",
            1,
            "-u",
            1000,
            "-m",
            200,
            "--json",
            files / "ids.txt",
        ).out
    )
    assert document["interval"] is None
    assert "no known distribution" in document["no_interval"]
