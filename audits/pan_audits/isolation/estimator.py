"""The proxy of an estimator whose code is in a separate process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgpack
import numpy as np

from pan_audits.isolation.data import DataError, from_data, to_data
from pan_audits.isolation.description import Description
from pan_audits.isolation.noise import NoiseTable
from pan_audits.isolation.process import Subject, SubjectProcess
from pan_audits.isolation.sandbox import Level
from pan_audits.running.course import Course, Observation
from pan_audits.running.mechanism import subject_of
from pan_audits.running.performance import Performance
from pan_audits.running.randomness_class import METHODS
from pan_audits.running.script import Script, Trace, trace_of
from pan_audits.workers.engines.engine import ATTEMPTS
from pan_audits.workers.limits import DiedError, Limits, VariantError
from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation
from pan_estimators.common.estimand import estimand_named
from pan_estimators.states.releasing import counts_releases
from pan_promises.errors import InputError, shown, suggestion

_MOST_SOURCE_BYTES = 2**24

Parameters: TypeAlias = tuple[tuple[str, Any], ...]
_Stated = TypeVar("_Stated", Quantity, Relation)


@dataclass
class _Connection:
    """A judged process, with the noise that was drawn for it."""

    process: SubjectProcess
    noises: NoiseTable
    digests: dict[str, Any]


_connections: dict[tuple[int, Subject, Limits], _Connection] = {}
_MOST_CONNECTIONS = 4


def _connection(subject: Subject, limits: Limits) -> _Connection:
    # The parent of a forked process has its own judged processes.
    key = (os.getpid(), subject, limits)
    found = _connections.pop(key, None) or _Connection(SubjectProcess(subject, limits), NoiseTable(), {})
    while len(_connections) >= _MOST_CONNECTIONS:
        oldest = next(iter(_connections))
        _connections.pop(oldest).process.end()
    _connections[key] = found
    return found


def end_all() -> None:
    """End the judged processes of this process."""
    for (owner, *_), connection in list(_connections.items()):
        if owner == os.getpid():
            connection.process.end()
    _connections.clear()


@dataclass(frozen=True, eq=False)
class IsolatedEstimator:
    """An estimator in a separate process: every call and every result is a message of plain data.

    The judge keeps the state, as data, and sends it with every call. Data that the code keeps elsewhere are lost or
    detected. The judge also makes the random choices. Many runs at once are an exception: the process seeds them.

    Attributes
    ----------
    subject
        The judged code.
    limits
        On the process.
    key
        A digest of the parameters. It identifies this instance in the process.
    parameters
        The parameters, as data.
    description
        Its description.
    """

    subject: Subject
    limits: Limits
    key: str
    parameters: bytes = field(repr=False)
    description: Description

    def create(self, randomness: Any) -> Any:
        """The state before the first update."""
        return self._call("create", randomness)[0]

    def update(self, state: Any, ids: Any, randomness: Any, **options: Any) -> Any:
        """The state after some ids."""
        return self._call("update", randomness, state, [ids], options)[0]

    def release(self, state: Any, randomness: Any) -> Any:
        """An output. If the code changes the state, the given state changes too."""
        output, after, before = self._call("release", randomness, state)
        if after != before:
            _become(state, from_data(after, revive=self._connected().noises.read))
        return output

    def _announce(self, state: Any, randomness: Any) -> Any:
        return self._call("announce", randomness, state)[0]

    def _sampled_users(self, state: Any) -> Any:
        raise VariantError("only whole runs report the sampled users")

    def __getattr__(self, name: str) -> Any:
        # Only methods of the estimator: others must be missing here too.
        told: Description = object.__getattribute__(self, "description")
        if name in told.numbers:
            return told.numbers[name]
        if name == "universe" and told.universe is not None:
            return told.universe
        if name in ("deletions", "promise"):
            return getattr(told, name)
        if name in told.capabilities:
            if name == "statements":
                return self._statements()
            if name == "counts_releases":
                return True
            return {"announce": self._announce, "sampled_users": self._sampled_users}[name]
        raise AttributeError(f"the estimator has no {name!r}")

    @property
    def is_plain_object(self) -> bool:
        """Whether it is an object with an update and a result method, made an estimator by an adapter."""
        return self.description.plain

    @property
    def takes_size(self) -> bool:
        """Whether it is a function that takes the number of its outputs."""
        return "takes_size" in self.description.capabilities

    def own_digest(self) -> str:
        """A digest of the estimator's own attributes."""
        digests = self._connected().digests
        # It comes with every answer. Only the first one needs a question.
        if digests.get(self.key) is None:
            digests[self.key] = self._ask({"ask": "digest"})
        return str(digests[self.key])

    def runs_apart(
        self, course: Course, runs: int, seed: Sequence[int], *, states_seen: bool, users_told: bool = False
    ) -> Iterator[list[Observation]]:
        """Observations of independent runs, in stacks; with seeded randomness of either class."""
        yield from self._runs("runs", course, runs, seed, states_seen, users_told)

    def secure_runs_apart(self, course: Course, runs: int, *, states_seen: bool) -> Iterator[list[Observation]]:
        """Observations of independent runs with the randomness of a deployment; not to be repeated."""
        yield from self._runs("secure outputs", course, runs, (), states_seen, False)

    def _runs(
        self, ask: str, course: Course, runs: int, seed: Sequence[int], states_seen: bool, users_told: bool
    ) -> Iterator[list[Observation]]:
        stacks: list[list[Observation]] = []

        def take(stack: Any) -> None:
            if not isinstance(stack, list):
                raise DataError("it sent invalid observations")
            read = [[tuple(from_data(each) for each in part) for part in seen] for seen in stack]
            stacks.append([Observation(*seen) for seen in read])

        fed = [[to_data(ids), None if d is None else to_data(d), str(step)] for ids, d, step in course]
        question = {"ask": ask, "course": fed, "runs": runs, "seed": to_data(list(seed)), "states": states_seen}
        for attempt in range(ATTEMPTS):
            try:
                self._ask({**question, "users": users_told}, take)
                break
            except DiedError:
                # The cause may be a lack of memory. The runs depend on their seed alone, and can be made again.
                if attempt == ATTEMPTS - 1:
                    raise
                stacks.clear()
        _require_shape(stacks, course, runs, states_seen)
        yield from stacks

    def batches_apart(self, label: str, sizes: Sequence[int], seed: Sequence[int]) -> list[Any]:
        """The outputs of batches of these sizes. The same arguments give the same outputs.

        The form of the outputs is not checked here.
        """
        question = {"ask": "batches", "label": label, "sizes": list(sizes), "seed": to_data(list(seed))}
        for attempt in range(ATTEMPTS):
            try:
                told = self._ask(question)
                break
            except DiedError:
                if attempt == ATTEMPTS - 1:
                    raise
        self._connected().digests[self.key] = None
        if not isinstance(told, list) or len(told) != len(sizes):
            raise VariantError("it sent an invalid answer")
        try:
            return [from_data(each) for each in told]
        except DataError as problem:
            raise VariantError(str(problem)) from None

    def perform_afresh(self, script: Script, limits: Limits, hash_seed: int) -> Trace:
        """The trace of a script in a new process."""
        process = SubjectProcess(self.subject, limits, str(hash_seed))
        try:
            self._make(process)
            resume = None if script.resume_from is None else msgpack.unpackb(script.resume_from)
            sent = process.ask(
                {
                    "ask": "script",
                    "key": self.key,
                    "first": to_data(list(script.first)),
                    "rest": to_data(list(script.rest)),
                    "seed": script.seed,
                    "global_seed": script.global_seed,
                    "resume": resume,
                    "randomness_class": script.randomness_class,
                    "times": script.times,
                }
            )
            return _trace(sent, script, self)
        except DataError as problem:
            raise VariantError(str(problem)) from None
        finally:
            process.end()

    def _statements(self) -> tuple[AccuracyStatement, ...]:
        return tuple(
            AccuracyStatement(
                claim=str(claim),
                quantity=_stated_as(Quantity, quantity, "quantity", self.subject.name),
                relation=_stated_as(Relation, relation, "relation", self.subject.name),
                target=estimand_named(str(target), self.subject.name),
                value=partial(self._stated, number),
                alpha=alpha,
            )
            for number, (claim, quantity, relation, target, alpha) in enumerate(self.description.statements)
        )

    def _stated(self, number: int, *given: float) -> float:
        return float(self._ask({"ask": "statement", "number": number, "given": list(given)}))

    def _call(
        self, method: str, randomness: Any, state: Any = None, arguments: Sequence[Any] = (), options: Any = None
    ) -> tuple[Any, Any, Any]:
        from pan_audits.choices.enumeration import EnumeratingRandomness

        noises = self._connected().noises
        sent = to_data(state, special=noises.write)
        question = {
            "ask": "call",
            "method": method,
            "state": sent,
            "arguments": to_data(list(arguments)),
            "options": to_data(dict(options or {})),
            "watch": isinstance(randomness, EnumeratingRandomness),
        }
        told = _followed(self._ask(question, partial(_drawn, randomness, noises)))
        self._connected().digests[self.key] = told.get("self")
        try:
            return from_data(told["result"], revive=noises.read), told["state"], sent
        except (KeyError, TypeError, DataError) as problem:
            raise VariantError(f"it sent an invalid answer ({problem})") from None

    def _ask(self, question: Mapping[str, Any], answer: Callable[[Any], Any] | None = None) -> Any:
        process = self._connected().process
        self._make(process)
        return process.ask({**question, "key": self.key}, answer)

    def _make(self, process: SubjectProcess) -> None:
        if not process.made(self.key):
            process.ask(_make(self.subject, self.key, self.parameters))
            process.remember(self.key)

    def _connected(self) -> _Connection:
        return _connection(self.subject, self.limits)


