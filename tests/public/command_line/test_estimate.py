"""``panproof estimate``: ids as they are written, states and their releases, checkpoints and interruptions."""

from __future__ import annotations

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from pan_estimators import CalibratedCells, NumpyRandomness, calibrated_continual_output, load_state
from pan_estimators.counting.run import EstimatingRun, StateFiles
from tests.public.command_line.conftest import IDS

DISTINCT = np.unique(IDS).size
BASIC = "estimate optimal-bernoulli --promise-epsilon 1 --universe 1000"
ONE = "estimate calibrated-bernoulli --promise-epsilon 1 --universe 1000 --sample-size 400"
EXACT = "estimate exact-counter --hash 1000000 --json"


def test_the_interval_holds_the_truth_and_nothing_exact_is_printed(panproof, files):
    outcome = panproof(f"estimate exact-counter --universe 1000 --json {files}/ids.txt")
    assert json.loads(outcome.out)["distinct_count"] == DISTINCT
    document = json.loads(panproof(f"{BASIC} --seed 3 --json --level 0.999 {files}/ids.txt").out)
    low, high = document["interval"]["distinct_count"]
    assert low <= DISTINCT <= high
    assert str(IDS.size) not in json.dumps(document)
    assert not document["secure_randomness"]


def test_fresh_randomness_is_secure_and_differs(panproof, files):
    documents = [json.loads(panproof(f"{BASIC} --json {files}/ids.txt").out) for _ in range(2)]
    assert documents[0]["density"] != documents[1]["density"]
    assert all(document["secure_randomness"] for document in documents)


def test_an_estimator_without_a_known_distribution_gives_no_interval(panproof, files):
    words = "estimate pan-private-distinct-sampling --promise-epsilon 1 -u 1000 -m 200"
    document = json.loads(panproof(f"{words} --json {files}/ids.txt").out)
    assert document["interval"] is None
    assert "no known distribution" in document["no_interval"]


@pytest.fixture
def distinct(panproof, monkeypatch):
    """The exact count. No two ids of these tests share a cell under this key."""
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"k" * size)

    def counted(words, **how):
        outcome = panproof(f"{EXACT} {words}", **how)
        assert outcome.code == 0, outcome.err
        return round(json.loads(outcome.out)["distinct_count"])

    return counted


def write(folder, name, ids):
    """Some ids in the format of a name; a missing one is ``None``."""
    path = folder / name
    if name.endswith(".parquet"):
        parquet.write_table(arrow.table({"id": ids}), path)
        return path
    texts = ["" if one is None else one for one in ids]
    separator = "\t" if ".tsv" in name else ","
    lines = {
        "txt": texts,
        "one": ["id", *texts],
        "bare": texts,
        "two": [f"id{separator}x", *(f"{one}{separator}z" for one in texts)],
    }[name.partition(".")[0]]
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


FORMATS = {
    "txt.txt": "",
    "txt.txt.gz": "",
    "one.csv": "",
    "one.csv.gz": "-c id",
    "two.csv": "-c id",
    "two.tsv.gz": "-c id",
    "bare.csv": "--no-header",
    "ids.parquet": "",
}
ALIKE = ["007", "7", "07", "1.0", "1", "true", "True", "2020-01-01", "2020-1-1", "1" * 23, "1e3", "1000"]


@pytest.mark.parametrize("name", FORMATS)
def test_ids_are_counted_as_they_are_written(panproof, distinct, tmp_path, name):
    assert distinct(f"{FORMATS[name]} {write(tmp_path, name, ALIKE)}") == len(ALIKE)
    words = f"{FORMATS[name]} {write(tmp_path, name, ['a', None, 'b', '', 'a', None, 'c'])}"
    refused = panproof(f"{EXACT} {words}").one_sentence()
    for told in ("missing ids", "--missing skip", "--missing count"):
        assert told in refused
    assert distinct(f"--missing skip {words}") == 3
    assert distinct(f"--missing count {words}") == 4
    skipped = panproof(f"estimate exact-counter --hash 99 --missing skip {words}")
    assert skipped.err == "panproof: 3 missing ids were left out (no promise covers this exact number)\n"


