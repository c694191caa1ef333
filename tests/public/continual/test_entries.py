"""Entries of a stream: their elements, actions and times, the numbers of elements, the steps, and damaged streams."""

from __future__ import annotations

import datetime
import io
import itertools
import json
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pandas  # noqa: F401 - pyarrow imports it, and it then looks at standard input, which a test replaces
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from pan_estimators.reading.elements import HASH_BITS, ElementNumbers, SortedHashes
from pan_estimators.reading.entries import Entries, EntryColumns, EntryReader
from pan_estimators.reading.steps import Division, count_steps
from pan_estimators.reading.times import Every
from pan_estimators.universes.hashed_cells import hashed_cell
from pan_promises.errors import InputError, StateFileError
from tests.public.fuzzing.command import ending_of


def read(*batches):
    reader = EntryReader("the file")
    found = list(
        reader.read({name: list(map(pa.array, columns)) for name, columns in batch.items()} for batch in batches)
    )
    return reader, [value for entries in found for value in entries.elements.tolist()], found


@pytest.mark.parametrize(
    ("batches", "numbers"),
    [
        # Elements have numbers in the order of their first appearance.
        ([[["b", "a", "b"]], [["c", "a"]]], [0, 1, 0, 2, 1]),
        # An element of several columns is their combination.
        ([[["a", "ab", "a"], ["bc", "c", "bc"]]], [0, 1, 0]),
        # Numbers and texts name the same element.
        ([[[7, 8]], [["7", "08"]]], [0, 1, 0, 2]),
    ],
)
def test_elements_have_numbers(batches, numbers):
    reader, found, _ = read(*({"element": columns} for columns in batches))
    assert found == numbers
    assert (len(reader.numbers), reader.rows) == (max(numbers) + 1, len(numbers))


@pytest.mark.parametrize(
    ("actions", "signs"),
    [
        (["insert", " DELETE ", "in", "out", "+", "-", "add", "remove"], [1, -1] * 4),
        (["6", "-6", "0", "-0.0", "2.5", "arrive", "depart"], [1, -1, 0, 0, 1, 1, -1]),
        ([3, -2, 0], [1, -1, 0]),
        ([0.5, -2.0, 0.0], [1, -1, 0]),
    ],
)
def test_actions_are_words_or_numbers_by_their_sign(actions, signs):
    (found,) = read({"element": [["a"] * len(actions)], "action": [actions]})[2]
    assert found.signs.tolist() == signs
    assert read({"element": [["a", "b"]]})[2][0].signs.tolist() == [1, 1]


STAMPS = [datetime.datetime(1970, 1, 1), datetime.datetime(1970, 1, 1, 1)]


