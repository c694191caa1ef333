"""The import of a third-party estimator, and its configuration: in a judged process only.

The imported code may do anything. The judge calls :func:`pan_audits.subject.intake.discovery.find_mechanism`, which
imports the code in a separate process.
"""

from __future__ import annotations

import enum
import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

# Later a file of the judged code's folder could have its name.
import cloudpickle

from pan_audits.events.observing.values import fields_of
from pan_audits.problems import judged
from pan_audits.subject.isolation.command import Command
from pan_audits.subject.isolation.data import DataError, Registry, made_of_attributes, to_data
from pan_audits.subject.isolation.description import promise_of
from pan_audits.subject.isolation.forms import OPTIONAL, MethodOf, accepts, is_mechanism, takes_an_input
from pan_audits.subject.isolation.measurements import promise_of_measurement
from pan_audits.subject.isolation.objects import (
    RANDOMNESS_PARAMETERS,
    RESULT_METHODS,
    UPDATE_METHODS,
    CompiledEstimator,
    ObjectEstimator,
    find_method,
    parameters_of,
    seeded_arguments,
    seeded_globally,
    writer_of,
)
from pan_audits.subject.isolation.sandbox import PROGRAM
from pan_audits.subject.isolation.synthesizers import synthesizer
from pan_audits.subject.isolation.whole_input import labelled, whole_input_estimator
from pan_estimators.common.registry import ESTIMATORS, require_parameters
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.problem import Problem
from pan_promises.promise import Promise

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


_INTERFACE = (
    ("create", ("randomness",), "returns the state before the first update"),
    ("update", ("state", "ids", "randomness"), "returns the state after an id or an array of ids"),
    ("release", ("state", "randomness"), "returns an output computed from the state"),
)


def _wanting(kind: Any) -> list[str]:
    """What a class, a factory's product or an object lacks of the interface, method by method."""
    return [
        f"define {method}(self, {', '.join(arguments)}): it {purpose}"
        for method, arguments, purpose in _INTERFACE
        if not (callable(getattr(kind, method, None)) and _accepts(getattr(kind, method), len(arguments), kind))
    ]


def is_estimator(kind: Any) -> bool:
    """Whether it has the interface of an estimator."""
    return not _wanting(kind)


def is_plain_object(kind: Any) -> bool:
    """Whether it has an update method for one id and a result method without arguments."""
    result = find_method(kind, RESULT_METHODS)
    return result is not None and takes_ids(kind) and _accepts(getattr(kind, result), 0, kind)


def takes_ids(kind: Any) -> bool:
    """Whether it has an update method for one id, and is no estimator with a state of its own."""
    update = find_method(kind, UPDATE_METHODS)
    if update is None or callable(getattr(kind, "create", None)):
        return False
    return _accepts(getattr(kind, update), 1, kind)


def missing(kind: Any, name: str) -> str:
    """One sentence that names the obstacle to an audit of ``kind``."""
    return (
        f"{name} cannot be audited: {'; '.join(_wanting(kind))} "
        f"(or give it a method {' or '.join(UPDATE_METHODS[:3])} for one id "
        f"and a method {' or '.join(RESULT_METHODS[:3])} without arguments)"
    )


def _accepts(method: Any, arguments: int, kind: Any) -> bool:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return True
    # A function of a class still has the parameter self.
    own = isinstance(kind, type) and not isinstance(
        inspect.getattr_static(kind, getattr(method, "__name__", ""), None), (staticmethod, classmethod)
    )
    try:
        signature.bind(*([None] * (arguments + own)))
    except TypeError:
        return False
    return True


BOUNDS = ("epsilon", "delta", "rho")
"""The parameters that make a promise."""

_LONGEST = 200


def configured(kind: Any, name: str, given: Mapping[str, Any]) -> Any:
    """The estimator that a class, a function or an object makes."""
    if not callable(kind):
        if is_estimator(kind):
            require_parameters(name, set(given) - OPTIONAL, ())
            return kind
        raise InputError(missing(kind, name))
    parameters = parameters_of(kind)
    if parameters is None:
        arguments = {key: value for key, value in given.items() if key not in OPTIONAL}
    else:
        require_parameters(name, [key for key in given if key not in OPTIONAL and not accepts(kind, key)], parameters)
        arguments = {key: value for key, value in given.items() if key in parameters}
    plain = isinstance(kind, type) and not is_estimator(kind) and takes_ids(kind)
    automatic = {*RANDOMNESS_PARAMETERS, "seed"} if plain or not isinstance(kind, type) else set()
    for key, p in (parameters or {}).items():
        optional = p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        if not optional and key not in arguments and key not in automatic:
            hint = "--epsilon E" if key == "epsilon" else f"--set {key}=VALUE"
            if not isinstance(kind, type):
                hint += ", or, if it is a mechanism on its whole input, --neighbours module:name, or --data module:name"
            raise InputError(f"{name} needs the parameter {key!r}: give {hint}")
    try:
        made = _made(kind, name, arguments)
    except InputError:
        if not (plain and parameters is not None and made_of_attributes(kind) and is_plain_object(kind)):
            raise
        # The audit reports it.
        return _of_object(kind, None, kind, name, arguments)
    return made if is_estimator(made) else _of_object(kind, made, type(made), name, arguments)


