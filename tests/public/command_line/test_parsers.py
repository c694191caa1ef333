"""Every input from outside is understood, or refused with one sentence. It never causes a crash."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from pan_audits.audit.replay import witness_in
from pan_audits.cli.judged import parse_settings
from pan_audits.cli.values import parse_bits
from pan_audits.problems.inputs.streams.family import Side
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    Adjacency,
    InputError,
    NumpyRandomness,
    Observed,
    Promise,
    StateFileError,
    dump_state,
    estimator_from_dict,
    parse_state,
)
from pan_promises.errors import sentences_of
from tests.public.density.instances import small

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FILES = {}
for name in ("optimal-bernoulli", "laplace", "pan-private-distinct-sampling", "exact-counter", "graph-density"):
    estimator = small(name)
    FILES[name] = dump_state(estimator, estimator.update(estimator.create(NumpyRandomness(1)), [1], NumpyRandomness(2)))


def one_sentence(problem):
    assert str(problem)
    assert "\n" not in str(problem)


def understood_or_refused(function, argument, kind=InputError):
    try:
        return function(argument)
    except kind as problem:
        for sentence in sentences_of(problem) if isinstance(problem, InputError) else (problem,):
            one_sentence(sentence)
        return None


@st.composite
def promises(draw):
    observed = draw(st.sampled_from(Observed))
    return Promise(
        epsilon=draw(st.floats(1e-6, 100)),
        adjacency=draw(st.sampled_from(Adjacency)),
        delta=draw(st.floats(0, 0.999)),
        observed=observed,
        intrusions=draw(st.integers(1, 4)),
        announced=draw(st.integers(0, 4)),
        outputs=draw(st.integers(1, 4)),
    )


@given(promises())
def test_a_promise_survives_being_written_in_words(promise):
    words = ",".join(f"{name}={value}" for name, value in promise.to_dict().items() if value is not None)
    assert Promise.parse(words) == promise
    assert Promise.from_dict(json.loads(json.dumps(promise.to_dict()))) == promise
    assert "\n" not in promise.describe()


NAMES = st.sampled_from(["epsilon", "delta", "adjacency", "observed", "intrusions", "x"])
NEARLY_PROMISES = st.lists(st.tuples(NAMES, st.text("0.1e-nanuserlv", max_size=12)), max_size=6).map(
    lambda parts: ",".join("=".join(part) for part in parts)
)


@given(st.text(max_size=60) | NEARLY_PROMISES)
def test_any_text_is_a_promise_or_is_refused(text):
    understood_or_refused(Promise.parse, text)


@given(st.dictionaries(st.sampled_from([*Promise.__dataclass_fields__, "x"]), JSON))
def test_any_dictionary_is_a_promise_or_is_refused(values):
    understood_or_refused(Promise.from_dict, values)


@given(st.text(max_size=20) | st.from_regex(r"\A\d{1,12}(\.\d{1,3})?[kMG]?i?(bits?|B)?\Z"))
def test_any_text_is_a_memory_size_or_is_refused(text):
    bits = understood_or_refused(parse_bits, text)
    assert bits is None or 1 <= bits <= 2**50


@given(st.lists(st.text(max_size=20), max_size=4))
def test_any_settings_are_read_or_refused(texts):
    understood_or_refused(parse_settings, texts)


@given(JSON)
def test_any_json_is_a_witness_a_stream_an_estimator_or_is_refused(document):
    if isinstance(document, dict):
        understood_or_refused(witness_in, document)
        understood_or_refused(estimator_from_dict, document)
        understood_or_refused(Side.from_dict, document)


@given(st.sampled_from(list(ESTIMATORS_OF_IDS)), st.data())
def test_a_configuration_with_anything_in_it_is_understood_or_refused(name, data):
    document = small(name).to_dict()
    key = data.draw(st.sampled_from(list(document)))
    document[key] = data.draw(JSON | st.integers(0, 2**65) | st.floats())
    understood_or_refused(estimator_from_dict, document)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_refused_as_a_state(content, magic):
    content = b"PANSTATE" + content if magic else content
    assert understood_or_refused(parse_state, content, StateFileError) is None


@given(st.sampled_from(list(FILES)), st.data())
def test_any_damage_to_a_state_file_is_noticed(name, data):
    content = bytearray(FILES[name])
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    assert understood_or_refused(parse_state, bytes(content), StateFileError) is None
    assert understood_or_refused(parse_state, FILES[name][:place], StateFileError) is None


@given(st.sampled_from(list(FILES)), st.data())
def test_a_forged_checksum_does_not_crash_the_loader(name, data):
    content = bytearray(FILES[name][:-32])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(12, len(content) - 1))] = data.draw(st.integers(0, 255))
    sealed = bytes(content) + hashlib.sha256(content).digest()
    loaded = understood_or_refused(parse_state, sealed, StateFileError)
    if loaded is not None:
        # What was accepted must be a state that its estimator can go on with.
        found, state = loaded
        found.release(found.update(state, found.universe.example_ids(1), NumpyRandomness(1)), NumpyRandomness(2))