@pytest.mark.parametrize(
    "times",
    [
        ["1970-01-01T00:00", "1970-01-01 01:00:00"],
        ["1970-01-01T00:00Z", "1970-01-01T02:00+01:00"],
        ["0", "3600"],
        [0, 3600],
        *(pa.array(STAMPS, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
    ],
)
def test_times_are_iso_dates_or_seconds(times):
    assert read({"element": [["a", "b"]], "time": [times]})[2][0].times.tolist() == [0, 3600 * 10**6]
    days = [datetime.date(1970, 1, 1), datetime.date(1970, 1, 2)]
    assert read({"element": [["a", "b"]], "time": [days]})[2][0].times.tolist() == [0, 24 * 3600 * 10**6]


@pytest.mark.parametrize(
    ("batch", "sentence"),
    [
        ({"element": [["a", " "]]}, "row 2 of the file has no element"),
        ({"element": [["a", None]]}, "row 2 of the file has no element"),
        ({"element": [[1.5]]}, "floating-point numbers as element"),
        ({"element": [["a"]], "action": [["buy"]]}, "row 1 of the file has the action 'buy'"),
        ({"element": [["a"]], "action": [[float("nan")]]}, "row 1 of the file has"),
        ({"element": [["a"]], "time": [["noon"]]}, "row 1 of the file has the time 'noon'"),
        ({"element": [["a"]], "time": [pa.array([None], pa.int64())]}, "row 1 of the file has no time"),
        (
            {"element": [["a"] * 2], "time": [["1970-01-01T00:00", "1970-01-01T00:00Z"]]},
            "row 2 of the file has the time .* and the rows before have no time zone",
        ),
    ],
)
def test_a_bad_row_is_named(batch, sentence):
    with pytest.raises(InputError, match=sentence):
        read(batch)


def test_times_are_in_order_in_a_batch_and_from_batch_to_batch():
    for times in ([[5, 4]], [[5], [4]]):
        with pytest.raises(InputError, match="the time in row 2 of the file lies before"):
            read(*({"element": [["a"] * len(part)], "time": [part]} for part in times))


def test_columns_are_found_by_their_roles_and_no_column_has_two():
    names = ["time", "element", "action", "more"]
    assert EntryColumns().places(names, "f") == {"element": (1,), "action": (2,), "time": (0,)}
    assert EntryColumns(("more", "element")).places(names, "f")["element"] == (3, 1)
    assert EntryColumns().places(["id"], "f") == {"element": (0,)}
    with pytest.raises(InputError, match="'more' of f is given twice"):
        EntryColumns(("more",), "more").places(names, "f")
    with pytest.raises(InputError, match="no column 'absent'"):
        EntryColumns(("absent",)).places(names, "f")
    with pytest.raises(InputError, match="no column 'element'"):
        EntryColumns().places(["a", "b"], "f")


KEY = bytes(range(16))


def numbered(numbers, texts):
    return numbers.of(pa.array(texts, pa.large_string())).tolist()


@given(st.lists(st.lists(st.text(max_size=3), max_size=20), max_size=6))
def test_the_numbers_are_those_of_a_dictionary(batches):
    numbers, known = ElementNumbers(KEY), {}
    for batch in batches:
        assert numbered(numbers, batch) == [known.setdefault(text, len(known)) for text in batch]
    assert len(numbers) == len(known)
    hashes = [hashed_cell(text, 2**HASH_BITS, KEY) + 1 for text in known]
    assert numbers.hashes().tolist() == hashes
    # The table is made again from its hashes.
    again = ElementNumbers(KEY, numbers.hashes())
    assert numbered(again, [*known, "a new one"]) == list(range(len(known) + 1))


@given(
    st.lists(st.lists(st.integers(0, 2**HASH_BITS - 1), max_size=40), max_size=8), st.sampled_from([1, 2**40, 2**56])
)
def test_hashes_that_stand_close_together_or_are_equal_have_the_numbers_of_a_dictionary(batches, unit):
    """A unit makes many hashes share their bucket, and equal hashes share their number."""
    numbers, known = ElementNumbers(KEY), {}
    for batch in batches:
        hashes = [1 + value // unit for value in batch]
        found = numbers.of_hashes(np.array(hashes, dtype=np.uint64)).tolist()
        assert found == [known.setdefault(value, len(known)) for value in hashes]


def test_a_table_grows_and_holds_at_most_12_bytes_for_an_element():
    numbers = ElementNumbers(KEY)
    draw = np.random.default_rng(1)
    known = {}
    for _ in range(35):
        hashes = draw.integers(1, 2**HASH_BITS, 2000).astype(np.uint64)
        again = draw.integers(1, 2**62, 10).astype(np.uint64) if not known else np.array(list(known)[:10], np.uint64)
        hashes = np.concatenate([hashes, again])
        expected = [known.setdefault(value, len(known)) for value in hashes.tolist()]
        assert numbers.of_hashes(hashes).tolist() == expected
        assert numbers.bytes_held <= 10.3 * len(known) + 2**20
    assert 6 * 10**4 < len(known) < numbers.bytes_held / 10


@pytest.mark.parametrize(
    "hashes",
    [
        # The lower 48 bits alone are stored. The others follow from the place.
        1 + (np.arange(2**14, dtype=np.uint64) << np.uint64(48)),
        np.uint64(2**HASH_BITS) - np.arange(700, dtype=np.uint64),
    ],
    ids=["equal lower bits", "the highest"],
)
def test_hashes_at_the_limits_are_told_apart(hashes):
    numbers, places = ElementNumbers(KEY), list(range(hashes.size))
    assert numbers.of_hashes(hashes).tolist() == places
    assert numbers.of_hashes(hashes[::-1].copy()).tolist() == places[::-1]
    assert numbers.hashes().tolist() == hashes.tolist()


@pytest.mark.parametrize("hashes", [[0], [5, 5], [2**HASH_BITS + 1]])
def test_hashes_that_no_table_has_are_refused(hashes):
    with pytest.raises(StateFileError, match="out of range or not different"):
        ElementNumbers(KEY, np.array(hashes, dtype=np.uint64))


@pytest.mark.parametrize("sizes", [(2 * 10**4, 2 * 10**5), (2 * 10**5, 6 * 10**4)])
def test_joining_needs_at_most_9_bytes_more_for_each_hash_in_any_order(monkeypatch, sizes):
    hashes, joined = np.random.default_rng(5).integers(1, 2**HASH_BITS, int(sum(sizes))).astype(np.uint64), []
    take_in = SortedHashes.take_in

    def measured(self, others):
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        take_in(self, others)
        joined.append((len(self), tracemalloc.get_traced_memory()[1] - before))

    monkeypatch.setattr(SortedHashes, "take_in", measured)
    table = ElementNumbers(KEY)
    tracemalloc.start()
    try:
        for part in np.split(hashes, [int(sizes[0])]):
            table.of_hashes(part)
    finally:
        tracemalloc.stop()
    assert joined
    assert all(more <= 9 * size for size, more in joined)


@pytest.mark.parametrize(
    ("text", "entries", "seconds"),
    [("1", 1, 0), ("1000", 1000, 0), ("30s", 0, 30), ("15min", 0, 900), ("2d", 0, 172800)],
)
def test_a_distance_is_a_number_of_entries_or_a_time(text, entries, seconds):
    assert Every.parse(text) == Every(entries, seconds * 10**6)
    for wrong in ("", "0", "0h", "-1", "1.5h", "h", "1 h", "1y", "1_0", "9" * 12, "٣"):
        with pytest.raises(InputError, match="--every takes"):
            Every.parse(wrong)


def reference(numbers, first, last):
    """The entries of each step from the first to the last one."""
    return [[place for place, number in enumerate(numbers) if number == step] for step in range(first, last + 1)]


def divided(division, parts):
    """The steps of a division, as lists of elements, with their labels."""
    steps, labels = [], []
    for part in [*(found for entries in parts for found in division.add(entries)), division.finish()]:
        assert part.ends.size == part.labels.size
        assert part.elements.size == part.signs.size == (part.ends[-1] if part.ends.size else 0)
        steps += [rest.tolist() for rest in np.split(part.elements, part.ends)[:-1]]
        labels += part.labels.tolist()
    return steps, labels


def cut(columns, places):
    bounds = [0, *sorted(places), len(columns[0])]
    for start, end in itertools.pairwise(bounds):
        times = None if columns[1] is None else np.array(columns[1][start:end], dtype=np.int64)
        elements = np.array(columns[0][start:end], dtype=np.int64)
        yield Entries(elements, np.ones(elements.size, dtype=np.int8), times)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 9), st.data())
def test_steps_of_a_time_hold_the_entries_of_that_time_and_no_time_is_left_out(gaps, width, data):
    seconds = np.cumsum(gaps).tolist()
    places = data.draw(st.lists(st.integers(0, len(gaps)), max_size=4))
    elements = list(range(len(gaps)))
    parts = cut((elements, [second * 10**6 for second in seconds]), places)
    steps, labels = divided(Division(Every.parse(f"{width}s")), parts)
    numbers = [second // width for second in seconds]
    assert steps == reference(numbers, numbers[0], numbers[-1])
    assert labels == [(number + 1) * width * 10**6 for number in range(numbers[0], numbers[-1] + 1)]


@given(st.integers(1, 40), st.integers(1, 9), st.data())
def test_steps_of_entries_have_so_many_entries_and_the_last_one_the_rest(count, size, data):
    places = data.draw(st.lists(st.integers(0, count), max_size=4))
    steps, labels = divided(Division(Every.parse(str(size))), cut((list(range(count)), None), places))
    assert steps == [list(range(start, min(start + size, count))) for start in range(0, count, size)]
    assert labels == [min(start + size, count) for start in range(0, count, size)]


def test_weeks_end_on_mondays():
    day = 86400 * 10**6
    times = np.array([0, 3 * day, 4 * day, 17 * day])
    part = Entries(times, np.ones(4, dtype=np.int8), times)
    steps, labels = divided(Division(Every.parse("1w")), [part])
    assert [len(step) for step in steps] == [2, 1, 1]
    assert [str(np.datetime64(label, "us").astype("datetime64[D]")) for label in labels] == [
        "1970-01-05",
        "1970-01-12",
        "1970-01-19",
    ]
    assert count_steps("the file", Every.parse("1w"), [{"time": [pa.array(times // 10**6)]}]) == 3
    with pytest.raises(InputError, match="more than 100 releases"):
        list(Division(Every.parse("1h"), 100).add(part))
    with pytest.raises(InputError, match="need a column of times"):
        list(Division(Every.parse("1h")).add(Entries(times, part.signs, None)))


FAR = "time,element,action\n2016-12-31 22:00:00,1,insert\n2016-12-31 23:30:00,2,insert\n9999-12-31 23:00:00,3,insert\n"


def test_a_date_that_stands_for_none_makes_no_70_million_outputs(panproof, tmp_path):
    """A file is refused before anything is released, and a pipe ends after the outputs before."""
    (tmp_path / "far.csv").write_text(FAR)
    told = panproof("follow", "turnstile-recompute", "--rho", 1, "--every", "1h", tmp_path / "far.csv").one_sentence()
    assert "69,977,520 releases would lie between rows 2 and 3 of" in told
    state, output = tmp_path / "state", tmp_path / "rows.csv"
    words = ("follow", "turnstile-recompute", "--rho", 1, "--every", "1h", "--steps", 10**8, "--state", state)
    words += ("--out", output)
    outcome = panproof(*words, "-", stdin=FAR.encode())
    assert outcome.code == 2
    assert "69,977,520 releases would lie between two entries" in outcome.err
    assert len(output.read_text().splitlines()) == 2
    # The rows before it are known, and the corrected stream goes on.
    corrected = FAR.replace("9999-12-31", "2017-01-01")
    assert panproof(*words, "-", stdin=corrected.encode()).code == 0
    assert len(output.read_text().splitlines()) == 1 + 26


ELEMENTS = st.sampled_from(["a", "b", "7", "007", "", " ", "NA", "é", "x" * 300, "a\x1fb", "\x1b", "a,b", 'a"', "a\nb"])
ACTIONS = st.sampled_from(
    ["insert", "delete", "+", "-", "IN", "out", "0", "-2.5", "3", "", "jump", "1e9", "9" * 40, "NA"]
)
TIMES = st.one_of(
    st.integers(0, 10**5).map(str),
    st.sampled_from(["2026-01-01", "2026-01-01T10:00Z", "2026-01-01T10:00", "noon", "", "-5", "9" * 12, "9" * 20]),
)


@st.composite
def rows(draw):
    """Rows that are mostly right."""
    names = draw(st.permutations(["element", "action", "time"]))[: draw(st.integers(1, 3))]
    kinds = {"element": ELEMENTS, "action": ACTIONS, "time": TIMES}
    ordered = draw(st.booleans())
    found = draw(st.lists(st.fixed_dictionaries({name: kinds[name] for name in names}), max_size=12))
    if ordered:
        for place, row in enumerate(found):
            row |= {name: value for name, value in (("time", str(place * 977)),) if name in row}
    return names, found


@st.composite
def streams(draw):
    """The suffix of a file, its content, and options."""
    names, found = draw(rows())
    kind = draw(st.sampled_from(["csv", "jsonl", "parquet", "arrows"]))
    kept, table = io.BytesIO(), pa.table({name: [row[name] for row in found] for name in names})
    if kind == "csv":
        quoted = [",".join('"' + row[name].replace('"', '""') + '"' for name in names) for row in found]
        kept.write("\n".join([",".join(names), *quoted]).encode() + draw(st.sampled_from([b"", b"\n", b"\n\n"])))
    elif kind == "jsonl":
        kept.write("\n".join(map(json.dumps, found)).encode())
    elif kind == "parquet":
        parquet.write_table(table, kept)
    else:
        with ipc.new_stream(kept, table.schema) as writer:
            writer.write_table(table)
    damaged = bytearray(kept.getvalue())
    for _ in range(draw(st.sampled_from([0, 0, 1, 3])) if damaged else 0):
        damaged[draw(st.integers(0, len(damaged) - 1))] ^= draw(st.integers(1, 255))
    content = bytes(damaged[: draw(st.just(len(damaged)) | st.integers(0, len(damaged)))])
    options = []
    for words in (
        ("--every", draw(st.sampled_from(["1", "3", "1h", "1w", "5s"]))),
        ("--missing", draw(st.sampled_from(["fail", "skip", "count"]))),
        ("--missing-text", "NA"),
        ("--element", draw(st.sampled_from(["element", "more", "element,more", "", ","]))),
        ("--model", draw(st.sampled_from(["general", "strict", "toggle"]))),
        ("--format", draw(st.sampled_from(["auto", "csv", "tsv", "jsonl", "parquet", "arrow"]))),
        ("--steps", draw(st.sampled_from(["1", "5", "100"]))),
        ("--json",),
    ):
        options += words if draw(st.booleans()) else ()
    return kind, content, options


def ends_well(words):
    """The ending of a command, which is a result or refusals without a traceback."""
    ending = ending_of(("follow", "turnstile-recompute", "--period", "1", *map(str, words)))
    assert ending.code in (0, 2), (ending, words)
    assert "Traceback" not in ending.err
    assert "internal error" not in ending.err, ending.err
    return ending


@pytest.mark.more
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(streams())
def test_any_stream_is_followed_or_refused_with_one_sentence(stream):
    suffix, content, options = stream
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"rows.{suffix}"
        file.write_bytes(content)
        ending = ends_well(("--rho", 1e6, "--seed", 1, *options, file))
    if ending.code == 2:
        lines = ending.err.splitlines()
        assert lines
        assert all(line.startswith("panproof: ") and len(line) < 1000 for line in lines), lines


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(rows(), st.integers(0, 12), st.sampled_from(["1", "2", "1h"]))
def test_a_run_that_a_bad_or_missing_row_ends_goes_on_as_if_it_had_not(found, cut, every):
    """The file is first cut or has a bad row, and is then whole."""
    names, kept = found
    head = ",".join(names) + "\n"
    lines = [",".join('"' + row[name].replace('"', '""') + '"' for name in names) + "\n" for row in kept]
    options = ("--seed", 3, "--rho", 1, "--every", every, "--steps", 5000, "--missing", "count", "--open-end")
    outputs = []
    for parts in ([lines], [lines[:cut], lines], [[*lines[:cut], "jump" * 20 + "," * len(names) + "\n"], lines]):
        with tempfile.TemporaryDirectory() as folder:
            file, state, out = (Path(folder) / name for name in ("rows.csv", "state", "out.csv"))
            for part in parts:
                file.write_text(head + "".join(part))
                ending = ends_well((*options, "--state", state, "--out", out, file))
            outputs.append((ending.code, out.read_text() if out.exists() else ""))
    assert outputs[0] == outputs[1] == outputs[2]
