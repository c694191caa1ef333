from pan_audits.events.event import Candidate, Condition, Event, Objective
from pan_audits.events.grids import AllBits, Grids, Reading
from pan_audits.events.learner import (
    betting_objective,
    bound_objective,
    cautious,
    learn_events,
    with_scores,
)
from pan_audits.events.score import Score, ScoreBet, learn_score
from pan_audits.events.table import LIKELIHOOD_RATIO, Polynomial, Table

__all__ = [
    "LIKELIHOOD_RATIO",
    "AllBits",
    "Candidate",
    "Condition",
    "Event",
    "Grids",
    "Objective",
    "Polynomial",
    "Reading",
    "Score",
    "ScoreBet",
    "Table",
    "betting_objective",
    "bound_objective",
    "cautious",
    "learn_events",
    "learn_score",
    "with_scores",
]
