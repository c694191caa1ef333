"""A class, a function or an object that the person holds, handed over to a process of its own."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import cloudpickle

from pan_promises.errors import InputError


def packed(thing: Any, neighbours: Any = None, *, module: ModuleType | None = None) -> bytes:
    """A thing and its neighbours as bytes, from which a judged process makes them again.

    The judge writes these bytes and never reads any that a judged process wrote.
    """
    by_value = (
        module if module is not None and module.__name__ not in cloudpickle.list_registry_pickle_by_value() else None
    )
    if by_value is not None:
        cloudpickle.register_pickle_by_value(by_value)
    try:
        data: bytes = cloudpickle.dumps((thing, neighbours))
    except Exception as problem:
        raise InputError(f"{name_of(thing)} cannot be sent to a separate process: {problem}") from None
    finally:
        if by_value is not None:
            cloudpickle.unregister_pickle_by_value(by_value)
    return data


def name_of(thing: Any) -> str:
    """A name to show: that of the class or function, or of the object's class."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return str(named.__qualname__)
