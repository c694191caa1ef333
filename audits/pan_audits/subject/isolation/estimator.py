"""The proxy of an estimator whose code is in a separate process, and the reading of its answers with distrust."""

from __future__ import annotations

import array
import contextlib
import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgpack
import numpy as np

from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation import messages
from pan_audits.subject.isolation.conduct import Conduct, dependent_places
from pan_audits.subject.isolation.data import DataError, comparable, from_data, to_data
from pan_audits.subject.isolation.description import CAPABILITIES, NUMBERS, Description
from pan_audits.subject.isolation.messages import (
    Batches,
    Call,
    Called,
    Digest,
    Follow,
    GoOn,
    Make,
    Message,
    NeverAnswers,
    Perform,
    Performance,
    Question,
    Runs,
    Script,
    SideBySide,
    StatedValue,
    TellConduct,
    Turns,
    Unfollowable,
    read,
    written,
)
from pan_audits.subject.isolation.noise import answer_to_draw
from pan_audits.subject.isolation.process import (
    Answer,
    Connection,
    Stamp,
    Subject,
    SubjectProcess,
    connection_to,
    end,
    stamps_of,
)
from pan_audits.subject.isolation.sandbox import Level
from pan_audits.subject.isolation.script import Trace, trace_of
from pan_audits.subject.running.course import Course, Observation, Outputs, repeated
from pan_audits.workers.limits import DiedError, Limits, MechanismError
from pan_audits.workers.plain import bytes_in
from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation, estimand_named
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.workers import ATTEMPTS

_Stated = TypeVar("_Stated", Quantity, Relation)


def followed(told: Any) -> Called:
    """The result of a call; an error if the code used its randomness in a way that cannot be followed."""
    from pan_audits.choices.errors import BypassError, UnfollowableError

    answer = read(Message, told)
    if isinstance(answer, Unfollowable):
        raise (BypassError if answer.bypass else UnfollowableError)(answer.sentence)
    if not isinstance(answer, Called):
        raise DataError("its form is unknown")
    return answer


def stated_as(kind: type[_Stated], text: Any, what: str, owner: str) -> _Stated:
    """The quantity or the relation that a judged process names."""
    known = {str(one): one for one in kind}
    if not isinstance(text, str) or text not in known:
        raise InputError(
            f"{owner} states an error with an unknown {what} {shown(text)}; {suggestion(str(text), known)}"
        )
    return known[text]


_WITHOUT_CONTENTS = (type(None), int, float, complex, str, bytes, Fraction, Decimal, frozenset, range, np.generic)
"""Types of values that no code can change."""


def become(state: Any, after: Any) -> None:
    """Replace the contents of a state by those of another one, in place."""
    if isinstance(state, tuple) and isinstance(after, tuple) and len(state) == len(after):
        # Only the contents of its parts can change.
        for part, changed in zip(state, after, strict=True):
            if not isinstance(part, _WITHOUT_CONTENTS) or repr(part) != repr(changed):
                become(part, changed)
    elif isinstance(state, (dict, set)):
        state.clear()
        state.update(after)
    elif isinstance(state, (list, bytearray, array.array)):
        state[:] = after
    elif isinstance(state, deque):
        state.clear()
        state.extend(after)
    elif isinstance(state, np.ndarray) and isinstance(after, np.ndarray) and state.shape == after.shape:
        state[...] = after
    elif not (hasattr(state, "__dict__") and hasattr(after, "__dict__")):
        raise MechanismError(f"release changes a state of the type {type(state).__name__}, which cannot be followed")
    if hasattr(state, "__dict__") and hasattr(after, "__dict__"):
        vars(state).clear()
        vars(state).update(vars(after))


@contextlib.contextmanager
def _invalid_answers() -> Iterator[None]:
    """An answer that is no data is a failure of the code."""
    try:
        yield
    except DataError as problem:
        raise MechanismError(str(problem)) from None


