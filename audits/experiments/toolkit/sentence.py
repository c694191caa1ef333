"""Sentences of a source about its experiments, as data, and their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from experiments.toolkit.conditions import (
    Condition,
    Effect,
    Fact,
    Leaf,
    Within,
    describe_effect,
    everywhere,
    leaves,
    promising,
    truth,
)
from experiments.toolkit.quantities import DistanceOfDistributions, Interval, Quantity
from experiments.toolkit.runs import ASSUMED_FLATNESS, Bench, Configuration, Runs
from pan_audits.statistics import ErrorBudget


@dataclass
class _Trial:
    """A sentence on the way to its verdict."""

    sentence: Sentence
    condition: Condition
    error: float
    rounds: dict[Configuration, int] = field(default_factory=dict)
    found: dict[Leaf, Interval] = field(default_factory=dict)

    @property
    def truth(self) -> bool | None:
        return truth(self.condition, self.of_leaf)

    def of_leaf(self, leaf: Leaf) -> bool | None:
        if isinstance(leaf, Fact):
            return leaf.true
        return leaf.holds(self.found[leaf]) if leaf in self.found else None

    @property
    def open(self) -> list[Within]:
        """The leaves of the next round: at first all, then those that will probably decide."""
        if not self.found:
            return self.measured
        return promising(self.condition, self.of_leaf, lambda leaf: leaf.margin(self.found[leaf].estimate))

    @property
    def measured(self) -> list[Within]:
        return [leaf for leaf in leaves(self.condition) if isinstance(leaf, Within)]


def judge(
    sentences: Sequence[Sentence], bench: Bench, budget: ErrorBudget, all_measured: Sequence[str]
) -> list[Judgement]:
    """Decide sentences."""
    shares = budget.split(dict.fromkeys(all_measured, 1.0)) if all_measured else {}
    trials = []
    for sentence in sentences:
        error = shares[sentence.id].error if sentence.measured else 0.0
        trials.append(_Trial(sentence, everywhere([*sentence.condition(bench)]), error))
    for rounds in range(1, bench.setting.rounds + 1):
        undecided = [trial for trial in trials if trial.truth is None]
        doubtful = {trial.sentence.id: _doubtful(trial, bench) for trial in trials}
        wanted = [one for trial in undecided for one in _configurations(trial.open)]
        wanted += [one for those in doubtful.values() for one in those]
        if not wanted:
            break
        outputs = {one for trial in undecided for one in _of_distributions(trial.open)}
        bench.prepare(wanted, rounds, f"round {rounds}, {len(undecided)} sentences", outputs)
        for trial in undecided:
            _look(trial, bench, rounds)
        for trial in trials:
            trial.rounds |= dict.fromkeys(doubtful[trial.sentence.id], rounds)
    return [_judgement(trial, bench) for trial in trials]


def _doubtful(trial: _Trial, bench: Bench) -> list[Configuration]:
    """The configurations whose runs contradict the assumption about them."""
    assumed = [one for one in trial.rounds if bench.runs(one, 1).assumed]
    return [one for one in assumed if bench.runs(one, trial.rounds[one]).doubtful]


def _look(trial: _Trial, bench: Bench, rounds: int) -> None:
    """Bound all open quantities by the runs of a number of rounds."""
    quantities = {quantity for leaf in trial.measured for quantity in leaf.ratio.quantities}
    share = trial.error / (2 * len(quantities) * bench.setting.rounds)
    known: dict[Quantity, Interval] = {}

    def interval_of(quantity: Quantity) -> Interval:
        if quantity not in known:
            known[quantity] = quantity.bounds(lambda configuration: bench.runs(configuration, rounds), share)
        return known[quantity]

    looked_at = trial.open
    trial.rounds |= dict.fromkeys(_configurations(looked_at), rounds)
    trial.found |= {leaf: leaf.ratio.bounds(interval_of) for leaf in looked_at}


def _judgement(trial: _Trial, bench: Bench) -> Judgement:
    looked_at = list(leaves(trial.condition))
    answers = [trial.of_leaf(leaf) for leaf in looked_at]
    all_runs = {one: bench.runs(one, rounds) for one, rounds in trial.rounds.items()}
    return Judgement(
        sentence=trial.sentence,
        verdict=ReproductionVerdict.UNDECIDED if _doubtful(trial, bench) else ReproductionVerdict.of(trial.truth),
        effect=describe_effect(trial.condition, trial.of_leaf, trial.found),
        points=len(looked_at),
        holding=answers.count(True),
        failing=answers.count(False),
        runs=sum(runs.count for runs in all_runs.values()),
        error=trial.error,
        assumes=_assumption(all_runs),
    )


def _assumption(all_runs: Mapping[Configuration, Runs]) -> str:
    """The assumption about the errors of estimators without a computed distribution, and its measured value."""
    assumed = {one: runs for one, runs in all_runs.items() if runs.assumed}
    if not assumed:
        return ""
    names = ", ".join(sorted({one.contender for one in assumed}))
    largest = max(runs.measured_flatness for runs in assumed.values())
    return f"the kurtosis of the error of {names} is at most {ASSUMED_FLATNESS:g}; measured at most {largest:.1f}"


def _configurations(parts: Sequence[Within]) -> list[Configuration]:
    return [one for leaf in parts for quantity in leaf.ratio.quantities for one in quantity.configurations]


def _of_distributions(parts: Sequence[Within]) -> list[Configuration]:
    """The configurations whose single outputs are needed."""
    distributions = [one for leaf in parts for one in leaf.ratio.quantities if isinstance(one, DistanceOfDistributions)]
    return [configuration for one in distributions for configuration in one.configurations]


class ReproductionVerdict(StrEnum):
    """Whether a repeated experiment agrees with the source."""

    REPRODUCED = "REPRODUCED"
    NOT_REPRODUCED = "NOT_REPRODUCED"
    UNDECIDED = "UNDECIDED"

    @classmethod
    def of(cls, holds: bool | None) -> ReproductionVerdict:
        """The verdict of a truth value; ``None`` is undecided."""
        return cls.UNDECIDED if holds is None else cls.REPRODUCED if holds else cls.NOT_REPRODUCED


def _not_asked(bench: object) -> Sequence[Condition]:
    raise ValueError("the verdict on this sentence does not come from the bench")


@dataclass(frozen=True)
class Sentence:
    """One statement of a source about an experiment or a figure.

    Attributes
    ----------
    id
        The figure's name and a name of its own: ``figure-6.outperform``.
    source
        Its place in the source.
    states
        Its statement in other words.
    meaning
        The test of the statement, with the threshold and the reason for it.
    condition
        The conditions, which all hold if it does, for the setting and the seed of a bench (which determines the
        streams). An experiment without a bench decides its sentences itself, and needs none.
    measured
        Whether runs decide it; else it is computed, without an error probability.
    """

    id: str
    source: str
    states: str
    meaning: str
    condition: Callable[[Bench], Sequence[Condition]] = _not_asked
    measured: bool = True


@dataclass(frozen=True)
class Judgement:
    """The verdict on a sentence.

    Attributes
    ----------
    sentence
        The sentence.
    verdict
        The verdict.
    effect
        The size of the effect, in words and numbers.
    points, holding, failing
        Number of tested points, and number of points at which the condition holds or fails.
    runs
        Number of fresh runs, over all points.
    error
        Probability that the verdict is wrong; 0 for a computed verdict.
    assumes
        Assumptions about distributions; empty if there are none.
    """

    sentence: Sentence
    verdict: ReproductionVerdict
    effect: Effect
    points: int
    holding: int
    failing: int
    runs: int
    error: float
    assumes: str = ""

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        answers: Sequence[bool | None],
        effect: Effect,
        *,
        runs: int = 0,
        error: float = 0.0,
        assumes: str = "",
    ) -> Judgement:
        """The verdict on a sentence that holds if it holds at all points."""
        holds = False if False in answers else None if None in answers else True
        return cls(
            sentence=sentence,
            verdict=ReproductionVerdict.of(holds),
            effect=effect,
            points=len(answers),
            holding=answers.count(True),
            failing=answers.count(False),
            runs=runs,
            error=error,
            assumes=assumes,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "id": self.sentence.id,
            "verdict": str(self.verdict),
            "source": self.sentence.source,
            "states": self.sentence.states,
            "tested": self.sentence.meaning,
            "effect": self.effect.text,
            "worst": self.effect.worst,
            "points": self.points,
            "holds_at": self.holding,
            "fails_at": self.failing,
            "runs": self.runs,
            "error": self.error,
            "assumes": self.assumes,
        }


def how_certain(judgements: Iterable[Judgement], error: float) -> str:
    """The subject and the certainty of the verdicts, in words."""
    measured = [judgement.runs > 0 for judgement in judgements]
    if not any(measured):
        return "All verdicts are computed."
    words = (
        f"Verdicts on errors are about the streams that this seed draws; with probability at least 1 - {error:g}, "
        "if the stated assumptions hold, none of the measured verdicts is wrong."
    )
    return words if all(measured) else f"{words} The other verdicts are computed."


def worst_first(judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements in the order of the report: not reproduced, open, and the rest."""
    order = (ReproductionVerdict.NOT_REPRODUCED, ReproductionVerdict.UNDECIDED, ReproductionVerdict.REPRODUCED)
    return sorted(judgements, key=lambda judgement: order.index(judgement.verdict))
