"""The experiments of the family."""

from __future__ import annotations

from pan_audits.reproduction.contents import Contents
from pan_audits.tables.experiments.contenders import STYLES
from pan_audits.tables.experiments.diabetes_labels import STYLES as DIABETES_STYLES

_FIGURES = "pan_audits.tables.experiments.figures"
_DIABETES = "pan_audits.tables.experiments.diabetes_figures"

CONTENTS = Contents(
    others={
        "thesis-3.4": f"{_FIGURES}:figure_3_4",
        "thesis-3.5": f"{_FIGURES}:figure_3_5",
        "thesis-3.6": f"{_FIGURES}:figure_3_6",
        "thesis-3.7": f"{_FIGURES}:figure_3_7",
        "thesis-3.8": f"{_DIABETES}:figure_3_8",
        "thesis-3.9": f"{_DIABETES}:figure_3_9",
    },
    styles={**STYLES, **DIABETES_STYLES},
)
