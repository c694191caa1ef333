"""The import of judged code into a process of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack

from pan_audits.isolation.connections import connection_to, end, stamps_of
from pan_audits.isolation.data import DataError, to_data
from pan_audits.isolation.description import Description
from pan_audits.isolation.estimator import IsolatedEstimator
from pan_audits.isolation.messages import Make
from pan_audits.isolation.process import Subject
from pan_audits.isolation.sandbox import Level
from pan_audits.workers.limits import Limits, VariantError
from pan_promises.errors import InputError

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
        connection.process.remember(key)
        description = Description.read(sent)
    except (VariantError, DataError) as problem:
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
