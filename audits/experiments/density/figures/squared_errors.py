"""Mean squared errors against the budget: paper, Figures 5 and 6."""

from __future__ import annotations

from experiments.density.contenders import DWORK, OPTBERN, OURS, PPDS
from experiments.density.figures.comparisons import NOTICEABLE, SIGNIFICANT
from experiments.density.figures.error_figure import (
    AT_ALL,
    COINCIDES,
    ROBUST,
    better,
    better_than_exact,
    coincide,
    error_figure,
    is_robust,
)
from experiments.density.setting import STREAMS, ZIPF
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target

_SOURCE = "paper, section 6"
_COINCIDE = "The experimental and the theoretical MSE of Dwork and of OptBern coincide"

FIGURE_5 = error_figure(
    "figure-5",
    labels=(DWORK, OPTBERN),
    streams=STREAMS,
    title="Theoretical and empirical MSE of Dwork and OptBern",
    source="paper, Figure 5",
    claim="density.figure_5",
    notes="The printed formulas bound the MSE about d(S_M); the runs are compared with d(S), as in all figures.",
    sentences=(
        Sentence(
            id="figure-5.coincide-about-sample",
            source=_SOURCE,
            states=f"{_COINCIDE}; read as about d(S_M).",
            meaning=f"{COINCIDES}; the theorems are about d(S_M)",
            condition=coincide((DWORK, OPTBERN), Target.SAMPLED_DENSITY),
        ),
        Sentence(
            id="figure-5.coincide-about-stream",
            source=_SOURCE,
            states=f"{_COINCIDE}; read as about d(S).",
            meaning=f"{COINCIDES}; d(S) is what one wants to know",
            condition=coincide((DWORK, OPTBERN), Target.DENSITY),
        ),
    ),
)


def _outperforms(label: str) -> Sentence:
    return Sentence(
        id=f"figure-6.{label.lower()}-outperforms",
        source=_SOURCE,
        states=f"{label} significantly outperforms Dwork.",
        meaning=f"its true MSE is at most 1/{SIGNIFICANT:g} of Dwork's {AT_ALL}",
        condition=better((label,), (DWORK,), 1 / SIGNIFICANT),
    )


def _robust(label: str) -> Sentence:
    return Sentence(
        id=f"figure-6.{label.lower()}-robust",
        source=_SOURCE,
        states=f"{label} is robust to the distribution of the stream: uniform and Zipf differ insignificantly.",
        meaning=ROBUST,
        condition=is_robust(label),
    )


_NOTICEABLY_BETTER = "PPDS is noticeably better than OptBern if the stream is sparse and the sample small"
_NOTICEABLY = (
    f"the true MSE of PPDS is at most 1/{NOTICEABLE:g} of OptBern's, which such a plot shows (OptBern's is computed "
    "from its law: one ratio is close to the limit)"
)

FIGURE_6 = error_figure(
    "figure-6",
    labels=(DWORK, OPTBERN, PPDS, *OURS),
    streams=STREAMS,
    title="Empirical MSE of the three estimators",
    source="paper, Figure 6",
    claim="density.figure_6",
    notes="Added: the calibrated estimator, which keeps the joint promise of 2 epsilon that the others "
    "break, with as many sampled users, and with as many bits as OptBern and the ids of its sample.",
    sentences=(
        _outperforms(OPTBERN),
        _outperforms(PPDS),
        *(_robust(label) for label in (DWORK, OPTBERN, PPDS)),
        Sentence(
            id="figure-6.ppds-better",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: both at once.",
            meaning=f"{_NOTICEABLY}, on the Zipf stream with the smaller sample, at every budget",
            condition=better_than_exact(PPDS, OPTBERN, 1 / NOTICEABLE, streams=(ZIPF,), smallest=True),
        ),
        Sentence(
            id="figure-6.ppds-better-if-sparse",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: whenever sparse.",
            meaning=f"{_NOTICEABLY}, on the Zipf stream with both samples, at every budget",
            condition=better_than_exact(PPDS, OPTBERN, 1 / NOTICEABLE, streams=(ZIPF,)),
        ),
        Sentence(
            id="figure-6.ppds-better-if-small",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: whenever small.",
            meaning=f"{_NOTICEABLY}, on both streams with the smaller sample, at every budget",
            condition=better_than_exact(PPDS, OPTBERN, 1 / NOTICEABLE, smallest=True),
        ),
    ),
)
