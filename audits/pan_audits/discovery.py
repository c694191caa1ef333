"""Finding an estimator: a shipped one, one of another installed package, or a class in a file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pan_audits.adapter import RANDOMNESS_PARAMETERS, RESULT_METHODS, UPDATE_METHODS, ObjectEstimator, find_method
from pan_audits.conformance import is_estimator, is_plain_object, missing
from pan_estimators import ESTIMATORS, InputError, Promise, Universe, create_estimator

ENTRY_POINTS = "panproof.estimators"
"""Entry-point group under which another package makes its estimators known by name."""

_MOST_IDS = 4096


@dataclass(frozen=True)
class Variant:
    """An estimator that was found and configured.

    Attributes
    ----------
    name
        As it was asked for.
    estimator
        Ready to run.
    promise
        What it promises, or what was asked to be audited.
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
    """

    name: str
    estimator: Any
    promise: Promise
    population: tuple[Any, ...]
    configuration: Mapping[str, Any]
    source: str
    shipped: bool
    parameters: Mapping[str, Any] = field(default_factory=dict)


def installed_variants() -> dict[str, EntryPoint]:
    """Estimators that other installed packages have announced, by name."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def find_variant(
    name: str, *, parameters: Mapping[str, Any], promise: Promise | None = None, default_universe: int = 16
) -> Variant:
    """Find and configure an estimator.

    Parameters
    ----------
    name
        Name of a shipped estimator or of an installed one, or ``module:Class``; the module is also
        looked for in the working directory.
    parameters
        Those that the estimator knows are passed on; ``universe``, ``epsilon`` and ``sample_size``
        are ignored by an estimator that does not take them, any other must be known.
    promise
        Overrides the promise of the estimator.
    default_universe
        Number of users, if none is given; half of them are sampled, so that there are users inside
        and outside of the sample.

    Raises
    ------
    InputError
        If it cannot be found, imported, configured or audited, or promises nothing.
    """
    given = {key: value for key, value in parameters.items() if value is not None}
    given.setdefault("universe", default_universe)
    size = given["universe"].size if isinstance(given["universe"], Universe) else given["universe"]
    if name in ESTIMATORS:
        if "sample_size" in inspect.signature(ESTIMATORS[name]).parameters and "alpha" not in given:
            given.setdefault("sample_size", max(1, size // 2))
        if name == "exact-counter":
            given.pop("epsilon", None), given.pop("sample_size", None)
        estimator, source, shipped = create_estimator(name, **given), "", True
    else:
        kind = _load(name)
        given.setdefault("sample_size", max(1, size // 2))
        estimator, source, shipped = _configure(kind, name, given), _digest(kind), False
        given = {key: value for key, value in given.items() if key == "universe" or _accepts(kind, key)}
    return Variant(
        name=name,
        estimator=estimator,
        promise=_promise(estimator, name, promise),
        population=_population(estimator, given["universe"]),
        configuration=_describe(estimator, name, given),
        source=source,
        shipped=shipped,
        parameters=given,
    )


def _load(name: str) -> Any:
    installed = installed_variants()
    if name in installed:
        name = installed[name].value
    module_name, colon, attribute = name.partition(":")
    if not colon:
        known = ", ".join([*ESTIMATORS, *installed])
        raise InputError(f"unknown estimator {name!r}; known are {known}, or write module:Class")
    _search(os.getcwd())
    try:
        module = _load_file(module_name) if module_name.endswith(".py") else importlib.import_module(module_name)
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
            raise InputError(f"module {module_name!r} has no {attribute!r}")
        found = getattr(found, part)
    return found


def _search(folder: str) -> None:
    """Look for modules in a folder, after those of Python itself, which a file there must not replace."""
    if folder in sys.path:
        return
    installed = (place for place, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages")))
    sys.path.insert(next(installed, len(sys.path)), folder)


def _load_file(name: str) -> ModuleType:
    """The module in a file, under its own name unless that belongs to another module."""
    path = Path(name).resolve()
    if not path.exists():
        raise InputError(f"there is no file {name}")
    _search(str(path.parent))
    found = importlib.util.find_spec(path.stem)
    if found is not None and found.origin == str(path):
        return importlib.import_module(path.stem)
    import cloudpickle

    own = f"panproof_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(own, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[own] = module
    spec.loader.exec_module(module)
    # Workers cannot import it by that name.
    cloudpickle.register_pickle_by_value(module)
    return module


def _configure(kind: Any, name: str, given: Mapping[str, Any]) -> Any:
    if not callable(kind):
        if is_estimator(kind):
            return kind
        raise InputError(missing(kind, name))
    try:
        parameters = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        raise InputError(f"{name} has no signature that says how it is made") from None
    optional = {"universe", "epsilon", "sample_size", "alpha", "beta"}
    if unknown := [key for key in given if key not in optional and not _accepts(kind, key)]:
        raise InputError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(parameters) or 'none'}")
    arguments = {key: value for key, value in given.items() if key in parameters}
    plain = isinstance(kind, type) and not is_estimator(kind) and is_plain_object(kind)
    automatic = {*RANDOMNESS_PARAMETERS, "seed"} if plain else set()
    needed = [
        key
        for key, p in parameters.items()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and key not in arguments
    ]
    if wanting := [key for key in needed if key not in automatic]:
        hint = "--epsilon E" if wanting[0] == "epsilon" else f"--set {wanting[0]}=VALUE"
        raise InputError(f"{name} needs the parameter {wanting[0]!r}: give {hint}")
    if plain:
        update, result = find_method(kind, UPDATE_METHODS), find_method(kind, RESULT_METHODS)
        assert update is not None
        assert result is not None
        return ObjectEstimator(
            factory=kind,
            update_method=update,
            result_method=result,
            arguments=arguments,
            name=name,
            promise=_as_promise(getattr(kind, "promise", None), name),
        )
    try:
        made = kind(**arguments)
    except InputError:
        raise
    except (Exception, SystemExit) as problem:
        text = " ".join(str(problem).split())
        raise InputError(f"{name} could not be made: {type(problem).__name__}: {text}") from None
    if not is_estimator(made):
        raise InputError(missing(made, name))
    return made


def _accepts(kind: Any, parameter: str) -> bool:
    parameters = inspect.signature(kind).parameters if callable(kind) else {}
    return parameter in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _promise(estimator: Any, name: str, given: Promise | None) -> Promise:
    promise = given or _as_promise(getattr(estimator, "promise", None), name)
    if promise is None:
        why = getattr(estimator, "why_no_promise", "")
        because = f", since {why}" if isinstance(why, str) and why else ""
        raise InputError(
            f"{name} makes no promise for these parameters{because}: give one, for example "
            "--promise epsilon=1,adjacency=user-level"
        )
    return promise


def _as_promise(value: Any, name: str) -> Promise | None:
    if value is None or isinstance(value, Promise):
        return value
    if isinstance(value, property):
        return None
    if isinstance(value, str):
        return Promise.parse(value)
    if isinstance(value, Mapping):
        return Promise.from_dict(value)
    raise InputError(f"the promise of {name} must be a Promise, a dictionary or a text, got {type(value).__name__}")


def _population(estimator: Any, universe: Any) -> tuple[Any, ...]:
    own = getattr(estimator, "universe", universe)
    if hasattr(own, "example_ids"):
        return tuple(own.example_ids(_MOST_IDS))
    if isinstance(own, int):
        return tuple(range(min(own, _MOST_IDS)))
    if isinstance(own, (list, tuple, range)):
        return tuple(own[:_MOST_IDS])
    return tuple(range(min(universe if isinstance(universe, int) else universe.size, _MOST_IDS)))


def _describe(estimator: Any, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if name in ESTIMATORS:
        return dict(estimator.to_dict())
    described = {key: value.to_dict() if isinstance(value, Universe) else value for key, value in given.items()}
    return {"estimator": name, **described}


def _digest(kind: Any) -> str:
    try:
        path = inspect.getsourcefile(kind if isinstance(kind, type) or callable(kind) else type(kind))
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
    except (TypeError, OSError):
        return ""
