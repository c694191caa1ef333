"""The messages between the judge and a judged process are read as they were written; anything else is refused."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation import messages
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.messages import Message, Runs, Turns, read, written

SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = {
    "bool": st.booleans(),
    "bytes": st.binary(max_size=5),
    "float": st.floats(allow_nan=False),
    "int": st.integers(-(2**70), 2**70),
    "str": st.text(max_size=5),
    "str | None": st.none() | st.text(max_size=5),
    "Node": st.lists(st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(max_codepoint=127)), max_size=3),
    "Sequence[Any]": st.lists(SCALARS, max_size=3),
    "Sequence[float]": st.lists(st.floats(allow_nan=False), max_size=3),
    "Sequence[int] | None": st.none() | st.lists(st.integers(0, 2**70), max_size=3),
    "Sequence[str]": st.lists(st.text(max_size=5), max_size=3),
    "Sequence[int]": st.lists(st.integers(0, 2**70), max_size=3),
    "bytes | None": st.none() | st.binary(max_size=5),
    "tuple[Any, ...]": st.tuples(SCALARS, SCALARS),
    "tuple[str, ...]": st.tuples(st.sampled_from(["a", "b c"])),
    "Mapping[str, str]": st.dictionaries(st.sampled_from(["a", "b c"]), st.sampled_from(["a", "b c"]), max_size=2),
    "Course": st.just([]),
    "Sequence[Course]": st.just([]),
}
SCRIPTS = st.builds(messages.Script, st.just((1,)), st.tuples(st.integers(-9, 9)), st.integers(0, 2**70))
VALUES |= {"Script": SCRIPTS}
KINDS = [
    kind
    for kind in vars(messages).values()
    if isinstance(kind, type) and issubclass(kind, Message) and is_dataclass(kind)
]


@given(st.data())
@settings(max_examples=20)
@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_read_as_it_was_written(kind, data):
    sent = kind(*(data.draw(VALUES[each.type]) for each in fields(kind)))
    if kind is messages.Question:
        with pytest.raises(DataError):
            read(messages.Call, written(sent))
        return
    assert read(Message, msgpack.unpackb(msgpack.packb(written(sent)))) == sent


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3), st.sampled_from(SegmentEnd))
def test_no_two_courses_share_an_array(ids, step):
    course = [(np.array(ids), np.array([True] * len(ids)), step), (np.array(ids), None, step)]
    found = read(Turns, written(Turns("key", [course, list(course)], [1])))
    arrays = [each for one in found.courses for given, deletions, _ in one for each in (given, deletions)]
    assert len({id(each) for each in arrays if each is not None}) == 6
    assert all(end is step for one in found.courses for *_, end in one)
    for one in found.courses:
        assert np.array_equal(one[0][0], ids)
        assert one[0][1].all()
        assert one[1][1] is None


@given(
    st.recursive(
        SCALARS | st.binary(max_size=4) | st.sampled_from([kind.__name__ for kind in KINDS]),
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    )
)
def test_what_is_no_message_is_refused(sent):
    for kind in (Message, Runs):
        try:
            found = read(kind, sent)
        except DataError:
            continue
        assert isinstance(found, kind)
