"""Distinct counters that break their promise, each in one line of code."""

from dataclasses import dataclass, field, replace

import numpy as np

from pan_estimators.density.distinct.counter import DistinctCounter, DistinctCounterState, distinct_counter
from pan_estimators.density.distinct.geometry import touched_cells
from pan_estimators.states.releasing import count_release


@dataclass(eq=False)
class StateWithMemory(DistinctCounterState):
    touched: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))


class PlainLastLevel(DistinctCounter):
    """The number of ones of the last level is released without noise."""

    def release(self, state, randomness):
        ones = np.add.reduceat(state.cells.astype(np.int64), self.geometry.first_cells[:-1])
        noise = randomness.two_sided_geometric(self.calibration.up, self.calibration.down, ones.size - 1)
        count_release(state, 1)
        return np.concatenate([ones[:-1] + noise, ones[-1:]])


class SkippedDraws(DistinctCounter):
    """A cell that was touched before is not drawn again, and the state remembers it."""

    def create(self, randomness):
        cells = super().create(randomness).cells
        return StateWithMemory(cells, touched=np.zeros(cells.size, dtype=bool))

    def update(self, state, ids, randomness):
        places = touched_cells(self.geometry, self.universe.encode(ids))
        places = places[~state.touched[places]]
        state.cells[places] = self.cells.draw_updated(randomness, places.size)
        state.touched[places] = True
        return state

    def copy_state(self, state):
        return StateWithMemory(state.cells.copy(), state.releases, state.touched.copy())


class SetBits(DistinctCounter):
    """A touched cell is set, not drawn."""

    def update(self, state, ids, randomness):
        state.cells[touched_cells(self.geometry, self.universe.encode(ids))] = True
        return state


class SmallNoise(DistinctCounter):
    """The noise has half of the needed scale."""

    def release(self, state, randomness):
        ones = np.add.reduceat(state.cells.astype(np.int64), self.geometry.first_cells[:-1])
        noise = randomness.two_sided_geometric(self.calibration.up**2, self.calibration.down**2, ones.size)
        count_release(state, 1)
        return ones + noise


class ReusedDraws(DistinctCounter):
    """Each cell has one draw, which every update copies."""

    def create(self, randomness):
        cells = super().create(randomness).cells
        return StateWithMemory(cells, touched=self.cells.draw_updated(randomness, cells.size))

    def update(self, state, ids, randomness):
        places = touched_cells(self.geometry, self.universe.encode(ids))
        state.cells[places] = state.touched[places]
        return state

    def copy_state(self, state):
        return StateWithMemory(state.cells.copy(), state.releases, state.touched.copy())


class ExchangedPair(DistinctCounter):
    """The probability of a touched cell is that of an untouched one, and the other way round."""

    def create(self, randomness):
        return DistinctCounterState(self.cells.draw_updated(randomness, self.geometry.cells))

    def update(self, state, ids, randomness):
        places = touched_cells(self.geometry, self.universe.encode(ids))
        state.cells[places] = self.cells.draw_initial(randomness, places.size)
        return state


class PublishedBitmap(DistinctCounter):
    """The bitmap itself is released."""

    def release(self, state, randomness):
        released = state.cells.astype(np.int64)
        count_release(state, 1)
        return released


class FlippedAtTheEnd(DistinctCounter):
    """A plain bitmap, whose bits are flipped once, at the release."""

    def create(self, randomness):
        return DistinctCounterState(np.zeros(self.geometry.cells, dtype=bool))

    def update(self, state, ids, randomness):
        state.cells[touched_cells(self.geometry, self.universe.encode(ids))] = True
        return state

    def release(self, state, randomness):
        flips = randomness.bernoulli(self.cells.p_init, state.cells.size)
        released = (state.cells ^ flips).astype(np.int64)
        count_release(state, 1)
        return released


class PanesWithOneBudget(DistinctCounter):
    """Two panes are released from the same bits and the same key, with the noise of a counter for one release."""

    @property
    def promise(self):
        return replace(super().promise, outputs=2, claim="distinct.releases")

    def release(self, state, randomness):
        return _released(self, state, randomness.two_sided_geometric(*_limits(self), len(self.geometry.levels)))


class PanesWithOneNoise(PanesWithOneBudget):
    """The noise of the first pane is kept, and added to the second one too."""

    def create(self, randomness):
        noise = randomness.two_sided_geometric(*_limits(self), len(self.geometry.levels))
        return StateWithMemory(super().create(randomness).cells, touched=np.asarray(noise))

    def release(self, state, randomness):
        return _released(self, state, state.touched)

    def copy_state(self, state):
        return StateWithMemory(state.cells.copy(), state.releases, state.touched.copy())


def _limits(counter):
    return counter.calibration.up, counter.calibration.down


def _released(counter, state, noise):
    ones = np.add.reduceat(state.cells.astype(np.int64), counter.geometry.first_cells[:-1])
    count_release(state, 2)
    return ones + noise


def _made(kind, universe, epsilon, pair=(0.4, 0.6)):
    levels = ((1, 1), (universe - 1, 1)) if universe > 1 else ((1, 1),)
    p_init, p_upd = pair
    right = distinct_counter(universe=universe, promise_epsilon=2 * epsilon, levels=levels, p_init=p_init, p_upd=p_upd)
    return kind(**vars(right))


def plain_last_level(universe: int = 3, epsilon: float = 0.5):
    return _made(PlainLastLevel, universe, epsilon)


def skipped_draws(universe: int = 3, epsilon: float = 0.5):
    return _made(SkippedDraws, universe, epsilon)


def set_bits(universe: int = 3, epsilon: float = 0.5):
    return _made(SetBits, universe, epsilon)


def small_noise(universe: int = 3, epsilon: float = 0.5):
    return _made(SmallNoise, universe, epsilon)


def reused_draws(universe: int = 3, epsilon: float = 0.5):
    return _made(ReusedDraws, universe, epsilon)


def exchanged_pair(universe: int = 3, epsilon: float = 0.5):
    return _made(ExchangedPair, universe, epsilon, pair=(0.1, 0.2))


def published_bitmap(universe: int = 3, epsilon: float = 0.5):
    return _made(PublishedBitmap, universe, epsilon)


def flipped_at_the_end(universe: int = 3, epsilon: float = 0.5):
    return _made(FlippedAtTheEnd, universe, epsilon)


def right_counter(universe: int = 3, epsilon: float = 0.5):
    return _made(DistinctCounter, universe, epsilon)


def panes_with_one_budget(universe: int = 3, epsilon: float = 0.5):
    return _made(PanesWithOneBudget, universe, epsilon)


def panes_with_one_noise(universe: int = 3, epsilon: float = 0.5):
    return _made(PanesWithOneNoise, universe, epsilon)
