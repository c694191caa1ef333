"""The name ``type`` for judged code: noise and uniform numbers do not show that they are no doubles."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property, partial
from types import FunctionType
from typing import Any

from pan_audits.choices.errors import NOT_JUDGED, unfollowable
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.uniform import UniformNumber


class _Guarded(type):
    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if cls is not guarded_type:
            return super().__call__(*arguments, **options)
        if len(arguments) == 1 and type(arguments[0]) in (NoisyNumber, UniformNumber):
            raise unfollowable(
                "the estimator asks for the type of a noisy or of a uniform number, which is not the double of a run"
            )
        return type(*arguments, **options)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, type)


class guarded_type(type, metaclass=_Guarded):  # noqa: N801 (it has the place of ``type``)
    """The built-in ``type``, which refuses noise and uniform numbers."""


def guard_type(judged: Any) -> None:
    """Let the modules of judged code find :class:`guarded_type` under the name ``type``.

    Parameters
    ----------
    judged
        A function, a class, or an object.
    """
    libraries = {*NOT_JUDGED, *sys.stdlib_module_names} - {"__main__"}
    for names in _globals_of(judged):
        if str(names.get("__name__", "")).partition(".")[0] not in libraries:
            names.setdefault("type", guarded_type)


def _globals_of(judged: Any) -> Iterator[dict[str, Any]]:
    while isinstance(judged, partial):
        judged = judged.func
    judged = getattr(judged, "__func__", judged)
    if isinstance(judged, FunctionType):
        yield judged.__globals__
        return
    for base in (judged if isinstance(judged, type) else type(judged)).__mro__:
        for part in vars(base).values():
            if isinstance(part, cached_property):
                part = part.func
            for function in (part, getattr(part, "__func__", None), getattr(part, "fget", None)):
                if isinstance(function, FunctionType):
                    yield function.__globals__
