"""The distributions of whole outputs, and the largest loss over adjacent pairs of whole inputs.

Each input has one distribution. Inputs with equal distributions are compared once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from pan_audits.choices.distributions import DiscreteGaussianDistribution, GaussianDistribution, Noise
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.numbers import Number
from pan_audits.exact.observation import UNFINISHED, Extreme, Lattice, Sight
from pan_audits.exact.scope import stream_of
from pan_audits.exact.search import ExactPair
from pan_audits.exact.stepping import Stepper
from pan_audits.notions import Notion
from pan_audits.notions.gaussian_losses import CLEAR, Covariance, GaussianOutput, OutputDistribution, Places
from pan_audits.problems.inputs.streams.family import Id
from pan_audits.problems.problem import ListedInputs
from pan_promises.errors import InputError

_LARGEST_DENOMINATOR = 10**5
_MOST_PAIRS = 4_000_000
"""Greatest number of pairs of different distributions."""


@dataclass
class OutputsFound:
    """The largest loss of a scope.

    Attributes
    ----------
    worst, first
        The pair with the largest loss, and the first one that breaks the promise.
    pairs, distributions
        Numbers of adjacent pairs and of different distributions.
    not_followed
        The reason why the loss of some pair is not known; empty if all are known.
    """

    worst: ExactPair | None = None
    first: ExactPair | None = None
    pairs: int = 0
    distributions: int = 0
    not_followed: str = ""


def searched(stepper: Stepper, inputs: ListedInputs, notion: Notion, require: Callable[[], object]) -> OutputsFound:
    """The largest loss over the adjacent pairs of some inputs, whose distributions are read once each."""
    outputs = GaussianOutputs(stepper)
    known: dict[Any, int] = {}
    distributions: list[OutputDistribution] = []
    numbers = np.zeros(len(inputs.labels), dtype=np.int64)
    for place, label in enumerate(inputs.labels):
        require()
        distribution = outputs.distribution(label)
        name = frozenset((output, str(probability)) for output, probability in distribution.items())
        if name not in known:
            known[name] = len(distributions)
            distributions.append(distribution)
        numbers[place] = known[name]
    stepper.exact &= outputs.exact
    return search_distributions(distributions, numbers, inputs.blocks(), inputs.groups(), notion, exact=stepper.exact)


def outputs_again(stepper: Stepper, labels: tuple[Id, ...], places: Sequence[int], notion: Notion) -> ExactPair | None:
    """The pair of two inputs with its present loss; ``None`` if nothing distinguishes them."""
    outputs = GaussianOutputs(stepper)
    distributions = [outputs.distribution(str(labels[place])) for place in places]
    if distributions[0] == distributions[1]:
        return None
    numbers = np.zeros(max(places) + 1, dtype=np.int64)
    numbers[list(places)] = [0, 1]
    block = np.array([places], dtype=np.int64)
    found = search_distributions(distributions, numbers, (block,), (), notion, exact=stepper.exact and outputs.exact)
    if found.worst is None and found.not_followed:
        raise InputError(found.not_followed)
    return found.worst


def search_distributions(
    distributions: Sequence[OutputDistribution],
    numbers: Places,
    blocks: Iterable[Places],
    groups: Iterable[Places],
    notion: Notion,
    *,
    exact: bool,
) -> OutputsFound:
    """The largest loss over adjacent pairs of inputs, and the first pair that breaks a promise."""
    found = OutputsFound(distributions=len(distributions))
    of_distributions, of_inputs = _different(numbers, blocks, groups, found)
    for one in notion.losses(distributions, of_distributions, exact=exact):
        if one.problem:
            found.not_followed = one.problem
            continue
        left, right = of_inputs[one.place].tolist()
        extreme = Extreme(one.number, 0, 1, attained=one.attained)
        ends = stream_of(left), stream_of(right)
        pair = ExactPair(*ends, left, (), extreme, upper=one.upper, observation=one.words, unit=notion.unit)
        if found.worst is None or pair.worse_than(found.worst):
            found.worst = pair
        if pair.violates(notion, exact=exact) and (found.first is None or pair.user < found.first.user):
            found.first = pair
    return found


def _different(
    numbers: Places, blocks: Iterable[Places], groups: Iterable[Places], found: OutputsFound
) -> tuple[Places, Places]:
    """The pairs of different distributions of adjacent inputs, each once, with the first pair of inputs."""
    count = int(numbers.max(initial=0)) + 1
    codes, inputs = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)

    def take(pairs: Places) -> None:
        nonlocal codes, inputs
        ends = numbers[pairs]
        turned = ends[:, 0] > ends[:, 1]
        ends, pairs = (np.where(turned[:, None], one[:, ::-1], one) for one in (ends, pairs))
        differ = ends[:, 0] != ends[:, 1]
        more = (ends[:, 0] * count + ends[:, 1])[differ]
        codes, first = np.unique(np.concatenate([codes, more]), return_index=True)
        inputs = np.concatenate([inputs, pairs[differ]])[first]
        if len(codes) > _MOST_PAIRS:
            raise TooLargeError(f"the adjacent inputs have more than {_MOST_PAIRS:,} pairs of different distributions")

    for block in blocks:
        found.pairs += len(block)
        take(block)
    for group in groups:
        found.pairs += len(group) * (len(group) - 1) // 2
        _, first = np.unique(numbers[group], return_index=True)
        if len(first) ** 2 > 2 * _MOST_PAIRS:
            raise TooLargeError(f"the adjacent inputs have more than {_MOST_PAIRS:,} pairs of different distributions")
        left, right = np.triu_indices(len(first), 1)
        some = np.sort(group[first])
        take(np.column_stack([some[left], some[right]]))
    return np.column_stack([codes // count, codes % count]), inputs


@dataclass
class GaussianOutputs:
    """The distributions of the outputs of an estimator's code.

    Attributes
    ----------
    stepper
        It runs the code.
    exact
        Whether all weights of noise so far, and all means, were simple fractions.
    """

    stepper: Stepper
    exact: bool = True
    _covariances: dict[Any, Covariance] = field(default_factory=dict)
    _known: dict[Covariance, Covariance] = field(default_factory=dict)

    def distribution(self, label: str) -> OutputDistribution:
        """The distribution of the output on a whole input."""
        found: dict[GaussianOutput, Number] = {}
        for probability, seen in self.stepper.outputs_on(label):
            output = self._output(seen)
            found[output] = found.get(output, fmpq(0)) + probability
        return found

    def _output(self, seen: Sight) -> GaussianOutput:
        if seen.key == UNFINISHED:
            raise UnfollowableError("a loop has no longest run, and the check follows no rho of it")
        if any(number.function for number in seen.numbers):
            raise UnfollowableError("an output is a function of Gaussian noise, and the check follows no rho of it")
        mean = tuple(number.constant for number in seen.numbers)
        self.exact &= all(one.denominator <= _LARGEST_DENOMINATOR for one in mean)
        return GaussianOutput(seen.key, mean, self._covariance(seen), _lattices(seen))

    def _covariance(self, seen: Sight) -> Covariance:
        """The covariance. Equal ones are one object, and are computed once for equal combinations of noise."""
        order: dict[Noise, int] = {}
        for number in seen.numbers:
            for noise, _ in number.terms:
                order.setdefault(noise, len(order))
        rows = tuple(tuple((order[noise], weight) for noise, weight in number.terms) for number in seen.numbers)
        name = rows, tuple(noise.distribution for noise in order)
        if name not in self._covariances:
            variances = [_variance(noise) for noise in order]
            simple = all(weight.denominator <= _LARGEST_DENOMINATOR for row in rows for _, weight in row)
            self.exact &= simple
            made = _covariance(rows, variances)
            if not simple:
                _require_clear_rank(made)
            self._covariances[name] = self._known.setdefault(made, made)
        return self._covariances[name]


def _require_clear_rank(covariance: Covariance) -> None:
    """Refuse rounded weights of noise that nearly cancel: their rounding would decide where noise is."""
    values = np.linalg.eigvalsh(np.array([[float(one) for one in row] for row in covariance]))
    clear = int(np.count_nonzero(values > CLEAR * values[-1]))
    flat = [fmpq(one.numerator, one.denominator) for row in covariance for one in row]
    if fmpq_mat(len(covariance), len(covariance), flat).rank() != clear:
        raise UnfollowableError(
            "noise with rounded weights nearly cancels in a combination of outputs, and the check follows real numbers "
            "(weights that are simple fractions can be followed)"
        )


def _lattices(seen: Sight) -> tuple[Lattice | None, ...]:
    terms = [term for number in seen.numbers for term in number.terms]
    if not any(isinstance(noise.distribution, DiscreteGaussianDistribution) for noise, _ in terms):
        return ()
    if any(len(number.terms) > 1 for number in seen.numbers) or len({noise for noise, _ in terms}) < len(terms):
        raise UnfollowableError(
            "an output is a sum of several noise variables, one of them discrete Gaussian, or two outputs share one; "
            "neither can be followed exactly"
        )
    found: list[Lattice | None] = []
    for number in seen.numbers:
        if not number.terms:
            found.append(None)
            continue
        ((noise, weight),) = number.terms
        whole = number.constant / abs(weight)
        offset = whole - whole.numerator // whole.denominator
        found.append(
            Lattice(abs(weight), offset) if isinstance(noise.distribution, DiscreteGaussianDistribution) else None
        )
    return tuple(found)


def _variance(noise: Noise) -> Fraction:
    if not isinstance(noise.distribution, (GaussianDistribution, DiscreteGaussianDistribution)):
        raise UnfollowableError("an output carries noise that is not Gaussian, and the check follows no rho of it")
    return noise.distribution.variance


def _covariance(rows: tuple[tuple[tuple[int, Fraction], ...], ...], variances: list[Fraction]) -> Covariance:
    weights = [dict(row) for row in rows]
    return tuple(
        tuple(
            sum((one[noise] * other[noise] * variances[noise] for noise in one if noise in other), Fraction(0))
            for other in weights
        )
        for one in weights
    )