_MOST_SECONDS_IN_ORDER = 60.0
"""Time after which no further stream of :meth:`IsolatedEstimator.outputs_afresh` begins."""


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
    stamps
        Those of its modules. A process that has imported another version of one does not answer for it.
    transcribed
        Whether the bytes that the code prints are a part of what is seen: each state and each output is a pair with
        all bytes so far.
    """

    subject: Subject
    limits: Limits
    key: str
    parameters: bytes = field(repr=False)
    description: Description
    stamps: Mapping[str, Stamp] = field(default_factory=dict, repr=False)
    transcribed: bool = False

    lives_apart: ClassVar[bool] = True

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
            noises = self._connected().noises
            left = from_data(after, revive=noises.read)
            # The code's process writes a noisy number in another way.
            if to_data(left, special=noises.write) != before:
                become(state[0] if self.transcribed else state, left)
        return output

    def _announce(self, state: Any, randomness: Any) -> Any:
        return self._call("announce", randomness, state)[0]

    def _sampled_users(self, state: Any) -> Any:
        raise MechanismError("only whole runs report the sampled users")

    @property
    def has_printed(self) -> bool:
        """Whether any call printed something."""
        return self._connected().printed

    def __getattr__(self, name: str) -> Any:
        # Only methods of the estimator: others must be missing here too.
        told: Description = object.__getattribute__(self, "description")
        if name in NUMBERS and name in told.numbers:
            return told.numbers[name]
        if name == "universe" and told.universe is not None:
            return told.universe
        if name in ("deletions", "promise"):
            return getattr(told, name)
        if name in CAPABILITIES and name in told.capabilities:
            if name == "statements":
                return self._statements()
            return {"announce": self._announce, "sampled_users": self._sampled_users}.get(name, True)
        raise AttributeError(f"the estimator has no {name!r}")

    @property
    def is_plain_object(self) -> bool:
        """Whether it is an object with an update and a result method, made an estimator by an adapter."""
        return self.description.plain

    @property
    def takes_size(self) -> bool:
        """Whether it is a function that takes the number of its outputs."""
        return "takes_size" in self.description.capabilities

    @property
    def makes_batches(self) -> bool:
        """Whether many runs may be made by one call: with a size, or side by side."""
        return self.takes_size or "side_by_side" in self.description.capabilities

    def runs_side_by_side(self, label: str) -> bool:
        """Whether a function without a size makes many runs by one call on the input with this label."""
        try:
            return self._ask_again(SideBySide(self.key, label)) is True
        except MechanismError:
            # Slow code has no time for so many runs at once.
            return False

    def own_digest(self) -> str:
        """A digest of the estimator's own attributes."""
        digests = self._connected().digests
        # It comes with every answer. Only the first one needs a question.
        if digests.get(self.key) is None:
            digests[self.key] = self._ask(Digest(self.key))
        return str(digests[self.key])

    def runs_apart(
        self, course: Course, runs: int, seed: Sequence[int] | None, *, states_seen: bool, users_told: bool = False
    ) -> Iterator[Sequence[Observation]]:
        """Observations of independent runs, in stacks; without a seed, with the randomness of a deployment."""
        given = None if seed is None else list(seed)
        for stack in self._runs(Runs(self.key, [course], runs, given, states_seen, users_told)):
            yield stack if isinstance(stack, Outputs) else [observed for ((observed, _),) in stack]

    def _runs(self, question: Runs) -> list[list[list[tuple[Observation, bytes]]] | Outputs]:
        """What each run shows, in stacks: outputs alone, or rows with a run on each stream."""
        stacks: list[list[list[tuple[Observation, bytes]]] | Outputs] = []
        outputs = [sum(step is SegmentEnd.RELEASE for *_, step in course) for course in question.courses]
        states = [len(course) * question.states for course in question.courses]

        def one(told: Any) -> tuple[Observation, bytes]:
            *seen, printed = told
            return Observation(*(tuple(from_data(each) for each in part) for part in seen)), bytes_in(printed)

        def take(part: Message) -> Message:
            try:
                if isinstance(part, messages.Outputs):
                    stacks.append(Outputs(part.read()))
                    return GoOn()
                stacks.append([list(map(one, row)) for row in part.value])  # type: ignore[attr-defined]
            except (AttributeError, TypeError, ValueError):
                raise DataError("it sent invalid observations") from None
            return GoOn()

        rest = self._ask_again(question, take, forget=stacks.clear)
        if rest is not None:
            with _invalid_answers():
                take(read(messages.Outputs, rest))
        shapes = [(max(0, most - releases), releases) for most, releases in zip(states, outputs, strict=True)]
        rows: list[list[tuple[int, int]]] = []
        for stack in stacks:
            if isinstance(stack, Outputs):
                rows += [[(0, 1)]] * len(stack)
            else:
                rows += [[(len(seen.states), len(seen.outputs)) for seen, _ in row] for row in stack]
        if rows != [shapes] * question.runs:
            raise MechanismError("it sent another number of observations than it was asked for")
        return stacks

    def printed_runs(
        self, courses: tuple[Course, Course], runs: int, seed: Sequence[int], *, states_seen: bool
    ) -> list[tuple[tuple[Observation, bytes], tuple[Observation, bytes]]]:
        """Runs on two streams in turn, in a random order, with the bytes that each run prints.

        All other things with an effect on these bytes, as the time of day, have the same effect on both sides.
        """
        question = Runs(self.key, courses, runs, list(seed), states_seen, printed=True)
        stacks = [stack for stack in self._runs(question) if not isinstance(stack, Outputs)]
        return [(left, right) for stack in stacks for left, right in stack]

    def batches_apart(self, label: str, sizes: Sequence[int], seed: Sequence[int]) -> list[Any]:
        """The outputs of batches of these sizes. The same arguments give the same outputs.

        The form of the outputs is not checked here.
        """
        told = self._ask_again(Batches(self.key, label, list(sizes), list(seed)))
        self._connected().digests[self.key] = None
        if not isinstance(told, list) or len(told) != len(sizes):
            raise MechanismError("it sent an invalid answer")
        with _invalid_answers():
            return [from_data(each) for each in told]

    def require_answers(self, courses: Sequence[Course]) -> None:
        """Refuse code of which a step fails in all of many runs on some streams: an error alone is no mechanism."""
        self._ask(NeverAnswers(self.key, courses))

    def conduct(self) -> Conduct:
        """The conduct of the code so far, in the calls of an exact check."""
        with _invalid_answers():
            return read(Conduct, self._ask(TellConduct(self.key)))

    @property
    def restarted(self) -> bool:
        """Whether the process ended and was started again, so that it knows no earlier calls."""
        return self._connected().process.starts > 1

    def surveyed(
        self,
        courses: Sequence[Course],
        runs: int,
        seed: int,
        limits: Limits | None = None,
        ids: Sequence[Any] = (),
    ) -> Conduct:
        """The conduct of the code in runs on some streams, in a process that has run nothing before."""
        limits = limits or self.limits
        # Slow code makes fewer runs, rather than none that counts.
        question = Follow(self.key, courses, runs, [seed], list(ids), limits.seconds / 2)
        process = self._connected().process
        if limits == self.limits and process.is_fresh(self.key):
            # From now on its memory is no longer that of the beginning.
            process.remember(self.key, surveyed=False)
            with _invalid_answers():
                return read(Conduct, process.ask(question))
        with self._new_process(limits, surveyed=True) as process:
            return read(Conduct, process.ask(question))

    @contextlib.contextmanager
    def _new_process(
        self, limits: Limits, hash_seed: int | None = None, *, surveyed: bool = False
    ) -> Iterator[SubjectProcess]:
        """A process with this estimator, which ends afterwards."""
        process = SubjectProcess(self.subject, limits, None if hash_seed is None else str(hash_seed))
        try:
            with _invalid_answers():
                self._make(process, surveyed=surveyed)
                yield process
        finally:
            process.end()

    def places_that_depend(
        self, conduct: Conduct, ids: Sequence[Any], seed: int = 0, limits: Limits | None = None
    ) -> tuple[str, ...]:
        """The changed places outside the state whose contents depend on the stream, or differ between equal runs.

        A cache of a table has the same contents after every stream.
        """
        if not conduct.changed:
            return ()
        one, *other = (np.array([each]) for each in ids[:2])
        courses = [repeated(self, one, 1), *(repeated(self, each, 1) for each in other), repeated(self, one, 3)]
        told: list[Mapping[str, str]] = []
        found: tuple[str, ...] = ()
        for course in courses:
            told.append(self.surveyed([course], 1, seed, limits).changed)
            found = dependent_places(conduct.changed, told)
            if len(told) > 1 and len(found) == len(conduct.changed):
                break
        return found

    def outputs_afresh(
        self, courses: Sequence[Course], runs: int, seed: int, limits: Limits | None = None
    ) -> list[bytes]:
        """The outputs on each of some streams in turn, in a new process, as bytes to compare."""
        found: list[bytes] = []
        ends = time.monotonic() + _MOST_SECONDS_IN_ORDER
        with self._new_process(limits or self.limits) as process:
            for course in courses:
                stacks: list[Any] = []

                def take(part: Message, stacks: list[Any] = stacks) -> Message:
                    stacks.append(written(part))
                    return GoOn()

                stacks.append(process.ask(Runs(self.key, [course], runs, [seed]), take))
                found.append(msgpack.packb(stacks))
                if len(found) > 1 and time.monotonic() > ends:
                    break
        return found

    def outputs_in_turns(self, courses: Sequence[Course], seed: int, *, apart: bool) -> bytes:
        """The outputs of a run on each stream in a new process, together or ``apart``, as bytes to compare."""
        with self._new_process(self.limits) as process:
            return comparable(process.ask(Turns(self.key, courses, [seed], apart)))

    def carries_states(self, courses: Sequence[Course], seed: int) -> bool:
        """Whether runs have the same outputs if their states go on as data; parameters as before."""
        live, sent = (
            comparable(self._ask(Turns(self.key, courses, [seed], apart=True, as_data=as_data)))
            for as_data in (False, True)
        )
        return live == sent

    def perform_afresh(self, script: Script, limits: Limits, hash_seed: int | None) -> Trace:
        """The trace of a script in a new process."""
        with self._new_process(limits, hash_seed) as process:
            sent = read(Performance, process.ask(Perform(self.key, script)))
            midway: bytes = msgpack.packb([sent.midway, sent.generator])
            seen = {name: from_data(getattr(sent, name)) for name in ("midway", "end", "after_release", "output")}
            return trace_of(replace(sent, **seen), midway, script, self)

    def _statements(self) -> tuple[AccuracyStatement, ...]:
        return tuple(
            AccuracyStatement(
                claim=str(claim),
                quantity=stated_as(Quantity, quantity, "quantity", self.subject.name),
                relation=stated_as(Relation, relation, "relation", self.subject.name),
                target=estimand_named(str(target), self.subject.name),
                value=partial(self._stated, number),
                alpha=alpha,
            )
            for number, (claim, quantity, relation, target, alpha) in enumerate(self.description.statements)
        )

    def _stated(self, number: int, *given: float) -> float:
        return float(self._ask(StatedValue(self.key, number, list(given))))

    def _call(
        self, method: str, randomness: Any, state: Any = None, arguments: Sequence[Any] = (), options: Any = None
    ) -> tuple[Any, Any, Any]:
        from pan_audits.choices.enumerating import EnumeratingRandomness
        from pan_audits.choices.factored import FactoredRandomness

        connection = self._connected()
        noises, earlier = connection.noises, b""
        if self.transcribed and method != "create":
            state, earlier = state
        sent = to_data(state, special=noises.write)
        question = Call(
            self.key,
            method=method,
            state=sent,
            arguments=to_data(list(arguments)),
            options=to_data(dict(options or {})),
            watch=isinstance(randomness, EnumeratingRandomness),
            apart=randomness.least if isinstance(randomness, FactoredRandomness) else 0,
            open=isinstance(randomness, FactoredRandomness) and randomness.drawn is None,
        )
        try:
            told = followed(self._ask(question, partial(answer_to_draw, randomness, noises)))
            self._connected().digests[self.key] = told.digest
            connection.printed |= bool(told.printed)
            result = from_data(told.result, revive=noises.read)
            return (result, earlier + told.printed) if self.transcribed else result, told.state, sent
        except (TypeError, DataError) as problem:
            raise MechanismError(f"it sent an invalid answer ({problem})") from None

    def make(self) -> None:
        """Start the judged process, and make the estimator in it, before it is needed; errors as for a call."""
        # Of one that is not followed from the beginning, a call would need another process.
        self._make(self._connected().process, surveyed=True)

    def _ask(self, question: Question, answer: Answer | None = None) -> Any:
        process = self._connected().process
        self._make(process, surveyed=isinstance(question, (Call, TellConduct)))
        return process.ask(question, answer)

    def _ask_again(
        self,
        question: Question,
        answer: Answer | None = None,
        forget: Callable[[], None] = lambda: None,
    ) -> Any:
        """The answer about seeded runs, also if the process dies once: they depend on their seed alone."""
        for _ in range(ATTEMPTS - 1):
            try:
                return self._ask(question, answer)
            except DiedError:
                # The cause may be a lack of memory.
                forget()
        return self._ask(question, answer)

    def _make(self, process: SubjectProcess, *, surveyed: bool = False) -> None:
        if process.made(self.key, surveyed=surveyed):
            return
        if process.made(self.key):
            # What earlier calls have left behind would pass for what was there from the beginning.
            process.end()
        process.ask(Make(self.key, msgpack.unpackb(self.parameters), self.subject.inputs, self.subject.thing, surveyed))
        process.remember(self.key, surveyed=surveyed)

    def _connected(self) -> Connection:
        return connection_to(self.subject, self.limits, self.stamps)