def _made(kind: Any, name: str, arguments: dict[str, Any]) -> Any:
    """An object, to be looked at."""
    randomness = NumpyRandomness(0)
    try:
        return kind(**seeded_arguments(kind, arguments, randomness, seeded_globally(randomness)))
    except InputError:
        raise
    except (Exception, SystemExit) as problem:
        text = f"{name} could not be made: {type(problem).__name__}: {_first_words(problem)}"
    if parameters_of(kind) is None:
        text += "; it shows no signature: give its parameters with --set NAME=VALUE, or name a function that makes it"
    raise InputError(text)


def _of_object(factory: Any, made: Any, kind: type, name: str, arguments: dict[str, Any]) -> ObjectEstimator:
    """The estimator of a plain object that a class or a function has made."""
    if kind is type(None):
        raise InputError(f"{name} returned None: it must return the object to be judged")
    compiled = not made_of_attributes(kind) or bool(_compiled_parts(made))
    update, result = find_method(kind, UPDATE_METHODS), find_method(kind, RESULT_METHODS)
    if update is None or not takes_ids(kind) or not (compiled or is_plain_object(kind)):
        raise InputError(missing(made, name))
    promise = promise_of(getattr(factory, "promise", None) or getattr(kind, "promise", None), name)
    common: dict[str, Any] = {
        "factory": factory,
        "update_method": update,
        "arguments": arguments,
        "promise": promise,
        "name": name,
    }
    if compiled:
        return CompiledEstimator(**common, result_method=_result_method(made), written_by=writer_of(made))
    return ObjectEstimator(**common, result_method=result or "", kind=kind)


def _result_method(made: Any) -> str:
    """The result method of a fresh object; empty if each of them needs an argument."""
    for method in RESULT_METHODS:
        if callable(getattr(made, method, None)):
            try:
                getattr(made, method)()
            except TypeError:
                continue
            except Exception:  # an empty object may have no result yet
                return method
            return method
    return ""


def _compiled_parts(made: Any) -> list[Any]:
    """The parts of an object whose contents are neither data nor attributes."""
    registry, fields = Registry(), fields_of(made) or {}
    try:
        to_data(fields, registry)
    except DataError:
        return []
    named = (type, enum.Enum, partial)
    found = [part for part in registry.parts.values() if not isinstance(part, named) and not inspect.isroutine(part)]
    return [part for part in found if not made_of_attributes(type(part))]


