"""The import of a third-party estimator, in a judged process only.

The imported code may do anything. The judge calls :func:`pan_audits.intake.discovery.find_variant`, which imports
the code in a separate process.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import cloudpickle

from pan_audits.isolation.configuring import OPTIONAL, accepts, configured
from pan_audits.isolation.description import promise_of
from pan_audits.isolation.synthesizers import synthesizer
from pan_audits.isolation.table_classes import of_its_tables
from pan_audits.isolation.whole_input import is_mechanism, labelled, whole_input_estimator
from pan_audits.problems import judged
from pan_estimators.common.registry import ESTIMATORS, require_parameters
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.problem import Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_MOST_NAMES = 8
"""Names of a module that a message lists."""

ENTRY_POINTS = "panproof.estimators"
"""Entry-point group under which another package makes its estimators known by name."""


def installed_variants() -> dict[str, EntryPoint]:
    """Estimators that other installed packages have announced, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def unknown_estimator(name: str) -> InputError:
    """The error for a name that is neither that of a shipped or installed estimator nor ``module:Class``."""
    meant = suggestion(name, [*ESTIMATORS, *installed_variants()], overview="`panproof list` shows all")
    return InputError(f"unknown estimator {shown(name)}; {meant}, and module:Class or file.py:Class names your own")


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
        _search(places)
    kind, neighbours = _unpacked(thing) if thing else (_load(name, folder), None)
    problem = problem_in(inputs)
    if inputs and problem is None:
        neighbours = _load(inputs, folder)
    with making or nullcontext():
        estimator = _whole_input(kind, name, given, neighbours, problem)
        if estimator is not None:
            return estimator, {key: value for key, value in given.items() if accepts(kind, key)}, kind
        given = {**given, **(sizes or {})}
        estimator = configured(kind, name, given)
        return estimator, {key: value for key, value in given.items() if key == "universe" or accepts(kind, key)}, kind


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
    if stated and not is_mechanism(kind) and (made := synthesizer(kind, name, given, stated)) is not None:
        promise = promise_of(getattr(kind, "promise", None), name)
        return whole_input_estimator(made, stated, {}, promise, {}, name=name)
    problem = stated or _problem_of(kind, given)
    if neighbours is None and not (isinstance(problem, Problem) and judged(problem).makes_inputs):
        if is_mechanism(kind):
            raise InputError(
                f"{name} is a function of its whole input: say which inputs are neighbours, with --neighbours "
                "module:name, or give it an attribute 'problem'"
            )
        return None
    found: dict[str, Any] = {}
    if neighbours is not None:
        found, problem = labelled(neighbours)
    assert isinstance(problem, Problem)
    promise = promise_of(getattr(kind, "promise", None), name)
    arguments = {key: value for key, value in given.items() if accepts(kind, key)}
    if stated is not None and isinstance(kind, type):
        arguments = of_its_tables(kind, name, arguments, stated)
    own_parameters = list(inspect.signature(kind).parameters) if callable(kind) else []
    require_parameters(name, set(given) - set(arguments) - OPTIONAL, own_parameters)
    if isinstance(kind, type):
        made = kind(**arguments)
        own = promise_of(getattr(made, "promise", None), name)
        return whole_input_estimator(made, problem, found, own or promise, {}, name=name)
    return whole_input_estimator(kind, problem, found, promise, arguments, name=name)


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


def _load(name: str, folder: str) -> Any:
    if ":" not in name and name in (installed := installed_variants()):
        name = installed[name].value
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
        if not hasattr(found, part):
            names = _public_names(found)
            overview = "" if len(names) <= _MOST_NAMES else f"the first names are {', '.join(names[:_MOST_NAMES])}"
            meant = suggestion(part, names, overview=overview)
            raise InputError(f"module {module_name!r} has no {attribute!r}; {meant}")
        found = getattr(found, part)
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


def _search(places: Sequence[str]) -> None:
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
    _search([str(path.parent)])
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
