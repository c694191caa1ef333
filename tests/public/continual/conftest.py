"""The counters of the tests are a family of their own while a test runs."""

import pytest

from pan_promises.families import register, withdraw
from tests.public.continual.counters import FAMILY


@pytest.fixture(autouse=True)
def family():
    register("pan_estimators", FAMILY)
    yield
    withdraw("pan_estimators", FAMILY.name)
