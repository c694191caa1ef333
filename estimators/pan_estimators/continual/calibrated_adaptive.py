"""``calibrated-adaptive``: present elements if no bound on the flippancy is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import deviation, factors
from pan_estimators.continual.existence import Changes, Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualCounter
from pan_estimators.continual.phases import Phase, PhaseIntervals, Plan, parts_of, period_of
from pan_estimators.continual.right_factor import Release, released
from pan_estimators.randomness.interface import Randomness
from pan_promises.errors import require_count


@dataclass(eq=False, slots=True)
class AdaptiveState:
    """The state of :class:`CalibratedAdaptive`. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts, and the changes of existence since the phase began.
    spent
        The units that each element paid before the phase. Shape ``(elements,)``.
    ended
        The number of outputs up to the end of each phase. It follows from the released numbers of refusals.
    release, alarm
        The sums behind the released values, and behind those of the refusals in this phase.
    moved
        The change of the followed vectors that the next step begins with.
    refused
        The elements that were refused since the last check.
    present
        The number of elements that exist.
    output
        The last output of recomputing.
    """

    elements: Elements
    spent: NDArray[np.int32]
    release: Release
    alarm: Release
    ended: list[int] = field(default_factory=list)
    moved: int = 0
    refused: int = 0
    present: int = 0
    output: Any = 0.0

    @property
    def phase(self) -> int:
        """The number of phases that have ended."""
        return len(self.ended)

    @property
    def began(self) -> int:
        """The number of outputs up to the end of the last phase that has ended."""
        return self.ended[-1] if self.ended else 0


@dataclass(frozen=True)
class CalibratedAdaptive(ContinualCounter):
    """The number of present elements, without a known bound on the flippancy.

    Promise (continual.adaptive): rho-item-level-zCDP of all outputs, for all streams.

    A stream has phases. In each of them the outputs are those of :class:`CalibratedTurnstile`, with noise that grows
    from phase to phase. An element pays for each change of its existence that is followed, with its own budget. A
    change that it cannot pay is refused, and so are its later ones in the phase. The number of elements that are
    refused is counted privately, and its check ends the phase. The next phase begins with the present values of all
    elements and has a larger limit and a lower price. After the last phase the count is computed anew after every few
    steps.

    The accounting:

    - Fix all values that are released. They fix the phases, the noise, and for each element and its entries the changes
      that are followed. For two neighbours the values at a step differ in one element, by d. If the sum of
      ``d**2 / (2 deviation**2)`` over all values is at most rho for every sequence of values, the promise holds, since
      the expectation of the likelihood ratio is bounded value by value.
    - Let a change cost ``c = S / deviation**2`` for the squared norm S of a column of R. The noise never falls, so that
      c never rises. With the inner products of columns as in :class:`CalibratedTurnstile`, two vectors with the costs E
      and E' lose at most ``E + E'``; if each has w changes of one cost c, at most ``(2 w - 1) c``.
    - A refusal changes the number of refusals by 1, once in a phase. Two elements with a refusal in a phase lose at
      most the price of an alarm, and each of them pays half of it.
    - In the first phase an element pays at most w changes and its refusal. In a later phase j it has paid at most half
      of ``B_j`` in all phases. So a pair loses at most ``B_j``. The computations have what is left of rho.

    The noise covers the rounding of all released values (:mod:`pan_estimators.continual.right_factor`).

    A phase ends by the released number of refusals and a threshold that is fixed before the stream. So the steps at
    which phases end, the period of the computations and the distances of :meth:`half_widths` are functions of released
    values and may be published (turnstile.post_processing). All outputs keep their distances together by the parts of
    the error that each phase gets (:class:`pan_estimators.continual.phases.PhaseIntervals`).
    """

    steps: int
    rho: float
    hint: int = 0
    period: int = 0
    model: str = "general"
    plan: Plan = field(init=False, repr=False, compare=False)
    _claim: ClassVar[str] = "continual.adaptive"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hint != 0:
            require_count("the hint for the flippancy", self.hint)
        if self.period != 0:
            require_count("the period", self.period, most=self.steps)
        object.__setattr__(self, "plan", Plan.of(self.steps, float(self.rho), self.hint, self.period))

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output, in any phase and afterwards."""
        recomputing = deviation(float(self._most_computations), self.plan.recomputing)
        return max([*map(self._phase_noise, self.plan.phases), recomputing])

    @property
    def first_noise(self) -> float:
        """The largest standard deviation of an output until the first phase ends."""
        return self._phase_noise(self.plan.phases[0]) if self.plan.phases else self._recomputing_noise(0)

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        if not self.plan.phases:
            return f"the counts at the last computation; one is made after every {self._period(0)} steps"
        return f"the counts without the changes that are refused (standard deviation {self.first_noise:.4g} at first)"

    def half_width(self, level: float = 0.95) -> float:
        intervals = self._intervals(level)
        widths = [intervals.of_phase(place) * self._phase_noise(one) for place, one in enumerate(self.plan.phases)]
        most = self._most_computations
        return max([*widths, intervals.of_computations(most) * deviation(float(most), self.plan.recomputing)])

    def _half_widths_at(self, state: AdaptiveState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        intervals, chosen = self._intervals(level), factors(self.steps)
        places = parts_of(state.ended, times)
        rows = np.minimum(chosen.squared_rows(times), chosen.squared_row(self.steps))
        found = np.empty(times.size)
        for place in np.unique(places).tolist():
            here = places == place
            if place < len(self.plan.phases):
                scale = intervals.of_phase(place) * self.plan.phases[place].deviation
                found[here] = scale * np.sqrt(rows[here])
            else:
                computations = self._computations(state.began)
                found[here] = intervals.of_computations(computations) * self._recomputing_noise(state.began)
        return found

    def create(self, randomness: Randomness) -> AdaptiveState:
        release = Release.begin(factors(self.steps))
        return AdaptiveState(Elements(), np.zeros(0, dtype=np.int32), release, self._new_alarm())

    def _outputs(self, state: AdaptiveState, part: Part, randomness: Randomness) -> NDArray[Any]:
        begin = state.elements.steps
        changes = follow_steps(state.elements, part, model=self.problem.model)
        state.spent = _grown(state.spent, state.elements.counts.size)
        outputs: list[NDArray[Any]] = []
        done = 0
        while done < part.steps and state.phase < len(self.plan.phases):
            phase = self.plan.phases[state.phase]
            allowed = (phase.limit - phase.alarm_price - state.spent[changes.elements]) // phase.price
            kept, first = changes.reached <= allowed, changes.reached == allowed + 1
            moved = np.bincount(changes.steps[kept], changes.signs[kept], part.steps).astype(np.int64)
            refused = np.bincount(changes.steps[first], minlength=part.steps)
            ended = False
            while done < part.steps and not ended:
                stop = min(part.steps, done + self.plan.every - (begin + done) % self.plan.every)
                moved[done] += state.moved
                state.moved = 0
                outputs.append(
                    released(state.release, moved[done:stop], factors(self.steps), phase.deviation, randomness)
                )
                state.refused += int(refused[done:stop].sum())
                done = stop
                if (begin + done) % self.plan.every == 0:
                    ended = self._too_many(state, phase, randomness)
            if ended:
                state.ended.append(begin + done)
                changes = self._next_phase(state, phase, changes, done)
        net = np.bincount(changes.steps, changes.signs, part.steps).astype(np.int64)
        counts = state.present + np.cumsum(net)
        if done < part.steps:
            outputs.append(self._recomputed(state, counts[done:], begin + done, randomness))
        if part.steps:
            state.present = int(counts[-1])
        return np.concatenate(outputs) if outputs else np.empty(0)

    def _new_alarm(self) -> Release:
        return Release.begin(factors(self.plan.checks))

    def _too_many(self, state: AdaptiveState, phase: Phase, randomness: Randomness) -> bool:
        """Whether the number of refused elements ends the phase, by a private count of them."""
        added = np.array([state.refused], dtype=np.int64)
        state.refused = 0
        chosen = factors(self.plan.checks)
        return bool(released(state.alarm, added, chosen, phase.alarm_deviation, randomness)[0] >= phase.threshold)

    def _next_phase(self, state: AdaptiveState, phase: Phase, changes: Changes, done: int) -> Changes:
        """Elements pay for the phase that ends. In the next one the vectors begin with the present values.

        ``changes`` hold the changes after this time as well, and the counts are those after all of them.
        """
        elements = state.elements
        rest = changes.steps >= done
        later = np.bincount(changes.elements[rest], minlength=elements.counts.size).astype(np.int32)
        flips = elements.flips - later
        allowed = (phase.limit - phase.alarm_price - state.spent) // phase.price
        missed = np.maximum(flips - allowed, 0)
        paid = np.minimum(flips, allowed) * phase.price + (missed > 0) * phase.alarm_price
        state.spent = (state.spent + paid).astype(np.int32)
        state.alarm, state.refused = self._new_alarm(), 0
        # An odd number of missed changes leaves another value than the present one.
        wrong = missed % 2 == 1
        if state.phase == len(self.plan.phases):
            wrong[:] = False
        exists = (elements.counts > 0) ^ (later % 2 == 1)
        state.moved = int(np.count_nonzero(wrong & exists)) - int(np.count_nonzero(wrong & ~exists))
        fresh = wrong.astype(np.int32)
        elements.flips = fresh + later
        reached = changes.reached - flips[changes.elements] + fresh[changes.elements]
        # Changes before this time count no longer.
        return Changes(changes.steps, changes.signs, np.where(rest, reached, 0), changes.elements)

    def _phase_noise(self, phase: Phase) -> float:
        return phase.deviation * sqrt(factors(self.steps).squared_row(self.steps))

    def _period(self, began: int) -> int:
        left = self.steps - began
        return min(left, self.period or period_of(left, self.plan.recomputing))

    def _computations(self, began: int) -> int:
        return -(-(self.steps - began) // self._period(began))

    def _recomputing_noise(self, began: int) -> float:
        return deviation(float(self._computations(began)), self.plan.recomputing)

    @property
    def _most_computations(self) -> int:
        """A bound on the number of computations, for every end of the last phase.

        With n steps left the period of Theorem 3.10 is at least ``(n ln(n) / rho)^(1/3)``, and n over it rises with n.
        """
        if not self.plan.phases or self.period:
            return self._computations(0)
        period = float((self.steps * log(max(2, self.steps)) / self.plan.recomputing) ** (1 / 3))
        return ceil(self.steps / period)

    def _intervals(self, level: float) -> PhaseIntervals:
        return PhaseIntervals(self.steps, len(self.plan.phases), level)

    def _recomputed(
        self, state: AdaptiveState, counts: NDArray[np.int64], begin: int, randomness: Randomness
    ) -> NDArray[Any]:
        """The outputs of computing the count at the first step after the phases, and after every few steps."""
        times = np.arange(begin, begin + counts.size) - state.began
        places = np.flatnonzero(times % self._period(state.began) == 0)
        found = [state.output]
        if places.size:
            noise = self._recomputing_noise(state.began)
            found += np.asarray(randomness.gaussian(counts[places].astype(np.float64), noise)).tolist()
        outputs = np.array(found)[np.searchsorted(places, np.arange(counts.size), side="right")]
        state.output = found[-1]
        return np.asarray(outputs)


def _grown(spent: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Room for more elements, which have paid nothing."""
    return np.concatenate([spent, np.zeros(size - spent.size, dtype=np.int32)]) if size > spent.size else spent
