"""Calibrated estimators with one thing broken, each of which must not be certified."""

from dataclasses import dataclass, fields, replace

from pan_estimators import CalibratedCells, calibrated_bernoulli


def too_little_noise(universe, epsilon, sample_size):
    """A thousandth less of the noise's ratio: a loss that is larger by a few thousandths."""
    whole = calibrated_bernoulli(universe=universe, promise_epsilon=2 * epsilon, sample_size=sample_size)
    return replace(whole, calibration=replace(whole.calibration, up=whole.calibration.up * 0.999))


@dataclass(frozen=True, kw_only=True)
class FirstAppearanceOnly(CalibratedCells):
    """Draws a bit again only where it is 0: the formula says that the promise is kept, the code does not keep it."""

    def update(self, state, ids, randomness, deletions=None):
        before = state.cells.copy()
        state = super().update(state, ids, randomness, deletions)
        state.cells |= before
        return state


def sticky(universe, epsilon, sample_size):
    whole = calibrated_bernoulli(universe=universe, promise_epsilon=2 * epsilon, sample_size=sample_size)
    return FirstAppearanceOnly(**{field.name: getattr(whole, field.name) for field in fields(whole)})


@dataclass(frozen=True, kw_only=True)
class LessThanItClaims(CalibratedCells):
    """Ignores every appearance: kept with room to spare, but not the mechanism that was proved."""

    def update(self, state, ids, randomness, deletions=None):
        return state


def deaf(universe, epsilon, sample_size):
    whole = calibrated_bernoulli(universe=universe, promise_epsilon=2 * epsilon, sample_size=sample_size)
    return LessThanItClaims(**{field.name: getattr(whole, field.name) for field in fields(whole)})
