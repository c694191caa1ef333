"""In the judged process: fixed seeds, and draws from the global generators.

A fixed seed gives the same noise in each run, so that two releases show the table without noise. A global generator
has one state for the whole process: other code that seeds it repeats the noise, or knows it.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import inspect
import random
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

SEEDS, GLOBALS = "fixed seeds", "global generators"
"""Kinds of acts."""

_MAKERS = frozenset({"default_rng", "RandomState", "seed", "manual_seed", "SeedSequence", "PRNGKey", "Random", "PCG64"})
_PARAMETERS = frozenset({"seed", "random_state", "random_seed"})

SEEN: set[tuple[str, str]] = set()
"""The acts of this process."""

PLACES = {"random": "random._inst", "numpy.random": "numpy.random.mtrand._rand"}
"""The places of the global generators."""

LEFT: dict[str, set[str]] = {}
"""For each place, the digests of the states that a call left and to which no draws lead."""

_OWN_PYTHON, _OWN_NUMPY = random.Random(0), np.random.RandomState(0)
"""Generators that repeat draws. To make one asks the system for random numbers, which counts as an act of the code."""

_MOST_BLOCKS = 64
_WORDS = 624
"""The number of words of a block of the Mersenne Twister."""


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Note whether the global generators are drawn from inside, or seeded. They were seeded before."""
    before = _python(), _numpy()
    try:
        yield
    finally:
        after = _python(), _numpy()
        for name, old, new in zip(("random", "numpy.random"), before, after, strict=True):
            if old != new:
                SEEN.add((GLOBALS, name))


_followed: list[tuple[Any, Any]] | None = None
"""While calls are followed: the states of the global generators after they were last seeded."""


@contextlib.contextmanager
def followed() -> Iterator[None]:
    """Note the states of the global generators that are no result of draws: code can seed them with what it keeps."""
    global _followed
    _followed = []
    try:
        yield
    finally:
        compare()
        _followed = None


def seeded_now() -> None:
    """The judge has seeded the global generators."""
    if _followed is not None:
        _followed[:] = [(_python(), _numpy())]


def compare() -> None:
    """Compare the states of the global generators with those after they were last seeded."""
    for python, numpy in _followed or ():
        after = _python(), _numpy()
        if python != after[0] and not _draws_lead_to(python, after[0]):
            _leave("random", repr(after[0][1]))
        if numpy != after[1] and not _numpy_draws_lead_to(numpy, after[1]):
            _leave("numpy.random", repr(after[1]))


def _leave(name: str, state: str) -> None:
    LEFT.setdefault(PLACES[name], set()).add(hashlib.blake2b(state.encode(), digest_size=16).hexdigest())


def _draws_lead_to(old: Any, new: Any) -> bool:
    """Whether draws lead from one state of Python's generator to another, within some 40,000 words."""
    generator = _OWN_PYTHON
    generator.setstate(old)
    for _ in range(_MOST_BLOCKS):
        if generator.getstate()[1][:-1] == new[1][:-1]:
            return True
        generator.getrandbits(32 * _WORDS)
    return False


def _numpy_draws_lead_to(old: Any, new: Any) -> bool:
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return False
    generator = _OWN_NUMPY
    generator.set_state(("MT19937", np.frombuffer(old[0], dtype=np.uint32), int(old[1]), 0, 0.0))
    for _ in range(_MOST_BLOCKS):
        state: Any = generator.get_state(legacy=False)
        if state["state"]["key"].tobytes() == new[0]:
            return True
        generator.bytes(4 * _WORDS)
    return False


def fixed_seeds(function: FunctionType) -> list[str]:
    """The calls in a function that make or seed a generator with a constant, in words.

    Parameters
    ----------
    function
        A function of the judged code.
    """
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _has_fixed_seed(node):
            words = ast.unparse(node)
            found.append(f"{words[:60]} in line {first + node.lineno - 1}")
    return found


def _has_fixed_seed(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in _MAKERS and call.args and _is_number(call.args[0]):
        return True
    return any(keyword.arg in _PARAMETERS and _is_number(keyword.value) for keyword in call.keywords)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)


def _python() -> Any:
    return random.getstate()


def _numpy() -> Any:
    state: Any = np.random.get_state(legacy=False)
    words = state["state"].get("key")
    return repr(state) if words is None else (words.tobytes(), state["state"]["pos"])
