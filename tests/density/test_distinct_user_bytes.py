"""The bytes of a distinct user counter: its files, damage and forgery."""

import io
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import DistinctUserCounter, InputError, StateFileError
from pan_estimators.density.distinct_user_file import StoredCounter
from pan_estimators.density.distinct_user_saving import load_counter, save_counter
from pan_estimators.states.state_format import StateReader, to_bytes
from tests.density.distinct_users import IDS, KEY, counter


def test_a_counter_continues_from_its_bytes_and_from_a_file(tmp_path):
    one = counter()
    one.add_many(IDS)
    again = DistinctUserCounter.from_bytes(one.to_bytes())
    assert np.array_equal(again._state.cells, one._state.cells)
    assert again.estimator.to_dict() == one.estimator.to_dict()
    assert "void" in again.promise
    path, key_file = tmp_path / "state", tmp_path / "key"
    save_counter(path, one, key_file=key_file, place={"ids": 7})
    assert path.stat().st_mode & 0o777 == key_file.stat().st_mode & 0o777 == 0o600
    assert KEY.hex().encode() not in path.read_bytes()
    found, place = load_counter(path, key_file=key_file)
    assert place == {"ids": 7}
    assert found.estimator.to_dict() == one.estimator.to_dict()
    with pytest.raises(StateFileError, match="needs the file with its key"):
        load_counter(path)
    found.release()
    save_counter(path, found, key_file=key_file)
    assert not key_file.exists()
    assert load_counter(path)[0].erased


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_bytes_are_refused(data):
    content = counter(memory=128).to_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    damaged = data.draw(
        st.sampled_from(
            [
                content[:place],
                content + b"\0",
                content[:place] + bytes([content[place] ^ (1 << data.draw(st.integers(0, 7)))]) + content[place + 1 :],
            ]
        )
    )
    with pytest.raises(StateFileError):
        DistinctUserCounter.from_bytes(damaged)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"p_upd": 0.99}, "the state alone loses"),
        ({"epsilon": 1e9}, "between 0.001 and 20"),
        ({"levels": [[8192, 2**61]]}, "the universe has"),
        ({"estimator": "dwork"}, "does not fit"),
    ],
)
def test_bytes_with_other_parameters_are_refused_though_their_checksum_is_right(change, words, monkeypatch):
    one = counter(memory=1024)
    of_dict = type(one.estimator).to_dict
    monkeypatch.setattr(type(one.estimator), "to_dict", lambda self: of_dict(self) | change)
    content = one.to_bytes()
    with pytest.raises(StateFileError, match=words):
        DistinctUserCounter.from_bytes(content)


VALUES = st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=3) | st.just(10**400)
VALUES |= st.lists(st.integers(-2, 2), max_size=2) | st.dictionaries(st.text(max_size=2), st.integers(), max_size=1)


def places(value, path=()):
    """The paths to all parts of a document."""
    found = [path] if path else []
    for key, part in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        found += places(part, (*path, key))
    return found


@given(st.booleans(), st.data())
@settings(max_examples=150, deadline=None)
def test_any_change_of_the_description_is_read_or_refused_with_a_sentence(spent, data):
    """The checksum is right: the file was not damaged but forged."""
    one = counter(memory=128)
    if spent:
        one.release()
    reader = StateReader(io.BytesIO(one.to_bytes()), len(one.to_bytes()), "it")
    about, arrays = reader.header.configuration, reader.arrays()
    *way, last = data.draw(st.sampled_from(places(about)))
    part = about
    for key in way:
        part = part[key]
    part[last] = data.draw(VALUES)
    try:
        content = to_bytes(replace(reader.header, configuration=about), arrays)
    except ValueError:
        return  # JSON has no such number.
    refused, found = "", None
    try:
        found = DistinctUserCounter.from_bytes(content)
    except StateFileError as problem:
        refused = str(problem)
    assert "\n" not in refused
    if found is None:
        return
    assert found.estimator.calibration.loss <= 2 * found.estimator.epsilon <= 40
    repr(found)
    if not spent:
        found.add_many(IDS)
        found.release()


def test_bytes_of_another_version_are_refused():
    content = counter(memory=128).to_bytes()
    other = content[:8] + struct.pack("<I", 99) + content[12:]
    with pytest.raises(StateFileError, match="version 99"):
        DistinctUserCounter.from_bytes(other)
    with pytest.raises(InputError, match="from bytes"):
        DistinctUserCounter.from_bytes("text")


def test_the_state_of_the_object_is_that_of_the_stored_one():
    one = counter(memory=128)
    stored = StoredCounter(one.estimator, one._state, one.least, one.most)
    assert stored.key_words.tobytes() == KEY
