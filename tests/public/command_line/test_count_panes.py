"""``panproof count --every``: panes, their promise, late ids and interruptions."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import threading

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from pan_estimators import DistinctUserCounter, load_counter
from pan_estimators.counting.rows import OutputFile
from pan_estimators.density.distinct.panes import PaneUse, PartReader
from pan_estimators.reading.options import Reading
from pan_estimators.reading.times import Every
from tests.public.command_line.counting import text_of
from tests.public.command_line.killing import Killing, saved_again

COUNT = "count --promise-epsilon 2 --from 1e3 --to 1e9"
"""A shipped preset, with an error of at most 4%, or 5% for 4 releases."""
BY_TIME = f"{COUNT} --every 1h --time-column time -c user"
USERS = (3_000, 5_000, 0, 7_000)
"""Users of each hour; the first 1,000 of each hour are the same ones."""
ROWS = sorted(
    (f"2026-01-01T{10 + hour}:{user % 60:02}:00", f"same {user}" if user < 1_000 else f"{hour} {user}")
    for hour, users in enumerate(USERS)
    for user in range(users)
)


def written(path, rows):
    path.write_text("time,user\n" + "".join(f"{when},{user}\n" for when, user in rows))
    return path


@pytest.fixture
def hours(tmp_path):
    return written(tmp_path / "hours.csv", ROWS)


def outputs_of(text):
    return [(row["end"], float(row["count"])) for row in csv.DictReader(text.splitlines())]


def hours_of(found):
    return [end[11:13] for end, _ in found]


def require_near(found, users):
    """The counts lie within about six standard errors."""
    for (_, count), known in zip(found, users, strict=True):
        assert abs(count - known) < 0.27 * known + 300


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_each_hour_has_a_fresh_counter_with_a_key_of_its_own(panproof, tmp_path, monkeypatch, hours, kind):
    keys, release = [], DistinctUserCounter.release

    def noticed(counter, **options):
        keys.append((counter.estimator.universe.key, counter._state.cells.tobytes()))
        return release(counter, **options)

    monkeypatch.setattr(DistinctUserCounter, "release", noticed)
    file = hours
    if kind == "parquet":
        file = tmp_path / "hours.parquet"
        times = np.array([when for when, _ in ROWS], dtype="datetime64[us]")
        parquet.write_table(arrow.table({"time": times, "user": [user for _, user in ROWS]}), file)
    outcome = panproof(f"{BY_TIME} --fresh-panes {file}")
    assert outcome.code == 0, outcome.err
    found = outputs_of(outcome.out)
    assert [end for end, _ in found] == [f"2026-01-01T{hour}:00:00" for hour in (11, 12, 13, 14)]
    require_near(found, USERS)
    assert len({key for key, _ in keys}) == len({bits for _, bits in keys}) == 4
    # The promise and its price are told before the first output.
    assert "promise 2 for each pane" in outcome.err
    assert "k times 2" in outcome.err


def test_one_counter_counts_all_users_so_far_and_ends_with_its_promise(panproof, hours, tmp_path):
    state = tmp_path / "state"
    words = f"{BY_TIME} --releases 3 {hours} --state {state}"
    outcome = panproof(words)
    assert outcome.code == 0, outcome.err
    found = outputs_of(outcome.out)
    require_near(found, (3_000, 7_000, 7_000))
    assert "promise 2 for all 3 releases together (distinct.releases)" in outcome.err
    assert re.search(r"standard error up to .*, \d+\.\d\d times that of one release", outcome.err)
    counter, _ = load_counter(state)
    assert counter.erased
    assert [output.count for output in counter.outputs] == pytest.approx([count for _, count in found], abs=0.51)
    again = panproof(words)
    assert again.code == 2
    assert "covers no more" in again.err


def test_panes_of_a_number_of_ids_go_on_in_the_next_input(panproof, tmp_path):
    output = tmp_path / "rows.csv"
    kept = f"--fresh-panes --state {tmp_path}/state --out {output}"
    for number, part in enumerate((range(5_000), range(5_000, 9_000))):
        (tmp_path / f"{number}.txt").write_text(text_of(part))
        assert panproof(f"{COUNT} --every 4000 {kept} --update-only {tmp_path}/{number}.txt").code == 0
    assert [end for end, _ in outputs_of(output.read_text())] == ["4000", "8000"]
    assert panproof(f"{COUNT} --every 4000 {kept} --release-only").code == 0
    found = outputs_of(output.read_text())
    assert [end for end, _ in found] == ["4000", "8000", "9000"]
    require_near(found, (4_000, 4_000, 1_000))
    for words, told in (
        (f"{COUNT} --every 4000 {kept} --release-only", "no pane of"),
        (f"count {tmp_path}/0.txt --state {tmp_path}/state", "begun with panes"),
        (f"{COUNT} --every 5000 {kept} {tmp_path}/0.txt", "other panes"),
    ):
        assert told in panproof(words).one_sentence()


def test_late_ids_are_refused_or_counted_in_the_present_pane(panproof, tmp_path):
    file = written(tmp_path / "late.csv", [*ROWS[:7_000], (ROWS[0][0], "late"), *ROWS[7_000:]])
    told = panproof(f"{BY_TIME} --fresh-panes {file}")
    assert told.code == 2
    assert "row 7001 of" in told.err
    assert "sort the rows by time" in told.err
    counted = panproof(f"{BY_TIME} --fresh-panes {file} --late count")
    assert counted.code == 0
    assert "late id is counted in the present pane" in counted.err
    within = written(file, sorted(ROWS, key=lambda row: (row[0][:13], row[1])))
    assert panproof(f"{BY_TIME} --fresh-panes {within}").code == 0


@pytest.mark.parametrize("promise", ["--fresh-panes", "--releases 4"])
def test_an_output_that_was_recorded_is_never_drawn_again(panproof, tmp_path, hours, monkeypatch, promise):
    """The power fails after the second output was recorded, before it is out. Then the same command goes on."""
    state, output = tmp_path / "state", tmp_path / "rows.csv"
    words = f"{BY_TIME} {promise} --state {state} --out {output} {hours}"
    write, written_rows = OutputFile.write, []

    def fails_at_the_second(sink, text):
        written_rows.append(text)
        if len(written_rows) == 2:
            raise SystemExit(99)  # The machine loses power here.
        write(sink, text)

    with monkeypatch.context() as patched:
        patched.setattr(OutputFile, "write", fails_at_the_second)
        assert panproof(words).code == 99
    recorded = load_counter(state)[0].outputs[-1].count
    assert panproof(words).code == 0
    found = outputs_of(output.read_text())
    assert hours_of(found) == ["11", "12", "13", "14"]
    assert found[1][1] == pytest.approx(recorded, abs=0.51)
    require_near(found, (3_000, 7_000, 7_000, 13_000) if promise != "--fresh-panes" else USERS)


@pytest.mark.slow
def test_kills_lose_no_pane_and_repeat_none(panproof, tmp_path):
    users, pane, kills = 120_000, 20_000, 20
    file, state, output = tmp_path / "ids.txt", tmp_path / "state", tmp_path / "rows.csv"
    file.write_text(text_of(range(users)))
    count = "count --promise-epsilon 2 --from 1e4 --to 1e9"
    kept = f"--checkpoint 2000 --state {state} --out {output} {file}"
    words = f"{count} --every {pane} --fresh-panes {kept}".split()
    killed = 0
    with Killing(tmp_path / "told", f"{count} {file}".split()) as killing:
        for kill in range(kills):
            if not killing.killed(words, saved_again(state, 0.002 * kill)):
                break
            killed += 1
        assert killed > 3
        assert killed < kills or not killing.killed(words, lambda: False)
    found = outputs_of(output.read_text())
    assert [int(end) for end, _ in found] == list(range(pane, users + 1, pane))
    assert np.abs(np.array([count for _, count in found]) / pane - 1).max() < 0.12


def test_panes_by_the_clock_end_while_the_pipe_is_silent(tmp_path):
    """The clock shows 9:59:59 when the first ids come, and 10:00 when the next ones do."""
    pipe = tmp_path / "ids"
    os.mkfifo(pipe)
    passed = threading.Event()
    moment = [int(np.datetime64("2026-01-01T09:59:59.9", "us").astype(np.int64))]

    def feed():
        with pipe.open("w") as stream:
            stream.write("a\nb\n")
            stream.flush()
            passed.wait(20)
            stream.write("c\n")

    writer = threading.Thread(target=feed)
    writer.start()
    panes = PaneUse(Every.parse("1h"), "1h", fresh=True)
    found = []
    for part in PartReader(str(pipe), panes, Reading(), clock=lambda: moment[0]).parts():
        found.append((part.pane, [one for ids in part.ids for one in ids.tolist()]))
        if part.rows == 2:
            moment[0] += 10**6
        elif not part.rows:
            passed.set()
    writer.join()
    assert [ids for _, ids in found if ids] == [["a", "b"], ["c"]]
    assert len(found) > 2
    assert found[-1][0] == found[0][0] + 1


def test_a_full_disk_keeps_the_last_checkpoint_and_every_output(panproof, tmp_path, hours, monkeypatch):
    output = tmp_path / "rows.csv"
    words = f"{BY_TIME} --fresh-panes --state {tmp_path}/state --out {output} {hours}"
    replace, saves = os.replace, []

    def full_from_the_third_on(*arguments):
        saves.append(arguments)
        if len(saves) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full_from_the_third_on)
        told = panproof(words)
    assert told.code == 2
    assert "No space left on device" in told.err.splitlines()[-1]
    assert hours_of(outputs_of(output.read_text())) == ["11"]
    assert panproof(words).code == 0
    found = outputs_of(output.read_text())
    assert hours_of(found) == ["11", "12", "13", "14"]
    require_near(found, USERS)


def test_a_counter_in_a_file_is_released_several_times(panproof, tmp_path):
    state, words = tmp_path / "state", f"{COUNT} --releases 2 --state {tmp_path}/state"
    for number in range(2):
        file = tmp_path / f"{number}.txt"
        file.write_text(text_of(range(number * 4_000, number * 4_000 + 8_000)))
        assert f"release {number + 1} of 2" in panproof(f"{words} {file}").out
    assert "promise covers no more" in panproof(f"{words} {file}").one_sentence()
    assert len(json.loads(panproof(f"count --show --state {state} --json").out)["outputs"]) == 2