def _first_words(problem: BaseException) -> str:
    text = " ".join(str(problem).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def of_its_tables(kind: type, name: str, arguments: Mapping[str, Any], stated: Problem) -> dict[str, Any]:
    """The arguments of a class for the tables of a stated schema.

    A class with a parameter ``schema`` gets the schema, and one with a parameter ``rows`` the number of rows.
    """
    made = dict(arguments)
    if not stated.schema:
        return made
    if accepts(kind, "schema"):
        attributes = [{"name": column, "values": list(values)} for column, values in stated.schema]
        made.setdefault("schema", {"attributes": attributes})
        if accepts(kind, "rows"):
            made.setdefault("rows", stated.rows)
    own = _problem_of(kind, made)
    if isinstance(own, Problem) and own.schema and own.schema != stated.schema:
        raise InputError(
            f"{name} reads tables with the columns {_in_words(own)}, and the schema of --schema has the columns "
            f"{_in_words(stated)}; give the schema of {name}, or let it take a parameter 'schema'"
        )
    return made


def _in_words(tables: Problem) -> str:
    """The columns with the numbers of their values."""
    return ", ".join(f"{name!r} ({len(values)} values)" for name, values in tables.schema)


_MOST_NAMES = 8
"""Names of a module that a message lists."""

ENTRY_POINTS = "panproof.estimators"
"""Entry-point group under which another package makes its estimators known by name."""


def installed_mechanisms() -> dict[str, EntryPoint]:
    """Estimators that other installed packages have announced, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def unknown_estimator(name: str) -> InputError:
    """The error for a name that is neither that of a shipped or installed estimator nor ``module:Class``."""
    meant = suggestion(name, [*ESTIMATORS, *installed_mechanisms()], overview="`panproof list` shows all")
    return InputError(f"unknown estimator {shown(name)}; {meant}, and module:Class or file.py:Class names your own")


judged_here = False
"""Whether this is a judged process."""


def imported(
    name: str,
    folder: str,
    given: Mapping[str, Any],
    sizes: Mapping[str, Any] | None = None,
    *,
    search_path: Sequence[str] = (),
    inputs: str = "",
    thing: bytes = b"",
    making: AbstractContextManager[Any] | None = None,
) -> tuple[Any, dict[str, Any], Any]:
    """Import and configure an estimator, in this process."""
    # Beside a file stand the modules that it means; an object comes from where its caller found it.
    is_file = not thing and name.partition(":")[0].endswith(".py")
    for places in ([folder], search_path) if is_file else (search_path, [folder]):
        search(places)
    kind, neighbours = _unpacked(thing) if thing else (ByName(name), None)
    kind = load(kind.name, folder) if isinstance(kind, ByName) else kind
    problem = problem_in(inputs)
    if inputs and problem is None:
        neighbours = load(inputs, folder)
    with making or nullcontext():
        estimator = _whole_input(kind, name, given, neighbours, problem)
        if estimator is not None:
            taken = {key: value for key, value in given.items() if _takes(estimator, kind, key)}
            return estimator, taken, kind.kind if isinstance(kind, MethodOf) else kind
        given = {**given, **(sizes or {})}
        estimator = configured(kind, name, given)
        return estimator, {key: value for key, value in given.items() if key == "universe" or accepts(kind, key)}, kind


def _takes(estimator: Any, kind: Any, key: str) -> bool:
    return key in estimator.form.taken or accepts(kind, key)


@dataclass(frozen=True)
class ByName:
    """A thing that cannot be sent to another process, which imports it by this name."""

    name: str


def problem_in(inputs: str) -> Problem | None:
    """The problem that stands in the place of neighbours, or ``None`` if it names neighbours."""
    if not inputs.startswith("{"):
        return None
    try:
        return Problem.from_dict(json.loads(inputs))
    except ValueError as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"the inputs are no JSON: {problem}") from None


def _unpacked(thing: bytes) -> tuple[Any, Any]:
    """The object that the caller gave to the judge, with its neighbours."""
    if thing in _unpacked_once:
        return _unpacked_once[thing]
    try:
        kind, neighbours = cloudpickle.loads(thing)
    except (Exception, SystemExit) as problem:
        raise InputError(f"it cannot be made again in a separate process: {problem}") from None
    if isinstance(kind, (type, FunctionType)):
        # A second reading would give the class other functions, while those of the first one are followed.
        _unpacked_once[thing] = kind, neighbours
    return kind, neighbours


_unpacked_once: dict[bytes, tuple[Any, Any]] = {}


def _whole_input(kind: Any, name: str, given: Mapping[str, Any], neighbours: Any, stated: Problem | None = None) -> Any:
    """The estimator of a mechanism on a whole input; ``None`` for any other object."""
    if stated and not takes_an_input(kind, given) and (of_rows := synthesizer(kind, name, given, stated)) is not None:
        promise = promise_of(getattr(kind, "promise", None), name)
        return whole_input_estimator(of_rows, stated, {}, promise, {}, name=name)
    problem = stated or _problem_of(kind, given)
    if neighbours is None and not (isinstance(problem, Problem) and judged(problem).makes_inputs):
        if is_mechanism(kind):
            raise InputError(
                f"{name} is a function of its whole input: say which inputs are neighbours, with --neighbours "
                "module:name, or give it an attribute 'problem'"
            )
        return None
    promise = promise_of(getattr(kind, "promise", None), name)
    if neighbours is not None:
        if is_estimator(kind):
            raise InputError(f"{name} reads a stream, by create, update and release: it takes no inputs of its own")
        found, given_pairs = labelled(neighbours)
        made = whole_input_estimator(kind, given_pairs, found, promise, given, name=name)
        return replace(made, promise=promise or _own_promise(made, given, name))
    assert isinstance(problem, Problem)
    if not isinstance(kind, type):
        return whole_input_estimator(kind, problem, {}, promise, given, name=name)
    arguments = {key: value for key, value in given.items() if accepts(kind, key)}
    if stated is not None:
        arguments = of_its_tables(kind, name, arguments, stated)
    require_parameters(name, set(given) - set(arguments) - OPTIONAL, list(inspect.signature(kind).parameters))
    owner = kind(**arguments)
    return whole_input_estimator(
        owner, problem, {}, promise_of(getattr(owner, "promise", None), name) or promise, {}, name=name
    )


def _own_promise(made: Any, given: Mapping[str, Any], name: str) -> Promise | None:
    """The promise of an object, or that of a measurement; a budget that is given goes before it."""
    stated = promise_of(getattr(made.form.example, "promise", None), name)
    if stated is not None or any(given.get(budget) is not None for budget in BOUNDS):
        return stated
    inputs = list(made.inputs.values())
    pairs = [(inputs[one], inputs[other]) for one, other in made.problem.pairs]
    return promise_of_measurement(made.form.example, pairs)


def _problem_of(kind: Any, given: Mapping[str, Any]) -> Any:
    """The problem that a mechanism names; that of a configured object, if its class computes the problem."""
    problem = getattr(kind, "problem", None)
    if isinstance(kind, type) and isinstance(problem, (property, cached_property)):
        try:
            made = kind(**{key: value for key, value in given.items() if accepts(kind, key)})
        except TypeError:
            # The configuration tells which parameter is missing.
            return None
        problem = made.problem
    return Problem.from_dict(problem) if isinstance(problem, Mapping) else problem


def load(name: str, folder: str) -> Any:
    """What a name stands for, ``module:attribute`` or that of an installed estimator."""
    if ":" not in name and name in (installed := installed_mechanisms()):
        name = installed[name].value
    if name.startswith(PROGRAM):
        return Command.named(name, folder)
    module_name, colon, attribute = name.partition(":")
    if not colon:
        raise unknown_estimator(name)
    try:
        module = (
            _load_file(module_name, folder) if module_name.endswith(".py") else importlib.import_module(module_name)
        )
    except InputError:
        raise
    except ModuleNotFoundError as problem:
        raise InputError(f"module {module_name!r} cannot be imported: {problem}") from None
    except (Exception, SystemExit) as problem:
        kind, text = type(problem).__name__, " ".join(str(problem).split())
        raise InputError(f"module {module_name!r} cannot be imported: {kind}: {text}") from None
    found: Any = module
    for part in attribute.split("."):
        place = found
        if not hasattr(found, part):
            names = _public_names(found)
            overview = "" if len(names) <= _MOST_NAMES else f"the first names are {', '.join(names[:_MOST_NAMES])}"
            meant = suggestion(part, names, overview=overview)
            raise InputError(f"module {module_name!r} has no {attribute!r}; {meant}")
        found = getattr(found, part)
    # Of an object, a method knows its object.
    if isinstance(place, type) and isinstance(inspect.getattr_static(place, part), FunctionType):
        return MethodOf(place, part)
    return found


def _public_names(place: Any) -> list[str]:
    """The public names of a module or a class, without modules; those that a module defines itself come first."""
    here, held = getattr(place, "__name__", None), getattr(place, "__dict__", {})
    names = [
        name
        for name, thing in held.items()
        if name.isidentifier() and not name.startswith("_") and not inspect.ismodule(thing)
    ]
    return sorted(names, key=lambda name: getattr(held[name], "__module__", None) != here)


def search(places: Sequence[str]) -> None:
    """Look for modules in some folders too, after those of Python itself, which a file there must not replace."""
    known, installed = set(map(os.path.realpath, sys.path)), ("site-packages", "dist-packages")
    at = next((number for number, path in enumerate(sys.path) if path.endswith(installed)), len(sys.path))
    for place in places:
        if place.endswith(installed):
            at = len(sys.path)
        if os.path.realpath(place) not in known:
            sys.path.insert(at, place)
            at += 1


def _load_file(name: str, folder: str) -> ModuleType:
    """The module in a file, under its own name unless that belongs to another module."""
    path = (Path(folder) / name).resolve()
    if not path.exists():
        raise InputError(f"there is no file {name}")
    search([str(path.parent)])
    found = importlib.util.find_spec(path.stem)
    if found is not None and found.origin == str(path):
        return importlib.import_module(path.stem)
    own = f"panproof_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(own, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[own] = module
    spec.loader.exec_module(module)
    return module
