"""Which experiments there are, by the names that ``panproof reproduce`` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pan_audits.experiments.experiment import Experiment
from pan_estimators import InputError

if TYPE_CHECKING:
    from pan_audits.experiments.request import Reproduction, Request

_FIGURES = "pan_audits.experiments.figures"

FIGURES: Mapping[str, str] = {
    "figure-1": f"{_FIGURES}.sample_sizes:FIGURE_1",
    "figure-2": f"{_FIGURES}.state_budgets:FIGURE_2",
    "figure-3": f"{_FIGURES}.state_budgets:FIGURE_3",
    "figure-4": f"{_FIGURES}.error_probabilities:FIGURE_4",
    "figure-5": f"{_FIGURES}.squared_errors:FIGURE_5",
    "figure-6": f"{_FIGURES}.squared_errors:FIGURE_6",
    "figure-7": f"{_FIGURES}.size_sweep:FIGURE_7",
    "thesis-4.1": f"{_FIGURES}.sample_sizes:FIGURE_4_1",
    "thesis-4.2": f"{_FIGURES}.state_budgets:FIGURE_4_2",
    "thesis-4.3": f"{_FIGURES}.state_budgets:FIGURE_4_3",
    "thesis-4.4": f"{_FIGURES}.state_budgets:FIGURE_4_4",
    "thesis-4.5": f"{_FIGURES}.sample_sizes:FIGURE_4_5",
    "thesis-4.6": f"{_FIGURES}.laplace_pair:FIGURE_4_6",
    "thesis-4.7": f"{_FIGURES}.state_budgets:FIGURE_4_7",
    "thesis-4.8": f"{_FIGURES}.thesis_errors:FIGURE_4_8",
    "thesis-4.9": f"{_FIGURES}.thesis_errors:FIGURE_4_9",
    "thesis-4.10": f"{_FIGURES}.error_probabilities:FIGURE_4_10",
    "thesis-4.11": f"{_FIGURES}.error_probabilities:FIGURE_4_11",
}
"""The figures of the paper and of the thesis: where each :class:`Experiment` is, imported when it is asked for."""

OTHERS: Mapping[str, str] = {"real-streams": "pan_audits.experiments.real_streams.experiment:real_streams"}
"""Whatever else can be made, as ``module:function``: the function takes a
:class:`~pan_audits.experiments.request.Request` and answers with a
:class:`~pan_audits.experiments.request.Reproduction`."""

ALL = "all"


@cache
def experiment(name: str) -> Experiment:
    """The experiment of a name of :data:`FIGURES`."""
    found = load(FIGURES[name])
    assert isinstance(found, Experiment)
    assert found.name == name
    return found


def load(path: str) -> Any:
    """What ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def load_other(name: str) -> Callable[[Request], Reproduction]:
    """The function of a name of :data:`OTHERS`."""
    found: Callable[[Request], Reproduction] = load(OTHERS[name])
    return found


def resolve(target: str) -> tuple[str, ...]:
    """The names that are meant by a target: a name, a claim of the ledger, or ``all``.

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
    raise InputError(f"no experiment {target!r}; there are {', '.join((*FIGURES, *OTHERS, ALL))}")


def all_measured() -> tuple[str, ...]:
    """Ids of all sentences that runs decide."""
    return tuple(sentence.id for name in FIGURES for sentence in experiment(name).sentences if sentence.measured)
