"""Hypothesis: the same examples in every run of the tests; many more, and new ones, when asked for.

``pytest tests/property --hypothesis-profile=thorough`` goes further.
"""

from hypothesis import settings

settings.register_profile("default", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=3000, deadline=None)
settings.load_profile("default")
