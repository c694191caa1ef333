"""A state comes back from its file as it was, or not at all."""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np
import pytest

from pan_audits.events.observing.values import fingerprint
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    InputError,
    NumpyRandomness,
    StateFileError,
    dump_state,
    load_state,
    optimal_bernoulli,
    parse_state,
    save_state,
)
from tests.public.density.instances import small


@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
def test_a_state_survives_its_file_and_goes_on_to_the_same_output(name, tmp_path):
    estimator = small(name)
    state = estimator.update(estimator.create(NumpyRandomness(1)), [1, 2], NumpyRandomness(2))
    save_state(tmp_path / "state", estimator, state)
    found, loaded = load_state(tmp_path / "state", estimator)
    assert fingerprint(loaded) == fingerprint(state)
    assert found.to_dict() == estimator.to_dict()
    outputs = [
        estimator.release(estimator.update(each, [3], NumpyRandomness(3)), NumpyRandomness(4))
        for each in (state, loaded)
    ]
    assert outputs[0] == outputs[1]


def content_of_a_file():
    estimator = optimal_bernoulli(universe=30, epsilon=0.5, sample_size=7)
    return dump_state(estimator, estimator.create(NumpyRandomness(1)))


def sealed(content):
    return content + hashlib.sha256(content).digest()


def with_header(change):
    content = content_of_a_file()[:-32]
    length = struct.unpack_from("<I", content, 12)[0]
    header = json.loads(content[16 : 16 + length])
    change(header)
    text = json.dumps(header).encode()
    return sealed(content[:12] + struct.pack("<I", len(text)) + text + content[16 + length :])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a panproof state file"),
        (content_of_a_file()[:20], "truncated"),
        (content_of_a_file() + b"x", "truncated or corrupted"),
        (content_of_a_file()[:60] + b"?" + content_of_a_file()[61:], "not a valid description|checksum does not match"),
        (content_of_a_file()[:8] + struct.pack("<I", 9) + content_of_a_file()[12:], "version 9; this panproof reads"),
        (sealed(b"PANSTATE" + struct.pack("<II", 2, 2**31)), "header claims"),
        (sealed(b"PANSTATE" + struct.pack("<II", 1, 2) + b"{}"), "version 1; this panproof reads version 2; older"),
        (with_header(lambda header: header["configuration"].update(estimator="mine")), "unknown estimator 'mine'"),
        (with_header(lambda header: header["configuration"].update(universe={"size": 3})), "description of a universe"),
        (with_header(lambda header: header["arrays"][0].update(dtype="object")), "type object"),
        (with_header(lambda header: header["arrays"][0].update(name="cells")), "impossible arrays"),
        (with_header(lambda header: header.update(releases=1)), "1 releases, where its promise covers 1"),
        (with_header(lambda header: header.update(spent=True)), "impossible arrays"),
        (with_header(lambda header: header.update(key_digest="7")), "needs the file with the key"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_with_one_sentence(content, words):
    with pytest.raises(StateFileError, match=words) as caught:
        parse_state(content)
    assert "\n" not in str(caught.value)


def test_a_file_of_another_configuration_is_refused(tmp_path):
    mine = optimal_bernoulli(universe=30, epsilon=0.5, sample_size=7)
    other = optimal_bernoulli(universe=30, epsilon=0.4, sample_size=7)
    save_state(tmp_path / "state", other, other.create(NumpyRandomness(1)))
    with pytest.raises(StateFileError, match=r"written for epsilon = 0.4, not for epsilon = 0.5"):
        load_state(tmp_path / "state", mine)


def test_a_missing_file_and_an_impossible_place_are_refused(tmp_path):
    estimator = optimal_bernoulli(universe=30, epsilon=0.5, sample_size=7)
    with pytest.raises(StateFileError, match="cannot read the state file"):
        load_state(tmp_path / "nothing")
    with pytest.raises(InputError, match="cannot write the state"):
        save_state(tmp_path / "no" / "folder", estimator, estimator.create(NumpyRandomness(1)))


def test_a_failed_save_leaves_the_old_file(tmp_path):
    estimator = optimal_bernoulli(universe=30, epsilon=0.5, sample_size=7)
    state = estimator.create(NumpyRandomness(1))
    save_state(tmp_path / "state", estimator, state)
    before = (tmp_path / "state").read_bytes()
    state.cells = state.cells.astype(np.complex128)
    with pytest.raises(InputError, match="bool, int64 and float64"):
        save_state(tmp_path / "state", estimator, state)
    assert (tmp_path / "state").read_bytes() == before
