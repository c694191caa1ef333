"""From a name, or from a class, a function or an object that the person holds, to a mechanism that can be judged.

A shipped one runs here. The code of any other one stays in a process of its own.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import cloudpickle

from pan_audits.events.observing.values import fields_of, fingerprint
from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.catalogue import CodeConstants
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.problems.space import require_neighbours, space_of
from pan_audits.subject.isolation import importing
from pan_audits.subject.isolation.command import Command
from pan_audits.subject.isolation.description import promise_of
from pan_audits.subject.isolation.importing import (
    BOUNDS,
    ENTRY_POINTS,
    ByName,
    installed_mechanisms,
    unknown_estimator,
)
from pan_audits.subject.isolation.sandbox import (
    IMPORTED_BY_WORKERS,
    IN_ONE_PROCESS,
    Isolation,
    Level,
    Place,
    level_named,
    place_of,
)
from pan_audits.subject.isolation.whole_input import whole_input_estimator, with_many_runs
from pan_audits.subject.running.course import is_shipped
from pan_audits.workers.limits import Limits
from pan_estimators.common.registry import (
    create_estimator,
    estimator_from_dict,
    one_epsilon,
    refuse_former,
    ships,
    takes,
    with_promised,
)
from pan_estimators.universes.universe import Universe
from pan_promises.adjacency import OF_TABLES
from pan_promises.errors import InputError, shown
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Observed, Promise
from pan_promises.workers import start_workers

__all__ = ["ENTRY_POINTS", "Mechanism", "find_mechanism", "installed_mechanisms"]

_MOST_IDS = 4096
_LEFT_OUT = frozenset({"universe", "epsilon", "rho", "sample_size"})

if TYPE_CHECKING:
    from pan_audits.subject.isolation.space import SpaceNamed


@dataclass(frozen=True)
class Mechanism:
    """An estimator that was found and configured.

    Attributes
    ----------
    name
        As it was asked for.
    estimator
        Ready to run.
    promise
        Its promise, or the promise that the caller gave.
    population
        Ids to feed it.
    configuration
        JSON-ready: what was asked for.
    source
        Digest of the file that defines it, to recognise a changed estimator.
    shipped
        Whether it belongs to this package.
    parameters
        The parameters that it was made with.
    isolation
        The isolation of its code.
    problem
        The kind of its inputs.
    inputs, thing, with_neighbours, space
        As for :func:`find_mechanism`.
    """

    name: str
    estimator: Any
    promise: Promise
    population: tuple[Any, ...]
    configuration: Mapping[str, Any]
    source: str
    shipped: bool
    parameters: Mapping[str, Any] = field(default_factory=dict)
    isolation: Isolation = IN_ONE_PROCESS
    problem: Problem = STREAM
    inputs: str = ""
    thing: bytes = field(default=b"", repr=False)
    with_neighbours: bool = False
    space: SpaceNamed | None = None

    def pairs(self, seed: int, mined: CodeConstants | None = None) -> tuple[Pair, ...]:
        """The pairs of neighbours of an audit, some of them with constants of the code."""
        deletions = bool(getattr(self.estimator, "deletions", False))
        made = judged(self.problem).catalogue(
            self.promise, self.population, deletions=deletions, seed=seed, mined=mined
        )
        return made.pairs


def find_mechanism(
    name: str,
    *,
    parameters: Mapping[str, Any],
    sizes: Mapping[str, Any] | None = None,
    promise: Promise | None = None,
    default_universe: int = 16,
    limits: Limits | None = None,
    isolation: str = "best",
    inputs: str = "",
    thing: bytes = b"",
    with_neighbours: bool = False,
    space: SpaceNamed | None = None,
    promised: float | None = None,
) -> Mechanism:
    """Find and configure an estimator.

    The code of an estimator that is not shipped is imported and run in a process of its own
    (:mod:`pan_audits.subject.isolation`), never in this one.

    Parameters
    ----------
    name
        Name of a shipped estimator or of an installed one, or ``module:Class``; the module is also
        searched in the working directory.
    parameters
        Those that the estimator knows are passed on; ``universe``, ``epsilon``, ``rho`` and
        ``sample_size`` are ignored by an estimator that does not take them, any other must be known.
    sizes
        For an estimator of streams: ``universe`` and ``sample_size`` in place of those among the parameters.
    promise
        Overrides the promise of the estimator.
    default_universe
        Number of users, if none is given; half of them are sampled, so that there are users inside
        and outside of the sample.
    limits
        On the process of an estimator that is not shipped.
    isolation
        The isolation of that process: ``best``, ``bubblewrap``, ``unshare`` or ``limits``.
    inputs
        For a mechanism that is given its whole input: pairs of neighbours, as ``module:attribute``, or the problem as
        JSON.
    thing
        In place of the name: what :func:`packed` wrote. The name is then only
        shown.
    with_neighbours
        Whether ``thing`` comes with neighbours of its input.
    space
        For a mechanism that is given its whole input, in place of pairs: the space of its inputs.
    promised
        The epsilon that the promise of an estimator that is not shipped must have.

    Raises
    ------
    InputError
        If it cannot be found, imported, configured or audited, or promises nothing.
    """
    given = {key: value for key, value in parameters.items() if value is not None}
    known = given | {key: value for key, value in (sizes or {}).items() if value is not None}
    users = known.get("universe", default_universe)
    for each in (users, given.get("universe", users)):
        if not hasattr(each, "__floordiv__") and not isinstance(each, Universe):
            raise InputError(f"universe is a number of users, or a universe, got {shown(each)}")
    half = max(1, (users.size if isinstance(users, Universe) else users) // 2)
    level = level_named(isolation)
    if thing or not ships(name):
        sizes = {"universe": users, "sample_size": known.get("sample_size", half)}
        found = _apart(name, given, sizes, promise, limits or Limits(), level, inputs, thing, with_neighbours, space)
        _require_promised(found, promised)
        return found
    if inputs or space:
        raise InputError(f"--neighbours is for a mechanism that is given its whole input; {name} reads a stream")
    given = dict(known)
    if takes(name, "universe") and "vertices" not in given:
        given.setdefault("universe", users)
    if takes(name, "sample_size") and "alpha" not in given:
        given.setdefault("sample_size", half)
    refuse_former(name, given)
    # Taken where they are known, and left out elsewhere.
    given = {key: value for key, value in given.items() if key not in _LEFT_OUT or takes(name, key)}
    estimator = create_estimator(name, **given)
    problem = getattr(estimator, "problem", STREAM)
    stated = _required(promise or estimator.promise, name, getattr(estimator, "why_no_promise", ""), problem)
    described = dict(estimator.to_dict()) if hasattr(estimator, "to_dict") else {"estimator": name, **given}
    if judged(problem).whole:
        estimator = with_many_runs(whole_input_estimator(estimator, problem, {}, stated, {}))
        population = _as_observed(estimator.universe, problem, stated)
    else:
        population = tuple(estimator.universe.example_ids(_MOST_IDS))
    return Mechanism(
        name=name,
        estimator=estimator,
        promise=stated,
        population=population,
        configuration=described,
        problem=problem,
        source="",
        shipped=True,
        parameters=given,
    )


def _apart(
    name: str,
    given: dict[str, Any],
    sizes: dict[str, Any],
    promise: Promise | None,
    limits: Limits,
    level: Level,
    inputs: str,
    thing: bytes,
    with_neighbours: bool,
    space: SpaceNamed | None,
) -> Mechanism:
    """A third-party estimator."""
    from pan_audits.subject.isolation.estimator import isolated
    from pan_audits.subject.isolation.process import Subject
    from pan_audits.subject.isolation.space import SpaceApart

    installed = {} if thing else installed_mechanisms()
    if not thing and name not in installed and ":" not in name:
        raise unknown_estimator(name)
    place = place_of(installed[name].value if name in installed else name)
    Place.of(level, *place[1:]).start_server()
    # The exact check comes next, in a worker that imports much.
    start_workers(1, IMPORTED_BY_WORKERS)
    explorer = None
    if space is not None:
        # The inputs are drawn in a process of their own, whose code may be another one.
        explorer = SpaceApart(Subject("the data", *place[1:], level), limits, space)
        inputs = json.dumps(space_of(explorer).to_dict(), separators=(",", ":"))
    estimator = isolated(*place, given, sizes, limits, level, inputs=inputs, thing=thing)
    told = estimator.description
    problem = told.problem
    if explorer is not None:
        explorer = replace(explorer, numbers=told.numbers_in_code, texts=told.texts_in_code)
        problem = replace(problem, explorer=explorer)
    kind = judged(problem)
    # The judged code must not choose the pairs on which it is judged.
    if kind.given and not (inputs or with_neighbours):
        raise InputError(
            f"{name} says itself which inputs are neighbours; name them with --neighbours module:name, or let its "
            "problem be a table or a stream"
        )
    known = given if kind.whole else given | sizes
    taken = {key: value for key, value in known.items() if key in told.parameters}
    described = {key: value.to_dict() if isinstance(value, Universe) else value for key, value in taken.items()}
    stated = _required(
        promise or told.promise or kind.promise_of({name: given[name] for name in BOUNDS if name in given}),
        name,
        problem=problem,
    )
    if "unreadable_state" in told.capabilities and stated.sees_state and not kind.whole:
        raise InputError(
            f"the state of {name} is in compiled code and cannot be read: give its class a method 'serialize' that "
            "returns bytes, or judge its output alone with observed=output in the promise"
        )
    if "epsilon" in given and "epsilon" not in taken and float(given["epsilon"]) != float(stated.epsilon):
        raise InputError(
            f"{name} takes no epsilon, and its promise is {stated.describe()}: name the epsilon in the promise alone"
        )
    for bound, promised in (("delta", stated.delta), ("rho", stated.rho)):
        if bound in given and bound not in taken and given[bound] != promised:
            raise InputError(
                f"{name} takes no {bound}, and its promise is {stated.describe()}: name the {bound} in the promise "
                "alone"
            )
    return Mechanism(
        name=name,
        estimator=estimator,
        promise=stated,
        population=_as_observed(told.population, told.problem, stated),
        configuration={"estimator": name, **described, **_named_inputs(inputs, space)},
        source=_digest(told.file),
        shipped=False,
        parameters=taken,
        isolation=Isolation(level),
        problem=problem,
        inputs="" if space else inputs,
        thing=thing,
        with_neighbours=with_neighbours,
        space=space,
    )


def _named_inputs(inputs: str, space: SpaceNamed | None) -> dict[str, Any]:
    if space is not None:
        return {"space": dict(space.described)}
    return {"inputs": inputs} if inputs else {}


def _require_promised(mechanism: Mechanism, epsilon: float | None) -> None:
    """Raise :class:`InputError` if a promise is about another epsilon than the one that was asked for."""
    promise = mechanism.promise
    if epsilon is None or promise.rho is not None or float(epsilon) == float(promise.epsilon):
        return
    raise InputError(
        f"epsilon {epsilon} is that of the promise, and {mechanism.name} is judged by the promise "
        f"{promise.describe()}: give its parameter by --set epsilon={epsilon}, in Python by an object, or the same "
        "number in both"
    )


def _as_observed(labels: Sequence[Any], problem: Problem, promise: Promise) -> tuple[Any, ...]:
    """The inputs for runs of the code, which end with the observation that the promise is about."""
    return tuple(judged(problem).as_observed(label, promise) for label in labels)


def _required(promise: Promise | None, name: str, why: str = "", problem: Problem = STREAM) -> Promise:
    kind = judged(problem)
    if promise is None:
        because = f", since {why}" if why else ""
        these = "" if kind.given else " for these parameters"
        raise InputError(f"{name} makes no promise{these}{because}: give one, for example {kind.example}")
    return promise


def _digest(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if os.path.isfile(file) else ""
    except OSError:
        return ""


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Sends strategies of Hypothesis too: compiled functions whose module has another name than it says, and locks."""

    def reducer_override(self, part: Any) -> Any:
        if isinstance(part, type(RLock())):
            return RLock, ()
        if isinstance(part, BuiltinFunctionType) and part.__module__ not in (None, *sys.modules):
            name = str(part.__name__)
            for module in list(sys.modules.values()):
                if getattr(module, name, None) is part:
                    return getattr, (module, name)
        return super().reducer_override(part)


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
        return _written((thing, neighbours))
    except Exception as problem:
        if not (place := _place_of(thing)):
            raise InputError(
                f"{name_of(thing)} cannot be sent to a separate process ({problem}): name it as module:name, or give "
                "a function without parameters that makes it"
            ) from None
        return _written((ByName(place), neighbours))
    finally:
        if by_value is not None:
            cloudpickle.unregister_pickle_by_value(by_value)


