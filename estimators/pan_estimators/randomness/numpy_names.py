"""The names of numpy's ``Generator``, implemented once for all sources of randomness by their basic draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pan_estimators.randomness.arguments import Size, refused_name, scalar, shape_of, shaped, whole, wrong_argument
from pan_estimators.randomness.draws import Draws

_SUM_ALLOWANCE = math.sqrt(np.finfo(np.float64).eps)
"""The largest difference of a sum of probabilities from 1. Numpy allows the same."""


class NumpyNames(Draws, Protocol):
    """Random choices by the names, parameters and distributions of ``numpy.random.Generator``.

    Parameters may be arrays wherever numpy takes arrays, and ``size`` is a number or a shape.
    """

    def random(self, size: Size = None, dtype: DTypeLike = np.float64) -> Any:
        """Uniform numbers from 0 up to 1, of 53 bits."""
        if dtype is not np.float64 and np.dtype(dtype) != np.float64:
            raise wrong_argument("random", f"draws numbers of type float64 alone, got {np.dtype(dtype)}")
        return shaped(self.uniform_numbers, size, 0.0, 1.0)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Any:
        """Uniform numbers from ``low`` up to ``high``."""
        return shaped(self.uniform_numbers, size, low, high)

    def integers(
        self, low: Any, high: Any = None, size: Size = None, dtype: DTypeLike = np.int64, endpoint: bool = False
    ) -> Any:
        """Uniform integers from ``low`` to ``high - 1``, or to ``high`` with ``endpoint``; from 0 if one is given."""
        first, last = (0, low) if high is None else (low, high)
        one = getattr(self.uniform_integers, "one", None)
        if one is not None and size is None and dtype is np.int64 and type(first) is type(last) is int:
            stop = last + bool(endpoint)
            if -(2**63) <= first < stop <= 2**63:
                return np.int64(one(self, first, stop))
        kind = np.dtype(dtype)
        if kind.kind not in "iub":
            raise wrong_argument("integers", f"draws a type of integers, got {kind}")
        bounds = (0, 1) if kind.kind == "b" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))

        def draw(least: Any, most: Any, count: int) -> NDArray[Any]:
            start = whole("integers", "low", least)
            stop = whole("integers", "high", most) + bool(endpoint)
            if stop <= start:
                raise wrong_argument("integers", f"needs low below high, got {start} and {stop - bool(endpoint)}")
            if start < max(bounds[0], -(2**63)) or stop - 1 > min(bounds[1], 2**63 - 1):
                raise wrong_argument("integers", f"draws no {kind} from {start} to {stop - 1}")
            return self.uniform_integers(start, stop, count).astype(kind)

        drawn = shaped(draw, size, first, last)
        if isinstance(drawn, np.ndarray):
            return drawn
        return drawn.astype(kind) if hasattr(drawn, "astype") else kind.type(drawn)

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Sequence[Any] | NDArray[Any] | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Entries of ``a``, or integers from 0 to ``a - 1``: uniform, or with the probabilities ``p``."""
        entries = None if np.ndim(a) == 0 else np.asarray(a)
        population = whole("choice", "a", a) if entries is None else entries.shape[axis]
        shape = shape_of(size)
        count = math.prod(shape)
        if population < 1 and count:
            raise wrong_argument("choice", "has nothing to choose from")
        weights = None if p is None else _weights(p, population)
        likely = population if weights is None else sum(weight > 0 for weight in weights)
        if not replace and count > likely:
            raise wrong_argument("choice", f"cannot choose {count} of {likely} without replacement")
        if weights is not None:
            places = self.weighted_places(weights, count) if replace else self._successive(weights, count)
        elif replace:
            places = self.uniform_integers(0, population, count)
        else:
            places = self.uniform_subset(population, count)
            if shuffle and count > 1:
                places = places[self.uniform_order(count)]
        where: Any = places[0] if size is None else places.reshape(shape)
        if entries is None:
            return where
        # Places that an exact check leaves open find their entries themselves.
        find = getattr(where, "entries_of", None)
        return np.take(entries, where, axis=axis) if find is None else find(entries)

    def _successive(self, weights: list[Any], count: int) -> NDArray[np.int64]:
        """Distinct places, each with a probability proportional to its weight among the remaining ones."""
        left, places = list(weights), []
        for _ in range(count):
            places.append(int(self.weighted_places(left, 1)[0]))
            left[places[-1]] = 0
        return np.array(places, dtype=np.int64)

    @overload
    def laplace(self, loc: float = ..., scale: float = ..., size: None = ..., *, location: float = ...) -> float: ...
    @overload
    def laplace(
        self, loc: float = ..., scale: float = ..., *, size: int | Sequence[int], location: float = ...
    ) -> NDArray[np.float64]: ...
    @overload
    def laplace(self, loc: float, scale: float, size: int | Sequence[int]) -> NDArray[np.float64]: ...
    @overload
    def laplace(
        self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: Size = ..., *, location: ArrayLike = ...
    ) -> Any: ...
    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, *, location: Any = None) -> Any:
        """Laplace variables with mean ``loc`` (or ``location``) and variance ``2 scale**2``."""
        return shaped(self.laplace_noise, size, loc if location is None else location, scale)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Normal variables with mean ``loc`` and variance ``scale**2``."""
        return shaped(self.normal_noise, size, loc, scale)

    def gaussian(self, location: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Normal variables with mean ``location`` and variance ``scale**2``, drawn at the location.

        An array of locations has one draw for each of its entries, all at once.
        """
        if np.ndim(location) == 0:
            return shaped(self.normal_noise, size, location, scale)
        locations = _fitting("gaussian", location, size)
        numbers = locations if locations.dtype == object else locations.astype(np.float64, copy=False)
        return self.normal_at(numbers.ravel(), scale).reshape(locations.shape)

    def discrete_gaussian(self, location: Any, scale: float, size: Size = None) -> Any:
        """Integers ``k`` with probability proportional to ``exp(-(k - location)**2 / (2 scale**2))``.

        The ``location`` is an integer, or an array of integers with one draw for each.
        """
        if np.ndim(location) == 0:
            place = whole("discrete_gaussian", "location", location)

            def draw(width: float, count: int) -> NDArray[np.int64]:
                return place + self.discrete_gaussian_noise(width, count)

            return shaped(draw, size, scale)
        locations = _fitting("discrete_gaussian", location, size)
        if locations.dtype.kind not in "iu":
            raise wrong_argument("discrete_gaussian", f"takes integers for location, got {locations.dtype}")
        return locations + self.discrete_gaussian_noise(scale, locations.size).reshape(locations.shape)

    def standard_normal(self, size: Size = None) -> Any:
        """Normal variables with mean 0 and variance 1."""
        return self.normal(0.0, 1.0, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Gumbel variables with mode ``loc`` and variance ``(pi scale)**2 / 6``.

        The place of the largest of several scores, each with Gumbel noise of one scale, has the distribution of the
        exponential mechanism.
        """
        return shaped(self.gumbel_noise, size, loc, scale)

    def categorical(self, log_weights: Sequence[Any], size: Size = None) -> Any:
        """Places in a list, each with a probability proportional to ``exp`` of its entry in ``log_weights``."""
        scores = _scores("categorical", log_weights)
        return shaped(lambda count: self.scored_places(scores, 2, 1, count), size)

    def exponential_mechanism(self, scores: Sequence[Any], epsilon: Any, sensitivity: Any, size: Size = None) -> Any:
        """Places in a list of scores by the exponential mechanism.

        A place has a probability proportional to ``exp(epsilon score / (2 sensitivity))``. It is epsilon-private if no
        score differs by more than the sensitivity between neighbours. Fractions and logarithms stay exact in the exact
        check. A sensitivity of 0 is allowed if all scores are equal.
        """
        found = _scores("exponential_mechanism", scores)
        if not 0 < epsilon < math.inf:
            raise wrong_argument("exponential_mechanism", f"needs a positive epsilon, got {epsilon!r}")
        if not 0 <= sensitivity < math.inf:
            raise wrong_argument("exponential_mechanism", f"needs a sensitivity of at least 0, got {sensitivity!r}")
        if sensitivity == 0:
            if any(score != found[0] for score in found):
                raise wrong_argument("exponential_mechanism", "has a sensitivity of 0, but the scores differ")
            sensitivity = 1
        return shaped(lambda count: self.scored_places(found, epsilon, sensitivity, count), size)

    def exponential(self, scale: Any = 1.0, size: Size = None) -> Any:
        """Exponential variables with mean ``scale``."""
        return shaped(self.exponential_noise, size, scale)

    def geometric(self, p: Any, size: Size = None) -> Any:
        """Numbers of trials up to the first success, which each trial has with probability ``p`` in ``(0, 1]``."""

        def draw(probability: Any, count: int) -> NDArray[np.int64]:
            if not 0 < probability <= 1:
                raise wrong_argument("geometric", f"needs a probability above 0 and up to 1, got {probability!r}")
            return self.geometric_numbers(probability, count)

        return shaped(draw, size, p)

    def binomial(self, n: Any, p: Any, size: Size = None) -> Any:
        """Numbers of successes in ``n`` trials, which each trial has with probability ``p`` in ``[0, 1]``."""

        def draw(trials: Any, probability: Any, count: int) -> NDArray[np.int64]:
            if whole("binomial", "n", trials) < 0:
                raise wrong_argument("binomial", f"needs a number of trials of at least 0, got {trials!r}")
            if not 0 <= probability <= 1:
                raise wrong_argument("binomial", f"needs a probability from 0 to 1, got {probability!r}")
            return self.binomial_numbers(whole("binomial", "n", trials), probability, count)

        return shaped(draw, size, n, p)

    def permutation(self, x: Any, axis: int = 0) -> NDArray[Any]:
        """The integers from 0 to ``x - 1``, or the entries of ``x``, in uniformly random order."""
        if np.ndim(x) == 0:
            return self.uniform_order(whole("permutation", "x", x))
        entries = np.asarray(x)
        return np.take(entries, self.uniform_order(entries.shape[axis]), axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put an array or a list into uniformly random order, in place."""
        if isinstance(x, np.ndarray):
            x[...] = np.take(x, self.uniform_order(x.shape[axis]), axis=axis)
            return
        if axis != 0:
            raise wrong_argument("shuffle", f"takes an axis for arrays alone, got axis {axis}")
        for place, entry in enumerate([x[place] for place in self.uniform_order(len(x)).tolist()]):
            x[place] = entry

    def bytes(self, length: int) -> bytes:
        """``length`` random bytes."""
        drawn = self.uniform_integers(0, 256, whole("bytes", "length", length))
        return drawn.astype(np.uint8).tobytes()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise refused_name(type(self), name)


def _fitting(method: str, location: Any, size: Size) -> NDArray[Any]:
    """An array of locations. A size must be their shape."""
    locations = np.asarray(location)
    if size is not None and shape_of(size) != locations.shape:
        raise wrong_argument(method, f"has locations of shape {locations.shape}, which size {size!r} does not fit")
    return locations


def _weights(p: Any, population: int) -> list[Any]:
    """Probabilities as a list; fractions stay fractions."""
    weights = [scalar(weight) for weight in (p.tolist() if isinstance(p, np.ndarray) else p)]
    if len(weights) != population:
        raise wrong_argument("choice", f"needs as many probabilities as entries, got {len(weights)} for {population}")
    if not all(weight >= 0 for weight in weights):
        raise wrong_argument("choice", f"needs probabilities of at least 0, got {min(weights)!r}")
    total = math.fsum(float(weight) for weight in weights)
    if abs(total - 1) > _SUM_ALLOWANCE:
        raise wrong_argument("choice", f"needs probabilities whose sum is 1, got the sum {total!r}")
    return weights


def _scores(method: str, given: Any) -> list[Any]:
    """Finite scores as a list; fractions and logarithms stay as they are."""
    scores = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if not scores:
        raise wrong_argument(method, "has nothing to choose from")
    if wrong := [score for score in scores if not math.isfinite(score)]:
        raise wrong_argument(method, f"takes finite numbers, got {wrong[0]!r}")
    return scores
