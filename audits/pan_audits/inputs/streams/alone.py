"""Hypothesis without traces of the folder and of the loaded modules, in both directions."""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from collections.abc import Iterator
from typing import Any

from hypothesis import configuration

_HOME = "__hypothesis_home_directory"
_OF_MODULES = "_get_local_constants"
_CACHE = "CONSTANTS_CACHE"


@contextlib.contextmanager
def hypothesis_alone() -> Iterator[None]:
    """Send what Hypothesis writes to a folder that is removed afterwards, and let it read no loaded modules.

    It would draw constants that it finds in local modules. Then equal seeds would give other streams in a process
    that has imported other modules.
    """
    kept = vars(configuration).get(_HOME)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _without_constants(_names()):
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(kept)


def _names() -> dict[str, Any]:
    try:
        providers = importlib.import_module("hypothesis.internal.conjecture.providers")
    except ImportError:
        return {}
    return vars(providers)


@contextlib.contextmanager
def _without_constants(names: dict[str, Any]) -> Iterator[None]:
    """Older versions of Hypothesis, without these names, read no modules."""
    if _OF_MODULES not in names or _CACHE not in names:
        yield
        return
    kept = {name: names[name] for name in (_OF_MODULES, _CACHE)}
    none = names["Constants"]()
    names[_OF_MODULES] = lambda: none
    names[_CACHE] = type(kept[_CACHE])(1024)
    try:
        yield
    finally:
        names.update(kept)
