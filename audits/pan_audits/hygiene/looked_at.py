"""Runs with one look at the state and one output, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_audits.events import Table
from pan_audits.inputs.streams.family import Id, SegmentEnd
from pan_audits.observing.features import observation_features
from pan_audits.observing.subject import subject_of
from pan_audits.running.course import Course, Observation


def one_look(before: Sequence[Id], after: Sequence[Id]) -> Course:
    """A stream of single insertions, with a look at the state between two parts and an output at the end."""
    return [(np.array(before), None, SegmentEnd.INTRUSION), (np.array(after), None, SegmentEnd.RELEASE)]


def table_of(estimator: Any, runs: Sequence[Observation], user: Id) -> Table:
    """The features of the runs, seen by an intruder who is interested in ``user``."""
    subject = subject_of(estimator, user)
    return Table.from_rows([observation_features(each.states, each.outputs, subject) for each in runs])
