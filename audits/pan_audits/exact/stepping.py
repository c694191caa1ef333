"""The steps of the judged code, run for every outcome of its choices.

The work of an exact check, counted: it is the same on every machine.

Distributions over states, carried along a stream: equal states are merged, and every step is computed once.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from pan_audits.choices.differences import Ending, merged
from pan_audits.choices.enumerating import EnumeratingRandomness, once, outcomes
from pan_audits.choices.errors import BypassError, TimeIsUpError, UnfollowableError
from pan_audits.choices.factored import FactoredRandomness, SinglyFactoredRandomness
from pan_audits.choices.gaussian import GaussianRandomness
from pan_audits.choices.numbers import ONE, ZERO
from pan_audits.events.observing.numbers import Raised
from pan_audits.events.observing.values import fingerprint
from pan_audits.exact.factoring import (
    Parts,
    looks,
    probability_of,
    require_not_kept,
    require_same_outputs,
    settled_outputs,
)
from pan_audits.exact.identity import seen_key, state_key
from pan_audits.exact.observation import UNFINISHED, History, Key, Outcome, Path, Sight, split
from pan_audits.exact.scope import Item, Stream, Update
from pan_audits.problems.inputs.streams.family import Id, SegmentEnd
from pan_estimators.states.releasing import counts_releases
from pan_promises.errors import InputError

_CHEAPER = 128
"""The number of places of a distribution that take as long as one run of the code, about."""


@dataclass
class Work:
    """Work in runs of the code.

    Attributes
    ----------
    calls
        Runs of the code, one for each outcome of its random choices.
    places
        Places of distributions that were computed or compared.
    require
        Raises an error if the time is up.
    """

    calls: int = 0
    places: int = 0
    require: Callable[[], object] = bool

    @property
    def done(self) -> float:
        """All of it, in runs of the code."""
        return self.calls + self.places / _CHEAPER


_BATCHED = 8
"""States from which batches are compared with single updates."""

_REPEATED = 64
"""Number of steps for which the code runs twice, to test that it repeats itself."""

Distribution = dict[tuple[Any, ...], list[tuple[fmpq, Path]]]
"""The distribution of an observation: by its discrete part, the paths that lead to it."""

Outcomes = list[tuple[fmpq, Any, EnumeratingRandomness]]
"""Each outcome of a call, with the probability of its choices that are no comparisons."""

Configuration = tuple[History, Key]
"""The history so far, and the state."""


def endings_of(found: Outcomes, results: Sequence[Hashable]) -> list[Ending]:
    """The ends of the paths of a call, which lead to some results."""
    return [
        Ending(randomness.apart, result, randomness.region, randomness.known)
        for (_, _, randomness), result in zip(found, results, strict=True)
    ]


@dataclass
class Stepper:
    """Runs an estimator's code for every outcome of its random choices.

    Attributes
    ----------
    estimator
        The estimator.
    ids
        The users, as the estimator knows them.
    exact
        Whether all probabilities so far were simple fractions.
    work
        The work so far, perhaps of other steppers too.
    states
        The states so far.
    shown
        A value for each discrete part that was seen.
    numbers
        Number of noisy numbers of each of them.
    changed
        Whether a call changed the estimator itself.
    silent
        Whether releases were made, and all outputs so far are ``None``.
    answered, errors
        The methods that gave a result, and the last error that each method gave.
    parts
        If given, arrays of random choices of a release are followed element by element, and these are their values.
    singly
        Whether single choices, as of a loop, are followed in the same way as arrays.
    whole
        Whether the code is given whole inputs. Then unlikely runs may be left before their end.
    source
        The randomness of all steps.
    """

    estimator: Any
    ids: tuple[Id, ...]
    exact: bool = True
    work: Work = field(default_factory=Work)
    states: dict[Key, Any] = field(default_factory=dict)
    shown: dict[Key, Any] = field(default_factory=dict)
    numbers: dict[Key, int] = field(default_factory=dict)
    changed: bool = False
    silent: bool | None = None
    answered: set[str] = field(default_factory=set)
    errors: dict[str, Raised] = field(default_factory=dict)
    parts: Parts | None = None
    singly: bool = False
    whole: bool = False
    source: type[EnumeratingRandomness] = GaussianRandomness
    _noisy: set[Key] = field(default_factory=set)
    _steps: dict[Any, list[tuple[fmpq, Any]]] = field(default_factory=dict)
    _releases: dict[tuple[Key, int], list[tuple[fmpq, Sight, Key]]] = field(default_factory=dict)
    _looks: dict[Key, Sight] = field(default_factory=dict)
    _seen: dict[tuple[Any, ...], Sight] = field(default_factory=dict)
    _prefixes: dict[Stream, dict[Configuration, fmpq]] = field(default_factory=dict)
    _distributions: dict[Stream, Distribution] = field(default_factory=dict)
    _beginning: History = field(default_factory=History)
    _known: str = ""

    def distribution(self, stream: Stream) -> Distribution:
        """The distribution of all observations on a stream that ends with an observation."""
        if stream not in self._distributions:
            total: dict[Outcome, fmpq] = {}
            for (history, _), probability in self._advanced(stream).items():
                outcome = history.outcome
                total[outcome] = total.get(outcome, ZERO) + probability
            distribution: Distribution = defaultdict(list)
            for outcome, probability in total.items():
                distribution[outcome.key].append((probability, outcome.path))
            self._distributions[stream] = distribution
        return self._distributions[stream]

    def outputs_on(self, label: str) -> list[tuple[fmpq, Sight]]:
        """The outputs on a whole input. Its label is the state from which the code is released."""
        key = state_key(label)
        self.states.setdefault(key, label)
        return [(probability, seen) for probability, seen, _ in self._released(key, 0)]

    def configurations(self, stream: Stream) -> dict[Configuration, fmpq]:
        """The joint distribution of the observations and the state, after a stream."""
        if stream in self._prefixes:
            return self._prefixes[stream]
        found: dict[Configuration, fmpq]
        if not stream:
            found = {(self._beginning, key): probability for probability, key in self.created()}
        else:
            found = self._advanced(stream)
        self._prefixes[stream] = found
        return found

    def _advanced(self, stream: Stream) -> dict[Configuration, fmpq]:
        """The configurations after a stream, from those before its last item."""
        before, item, moment = self.configurations(stream[:-1]), stream[-1], len(stream)
        after: dict[Configuration, fmpq] = {}
        ways: dict[Any, list[tuple[fmpq, Sight | None, Key]]] = {}
        for (history, key), probability in before.items():
            # Few states have many histories.
            name = (key, len(history.seen))
            if name not in ways:
                ways[name] = self._ways(key, len(history.seen), item, moment)
            for weight, one, next_key in ways[name]:
                place = (history if one is None else history.then(one), next_key)
                known = after.get(place)
                after[place] = probability * weight if known is None else known + probability * weight
        self.work.places += len(after)
        return after

    def _ways(self, key: Key, seen: int, item: Item, moment: int) -> list[tuple[fmpq, Sight | None, Key]]:
        """The outcomes of one item: the probability, the observation, and the state after it."""
        if item is SegmentEnd.RELEASE:
            return [(weight, one, left) for weight, one, left in self._released(key, seen)]
        if item is SegmentEnd.INTRUSION:
            return [(ONE, self.look(key), key)]
        looked = None if isinstance(item, Update) else self.look(key)
        return [(weight, looked, next_key) for weight, next_key in self.step(key, item, moment)]

    def step(self, key: Key, item: Item, moment: int) -> list[tuple[fmpq, Key]]:
        """The states after an update or an announced intrusion, with their probabilities."""
        for name in ((key, item, None), (key, item, moment)):
            if name in self._steps:
                return self._steps[name]
        return self._remember(key, item, moment, self._call(key, item))

    @property
    def noisy(self) -> bool:
        """Whether some state contains noise that is not enumerated."""
        return bool(self._noisy)

    def batches_differ(self) -> bool:
        """Whether a batch of two ids can lead to other states than two single updates.

        The test starts from the states before the first update, for an estimator that takes several ids.
        """
        for _, key in self.created()[:_BATCHED]:
            for first, second in product(range(len(self.ids)), repeat=2):
                apart: dict[Key, fmpq] = defaultdict(fmpq)
                for weight, between in self.step(key, Update(first), 1):
                    for other, after in self.step(between, Update(second), 2):
                        apart[split(self.states[after])[0]] += weight * other
                together: dict[Key, fmpq] = defaultdict(fmpq)
                try:
                    found = self._outcomes(partial(self._batch, key, first, second), 1)
                except (UnfollowableError, TimeIsUpError):
                    raise
                except Exception:
                    # It takes one id at a time.
                    return False
                for weight, state, randomness in found:
                    together[split(state)[0]] += weight * probability_of(randomness.region)
                if together != apart:
                    return True
        return False

    def _batch(self, key: Key, first: int, second: int, randomness: EnumeratingRandomness) -> Any:
        ids = np.array([self.ids[first], self.ids[second]])
        return self.estimator.update(copy.deepcopy(self.states[key]), ids, randomness)

    def created(self) -> list[tuple[fmpq, Key]]:
        """The states before the first update, with their probabilities."""
        if ("create",) not in self._steps:
            self._steps["create",] = self._merge(self.estimator.create, 0, noisy=False)[0]
            for _, key in self._steps["create",]:
                self._note("create", self.states[key])
        return self._steps["create",]

    def _call(self, key: Key, item: Item) -> Any:
        def call(randomness: EnumeratingRandomness) -> Any:
            state = copy.deepcopy(self.states[key])
            if item is SegmentEnd.ANNOUNCED:
                return self._announce(state, randomness)
            assert isinstance(item, Update)
            ids = np.array([self.ids[item.user]])
            flags = {"deletions": np.array([True])} if item.deletes else {}
            after = self.estimator.update(state, ids, randomness, **flags)
            if after is None:
                raise UnfollowableError("update returned None; it must return the state to go on with")
            return after

        return call

    def _announce(self, state: Any, randomness: EnumeratingRandomness) -> Any:
        if not hasattr(self.estimator, "announce"):
            raise UnfollowableError("the promise has announced intrusions, but there is no method 'announce'")
        return self.estimator.announce(state, randomness)

    @property
    def steps_made(self) -> int:
        """The number of steps so far, each with all of its outcomes."""
        return len(self._steps)

    def steps_to_make(self, items: Sequence[Item]) -> int:
        """The number of steps from the states so far that were not made. Steps of noisy states depend on the moment."""
        return sum((key, item, None) not in self._steps for key in self.states for item in items)

    def _remember(self, key: Key, item: Item, moment: int, call: Any) -> list[tuple[fmpq, Key]]:
        found, noisy = self._merge(call, moment, noisy=key in self._noisy)
        self._steps[key, item, moment if noisy else None] = found
        if not isinstance(self.states[key], Raised):
            for _, after in found:
                self._note("update", self.states[after])
        return found

    def _note(self, method: str, result: Any) -> None:
        if isinstance(result, Raised):
            self.errors[method] = result
        else:
            self.answered.add(method)

    @property
    def failed(self) -> Raised | None:
        """The error of a step that never gave a result; ``None`` if each of them did."""
        return next((error for method, error in self.errors.items() if method not in self.answered), None)

    def _merge(self, call: Any, moment: int, *, noisy: bool) -> tuple[list[tuple[fmpq, Key]], bool]:
        found = self._outcomes(call, moment)
        keys = []
        for _, state, randomness in found:
            self.exact &= randomness.exact
            require_not_kept(state, randomness.settled)
            keys.append(state_key(state))
            self.states.setdefault(keys[-1], state)
            if noisy or randomness.noises:
                noisy = True
                self._noisy.add(keys[-1])
        total: dict[Key, fmpq] = defaultdict(fmpq)
        for place, region in merged(endings_of(found, keys)):
            total[keys[place]] += found[place][0] * probability_of(region)
        return [(probability, key) for key, probability in total.items()], noisy

    @property
    def _factored(self) -> type[FactoredRandomness]:
        return SinglyFactoredRandomness if self.singly else FactoredRandomness

    def again(self, *, in_parts: bool | None = None, singly: bool | None = None) -> Stepper:
        """A stepper for the same code, which has computed nothing; by default of the same kind."""
        chosen = self.parts is not None if in_parts is None else in_parts
        single = self.singly if singly is None else singly
        parts = Parts() if chosen else None
        return Stepper(
            self.estimator,
            self.ids,
            work=self.work,
            parts=parts,
            singly=single,
            whole=self.whole,
            source=self.source,
        )

    def _outcomes(
        self,
        call: Any,
        moment: int,
        source: Callable[..., EnumeratingRandomness] | None = None,
        unfinished: Any = None,
    ) -> Any:
        source = source or self.source

        def timed(randomness: EnumeratingRandomness) -> Any:
            self.work.require()
            return call(randomness)

        checked = len(self._steps) + len(self._releases) < _REPEATED
        # The judge alone runs between two calls.
        before = self._known or self._print()
        try:
            same = state_key if checked else None
            found = outcomes(timed, moment=moment, same=same, source=source, unfinished=unfinished)
            self.work.calls += len(found)
            after = self._print()
            if after != before:
                self.changed = True
                # A cached value causes no change in the second call.
                outcomes(timed, moment=moment, source=source, unfinished=unfinished)
                if self._print() != after:
                    raise BypassError("the estimator keeps data outside of its state: its own attributes change")
            self._known = after
            return found
        except (UnfollowableError, InputError):
            raise
        except RecursionError:
            raise UnfollowableError("the estimator recurses too deeply") from None

    def _print(self) -> str:
        """The fingerprint of the estimator as it is. One in another process is described there."""
        told = getattr(self.estimator, "own_digest", None)
        return fingerprint(self.estimator) if told is None else str(told())

    def _released(self, key: Key, before: int) -> list[tuple[fmpq, Sight, Key]]:
        """The observation of a release, and the state after it, given the number of earlier observations."""
        name = (key, before)
        if name not in self._releases:
            # The noise of a release is named by the number of observations before it, which differs for all releases
            # of a stream.
            if self.parts is None:
                unfinished = (UNFINISHED, key) if self.whole else None
                found = self._outcomes(partial(self._output, key), -1 - before, unfinished=unfinished)
            else:
                found = self._outcomes(partial(self._output, key), -1 - before, self._factored)
            for _, (output, left), randomness in found:
                self.exact &= randomness.exact
                self.silent = output is None and self.silent is not False
                if not isinstance(self.states[key], Raised):
                    self._note("release", output)
                require_not_kept(self.states[left], randomness.settled)
                if self.parts is not None:
                    self._require_same(key, output, randomness)
            total: dict[tuple[Sight, Key], fmpq] = defaultdict(fmpq)
            results: Sequence[Hashable] = range(len(found))
            if self.parts is None:
                results = [(output is UNFINISHED, looks(output), left) for _, (output, left), _ in found]
            for place, region in merged(endings_of(found, results)):
                self.work.require()
                probability, (output, left), randomness = found[place]
                for weight, settled in settled_outputs(output, region):
                    if self.parts is not None:
                        settled = self.parts.of(settled, randomness.moment)
                    total[self._shown(settled), left] += probability * weight
            self._releases[name] = [(probability, seen, left) for (seen, left), probability in total.items()]
        return self._releases[name]

    def _require_same(self, key: Key, output: Any, randomness: FactoredRandomness) -> None:
        """Compare an output that is left open with runs that make the choices."""

        def run(drawn: Sequence[float]) -> Any:
            made = self._factored(randomness.taken, randomness.moment, drawn)
            return once(partial(self._output, key), made)[0]

        require_same_outputs(output, run, randomness.variables)

    def _output(self, key: Key, randomness: EnumeratingRandomness) -> tuple[Any, Key]:
        state = copy.deepcopy(self.states[key])
        output = self.estimator.release(state, randomness)
        return output, self._left(key, state)

    def _left(self, key: Key, state: Any) -> Key:
        """The state that a release leaves."""
        left = state_key(state)
        # A copy may have another layout.
        if left == key or left == state_key(copy.deepcopy(self.states[key])):
            return key
        if not counts_releases(self.estimator):
            raise UnfollowableError("release changes the state; release must leave the state as it is")
        # A release counts itself, and the last one erases the state: the check follows the state that it leaves.
        self.states.setdefault(left, state)
        if key in self._noisy:
            self._noisy.add(left)
        return left

    def look(self, key: Key) -> Sight:
        """The observation of a state."""
        if key not in self._looks:
            self._looks[key] = self._shown(self.states[key], state_key)
        return self._looks[key]

    def _shown(self, value: Any, key_of: Callable[[Any], str] = seen_key) -> Sight:
        key, numbers = (value, ()) if value is UNFINISHED else split(value, key_of)
        self.shown.setdefault(key, value)
        self.numbers[key] = len(numbers)
        seen = Sight(key, numbers)
        return self._seen.setdefault(seen.identity, seen)
