"""Hypothesis without files in the folder of the user."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator

from hypothesis import configuration

_HOME = "__hypothesis_home_directory"


@contextlib.contextmanager
def no_files() -> Iterator[None]:
    """Send what Hypothesis writes, such as the constants of local modules, to a folder that is removed afterwards."""
    kept = vars(configuration).get(_HOME)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(kept)
