"""State files with a valid checksum and anything else in them: a state that can be used, or one sentence."""

from __future__ import annotations

import copy
import hashlib
import json
import struct
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pan_estimators import (
    ESTIMATORS_OF_IDS,
    NumpyRandomness,
    StateFileError,
    dump_state,
    load_state,
    parse_state,
)
from tests.public.density.instances import small

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 40)
    | st.integers()
    | st.sampled_from([2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**64, 10**400, -(2**63), 1 << 40])
    | st.floats()
    | st.sampled_from(["", "bool", "int64", "float64", "object", "U9", "sample", "cells", "key", "nan", "\0", "\ud800"])
    | st.sampled_from(list(ESTIMATORS_OF_IDS))
    | st.text(max_size=6)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
SHAPES = st.lists(SCALARS | st.sampled_from([True, False, 0, -1, 7, 2**62]), max_size=3)


def whole_files():
    found = []
    for name in ESTIMATORS_OF_IDS:
        estimator = small(name)
        state = estimator.update(
            estimator.create(NumpyRandomness(1)), estimator.universe.example_ids(2), NumpyRandomness(2)
        )
        content = dump_state(estimator, state)[:-32]
        length = struct.unpack_from("<I", content, 12)[0]
        found.append((json.loads(content[16 : 16 + length]), content[16 + length :]))
    return found


FILES = whole_files()


def sealed(header, body, version=2):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = b"PANSTATE" + struct.pack("<II", version, len(text)) + text + body
    return content + hashlib.sha256(content).digest()


def places(document, path=()):
    """The path of every part of a document."""
    yield path
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in entries:
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


@st.composite
def headers_and_bodies(draw):
    """A whole file, changed in one to three places."""
    header, body = copy.deepcopy(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["replace", "replace", "remove", "add", "shape", "body", "repeat"]))
        if kind == "body":
            body = draw(st.sampled_from([body[:-1], body + b"\0", b"", b"\xff" * len(body), body * 2]))
            continue
        path = draw(st.sampled_from(list(places(header))))
        parent = header
        for key in path[:-1]:
            parent = parent[key]
        if kind == "shape":
            arrays = header.get("arrays")
            if isinstance(arrays, list) and arrays and isinstance(arrays[0], dict):
                draw(st.sampled_from([entry for entry in arrays if isinstance(entry, dict)]))["shape"] = draw(SHAPES)
        elif kind == "repeat":
            if isinstance(parent, list) and parent:
                parent.append(copy.deepcopy(parent[0]))
        elif kind == "add":
            if isinstance(parent, dict):
                parent[draw(st.text(max_size=4))] = draw(VALUES)
        elif path and kind == "remove":
            del parent[path[-1]]
        elif path:
            parent[path[-1]] = draw(VALUES)
    return header, body


def used_or_refused(content, path):
    """The bytes, and the file with them, are a state that can be used, or are refused with one sentence."""
    path.write_bytes(content)
    for read, words in ((partial(parse_state, content), "state file"), (partial(load_state, path), str(path))):
        refused = None
        try:
            estimator, state = read()
        except StateFileError as problem:
            refused = str(problem)
        if refused is not None:
            assert words in refused
            assert "\n" not in refused
            assert len(refused) < 2_000
            continue
        ids, randomness = estimator.universe.example_ids(2), NumpyRandomness(3)
        state = estimator.update(state, ids, randomness)
        estimator.release(state, randomness)
        dump_state(estimator, state)


ANY_HEADER = st.tuples(
    st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=40),
    st.sampled_from([0, 1, 2, 2, 2, 3, 2**32 - 1]),
)


@given(change=headers_and_bodies() | ANY_HEADER)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_changed_file_is_a_state_or_is_refused(tmp_path, change):
    used_or_refused(sealed(*change), tmp_path / "state")


@pytest.mark.parametrize(
    "shape", [[True], [7.0], 7, [], [0, 2**62], [2**62, 4], [-1], [2**70], [1e300], ["7"], [None], [[7]]]
)
def test_shapes_that_are_none_are_refused(shape):
    for header, body in FILES:
        for place in range(len(header["arrays"])):
            changed = copy.deepcopy(header)
            changed["arrays"][place]["shape"] = shape
            with pytest.raises(StateFileError) as caught:
                parse_state(sealed(changed, body))
            assert "\n" not in str(caught.value)
