"""The counters of the tests are a family of their own while a test runs."""

from tests.public.continual.conftest import family

__all__ = ["family"]
