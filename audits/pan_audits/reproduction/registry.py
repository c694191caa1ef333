"""The experiments, by the names that ``panproof reproduce`` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pan_audits.reproduction.contents import Contents
from pan_audits.reproduction.experiment import Experiment
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.families import FamilyParts, family_parts

if TYPE_CHECKING:
    from pan_audits.reproduction.request import Reproduction, Request

FIGURES: Mapping[str, str] = FamilyParts(
    lambda: {name: path for part in contents() for name, path in part.figures.items()}
)
"""The figures of all sources: the place of each :class:`Experiment`, which is imported on first use."""

OTHERS: Mapping[str, str] = FamilyParts(
    lambda: {name: path for part in contents() for name, path in part.others.items()}
)
"""Other targets, as ``module:function``."""

ALL = "all"


def contents() -> tuple[Contents, ...]:
    """The contributions of the families."""
    return tuple(family_parts("pan_audits", "experiments"))


@cache
def experiment(name: str) -> Experiment:
    """The experiment of a name of :data:`FIGURES`."""
    found = load(FIGURES[name])
    assert isinstance(found, Experiment)
    assert found.name == name
    return found


def load(path: str) -> Any:
    """The object that ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def load_other(name: str) -> Callable[[Request], Reproduction]:
    """The function of a name of :data:`OTHERS`."""
    found: Callable[[Request], Reproduction] = load(OTHERS[name])
    return found


def resolve(target: str) -> tuple[str, ...]:
    """The names of experiments that a target stands for. It is a name, a claim of the ledger, or ``all``.

    Raises
    ------
    InputError
        For anything else.
    """
    if target == ALL:
        return (*FIGURES, *OTHERS)
    if target in FIGURES or target in OTHERS:
        return (target,)
    by_claim = {claim: name for name in FIGURES for claim in experiment(name).claims}
    if target in by_claim:
        return (by_claim[target],)
    names = (*FIGURES, *OTHERS, ALL)
    meant = suggestion(target, [*names, *by_claim], overview=f"known are {', '.join(names)}")
    raise InputError(f"unknown experiment {shown(target)}; {meant}")


def all_measured() -> tuple[str, ...]:
    """Ids of all sentences that runs decide."""
    return tuple(sentence.id for name in FIGURES for sentence in experiment(name).sentences if sentence.measured)
