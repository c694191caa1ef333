"""The distinct user counter: it takes ids of any kind, counts its releases, erases itself, and is kept in files."""

from __future__ import annotations

import os
import warnings
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from pan_estimators.common.registry import promises
from pan_estimators.density.distinct.counter import DistinctCounter, DistinctCounterState
from pan_estimators.density.distinct.files import Output, StoredCounter, hashed, key_words_of, stored_from_bytes
from pan_estimators.density.distinct.ids import checked_id, checked_key, id_pieces
from pan_estimators.density.distinct.output import LARGE_ERROR, USELESS, DistinctCount
from pan_estimators.density.distinct.planning import LEAST_BITS, MOST_BITS
from pan_estimators.density.distinct.presets import UNIVERSE, planned_counter
from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.key_file import KeyWords, destroy_left_key, kept_key, write_with_key
from pan_estimators.states.private_files import open_regular
from pan_estimators.states.releasing import releases_covered, spent_in_children
from pan_estimators.states.state_format import MAGIC
from pan_estimators.universes.ids import Ids, kind_of, kind_of_one
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, require_count, require_probability


class DistinctUserCounter:
    """A pan-private counter of the distinct users of a stream, for ids of any kind and an unknown number of users.

    It counts its releases and refuses one beyond its promise. After the last one it erases its bits and its key, and
    keeps its outputs. Its ids are all whole numbers or all texts. As a context manager it erases itself at the end.
    Threads may use one counter together. A process that is forked gets a spent copy: the counter stays with its parent.

    Model: one intrusion at any time, which shows the whole object with its key; the outputs; and nothing else. Each
    reading of a copy, in memory or in a file, is an intrusion.

    Promise (distinct.joint_privacy; for several releases distinct.releases): ``promise_epsilon``, user-level, state
    and all outputs jointly, for every key and also if the adversary knows the key. It does not cover the number of
    calls, nor the kind of the ids, which the first ids decide.

    Parameters
    ----------
    promise_epsilon
        The promised loss, in nats, from 0.002 to 40.
    memory
        The largest size of the bits in bytes, from 128 to 2^27; 8 KiB by default. In the working memory a bit takes a
        byte. A counter for few users has fewer bits, because its error is then smaller.
    least, most
        The range of the number of users in which the greatest relative error is small. It is public.
    releases
        The number of releases R at public times, from 1 to 8. Each counts all users so far; one promise covers all.
    key
        The key of the hash: 16 secret bytes, fresh by default. Give one only for counters that share it.
    randomness
        The source of the bits and of the noise; a secure one by default. Another one is for tests.
    updates_only
        Whether it only takes ids here, and is released where OpenDP is installed.

    Attributes
    ----------
    place
        The place in an input that the bytes held from which the counter was read.

    Raises
    ------
    InputError
        If a parameter is out of range.
    MissingExtraError
        Without OpenDP (extra ``secure``), unless other randomness is given or it only takes ids; without scipy (extra
        ``suite``), if there is no preset for these parameters.

    Examples
    --------
    >>> from pan_estimators import DistinctUserCounter
    >>> counter = DistinctUserCounter(promise_epsilon=2, most=1e5, least=1e2)
    >>> counter.add_many(f"user {number}" for number in range(0))
    Traceback (most recent call last):
        ...
    pan_promises.errors.InputError: ids are a list or a column of numpy, Arrow, polars or pandas, got generator
    >>> counter.add_many([f"user {number % 5000}" for number in range(20_000)])
    >>> count = counter.release()
    >>> 0.5 < count.count / 5000 < 2
    True
    """

    @promises
    def __init__(
        self,
        *,
        promise_epsilon: float,
        memory: int = 2**13,
        least: float = 1e4,
        most: float = 1e9,
        releases: int = 1,
        key: bytes | None = None,
        randomness: Randomness | None = None,
        updates_only: bool = False,
    ) -> None:
        require_count("the memory in bytes", memory, least=LEAST_BITS // 8, most=MOST_BITS // 8)
        universe = HashedUniverse(UNIVERSE) if key is None else HashedUniverse(UNIVERSE, checked_key(key))
        estimator = planned_counter(
            total=promise_epsilon, bits=8 * memory, least=least, most=most, universe=universe, releases=releases
        )
        self._randomness: Randomness = SecureRandomness() if randomness is None else randomness
        if randomness is None and not updates_only:
            # Not after a day of ids.
            self.require_noise()
        state = estimator.create(self._randomness)
        self._take(StoredCounter(estimator, state, float(least), float(most), seeded=randomness is not None))
        if (worst := self.worst_error) > LARGE_ERROR:
            warnings.warn(large_error(worst, least, most), stacklevel=3)

    def _take(self, stored: StoredCounter) -> None:
        self.estimator = stored.estimator
        self.least, self.most = stored.least, stored.most
        self._seeded = stored.seeded
        self.place = stored.place
        self._state, self._outputs, self._closed = stored.state, stored.outputs, False
        self._forked = False
        self._lock = Lock()
        self._covered = releases_covered(self.estimator) or 0
        self._single: SingleIds | None = None
        spent_in_children(self)

    @property
    def memory(self) -> int:
        """The size of the bits in bytes."""
        return memory_of(self.estimator)

    @property
    def erased(self) -> bool:
        """Whether the bits and the key are gone."""
        return self._closed or self._state.releases >= self._covered

    @property
    def kind(self) -> str | None:
        """The kind of its ids: ``whole numbers`` or ``texts``; ``None`` before the first id. It is public."""
        return hashed(self.estimator).ids

    def _decide_kind(self, kind: str | None) -> None:
        """Let the first ids decide the kind. Ids of another kind are refused when they are hashed."""
        if kind is None or self.kind is not None:
            return
        self.estimator = self.estimator.with_universe(replace(hashed(self.estimator), ids=kind))
        self._single = None

    @property
    def releases(self) -> int:
        """The number of releases so far."""
        return len(self._outputs)

    @property
    def promise(self) -> str:
        """The promise of the use that was made so far, in words."""
        return promise_of_use(self.estimator, self.releases, seeded=self._seeded)

    @property
    def outputs(self) -> tuple[DistinctCount, ...]:
        """The releases so far. They stay after the erasure."""
        return tuple(self._shown(one) for one in self._outputs)

    def _shown(self, output: Output) -> DistinctCount:
        estimate = self.estimator.estimate(output.counts, level=output.level)
        distribution = self.estimator.distribution
        return DistinctCount(estimate, output.counts, distribution, self.least, self.most, self.promise)

    def add(self, one: int | str) -> None:
        """Count the appearance of one user.

        Parameters
        ----------
        one
            A whole number from 0 to 2^64 - 1, or a text.

        Raises
        ------
        InputError
            For another value, or after the last release.
        """
        with self._lock:
            self._require_kept()
            if self.kind is None:
                self._decide_kind(kind_of_one(checked_id(one)))
            if self._single is None:
                self._single = SingleIds(self.estimator)
            self._single.add(self._state, one, self._randomness)

    def add_many(self, ids: Ids) -> None:
        """Count the appearances of users. Repeated ids and their order make no difference.

        Parameters
        ----------
        ids
            A list, a tuple, a set, a range, or a column of numpy, Arrow, polars or pandas: whole numbers from 0 to
            2^64 - 1, or texts.

        Raises
        ------
        InputError
            For other values, or after the last release. Ids before the first wrong chunk have been counted.
        """
        self._require_kept()
        for piece in id_pieces(ids):
            with self._lock:
                self._require_kept()
                self._decide_kind(kind_of(piece))
                self._state = self.estimator.update(self._state, piece, self._randomness)

    def require_noise(self) -> None:
        """Check that noise can be drawn, before ids are counted for a release.

        Raises
        ------
        MissingExtraError
            Without OpenDP (extra ``secure``).
        """
        self._randomness.two_sided_geometric(0.5, 0.5, 1)

    def release(self, *, level: float = 0.95) -> DistinctCount:
        """The number of distinct users so far. The last release that the promise covers erases the counter.

        Parameters
        ----------
        level
            The confidence of the interval, in (0, 1).

        Raises
        ------
        InputError
            Beyond the promise.
        MissingExtraError
            Without OpenDP (extra ``secure``), which draws the noise. The counter then stays as it is.
        """
        require_probability("the confidence level", level)
        with self._lock:
            self._require_kept()
            counts = self.estimator.release(self._state, self._randomness)
            self._outputs = (*self._outputs, Output(tuple(int(one) for one in counts), float(level)))
            if self.erased:
                self._forget_key()
        return self._shown(self._outputs[-1])

    def expected_error(self, users: float) -> float:
        """The relative standard error of a release for a number of distinct users.

        Parameters
        ----------
        users
            The number of distinct users, at least 1.

        Raises
        ------
        InputError
            If the number is below 1.
        """
        return self.estimator.expected_error(users)

    @property
    def worst_error(self) -> float:
        """The greatest relative standard error of a release in the range of the number of users."""
        return self.estimator.distribution.worst_error(self.least, self.most)

    def erase(self) -> None:
        """Overwrite the bits with zeros, and forget the key. Outputs stay. Copies elsewhere are out of reach."""
        with self._lock:
            self._closed = True
            self._state.erase()
            self._forget_key()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise InputError(NO_COPY)

    def leave_to_parent(self) -> None:
        """Forget the bits and the key in the child of a fork: the parent goes on with them."""
        if self.erased:
            return
        # A thread of the parent may have held the lock. The pages of the bits are the parent's, and are not written to.
        self._lock = Lock()
        self._state = type(self._state)(self._state.cells[:0], self._state.releases)
        self._closed = self._forked = True
        self._forget_key()

    def _forget_key(self) -> None:
        universe = hashed(self.estimator)
        self.estimator = self.estimator.with_universe(replace(universe, key=bytes(len(universe.key))))
        self._single = None

    def renewed(self) -> DistinctUserCounter:
        """A new counter with the same parameters, fresh bits and a fresh key. It has a promise of its own.

        A user who appears in several such counters loses at most the sum of their promises.
        """
        estimator = self.estimator.with_universe(HashedUniverse(UNIVERSE))
        state = estimator.create(self._randomness)
        return self.of_stored(StoredCounter(estimator, state, self.least, self.most, self._seeded), self._randomness)

    @classmethod
    def of_stored(cls, stored: StoredCounter, randomness: Randomness) -> DistinctUserCounter:
        """The counter with everything that bytes hold, or that shards were joined to.

        Parameters
        ----------
        stored
            The counter, its state and its outputs.
        randomness
            The source of random choices.
        """
        made = cls.__new__(cls)
        made._randomness = randomness
        made._take(stored)
        return made

    def __enter__(self) -> DistinctUserCounter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.erase()

    def partial_fit(self, ids: Ids, y: None = None) -> DistinctUserCounter:
        """Do the same as :meth:`add_many`, in the manner of scikit-learn, and return the counter.

        Parameters
        ----------
        ids, y
            A column of ids. The other one is ignored.
        """
        self.add_many(ids)
        return self

    def update(self, one: int | str) -> None:
        """Do the same as :meth:`add`, in the manner of river."""
        self.add(one)

    def get(self) -> float:
        """The estimate of the last release; of a new one if there is none. In the manner of river."""
        return (self.outputs[-1] if self._outputs else self.release()).count

    def to_bytes(self, *, place: Mapping[str, Any] | None = None, apart: bool = False) -> bytes:
        """The counter in bytes, with a checksum. A reader of them is an adversary.

        Parameters
        ----------
        place
            The place in an input from which the reading continues, JSON-ready.
        apart
            Leave the key out; :attr:`key_words` has it.

        Raises
        ------
        InputError
            After :meth:`erase` without a last release.
        """
        if self._closed and self._state.releases < self._covered:
            if self._forked:
                raise InputError(NO_FORK)
            raise InputError("this counter is erased, and holds nothing to keep")
        stored = StoredCounter(
            self.estimator,
            self._state,
            self.least,
            self.most,
            self._seeded,
            self._outputs,
            place,
        )
        with self._lock:
            return stored.to_bytes(apart=apart)

    @property
    def key_words(self) -> KeyWords:
        """The key of the hash as two words, for a key file."""
        return key_words_of(self.estimator)

    @classmethod
    def from_bytes(
        cls,
        content: bytes,
        *,
        key: KeyWords | None = None,
        randomness: Randomness | None = None,
        source: str = "the counter",
    ) -> DistinctUserCounter:
        """The counter in the bytes of :meth:`to_bytes`. Nothing of them is trusted.

        Parameters
        ----------
        content
            The bytes.
        key
            The key, if it was kept apart.
        randomness
            The source of random choices, as for a new counter.
        source
            The name of the file, for messages.

        Raises
        ------
        StateFileError
            For a wrong length, version or checksum, or parameters that fail the exact check of the promise.
        """
        if not isinstance(content, (bytes, bytearray)):
            raise InputError(f"a counter is read from bytes, got {type(content).__name__}")
        stored = stored_from_bytes(bytes(content), source=source, key=key)
        made = cls.of_stored(stored, SecureRandomness() if randomness is None else randomness)
        made._seeded = stored.seeded or randomness is not None
        return made

    def plot(self) -> Any:
        """A figure of matplotlib of the last output: the counts of its levels, and the likelihood.

        Raises
        ------
        InputError
            If nothing has been released.
        """
        if not self._outputs:
            raise InputError("there is nothing to draw before a release")
        return self.outputs[-1].plot()

    def _require_kept(self) -> None:
        if self._forked:
            raise InputError(NO_FORK)
        if self.erased:
            raise InputError(no_more_uses(self.estimator, self.releases))

    def __repr__(self) -> str:
        if self._outputs:
            return repr(self.outputs[-1])
        return description(self.estimator, self.least, self.most, self.promise)

    def _repr_html_(self) -> str:
        if self._outputs:
            return self.outputs[-1]._repr_html_()
        return as_html(repr(self))


NO_COPY = (
    "a counter is not copied, since a copy could be released again: to_bytes keeps it elsewhere, and renewed() begins "
    "a new one"
)
"""The sentence that refuses a copy or a pickle."""
NO_FORK = (
    "this counter belongs to the parent of this process, and a copy could be released again: renewed() begins a new one"
)
"""The sentence that refuses the copy in a forked process."""


def as_html(text: str) -> str:
    """Lines for a notebook."""
    return "".join(f"<div>{escape(line)}</div>" for line in text.splitlines())


def promise_of_use(estimator: DistinctCounter, releases: int, *, seeded: bool) -> str:
    """The promise of the use that was made so far, with its claim."""
    covered = releases_covered(estimator) or 0
    promise = estimator.promise
    use = f"release {releases} of {covered}" if releases else f"no release yet, {covered} left"
    told = f"{promise.describe()}: proved ({promise.claim}); {use}"
    return f"{told}; void, since the randomness is seeded" if seeded else told


def no_more_uses(estimator: DistinctCounter, releases: int) -> str:
    """The sentence that refuses the use of an erased counter."""
    covered = releases_covered(estimator) or 0
    return (
        f"this counter is erased: its promise covers {covered} release{'s' * (covered != 1)}, and "
        f"{releases} {'was' if releases == 1 else 'were'} made; count with a new counter"
    )


def large_error(worst: float, least: float, most: float) -> str:
    """The warning about a large standard error."""
    part = f"{worst:.0%}" if worst < USELESS else "more than ten times the number"
    return (
        f"the standard error reaches {part} between {least:,.0f} and {most:,.0f} users: give a larger epsilon, a "
        "smaller range, or more memory; panproof plan distinct finds the memory for an error"
    )


def description(estimator: DistinctCounter, least: float, most: float, promise: str) -> str:
    """The lines about a counter that has released nothing."""
    middle = (least * most) ** 0.5
    return "\n".join(
        [
            f"distinct user counter of {memory_of(estimator):,} bytes for {least:,.0f} to {most:,.0f} users",
            f"expected error  {estimator.expected_error(middle):.1%} at {middle:,.0f} users",
            f"promise         {promise}",
        ]
    )


def memory_of(estimator: DistinctCounter) -> int:
    """The size of the bits in bytes."""
    return (estimator.geometry.cells + 7) // 8


class SingleIds:
    """Draws the bit of one user at a time. The levels are kept as numbers of Python, which is faster for one id."""

    def __init__(self, estimator: DistinctCounter) -> None:
        universe: Any = estimator.universe
        geometry = estimator.geometry
        self._encode_one, self._cells = universe.encode_one, estimator.cells
        self._ends, self._begins = geometry.first_indices[1:].tolist(), geometry.first_indices.tolist()
        self._spans, self._first_cells = geometry.spans.tolist(), geometry.first_cells.tolist()

    def add(self, state: DistinctCounterState, one: int | str, randomness: Randomness) -> None:
        """Draw the bit of a user afresh."""
        index = self._encode_one(checked_id(one))
        level = bisect_right(self._ends, index)
        if level < len(self._spans):
            cell = self._first_cells[level] + (index - self._begins[level]) // self._spans[level]
            state.cells[cell] = self._cells.draw_updated(randomness, 1)[0]


_WHAT = "the state file"
PathLike = str | os.PathLike[str]


def save_counter(
    path: PathLike,
    counter: DistinctUserCounter,
    *,
    key_file: PathLike | None = None,
    place: Mapping[str, Any] | None = None,
) -> None:
    """Replace a file as a whole, readable by its owner only. It is on the disk when this function returns.

    Parameters
    ----------
    path
        The file. A reader of it is an adversary.
    counter
        The counter.
    key_file
        A separate file for the key. It is removed after the last release, or by a later call if this one is killed.
    place
        The place in an input from which the reading continues, JSON-ready. No promise covers it.

    Raises
    ------
    InputError
        If a file cannot be written, for instance on a full disk. An old file then stays unchanged.
    """
    content = counter.to_bytes(place=place, apart=key_file is not None)
    apart = None if key_file is None else (Path(key_file), counter.key_words)
    write_with_key(Path(path), content, begins=MAGIC, what=_WHAT, spent=counter.erased, key=apart)


def load_counter(
    path: PathLike, *, key_file: PathLike | None = None, randomness: Randomness | None = None
) -> tuple[DistinctUserCounter, Mapping[str, Any] | None]:
    """The counter in a file of :func:`save_counter`, and the place in its input.

    Parameters
    ----------
    path
        The file.
    key_file
        The file with the key, if it was kept apart.
    randomness
        The source of random choices, as for a new counter.

    Raises
    ------
    StateFileError
        If the file is not intact, or its key is missing or another one.
    """
    with open_regular(Path(path), _WHAT) as (file, _):
        content = file.read()
    # The last release removes the key file.
    key = kept_key(None if key_file is None else Path(key_file))
    counter = DistinctUserCounter.from_bytes(content, key=key, randomness=randomness, source=f"{_WHAT} {path}")
    if key_file is not None and counter.erased:
        _remove_left_key(Path(key_file), Path(path))
    return counter, counter.place


def _remove_left_key(key_file: Path, path: Path) -> None:
    """Remove the key that a release was to remove, if the process was killed before."""
    try:
        destroy_left_key(key_file, path)
    except InputError as problem:
        warnings.warn(f"the key of a counter that is erased is left: {problem}", stacklevel=3)
