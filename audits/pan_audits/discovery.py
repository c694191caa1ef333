"""Finding an estimator: a shipped one, or somebody else's, which stays in a process of its own."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pan_audits.importing import ENTRY_POINTS, installed_variants
from pan_audits.isolation.sandbox import IN_ONE_PROCESS, Isolation, Level, level_named
from pan_audits.running.limits import Limits
from pan_estimators import ESTIMATORS, InputError, Promise, Universe, create_estimator

__all__ = ["ENTRY_POINTS", "Variant", "find_variant", "installed_variants"]

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
    isolation
        How its code is kept apart from the judge.
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


def find_variant(
    name: str,
    *,
    parameters: Mapping[str, Any],
    promise: Promise | None = None,
    default_universe: int = 16,
    limits: Limits | None = None,
    isolation: str = "best",
) -> Variant:
    """Find and configure an estimator.

    The code of an estimator that is not shipped is imported and run in a process of its own
    (:mod:`pan_audits.isolation`), never in this one.

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
    limits
        On the process of an estimator that is not shipped.
    isolation
        How that process is kept apart: ``best``, ``bubblewrap``, ``unshare`` or ``limits``.

    Raises
    ------
    InputError
        If it cannot be found, imported, configured or audited, or promises nothing.
    """
    given = {key: value for key, value in parameters.items() if value is not None}
    if "vertices" not in given:
        given.setdefault("universe", default_universe)
    users = given.get("universe", default_universe)
    size = users.size if isinstance(users, Universe) else users
    if name not in ESTIMATORS:
        given.setdefault("sample_size", max(1, size // 2))
        return _apart(name, given, promise, limits or Limits(), level_named(isolation))
    if "sample_size" in inspect.signature(ESTIMATORS[name]).parameters and "alpha" not in given:
        given.setdefault("sample_size", max(1, size // 2))
    if name == "exact-counter":
        given.pop("epsilon", None), given.pop("sample_size", None)
    estimator = create_estimator(name, **given)
    return Variant(
        name=name,
        estimator=estimator,
        promise=_required(promise or estimator.promise, name, getattr(estimator, "why_no_promise", "")),
        population=tuple(estimator.universe.example_ids(_MOST_IDS)),
        configuration=dict(estimator.to_dict()),
        source="",
        shipped=True,
        parameters=given,
    )


def _apart(name: str, given: dict[str, Any], promise: Promise | None, limits: Limits, level: Level) -> Variant:
    """Somebody else's estimator."""
    from pan_audits.isolation.estimator import isolated

    if name not in (installed := installed_variants()) and ":" not in name:
        known = ", ".join([*ESTIMATORS, *installed])
        raise InputError(f"unknown estimator {name!r}; known are {known}, or write module:Class")
    wanted = installed[name].value if name in installed else name
    estimator = isolated(*_place(wanted), given, limits, level)
    told = estimator.description
    taken = {key: value for key, value in given.items() if key in told.parameters}
    described = {key: value.to_dict() if isinstance(value, Universe) else value for key, value in taken.items()}
    return Variant(
        name=name,
        estimator=estimator,
        promise=_required(promise or told.promise, name),
        population=told.population,
        configuration={"estimator": name, **described},
        source=_digest(told.file),
        shipped=False,
        parameters=taken,
        isolation=Isolation(level),
    )


def _place(name: str) -> tuple[str, str, tuple[str, ...]]:
    """What is to be imported, the folder in which it is looked for, and the folders of other modules."""
    folder, search_path = os.getcwd(), tuple(filter(None, sys.path))
    module, _, attribute = name.partition(":")
    if not module.endswith(".py"):
        return name, folder, search_path
    path = Path(folder, module).resolve()
    if not path.is_file():
        raise InputError(f"there is no file {module}")
    return f"{path.name}:{attribute}", str(path.parent), (*search_path, folder)


def _required(promise: Promise | None, name: str, why: str = "") -> Promise:
    if promise is None:
        because = f", since {why}" if why else ""
        raise InputError(
            f"{name} makes no promise for these parameters{because}: give one, for example "
            "--promise epsilon=1,adjacency=user-level"
        )
    return promise


def _digest(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if os.path.isfile(file) else ""
    except OSError:
        return ""
