"""The answers about noise that is not drawn, while judged code runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pan_audits.choices.context import DECIDER

if TYPE_CHECKING:
    from pan_audits.choices.noise import NoisyNumber


@dataclass(frozen=True)
class Decider:
    """The answers that code needs about noise that is not drawn.

    Attributes
    ----------
    compared
        Whether a noisy number is above 0, or, if the second argument is false, at least 0. It must answer consistently
        with all its earlier answers.
    whole_part
        The integer below a noisy number, or, if the second argument is true, the next one towards 0, as a number with
        integer noise. The third argument says whether it becomes a double, whose zero has a sign.
    """

    compared: Callable[[NoisyNumber, bool], bool]
    whole_part: Callable[[NoisyNumber, bool, bool], NoisyNumber]


@contextmanager
def deciding(decider: Decider) -> Iterator[None]:
    """Let comparisons and roundings of noisy numbers be decided by functions."""
    token = DECIDER.set(decider)
    try:
        yield
    finally:
        DECIDER.reset(token)
