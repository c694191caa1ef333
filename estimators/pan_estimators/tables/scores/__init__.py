"""The scores by which an attribute and its parents are chosen, one file for each, and their names."""

from __future__ import annotations

from collections.abc import Mapping

from pan_estimators.tables.scores.distance_to_dependence import DistanceToDependence
from pan_estimators.tables.scores.distance_to_independence import DistanceToIndependence
from pan_estimators.tables.scores.mutual_information import MutualInformation
from pan_estimators.tables.scores.score import Score
from pan_promises.errors import InputError, shown, suggestion

SCORES: Mapping[str, Score] = {
    "mutual-information": MutualInformation(),
    "F": DistanceToDependence(),
    "R": DistanceToIndependence(),
}
"""The scores by name."""


def score_named(name: str) -> Score:
    """A score by its name."""
    if name not in SCORES:
        raise InputError(f"unknown score {shown(name)}; {suggestion(str(name), SCORES)}")
    return SCORES[name]