def isolated(
    name: str,
    folder: str,
    search_path: tuple[str, ...],
    parameters: Mapping[str, Any],
    limits: Limits,
    level: Level,
    *,
    inputs: str = "",
    thing: bytes = b"",
) -> IsolatedEstimator:
    """Import and configure an estimator in a separate process.

    Raises
    ------
    InputError
        If it cannot be found, imported or configured.
    """
    subject = Subject(name, folder, search_path, level, inputs=inputs, thing=thing)
    packed: bytes = msgpack.packb(to_data(dict(parameters)))
    key = hashlib.sha256(packed).hexdigest()
    process = _connection(subject, limits).process
    try:
        sent = process.ask(_make(subject, key, packed))
        process.remember(key)
        description = Description.read(sent)
    except (VariantError, DataError) as problem:
        raise InputError(f"{name} cannot be imported: {problem}") from None
    subject = replace(subject, sources=_sources(description.modules, folder))
    return IsolatedEstimator(subject, limits, key, packed, description)


def _make(subject: Subject, key: str, parameters: bytes) -> dict[str, Any]:
    """The question that makes an estimator."""
    return {
        "ask": "make",
        "key": key,
        "parameters": msgpack.unpackb(parameters),
        "inputs": subject.inputs,
        "thing": subject.thing,
    }


