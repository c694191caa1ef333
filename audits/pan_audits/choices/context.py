"""The context variables of the noise that is followed. Judged code does not set them."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

DECIDER: ContextVar[Any] = ContextVar("DECIDER", default=None)
"""A :class:`pan_audits.choices.deciding.Decider` of comparisons and roundings of noisy numbers, if there is one."""

SHOWING: ContextVar[bool] = ContextVar("SHOWING", default=False)
"""Whether noisy numbers may be written as text."""

CONTEXT = (DECIDER, SHOWING)
