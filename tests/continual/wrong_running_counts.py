"""Running counts of events that are broken, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from pan_estimators.continual.running_count import PanPrivateRunningCount
from pan_promises.families import Family


@dataclass(frozen=True)
class BirthAlone(PanPrivateRunningCount):
    """Noise at birth alone: after an intrusion a node adds its events in clear."""

    def _release(self, randomness, size):
        return np.zeros(size, dtype=object)


@dataclass(frozen=True)
class ReleaseAlone(PanPrivateRunningCount):
    """All noise at release: the state holds the events of open nodes in clear."""

    @property
    def release_noise(self):
        return self.birth_noise

    def _birth(self, randomness, size):
        return np.array([0] * size, dtype=object)

    def _closing(self, state, counted, times, randomness):
        values = super()._closing(state, counted, times, randomness)
        short = times % 2 == 1
        values[short] = values[short] + super()._birth(randomness, int(short.sum()))
        return values


@dataclass(frozen=True)
class LessBirth(PanPrivateRunningCount):
    """Half of the variance at birth."""

    @property
    def birth_noise(self):
        return sqrt(self.levels / (4 * self.rho))


@dataclass(frozen=True)
class LessRelease(PanPrivateRunningCount):
    """Half of the variance at release."""

    @property
    def release_noise(self):
        return sqrt((self.levels - 1) / (4 * self.rho))


@dataclass(frozen=True)
class SplitNoise(PanPrivateRunningCount):
    """The noise that suffices for the outputs alone, one half at birth and the other at release."""

    @property
    def birth_noise(self):
        return sqrt(self.levels / (4 * self.rho))

    release_noise = birth_noise


@dataclass(frozen=True)
class OneLevelLess(PanPrivateRunningCount):
    """Noise for one level less than there are."""

    @property
    def birth_noise(self):
        return sqrt((self.levels - 1) / (2 * self.rho))


@dataclass(frozen=True)
class KeepsLast(PanPrivateRunningCount):
    """Its state has the sign of the last entry in clear."""

    def follow(self, state, elements, signs, randomness, ends=None):
        outputs = super().follow(state, elements, signs, randomness, ends)
        state.closed.append(int(np.asarray(signs)[-1]))
        return outputs


MEMBERS = {
    "running-count": PanPrivateRunningCount,
    "birth-alone": BirthAlone,
    "release-alone": ReleaseAlone,
    "less-birth": LessBirth,
    "less-release": LessRelease,
    "split-noise": SplitNoise,
    "one-level-less": OneLevelLess,
    "keeps-last": KeepsLast,
}
FAMILY = Family("running-counts", {"members": "tests.continual.wrong_running_counts:MEMBERS"})
