"""The mechanisms of the family by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.chow_liu import ChowLiu
from pan_estimators.tables.privbayes import PrintedPrivBayes, PrivBayes
from pan_estimators.tables.sites.majority_vote import NoisyMajorityVote, PrintedMajorityVote
from pan_estimators.tables.sites.parameters import DistributedParameters
from pan_estimators.tables.sites.shared_model import NoisySharedModel, PrintedSharedModel
from pan_estimators.tables.sites.sufficient_statistics import NoisySufficientStatistics
from pan_estimators.tables.structure import GreedyStructure, NoisyJoints

MEMBERS: Mapping[str, Callable[..., Any]] = {
    "adaptive-marginals": AdaptiveMarginals,
    "calibrated-tree": CalibratedTree,
    "chow-liu": ChowLiu,
    "greedy-structure": GreedyStructure,
    "noisy-joints": NoisyJoints,
    "privbayes": PrivBayes,
    "printed-privbayes": PrintedPrivBayes,
    "distributed-parameters": DistributedParameters,
    "noisy-sufficient-statistics": NoisySufficientStatistics,
    "noisy-majority-vote": NoisyMajorityVote,
    "printed-majority-vote": PrintedMajorityVote,
    "noisy-shared-model": NoisySharedModel,
    "printed-shared-model": PrintedSharedModel,
}
"""The mechanisms by name. They take whole tables."""

SYNTHESIZERS = ("adaptive-marginals", "calibrated-tree", "privbayes")
"""Those that make synthetic rows and keep their promise."""
