"""The experiments of the family."""

from __future__ import annotations

from pan_audits.reproduction.contents import Contents
from pan_audits.tables.experiments.contenders import STYLES

_FIGURES = "pan_audits.tables.experiments.figures"

CONTENTS = Contents(
    others={
        "thesis-3.4": f"{_FIGURES}:figure_3_4",
        "thesis-3.5": f"{_FIGURES}:figure_3_5",
        "thesis-3.6": f"{_FIGURES}:figure_3_6",
        "thesis-3.7": f"{_FIGURES}:figure_3_7",
    },
    styles=STYLES,
)
