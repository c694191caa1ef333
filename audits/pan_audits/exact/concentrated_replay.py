"""The rho of two inputs of a witness, computed again."""

from __future__ import annotations

import numpy as np

from pan_audits.exact.concentrated import search_laws, stream_of
from pan_audits.exact.gaussian_outputs import GaussianOutputs
from pan_audits.exact.scope import Stream, Update
from pan_audits.exact.search import ExactPair
from pan_audits.exact.stepping import Stepper
from pan_audits.inputs.streams.family import Id
from pan_audits.intake.discovery import Variant
from pan_audits.problems import judged
from pan_promises.errors import InputError
from pan_promises.promise import Promise


def rho_again(
    variant: Variant, ids: tuple[Id, ...], left: Stream, right: Stream, promise: Promise
) -> tuple[ExactPair | None, Stepper]:
    """The pair of a witness with its present loss, and the stepper that ran the code."""
    require_adjacent_inputs(ids, (left, right), variant, promise)
    places = _places(left, right)
    stepper = Stepper(variant.estimator, ids)
    outputs = GaussianOutputs(stepper)
    laws = [outputs.law(str(ids[place])) for place in places]
    if laws[0] == laws[1]:
        return None, stepper
    numbers = np.zeros(max(places) + 1, dtype=np.int64)
    numbers[places] = [0, 1]
    block = np.array([places], dtype=np.int64)
    found = search_laws(laws, numbers, (block,), (), promise, exact=stepper.exact and outputs.exact)
    if found.worst is None and found.not_followed:
        raise InputError(found.not_followed)
    return found.worst, stepper


def two_inputs(
    ids: tuple[Id, ...], streams: tuple[Stream, Stream]
) -> tuple[tuple[Id, ...], tuple[Stream, Stream], int]:
    """The labels of two inputs, the streams that stand for them, and the place of the first."""
    labels = tuple(ids[item.user] for stream in streams for item in stream if isinstance(item, Update))
    return labels, (stream_of(0), stream_of(1)), 0


def require_adjacent_inputs(
    ids: tuple[Id, ...], inputs: tuple[Stream, Stream], variant: Variant, promise: Promise
) -> None:
    """Refuse two whole inputs that are not adjacent, where their labels say themselves which inputs they are."""
    left, right = (str(ids[place]) for place in _places(*inputs))
    judged(variant.problem).require_adjacent(left, right, promise)


def _places(left: Stream, right: Stream) -> list[int]:
    """The places of the labels of two inputs."""
    places = []
    for stream in (left, right):
        if not (stream and isinstance(stream[0], Update)):
            raise InputError("a witness of a mechanism on whole inputs is about two of them")
        places.append(stream[0].user)
    return places