def test_a_text_that_stands_for_a_missing_id_is_named(panproof, distinct, tmp_path):
    file = write(tmp_path, "one.csv", ["NA", "NaN", "7", "null", "NA", "  "])
    words = f"--missing-text NA --missing-text null {file}"
    assert "missing ids" in panproof(f"{EXACT} {words}").one_sentence()
    assert distinct(f"--missing skip {words}") == 2
    assert distinct(f"--missing count {words}") == 3
    hint = panproof(f"estimate exact-counter --universe 9 {write(tmp_path, 'txt.txt', ['1', 'NA'])}")
    assert "--missing-text names the text of a missing id" in hint.one_sentence()
    no_place = panproof(
        f"estimate exact-counter --universe 9 --missing count {write(tmp_path, 'txt.txt', ['1', None])}"
    )
    assert "no place for missing ids" in no_place.one_sentence()


def test_missing_numbers_of_parquet_are_one_id_when_they_are_counted(panproof, distinct, tmp_path):
    for ids in ([0, None, 5, None], [0.0, float("nan"), 5.0, None]):
        file = write(tmp_path, "ids.parquet", ids)
        assert "missing ids, the first in row 2" in panproof(f"{EXACT} {file}").one_sentence()
        assert distinct(f"--missing skip {file}") == 2
        assert distinct(f"--missing count {file}") == 3


def test_a_state_of_hashed_ids_goes_on_with_their_kind_alone(panproof, distinct, tmp_path):
    """Integers by their type, and the same ids as text when that is asked for."""
    numbers, texts = write(tmp_path, "ids.parquet", [7, 8, None]), write(tmp_path, "txt.txt", ["7", "8", ""])
    as_text, as_numbers = (f"--missing count --state {tmp_path}/{name}" for name in ("text", "numbers"))
    assert distinct(f"{as_text} --ids text {numbers}") == 3
    assert distinct(f"{as_text} {texts}") == 3
    assert distinct(f"{as_numbers} {numbers}") == 3
    for words, told in (
        (texts, "would be counted as two users"),
        (f"--universe 1000000 {numbers}", "was written for --hash 1000000, not for --universe 1000000"),
    ):
        assert told in panproof(f"estimate exact-counter {as_numbers} {words}").one_sentence()


@pytest.mark.parametrize("bad", ["007", "+7", " 7", "7 ", "1_0", "٣", "7.0", "-0", "0x7", "7e0"])
@pytest.mark.parametrize("name", ["two.csv", "ids.parquet"])
def test_integers_are_plain_decimal_ones(panproof, distinct, tmp_path, name, bad):
    words = f"{FORMATS[name]} {write(tmp_path, name, ['7', bad])}"
    told = panproof(f"estimate exact-counter --universe 99 {words}").one_sentence()
    assert f"id {bad!r} is not an integer" in told
    assert distinct(words) == 2


def test_what_would_be_passed_over_is_refused(panproof, distinct, tmp_path):
    text, columns = write(tmp_path, "txt.txt", ["a"]), write(tmp_path, "two.csv", ["a"])
    bare = write(tmp_path, "bare.csv", ["7", "8"])
    for words, told in (
        (f"-c id {text}", "text, which has no columns"),
        (f"--no-header {text}", "are for CSV"),
        (columns, "choose one with --column"),
        (bare, "--no-header"),
    ):
        assert told in panproof(f"{EXACT} {words}").one_sentence()
    assert distinct(f"--no-header -c 2 {columns}") == 2
    piped = write(tmp_path, "two.tsv", ["a", "b"]).read_bytes()
    assert distinct("-c id --format tsv -", stdin=piped) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_in_other_encodings_is_one_sentence(panproof, tmp_path, encoding):
    (tmp_path / "ids.csv").write_bytes("id\nanna\nbob\n".encode(encoding))
    assert "UTF-" in panproof(f"{EXACT} {tmp_path}/ids.csv").one_sentence()


def test_marks_zeros_and_line_breaks_make_no_other_ids(panproof, distinct, tmp_path):
    mark, file = b"\xef\xbb\xbf", tmp_path / "a.txt"
    file.write_bytes(mark + b"a\r\nb\rc\na\r\n")
    assert distinct(file) == 3
    for content, told in ((b"a\n" + mark + b"a\n", "byte order mark"), (b"a\0\na\n", "zero byte")):
        file.write_bytes(content)
        assert told in panproof(f"{EXACT} {file}").one_sentence()
    assert distinct(write(tmp_path, "ids.parquet", ["a\0", "a", "a\0b"])) == 3


