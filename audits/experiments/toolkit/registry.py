"""The experiments, by the names that ``python -m experiments reproduce`` takes.

Each is named by its place, as ``module:attribute``, and imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from experiments.toolkit.figures import Experiment
from pan_promises.errors import InputError, shown, suggestion

_TABLES = "experiments.tables.synthetic"
_DIABETES = "experiments.tables.diabetes"

FIGURES: Mapping[str, str] = {
    "figure-1": "sample_sizes",
    **dict.fromkeys(("figure-2", "figure-3"), "state_budgets"),
    **dict.fromkeys(("figure-4", "figure-5", "figure-6", "figure-7"), "errors"),
    "thesis-4.1": "sample_sizes",
    **dict.fromkeys(("thesis-4.2", "thesis-4.3", "thesis-4.4"), "state_budgets"),
    "thesis-4.5": "sample_sizes",
    **dict.fromkeys(("thesis-4.6", "thesis-4.7"), "state_budgets"),
    **dict.fromkeys(("thesis-4.8", "thesis-4.9", "thesis-4.10", "thesis-4.11"), "errors"),
}
"""The figures that share runs, with their modules: each is an :class:`Experiment`."""

SETTING = "experiments.density.contenders:PUBLISHED"
"""The sizes at which the sources made these figures."""

OTHERS: Mapping[str, str] = {
    "turnstile": "experiments.continual.experiment:turnstile",
    "real-streams": "experiments.density.real_streams.experiment:real_streams",
    "thesis-3.4": f"{_TABLES}:figure_3_4",
    "thesis-3.5": f"{_TABLES}:figure_3_5",
    "thesis-3.6": f"{_TABLES}:figure_3_6",
    "thesis-3.7": f"{_TABLES}:figure_3_7",
    "thesis-3.8": f"{_DIABETES}:figure_3_8",
    "thesis-3.9": f"{_DIABETES}:figure_3_9",
}
"""Other experiments: each is a function of a request, and makes a reproduction."""

ALL = "all"


@cache
def experiment(name: str) -> Experiment:
    """The experiment of a name of :data:`FIGURES`."""
    found: Experiment = load(f"experiments.density.figures.{FIGURES[name]}:FIGURES")[name]
    return found


def load(path: str) -> Any:
    """The object that ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def resolve(target: str) -> tuple[str, ...]:
    """The names of experiments that a target stands for. It is a name, a claim of the ledger, or ``all``."""
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