def _written(values: Any) -> bytes:
    written = io.BytesIO()
    _Pickler(written).dump(values)
    return written.getvalue()


def _place_of(thing: Any) -> str:
    """The name of the variable of a module, or of the file that runs, that holds a thing; empty if there is none."""
    for name, module in list(sys.modules.items()):
        for variable, value in list(getattr(module, "__dict__", {}).items()):
            file = getattr(module, "__file__", None) or ""
            if value is thing and (name != "__main__" or file):
                return f"{os.path.abspath(file) if name == '__main__' else name}:{variable}"
    return ""


def name_of(thing: Any) -> str:
    """A name to show: that of the class or function, or of the object's class."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    name = str(named.__qualname__)
    # With a colon it would name a module or a program.
    return name if isinstance(thing, Command) else name.replace(":", ".")


def find_thing(thing: Any, inputs: Sequence[Any] = (), **options: Any) -> Mechanism:
    """A thing, ready to be judged.

    Its code does not run in this process, unless it is a shipped estimator.
    """
    return find_mechanism(**arguments_for(thing, inputs, **options))


def arguments_for(
    thing: Any,
    inputs: Sequence[Any] = (),
    *,
    epsilon: float | str | None = None,
    promise_epsilon: float | str | None = None,
    delta: float | None = None,
    rho: float | None = None,
    adjacency: str | None = None,
    promise: Promise | str | Mapping[str, Any] | None = None,
    neighbours: Any = None,
    data: Any = None,
    parameters: Mapping[str, Any],
    isolation: str = "best",
    limits: Limits | None = None,
    module: ModuleType | None = None,
) -> dict[str, Any]:
    """The arguments of :func:`find_mechanism` for a thing."""
    if importing.judged_here:
        raise InputError(
            "the file of the mechanism calls panproof while it is imported: put the call under "
            "if __name__ == '__main__'"
        )
    shipped = isinstance(thing, str) and ships(thing)
    if shipped:
        parameters = with_promised(thing, parameters, epsilon, promise_epsilon)
    budget = one_epsilon(epsilon, promise_epsilon)
    stated = promise_of(promise, name_of(thing))
    if stated is not None and adjacency is not None:
        raise InputError("a promise names its adjacency itself: give either an adjacency or a promise, not both")
    if inputs and neighbours is not None:
        raise InputError("give either two inputs or neighbours, not both")
    if inputs and len(inputs) != 2:
        raise InputError(f"give two inputs that are neighbours, got {len(inputs)}")
    space = None if data is None else _space(data, neighbours, inputs, module)
    pairs = [tuple(inputs)] if inputs else neighbours if space is None else None
    if stated is None and adjacency is not None:
        if budget is None and rho is None:
            raise InputError("an adjacency makes a promise with an epsilon only, or with a rho: give both")
        if budget is not None and rho is not None:
            raise InputError("an adjacency makes a promise with an epsilon or a rho: give only one of them")
        # Only a mechanism that reads a stream has a state to be seen.
        seen: dict[str, Any] = {}
        if pairs is not None or space is not None or adjacency in OF_TABLES:
            seen = {"observed": Observed.OUTPUT, "intrusions": 0}
        bound = {"epsilon": budget, "delta": delta or 0.0} if rho is None else {"rho": rho}
        stated = Promise(**bound, adjacency=adjacency, **seen)  # type: ignore[arg-type]
    if delta is not None and rho is not None:
        raise InputError("a promise has either a rho, or an epsilon with or without a delta, got both")
    if budget is not None and parameters.get("epsilon") is not None and not shipped:
        raise InputError("give the epsilon of the promise or the parameter epsilon, not both")
    # The parameters of a shipped estimator have the budget already, by its own name.
    given = {"epsilon": None if shipped else budget, "delta": delta, "rho": rho, **parameters}
    if isinstance(thing, str) and (pairs is None or isinstance(pairs, str)):
        return {
            "name": thing,
            "parameters": given,
            "promise": stated,
            "limits": limits or Limits(),
            "isolation": isolation,
            "inputs": pairs or "",
            "space": space,
            "promised": None if shipped else budget,
        }
    if is_shipped(thing) and hasattr(thing, "to_dict") and _is_as_made(thing):
        if pairs is not None or space is not None:
            raise InputError(f"{thing.name} reads a stream: it takes no inputs and no neighbours")
        budgets = [name for name in ("epsilon", "delta", "rho") if given[name] is not None and adjacency is None]
        if parameters or budgets:
            named = ", ".join([*parameters, *budgets])
            raise InputError(f"{thing.name} is made already: it takes no {named}; judge another promise with promise=")
        own = {key: value for key, value in thing.to_dict().items() if key not in ("estimator", "universe")}
        return {
            "name": thing.name,
            "parameters": {**own, "universe": thing.universe},
            "promise": stated,
            "isolation": isolation,
        }
    if shipped:
        raise InputError(f"{thing} reads a stream or a table: it takes no inputs and no neighbours")
    return {
        "name": thing if isinstance(thing, str) else name_of(thing),
        "parameters": given,
        "promise": stated,
        "limits": limits or Limits(),
        "isolation": isolation,
        "thing": packed(ByName(thing) if isinstance(thing, str) else thing, pairs, module=module),
        "with_neighbours": pairs is not None,
        "space": space,
        "promised": budget,
    }


def _space(data: Any, neighbours: Any, inputs: Sequence[Any], module: ModuleType | None) -> SpaceNamed:
    """The space of some data, which its caller gives in place of two inputs or of pairs."""
    from pan_audits.subject.isolation.space import SpaceNamed

    if inputs:
        raise InputError("give either two inputs or a space of data, not both")
    name = require_neighbours(neighbours)
    shown_as = {"data": data, "neighbours": neighbours}
    described = {key: value if isinstance(value, str) else None for key, value in shown_as.items()}
    return SpaceNamed(packed(data, neighbours, module=module), name, described)


def _is_as_made(estimator: Any) -> bool:
    """Whether a shipped estimator is the one that its configuration makes, with nothing changed."""
    try:
        made = estimator_from_dict({**estimator.to_dict(), "universe": estimator.universe.to_dict()})
    except (InputError, AttributeError, TypeError):
        return False
    return type(made) is type(estimator) and _contents(made) == _contents(estimator)


def _contents(estimator: Any) -> str:
    kind = type(estimator)
    # Values that were computed once and kept change nothing.
    kept = {name for base in kind.__mro__ for name, part in vars(base).items() if isinstance(part, cached_property)}
    return fingerprint({name: part for name, part in (fields_of(estimator) or {}).items() if name not in kept})
