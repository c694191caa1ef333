"""Messages between an analyst and sites: questions, answers, noisy counts, and channels that record and replay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown


class Question(Protocol):
    """A question to a site: plain data with a budget, and the private answer.

    Attributes
    ----------
    words
        The question as a text, by which the site knows it again. Two questions with different answers have two texts.
    epsilon
        The budget that an answer spends.
    """

    @property
    def words(self) -> str: ...

    @property
    def epsilon(self) -> float: ...

    def answer(self, table: Table, randomness: Randomness) -> Any:
        """The private answer."""
        ...

    def accepts(self, answer: Any) -> bool:
        """Whether something that came from a site can be an answer. The analyst trusts no site."""
        ...


@dataclass(frozen=True)
class Message:
    """An answer of a site.

    Attributes
    ----------
    site
        The number of the site, from 0.
    question
        The question, as a text.
    answer
        The answer.
    """

    site: int
    question: str
    answer: Any


class Channel(Protocol):
    """Passes questions to sites. The analyst has nothing else.

    Attributes
    ----------
    sites
        The number of sites.
    """

    @property
    def sites(self) -> int: ...

    def ask(self, site: int, question: Question) -> Any:
        """The answer of a site."""
        ...

    def every(self, question: Question) -> list[Any]:
        """The answers of all sites, in the order of their numbers. They may answer at the same time."""
        ...


def require_answer(site: int, question: Question, answer: Any) -> None:
    """Raise :class:`InputError` unless an answer of a site fits its question."""
    if not question.accepts(answer):
        raise InputError(f"site {site + 1} has sent no answer to the question {question.words!r}: {shown(answer)}")


@dataclass(eq=False)
class Recorded:
    """A channel that writes each message down: the transcript.

    The first answer of a site to a question counts. A second one is no new message, and must be equal.

    Attributes
    ----------
    channel
        The channel that it passes questions to.
    messages
        The transcript so far.
    """

    channel: Channel
    messages: list[Message] = field(default_factory=list)
    _known: dict[tuple[int, str], Any] = field(default_factory=dict)

    @property
    def sites(self) -> int:
        """The number of sites."""
        return self.channel.sites

    def ask(self, site: int, question: Question) -> Any:
        """The answer of a site, which is written down."""
        place = site, question.words
        if place not in self._known:
            self._known[place] = self.channel.ask(site, question)
            self.messages.append(Message(site, question.words, self._known[place]))
        return self._known[place]

    def every(self, question: Question) -> list[Any]:
        """The answers of all sites, which are written down."""
        if not any((site, question.words) in self._known for site in range(self.sites)):
            for site, answer in enumerate(self.channel.every(question)):
                self._known[site, question.words] = answer
                self.messages.append(Message(site, question.words, answer))
        return [self.ask(site, question) for site in range(self.sites)]


class Replayed:
    """A channel that answers from a transcript, without any site."""

    def __init__(self, messages: Sequence[Message]) -> None:
        if not messages:
            raise InputError("the transcript has no messages")
        self._known: dict[tuple[int, str], Any] = {}
        for one in messages:
            if self._known.setdefault((one.site, one.question), one.answer) is not one.answer and (
                self._known[one.site, one.question] != one.answer
            ):
                raise InputError(f"site {one.site + 1} answered the question {one.question!r} in two ways")
        self.sites = max((one.site for one in messages), default=-1) + 1

    def ask(self, site: int, question: Question) -> Any:
        """The answer in the transcript."""
        if (site, question.words) not in self._known:
            raise InputError(f"the transcript has no answer of site {site + 1} to the question {question.words!r}")
        answer = self._known[site, question.words]
        require_answer(site, question, answer)
        return answer

    def every(self, question: Question) -> list[Any]:
        """The answers of all sites in the transcript."""
        return [self.ask(site, question) for site in range(self.sites)]


AT_SITE, AT_ANALYST = "site", "analyst"
"""The places at which negative counts become 0."""


def require_clip(clip: Any) -> None:
    """Raise :class:`InputError` unless negative counts become 0 at a known place."""
    if clip not in (AT_SITE, AT_ANALYST):
        raise InputError(f"negative counts become 0 at the {AT_SITE} or at the {AT_ANALYST}, got {shown(clip)}")


def are_counts(answer: Any, cells: int | None = None) -> bool:
    """Whether an answer is a list of finite numbers, and has a number of cells if one is given."""
    return (
        isinstance(answer, list)
        and (cells is None or len(answer) == cells)
        and all(isinstance(one, (int, float)) and not isinstance(one, bool) and math.isfinite(one) for one in answer)
    )


@dataclass(frozen=True)
class Counts:
    """The joint counts of some attributes with Laplace noise, with pure epsilon for one replaced row.

    One replaced row changes them by at most 2 in the L1 norm. One added row changes them by 1.
    """

    places: tuple[int, ...]
    epsilon: float
    clip: str = AT_ANALYST
    cells: int | None = None

    @property
    def words(self) -> str:
        """The question as a text."""
        clipped = ", clipped" if self.clip == AT_SITE else ""
        return f"counts of {','.join(map(str, self.places))} (epsilon {self.epsilon!r}{clipped})"

    def answer(self, table: Table, randomness: Randomness) -> list[Any]:
        """The noisy counts, the last attribute running fastest."""
        noisy = [randomness.laplace(int(count), 2 / self.epsilon) for count in table.counts(self.places).ravel()]
        return [max(0.0, count) for count in noisy] if self.clip == AT_SITE else noisy

    def accepts(self, answer: Any) -> bool:
        """Whether an answer is a list of finite numbers, one for each cell."""
        return are_counts(answer, self.cells)
