"""Verdicts: sentences are tested after 1, 2, 4, ... times the first number of fresh runs, until they are decided.

One probability of error stands for all sentences. It is split over the complete list of them, also if few are
requested; the share of a sentence is split over its quantities, the two bounds of each, and the rounds. By the union
bound all bounds hold at once but for that probability, and then every verdict but ``UNDECIDED`` is right. The result
of a round depends on the seed and the sentence only.

For distinct sampling the flatness of the error is an assumption. If the measured flatness exceeds it, which
happens by chance in few runs, further rounds are made. If it still exceeds it after the last round, the sentence
stays undecided. Verdicts are about the streams of the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from experiments.toolkit.bench import Bench
from experiments.toolkit.conditions import Condition, Fact, Leaf, Within, leaves, promising, truth
from experiments.toolkit.effects import describe_effect
from experiments.toolkit.quantities import DistanceOfLaws, Interval, Quantity
from experiments.toolkit.runs import ASSUMED_FLATNESS, Configuration, Runs
from experiments.toolkit.sentence import Judgement, ReproductionVerdict, Sentence
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
        trials.append(_Trial(sentence, sentence.condition(bench.setting, bench.seed), error))
    for rounds in range(1, bench.setting.rounds + 1):
        undecided = [trial for trial in trials if trial.truth is None]
        doubtful = {trial.sentence.id: _doubtful(trial, bench) for trial in trials}
        wanted = [one for trial in undecided for one in _configurations(trial.open)]
        wanted += [one for those in doubtful.values() for one in those]
        if not wanted:
            break
        outputs = {one for trial in undecided for one in _of_laws(trial.open)}
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


def _of_laws(parts: Sequence[Within]) -> list[Configuration]:
    """The configurations whose single outputs are needed."""
    laws = [one for leaf in parts for one in leaf.ratio.quantities if isinstance(one, DistanceOfLaws)]
    return [configuration for one in laws for configuration in one.configurations]
