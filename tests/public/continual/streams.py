"""Streams of three elements with their values from the definitions, sources of given noise, and the exact check."""

import itertools

import numpy as np
from hypothesis import strategies as st

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.intake.discovery import find_mechanism
from tests.public.continual.counters import Silent


class Given(Silent):
    """A source of randomness whose normal noise is given."""

    def __init__(self, noise):
        self.noise = np.asarray(noise, dtype=float)

    def gaussian(self, location=0.0, scale=1.0, size=None):
        count = 1 if size is None else int(np.prod(size))
        taken, self.noise = self.noise[:count], self.noise[count:]
        return location + (taken[0] if size is None else taken)


def checked(name, length, promise=None, **parameters):
    """The exact check of a counter by its name, on streams of its elements or of one."""
    mechanism = find_mechanism(name, parameters={"steps": length, "rho": 0.5, **parameters}, promise=promise)
    return run_check(
        SmallInstances.of(mechanism), CheckSettings(users=parameters.get("elements", 1), length=length, seconds=60)
    )


@st.composite
def cut_streams(draw):
    """Elements, signs and ends of the steps, and the places where the stream is cut between steps."""
    stream = draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([1, -1, 0])), max_size=12))
    if draw(st.booleans()):
        # Each entry changes the existence of its element.
        elements = [element for element, _ in stream]
        stream = [(one, (-1) ** elements[:place].count(one)) for place, one in enumerate(elements)]
    some = st.lists(st.integers(0, len(stream)), max_size=5).map(lambda ends: [*sorted(ends), len(stream)])
    ends = draw(some | st.just(list(range(1, len(stream) + 1)) or [0]))
    cuts = sorted(draw(st.sets(st.integers(0, len(ends)), max_size=3)))
    return [entry[0] for entry in stream], [entry[1] for entry in stream], ends, cuts


def followed(counter, stream, randomness, between=lambda state: state):
    """The outputs on a stream that comes in parts; the state may change between two parts."""
    elements, signs, ends, cuts = stream
    state, outputs = counter.create(randomness), []
    for first, last in itertools.pairwise([0, *cuts, len(ends)]):
        start, stop = (ends[first - 1] if first else 0), (ends[last - 1] if last else 0)
        part = [np.array(column[start:stop], dtype=int) for column in (elements, signs)]
        steps = np.array(ends[first:last], dtype=int) - start
        outputs += counter.follow(state, *part, randomness, steps).tolist()
        state = between(state)
    return outputs


def vectors(stream, last_entry_decides=False):
    """The existence of each element after each step, from the definition."""
    elements, signs, ends, _ = stream
    found = {element: [] for element in range(3)}
    for end in ends:
        for element, vector in found.items():
            own = [sign for one, sign in zip(elements[:end], signs[:end], strict=True) if one == element and sign]
            vector.append(int((own[-1] if own else 0) > 0 if last_entry_decides else sum(own) > 0))
    return list(found.values())


def flippancies(stream):
    """The flippancy of each element after each step; the first step is no flip."""
    plain = np.array(vectors(stream))
    return np.cumsum(np.diff(plain, axis=1, prepend=plain[:, :1]) != 0, axis=1)


def zeroed(stream, bound):
    """The existence vectors that are 0 once their flippancy exceeds the bound."""
    return np.where(flippancies(stream) <= bound, vectors(stream), 0)