_MOST_SOURCE_BYTES = 2**24


def isolated(
    name: str,
    folder: str,
    search_path: tuple[str, ...],
    parameters: Mapping[str, Any],
    sizes: Mapping[str, Any],
    limits: Limits,
    level: Level,
    *,
    inputs: str = "",
    thing: bytes = b"",
) -> IsolatedEstimator:
    """Import and configure an estimator in a separate process."""
    subject = Subject(name, folder, search_path, level, inputs=inputs, thing=thing)
    sizes_and_parameters = to_data({"given": dict(parameters), "sizes": dict(sizes)})
    packed: bytes = msgpack.packb(sizes_and_parameters)
    key = hashlib.sha256(packed).hexdigest()
    connection = connection_to(subject, limits)
    earlier = connection.stamps
    try:
        sent = connection.process.ask(Make(key, sizes_and_parameters, inputs, thing))
        connection.process.remember(key, surveyed=True)
        description = read(Description, sent)
    except (MechanismError, DataError) as problem:
        raise InputError(f"{name} cannot be imported: {problem}") from None
    if earlier and not earlier.keys() >= set(description.modules):
        # A module was imported in a later call. Nobody knows whether its file has changed since.
        end(subject, limits)
        return isolated(name, folder, search_path, parameters, sizes, limits, level, inputs=inputs, thing=thing)
    connection.stamps = {**earlier, **stamps_of(description.modules)}
    subject = replace(subject, sources=_sources(description.modules, folder))
    return IsolatedEstimator(subject, limits, key, packed, description, connection.stamps)


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
