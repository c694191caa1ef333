"""Code that behaves differently with the classes of randomness is noticed, also by a state of one bit."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pan_audits.hygiene.conduct import survey
from pan_audits.inputs.streams.side import SegmentEnd
from pan_audits.intake.discovery import find_variant
from pan_audits.isolation.classes_told_apart import are_told_apart
from tests.variants import classes_of_randomness

COURSES = [[(np.array([user]), None, SegmentEnd.INTRUSION)] for user in range(12)]


def told_apart(name):
    return are_told_apart(getattr(classes_of_randomness, name)(), COURSES, (1,), time.monotonic() + 10)


@pytest.mark.parametrize("name", classes_of_randomness.LEAKS)
def test_a_use_of_the_class_is_noticed(name):
    assert told_apart(name)


@pytest.mark.parametrize("name", classes_of_randomness.TWINS)
def test_the_same_behaviour_is_not_told_apart(name):
    assert not told_apart(name)


@pytest.mark.more
def test_a_survey_has_a_defect():
    variant = find_variant("tests.variants.classes_of_randomness:NameOfTheType", parameters={})
    findings = survey(variant.estimator, variant.population, variant.promise, seed=1).findings
    assert any(finding.check == "kind of randomness" for finding in findings)