@pytest.mark.parametrize("ids", [[[1], [2]], [True, False], [b"a", b"b"], [{"a": 1}]])
def test_a_column_of_another_type_is_one_sentence(panproof, tmp_path, ids):
    file = write(tmp_path, "ids.parquet", ids)
    for universe in ("--hash", "--universe"):
        told = panproof(f"estimate exact-counter {universe} 99 {file}").one_sentence()
        assert "column 'id'" in told
        assert "ids are strings or integers" in told


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def saved(panproof, files, state, more="", base=ONE):
    outcome = panproof(f"{base} --update-only --state {state} {more} {files}/ids.txt")
    assert outcome.code == 0, outcome.err
    return outcome


def test_the_second_release_of_a_state_is_refused(panproof, files, state):
    """Three times --load s --save s, which once printed "proved" each time."""
    saved(panproof, files, state)
    words = f"{ONE} --state {state} {files}/ids.txt"
    assert "release 1 of 1" in panproof(words).out
    for _ in range(2):
        assert "release 1 of 1, and its promise covers no more" in panproof(words).one_sentence()
    assert "holds no state" in panproof(f"{ONE} --state {state} --release-only").one_sentence()
    assert state.stat().st_size < 500


def test_an_update_alone_releases_nothing_and_a_release_alone_reads_nothing(panproof, files, state):
    outcome = saved(panproof, files, state, "--json")
    document = json.loads(outcome.out)
    assert (document["releases"], document["releases_covered"]) == (0, 1)
    assert not {"density", "distinct_count", "interval"} & document.keys()
    released = f"estimate calibrated-bernoulli --state {state} --release-only"
    assert "reads no ids: leave out the file" in panproof(f"{released} {files}/ids.txt").one_sentence()
    document = json.loads(panproof(f"{released} --json").out)
    assert (document["releases"], document["releases_covered"]) == (1, 1)
    low, high = document["interval"]["distinct_count"]
    assert low - 100 <= DISTINCT <= high + 100


def test_a_state_that_goes_on_in_another_file_leaves_the_first_one_spent(panproof, files, state, tmp_path):
    several = "estimate calibrated-continual-output --promise-epsilon 1 --universe 1000"
    saved(panproof, files, state, base=several)
    assert panproof(f"{several} --load {state} --save {tmp_path}/second {files}/ids.txt").code == 0
    assert "continues in another file" in panproof(f"{several} --state {state} --release-only").one_sentence()
    released = f"{several} --state {tmp_path}/second --release-only"
    assert "release 2 of 2" in panproof(released).out
    assert "release 2 of 2" in panproof(released).one_sentence()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("--universe 999", "was written for --universe 1000 --first 0, not for --universe 999"),
        ("--first 5", "not for --first 5"),
        ("--hash 1000", "not for --hash 1000"),
        ("--memory 100", "for a sample of 400 users, and --memory, 800 bits would give"),
        ("--sample-size 401", "sample_size = 400"),
        ("--promise-epsilon 0.8", "promise_epsilon = 1"),
    ],
)
def test_what_contradicts_a_state_is_refused_and_what_agrees_may_be_said(panproof, files, state, wrong, told):
    saved(panproof, files, state)
    before = state.read_bytes()
    words = f"estimate calibrated-bernoulli --state {state} {files}/ids.txt"
    assert told in panproof(f"{words} {wrong}").one_sentence()
    assert "was written by calibrated-bernoulli" in panproof(words.replace("calibrated", "optimal")).one_sentence()
    assert state.read_bytes() == before
    assert panproof(f"{words} --promise-epsilon 1 --universe 1000 --first 0").code == 0


def test_an_output_that_cannot_be_counted_is_not_shown(panproof, files, state, monkeypatch):
    saved(panproof, files, state)
    before, fsync = state.read_bytes(), os.fsync

    def full(descriptor):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert "No space left on device" in panproof(f"{ONE} --state {state} --release-only").one_sentence()
    assert state.read_bytes() == before


