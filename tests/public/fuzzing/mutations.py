"""Documents that are nearly right: one or two places of a real one changed."""

from __future__ import annotations

import copy
import json

from hypothesis import strategies as st

NAMES = [
    "subprocess:Popen",
    "os:system",
    "tests.public.fuzzing.canary:Canary",
    "tests/public/fuzzing/canary.py:Canary",
    "builtins:eval",
]


def deep(levels):
    return json.loads("[" * levels + "]" * levels)


VALUES = st.one_of(
    st.sampled_from(
        [None, True, False, 0, 1, -1, 2, 10**6, 10**12, 2**63, 2**64, 10**30, 10**400, -0.0, 0.5, 1.5, -1e-9, 1e308]
    ),
    st.sampled_from([float("nan"), float("inf"), float("-inf"), "", "\ud800", "a\nb", "x" * 5000, "1e400", "log(0)"]),
    st.sampled_from(NAMES),
    st.sampled_from(
        ["1000000000*log(1.000000001)", "log(1/0)", "1/0", "[nan]", "0/1", "1/0", "state+output", "output"]
    ),
    st.builds(list),
    st.builds(dict),
    st.builds(deep, st.integers(1, 400)),
    st.builds(lambda: {"kind": "integers", "size": 10**12, "first": 0}),
    st.builds(lambda: {"kind": "labels", "labels": ["a", "a"]}),
    st.builds(lambda: {"args": "echo x", "shell": True}),
    st.builds(lambda: [["x", "<=", 1]]),
    st.builds(lambda: {"stream": "online-retail", "start": 0, "stop": 10**9, "without": 1}),
    st.integers(-5, 5),
    st.text(max_size=4),
)
KEYS = st.sampled_from(
    ["args", "shell", "seed", "exact", "privacy", "minimal_witness", "times", "stream", "delete", "x"]
)


def places(document, path=()):
    """Every path of a document."""
    yield path
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inner:
        yield from places(value, (*path, key))


@st.composite
def mutated(draw, document):
    """The document with one or two places changed, removed, doubled or added to."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from([path for path in places(document) if path]))
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        last = path[-1]
        change = draw(st.sampled_from(["value", "value", "value", "remove", "add", "double", "elsewhere"]))
        if change == "remove":
            del holder[last]
        elif change == "add":
            holder[draw(KEYS) if isinstance(holder, dict) else last] = draw(VALUES)
        elif change == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif change == "elsewhere":
            found = document
            for step in draw(st.sampled_from(list(places(document)))):
                found = found[step]
            holder[last] = copy.deepcopy(found)
        else:
            holder[last] = draw(VALUES)
    return document
