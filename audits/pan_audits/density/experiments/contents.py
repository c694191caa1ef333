"""The figures of the paper and of the thesis, and the demonstration on real streams."""

from __future__ import annotations

from collections.abc import Mapping

from pan_audits.density.experiments import setting
from pan_audits.density.experiments.contenders import (
    DWORK,
    GAUSS,
    LAPLACE,
    OPTBERN,
    PPDS,
    QLAP,
    SAME_MEMORY,
    SAME_PROMISE,
)
from pan_audits.reproduction.contents import Contents

_FIGURES = "pan_audits.density.experiments.figures"

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

STYLES = {
    DWORK: ("s", "#000000"),
    OPTBERN: ("o", "#0072B2"),
    PPDS: ("^", "#D55E00"),
    QLAP: ("D", "#009E73"),
    LAPLACE: ("v", "#CC79A7"),
    GAUSS: ("P", "#7A5C00"),
    SAME_PROMISE: ("x", "#555555"),
    SAME_MEMORY: ("+", "#56B4E9"),
}
"""Marker and colour of each estimator; the colours are those of Okabe and Ito, and differ in lightness."""


def _left_open(sizes: setting.Setting) -> str:
    return (
        f"The sources leave open: budgets of {sizes.epsilons[0]} to {sizes.epsilons[-1]}, "
        "the range of the theorems; "
        f"one fixed stream of each kind; accuracy {sizes.alpha} and failure probability {sizes.beta} for sample sizes; "
        "for the figures of the thesis the sizes of the paper."
    )


CONTENTS = Contents(
    setting=lambda: setting.PUBLISHED,
    figures=FIGURES,
    others={"real-streams": "pan_audits.density.experiments.real_streams.experiment:real_streams"},
    styles=STYLES,
    left_open=_left_open,
)