def _sources(files: Sequence[str], folder: str) -> tuple[tuple[str, bytes], ...]:
    """The source texts of the modules of a folder, for a machine without them."""
    found, total, here = [], 0, Path(folder).resolve()
    for file in files:
        path = Path(file)
        if path.suffix != ".py" or not path.is_file() or not path.resolve().is_relative_to(here):
            continue
        text = path.read_bytes()
        total += len(text)
        if total > _MOST_SOURCE_BYTES:
            return ()
        found.append((str(path.resolve().relative_to(here)), text))
    return tuple(found)


def _trace(sent: Any, script: Script, estimator: IsolatedEstimator) -> Trace:
    try:
        shown = Performance(
            midway=from_data(sent["midway"]),
            end=from_data(sent["end"]),
            after_release=from_data(sent["after_release"]),
            output=from_data(sent["output"]),
            before={str(name): str(digest) for name, digest in sent["before"].items()},
            after={str(name): str(digest) for name, digest in sent["after"].items()},
            draws=int(sent["draws"]),
            generator=None,
        )
        midway: bytes = msgpack.packb([sent["midway"], sent["generator"]])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError("it sent an invalid answer") from None
    return trace_of(shown, subject_of(estimator, script.first[0]), midway, counted=counts_releases(estimator))


def _drawn(randomness: Any, noises: NoiseTable, asked: Any) -> Any:
    """Make a draw that the code asks for."""
    from pan_audits.choices.errors import TooLargeError, UnfollowableError

    if not isinstance(asked, dict) or asked.get("draw") not in METHODS:
        raise DataError("it asked for an unknown draw")
    arguments = from_data(asked["arguments"], revive=noises.read)
    options = from_data(asked["options"], revive=noises.read)
    try:
        drawn = getattr(randomness, asked["draw"])(*arguments, **options)
        return {"value": to_data(drawn, special=noises.write)}
    except (UnfollowableError, TooLargeError, InputError, TypeError, ValueError) as problem:
        return {"error": str(problem)}


def _followed(told: Any) -> dict[str, Any]:
    """The answer; an error if the code used its randomness in a way that cannot be followed."""
    from pan_audits.choices.errors import BypassError, UnfollowableError

    if not isinstance(told, dict):
        raise VariantError("it sent an invalid answer")
    if "unfollowable" in told:
        sentence, bypass = told["unfollowable"]
        raise (BypassError if bypass is True else UnfollowableError)(str(sentence))
    return told


def _require_shape(stacks: Sequence[Sequence[Observation]], course: Course, runs: int, states_seen: bool) -> None:
    from pan_audits.inputs.streams.side import SegmentEnd

    outputs = sum(step is SegmentEnd.RELEASE for *_, step in course)
    states = len(course) - outputs if states_seen else 0
    flat = [each for stack in stacks for each in stack]
    if len(flat) != runs or any((len(each.states), len(each.outputs)) != (states, outputs) for each in flat):
        raise VariantError("it sent another number of observations than it was asked for")


def _stated_as(kind: type[_Stated], text: Any, what: str, owner: str) -> _Stated:
    """The quantity or the relation that a judged process names."""
    known = {str(one): one for one in kind}
    if not isinstance(text, str) or text not in known:
        raise InputError(
            f"{owner} states an error with an unknown {what} {shown(text)}; {suggestion(str(text), known)}"
        )
    return known[text]


def _become(state: Any, after: Any) -> None:
    """Replace the contents of a state by those of another one, in place."""
    if isinstance(state, dict):
        state.clear()
        state.update(after)
    elif isinstance(state, (list, bytearray)):
        state[:] = after
    elif isinstance(state, set):
        state.clear()
        state.update(after)
    elif isinstance(state, np.ndarray) and isinstance(after, np.ndarray) and state.shape == after.shape:
        state[...] = after
    if hasattr(state, "__dict__") and hasattr(after, "__dict__"):
        vars(state).clear()
        vars(state).update(vars(after))
