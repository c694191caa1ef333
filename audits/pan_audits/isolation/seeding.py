"""In the judged process: fixed seeds, and draws from the global generators.

A fixed seed gives the same noise in each run, so that two releases show the table without noise. A global generator
has one state for the whole process: other code that seeds it repeats the noise, or knows it.
"""

from __future__ import annotations

import ast
import contextlib
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


def fixed_seeds(function: FunctionType) -> list[str]:
    """The calls in a function that make or seed a generator with a constant, in words."""
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
