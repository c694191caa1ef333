"""In the judged process: a randomness whose draws the judge makes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pan_audits.choices.errors import bypass, unfollowable
from pan_audits.choices.followed import FollowedUniforms
from pan_audits.choices.uniform import uniform_numbers
from pan_audits.isolation.data import comparable
from pan_audits.isolation.messages import Channel, Draw, Drawn, written

TOLD_APART = (
    "the estimator behaves differently with the secure and with the seeded randomness, or when its random choices "
    "are repeated: the same draws have another outcome"
)


_UNIFORM = "uniform_numbers"


class RefusedGenerator:
    """It replaces the generator of a seeded randomness if the check follows every outcome."""

    def __getattr__(self, name: str) -> Any:
        raise bypass("the estimator draws from the generator of a seeded randomness, not from the randomness itself")


class JudgesDraws:
    """Draws that the judge makes, and the same ones again."""

    def __init__(
        self,
        channel: Channel,
        node: Callable[[Any], Any],
        value: Callable[[Any], Any],
        *,
        followed: bool,
        apart: int = 0,
    ) -> None:
        self.channel = channel
        self.node = node
        self.value = value
        self.followed = followed
        self.apart = apart
        self.kept: list[tuple[bytes, Drawn]] = []
        self.place = 0

    def made(self, method: str) -> Callable[..., Any]:
        """A method that asks the judge for its draws."""
        if self.followed and method == _UNIFORM:
            return self._uniform(self.made("bernoulli"), self._asking(_UNIFORM))
        return self._asking(method)

    def _asking(self, method: str) -> Callable[..., Any]:
        def drawn(*arguments: Any, **options: Any) -> Any:
            asked = Draw(method, self.node(list(arguments)), self.node(options))
            self.channel.send(asked)
            answer = self.channel.receive()
            assert isinstance(answer, Drawn)
            self.kept.append((comparable(written(asked)), answer))
            return self._read(answer)

        return drawn

    def repeated(self, method: str) -> Callable[..., Any]:
        """A method that repeats the draws of the first call."""
        if self.followed and method == _UNIFORM:
            return self._uniform(self.repeated("bernoulli"), self._repeating(_UNIFORM))
        return self._repeating(method)

    def _uniform(self, bernoulli: Callable[..., Any], asking: Callable[..., Any]) -> Callable[..., Any]:
        """Uniform numbers that are not drawn: compared here, or arrays of them from the judge."""
        here = partial(uniform_numbers, bernoulli=bernoulli)
        if not self.apart:
            return here

        def uniform(low: Any, high: Any, size: int) -> Any:
            if size < self.apart:
                return here(low, high, size)
            found = asking(low, high, size)
            return found.noting(bernoulli) if type(found) is FollowedUniforms else found

        return uniform

    def _repeating(self, method: str) -> Callable[..., Any]:
        def drawn(*arguments: Any, **options: Any) -> Any:
            asked = Draw(method, self.node(list(arguments)), self.node(options))
            if self.place >= len(self.kept) or self.kept[self.place][0] != comparable(written(asked)):
                raise bypass(TOLD_APART)
            self.place += 1
            return self._read(self.kept[self.place - 1][1])

        return drawn

    @property
    def all_repeated(self) -> bool:
        """Whether the second call made all draws of the first call."""
        return self.place == len(self.kept)

    def _read(self, answer: Drawn) -> Any:
        if answer.error:
            raise unfollowable(answer.error)
        return self.value(answer.value)