def test_a_bad_id_leaves_the_saved_state_as_it_was(panproof, files, state, tmp_path):
    saved(panproof, files, state)
    before = state.read_bytes()
    (tmp_path / "bad.txt").write_text("1\n2\n5000\n")
    panproof(f"{ONE} --state {state} {tmp_path}/bad.txt").one_sentence()
    assert state.read_bytes() == before


def test_a_key_file_is_asked_for_and_removed_with_the_last_release(panproof, files, state, tmp_path):
    key = tmp_path / "k"
    saved(panproof, files, state, f"--key-file {key}")
    assert stat.S_IMODE(key.stat().st_mode) == stat.S_IMODE(state.stat().st_mode) == 0o600
    released = f"{ONE} --state {state} --release-only"
    assert "needs the file with the key" in panproof(released).one_sentence()
    told = panproof(f"{ONE} --state {tmp_path}/t --key-file {key} {files}/ids.txt").one_sentence()
    assert "exists already" in told
    assert panproof(f"{released} --key-file {key}").code == 0
    assert not key.exists()


def test_checkpoints_come_when_they_are_due_and_hold_whole_batches(panproof, files, state, monkeypatch):
    sizes, events, update = [], [], CalibratedCells.update

    def counted(self, state, ids, randomness, deletions=None):
        events.append(len(ids))
        return update(self, state, ids, randomness, deletions)

    monkeypatch.setattr("pan_estimators.CalibratedCells.update", counted)
    monkeypatch.setattr("pan_estimators.counting.run.save_state", lambda *_, **__: sizes.append(sum(events)))
    saved(panproof, files, state, "--checkpoint 700")
    assert sizes == [700, 1400, 2100, 2800, 3500, 4000]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_saves_what_it_has(tmp_path, number, code):
    # No multiple of a prime of four digits stands in the configuration by chance, as 1000 does in its universe.
    state = tmp_path / "s"
    words = f"-m pan_audits {ONE} --seed 3 --state {state} --checkpoint 7919 -".split()
    process = subprocess.Popen([sys.executable, *words], stdin=-1, stdout=-1, stderr=-1, text=True, bufsize=1)
    # A block of text that is read at once; then the command waits for the next one.
    process.stdin.write("7\n8\n" * 2**20)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not state.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, (out, err)
    assert out == ""
    assert err.count("\n") == 1
    assert "interrupted: " in err
    assert "nothing was released" in err
    told = int(err.split("first ")[1].split()[0])
    assert told % 7919 == 0 or told == 2**21
    estimator, loaded = load_state(state)
    assert loaded.releases == 0
    randomness = NumpyRandomness(3)
    expected = estimator.create(randomness)
    ids = np.tile([7, 8], 2**20)[:told]
    for start in range(0, told, 7919):
        expected = estimator.update(expected, ids[start : start + 7919], randomness)
    assert loaded.cells.tolist() == expected.cells.tolist()
    assert os.listdir(tmp_path) == ["s"]
    # The number of ids is told to the person, and is not in the file: no promise covers it.
    assert str(told).encode() not in state.read_bytes()


def test_a_signal_within_an_update_waits_for_its_end(state, monkeypatch):
    estimator, randomness = (
        calibrated_continual_output(universe=50, promise_epsilon=1, sample_size=50),
        NumpyRandomness(1),
    )
    run = EstimatingRun(estimator, estimator.create(randomness), randomness, StateFiles(save=state))
    draws, finished, before = CalibratedCells.update, [], signal.getsignal(signal.SIGINT)

    def interrupted(self, state, ids, randomness, deletions=None):
        os.kill(os.getpid(), signal.SIGINT)
        after = draws(self, state, ids, randomness, deletions)
        finished.append(len(ids))
        return after

    monkeypatch.setattr("pan_estimators.CalibratedCells.update", interrupted)
    with pytest.raises(SystemExit) as end, run.watching():
        run.take(np.arange(20))
    assert end.value.code == 130
    assert finished == [20]
    assert load_state(state)[1].cells.tolist() == run.state.cells.tolist()
    assert signal.getsignal(signal.SIGINT) is before
