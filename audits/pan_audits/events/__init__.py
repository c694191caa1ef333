"""Events that an intruder can look for, and how they are learned."""

from pan_audits.events.event import Condition, Event, Polynomial
from pan_audits.events.learner import (
    LIKELIHOOD_RATIO,
    Candidate,
    Objective,
    betting_objective,
    bound_objective,
    cautious,
    learn_events,
)
from pan_audits.events.table import Table

__all__ = [
    "LIKELIHOOD_RATIO",
    "Candidate",
    "Condition",
    "Event",
    "Objective",
    "Polynomial",
    "Table",
    "betting_objective",
    "bound_objective",
    "cautious",
    "learn_events",
]
