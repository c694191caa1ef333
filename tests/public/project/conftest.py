"""A folder of somebody else's, with estimators of ten lines."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

MECHANISMS = '''
class EveryUpdateCounted:
    """Event-level counting with the noise that it needs."""

    promise = "epsilon=1,adjacency=event-level,observed=output"

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return state + (len(ids) if hasattr(ids, "__len__") else 1)

    def release(self, state, randomness):
        return randomness.laplace(float(state), 1.0)


class UserLevelPromised(EveryUpdateCounted):
    """The same noise, sold as protection of users."""

    promise = "epsilon=1,adjacency=user-level,observed=output"
'''


@dataclass(frozen=True)
class Elsewhere:
    folder: Path
    home: Path

    def run(self, *words: str, path: str = "") -> subprocess.CompletedProcess:
        """Run ``python -m`` in this folder, with nothing of the checkout on the path."""
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.home), "COLUMNS": "200"}
        environment.pop("PYTHONPATH", None)
        if path:
            environment["PYTHONPATH"] = path
        return subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "their project"
    folder.mkdir()
    (folder / "their_estimators.py").write_text(MECHANISMS)
    return Elsewhere(folder, tmp_path / "cache")
