"""A uniform number that is not drawn, as the judged code computes with it.

Code without a library makes its noise so: each number that it computes from one uniform number is a function of it,
made of pieces. On a piece the function is linear, constant, or a multiple of the logarithm of a linear function. A
comparison has an exact probability, and confines the uniform number. Where the number meets other noise, or is shown,
it becomes one noise variable: a mixture of uniform and exponential variables, of which one form is the Laplace
variable. A whole part is a random choice.

The root of an exponential variable and the cosine of a uniform angle have a product of a known distribution: a normal
variable (Box and Muller 1958). The sine gives another one, which is independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np

from pan_audits.choices.errors import asked_by_judged_code, refusing_the_rest, unfollowable
from pan_audits.choices.monotone import FUNCTIONS, of_math
from pan_audits.choices.noise import METHODS, NoisyNumber, shown_as_noise
from pan_audits.choices.numbers import fraction, is_simple

_NEAR = Fraction(1, 2**45)
"""Constants that are nearer to one another than this part of the range cannot be followed as real numbers."""


class UniformLimits:
    """The constants with which one uniform number was compared, and its bounds."""

    __slots__ = ("_constants", "high", "low")

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = fraction(low), fraction(high)
        self._constants: dict[Fraction, Any] = {}
        if self.low >= self.high:
            raise unfollowable(f"there is no uniform number from {low!r} to {high!r}")

    def place_of(self, constant: Any, *, strictly: bool) -> Fraction:
        """The fraction that a constant means, for the question whether the number is below it, or at most it."""
        if isinstance(constant, (float, np.floating)) and not np.isfinite(constant):
            raise unfollowable(f"the estimator compares a uniform number with {constant!r}")
        limit = fraction(constant)
        if limit in (self.low, self.high, *self._constants) and float(limit) != constant:
            # A double next to an end, or to another constant, is not read as that one.
            limit = Fraction(constant)
        if limit == self.low and not strictly:
            raise unfollowable(
                f"the estimator tests whether a uniform number is at most {constant!r}, its least value: with 53 "
                f"bits this has the probability 2**-53, but the exact check follows real numbers; compare with <"
            )
        width = self.high - self.low
        known = self._constants.setdefault(limit, constant)
        places = [(end - self.low) / width for end in (limit, self.low, self.high, *self._constants)]
        near = any(0 < abs(places[0] - place) < _NEAR for place in places)
        same_distribution = strictly and all((place * 2**53).denominator == 1 for place in places)
        if (near and not same_distribution) or known != constant:
            raise unfollowable(
                f"the estimator compares a uniform number with {constant!r}, next to an end or to another constant: "
                "there the 53 bits of a double decide, but the exact check follows real numbers"
            )
        return limit


_NO_SIMPLE_FRACTION = 2.0**-0.5
"""A call with this probability draws no bit; it records that not all numbers are simple fractions."""


def note_constant(constant: Any, bernoulli: Callable[[Any, int], Any]) -> None:
    """Record a constant that is no simple fraction."""
    if not is_simple(constant):
        bernoulli(_NO_SIMPLE_FRACTION, 0)


class UniformDraws(Protocol):
    """What a uniform number asks for."""

    def bernoulli(self, probability: Any, size: int) -> Any:
        """Random bits."""

    def mixed_noise(self, parts: list[Any]) -> Any:
        """A mixture of uniform and exponential variables."""

    def normal_noise(self, location: Any, scale: Any, size: int) -> Any:
        """Normal variables."""


@dataclass(frozen=True)
class Piece:
    """A function of a uniform number between two of its values.

    Attributes
    ----------
    low, high
        These values.
    factor, shift
        The function is ``shift + factor * u``.
    inner
        If given, as ``(a, b)``, the function is ``factor * log(a + b * u)``.
    """

    low: Fraction
    high: Fraction
    factor: Fraction
    shift: Fraction
    inner: tuple[Fraction, Fraction] | None = None

    @property
    def constant(self) -> bool:
        """Whether it is a constant."""
        return self.factor == 0

    @property
    def inner_range(self) -> tuple[Fraction, Fraction]:
        """The least and the largest value below the logarithm."""
        assert self.inner is not None
        one, other = (self.inner[0] + self.inner[1] * end for end in (self.low, self.high))
        return min(one, other), max(one, other)

    def times(self, factor: Fraction) -> Piece:
        """A multiple."""
        if not factor:
            return replace(self, factor=factor, shift=factor, inner=None)
        return replace(self, factor=self.factor * factor, shift=self.shift * factor)


class _Variable:
    """A number that is uniform between two limits, to which comparisons have confined it."""

    __slots__ = ("draws", "high", "limits", "low", "made", "normal")

    def __init__(self, low: Any, high: Any, draws: UniformDraws) -> None:
        self.limits = UniformLimits(low, high)
        self.low, self.high = self.limits.low, self.limits.high
        self.draws = draws
        self.made: tuple[tuple[Piece, ...], Any] | None = None
        """The function that has become a noise variable, and that number."""
        self.normal: _NormalPair | None = None
        self.note(low)
        self.note(high)

    def note(self, constant: Any) -> None:
        """Record a constant that is no simple fraction."""
        note_constant(constant, self.draws.bernoulli)

    def require_open(self) -> None:
        """Refuse another use of a number of which noise was made."""
        if self.made is not None or self.normal is not None:
            raise unfollowable("the estimator uses a uniform number again, of which it has made noise in another way")

    def below(self, constant: Any, strictly: bool) -> bool:
        """Whether it is below a constant, or at most it."""
        self.require_open()
        limit = self.limits.place_of(constant, strictly=strictly)
        if limit <= self.low or limit >= self.high:
            return limit > self.low
        self.note(constant)
        below = bool(self.draws.bernoulli((limit - self.low) / (self.high - self.low), 1)[0])
        if below:
            self.high = limit
        else:
            self.low = limit
        return below

    def noise(self, pieces: tuple[Piece, ...]) -> Any:
        """A function of it as a number with a noise variable."""
        if self.made is None:
            self.require_open()
            parts = [self._part(piece) for piece in pieces]
            self.made = pieces, self.draws.mixed_noise(parts)
        known, number = self.made
        relation = _multiple(known, pieces)
        if relation is None or self.normal is not None:
            self.require_open()
        factor, shift = relation or (Fraction(1), Fraction(0))
        if factor != 1:
            number = number * factor
        return number + shift if shift else number

    def _part(self, piece: Piece) -> list[Any]:
        """Weight, location, factor, and whether it is an exponential variable and no uniform one."""
        weight = (piece.high - piece.low) / (self.high - self.low)
        if piece.inner is None:
            location = piece.shift + piece.factor * piece.low
            return [weight, location, piece.factor * (piece.high - piece.low), False]
        least, most = piece.inner_range
        if least != 0:
            raise unfollowable(
                f"the estimator takes the logarithm of a uniform number from {float(least)!r} to {float(most)!r}; "
                "only from 0 on it is noise of a known distribution"
            )
        logarithm = 0.0 if most == 1 else math.log(most)
        self.note(logarithm)
        return [weight, piece.factor * fraction(logarithm), -piece.factor, True]


def _multiple(known: tuple[Piece, ...], pieces: tuple[Piece, ...]) -> tuple[Fraction, Fraction] | None:
    """``(k, c)`` so that the second function is ``k`` times the first one plus ``c``; ``None`` if there is none."""
    if [(one.low, one.high, one.inner) for one in known] != [(one.low, one.high, one.inner) for one in pieces]:
        return None
    factor = pieces[0].factor / known[0].factor
    shift = pieces[0].shift - factor * known[0].shift
    for one, other in zip(known, pieces, strict=True):
        if other.factor != factor * one.factor or other.shift != factor * one.shift + shift:
            return None
        if shift and one.inner is not None:
            return None
    return factor, shift


_MOST_PARTS = 256
_LARGEST_SHIFT = 2**20
"""The largest shift that leaves most of the bits of a uniform number, in units of its range."""
_LEAST_REST = Fraction(1, 2**20)
"""The least part of two multiples of one number that their sum may leave."""


@refusing_the_rest
class UniformNumber:
    """A function of a uniform number between two constants.

    A comparison with a constant draws one bit with the probability of its outcome, given all earlier comparisons.
    A use that has no known distribution raises :class:`UnfollowableError`, which is remembered if the estimator catches
    it.
    """

    __slots__ = ("_made_of", "_variable")

    def __init__(self, variable: _Variable, pieces: tuple[Piece, ...]) -> None:
        self._variable, self._made_of = variable, pieces

    @property
    def _pieces(self) -> tuple[Piece, ...]:
        """Its pieces where the uniform number can still be."""
        low, high = self._variable.low, self._variable.high
        found = (replace(one, low=max(one.low, low), high=min(one.high, high)) for one in self._made_of)
        return tuple(one for one in found if one.low < one.high)

    @property
    def _is_noise(self) -> bool:
        """Whether its value is no linear function, so that only noise can be compared or rounded."""
        return self._variable.made is not None or any(one.inner is not None for one in self._pieces)

    def as_noise(self) -> Any:
        """The number with a noise variable; a plain number if it has finitely many values."""
        pieces = self._pieces
        if any(one.constant for one in pieces):
            chosen = self._chosen()
            return _plain(chosen.shift) if chosen.constant else self.as_noise()
        return self._variable.noise(pieces)

    def _chosen(self) -> Piece:
        """The piece in which the uniform number is: a random choice."""
        for one in self._pieces[:-1]:
            if self._variable.below(one.high, True):
                break
        return self._pieces[0]

    def _with(self, change: Callable[[Piece], Any]) -> UniformNumber:
        """The function with another one, or several ones, for each piece."""
        made: list[Piece] = []
        for one in self._pieces:
            changed = change(one)
            made += [changed] if isinstance(changed, Piece) else changed
        return UniformNumber(self._variable, tuple(made))

    def _cut(self) -> UniformNumber:
        """The same function, whose sign changes on no piece."""

        def at_zero(one: Piece) -> Iterator[Piece]:
            place = None if one.constant or one.inner else -one.shift / one.factor
            if place is None or not one.low < place < one.high:
                yield one
                return
            self._variable.limits.place_of(place, strictly=True)
            yield replace(one, high=place)
            yield replace(one, low=place)

        return self._with(at_zero)

    def _below(self, constant: Any, strictly: bool) -> Any:
        if isinstance(constant, np.ndarray):
            sides = [self._below(one, strictly) for one in constant.ravel().tolist()]
            return np.array(sides, dtype=np.bool_).reshape(constant.shape)
        if constant is self:
            # numpy.searchsorted compares in this way.
            return not strictly
        if not _is_constant(constant):
            other = shown_as_noise(constant)
            if type(other) is not NoisyNumber and not _is_constant(other):
                raise unfollowable(
                    f"the estimator compares a uniform number with a {type(constant).__name__}, not with a number"
                )
            own = self.as_noise()
            return own < other if strictly else own <= other
        if isinstance(constant, (float, np.floating)) and not np.isfinite(constant):
            return self.refuse() if constant != constant else bool(constant > 0)
        if self._is_noise:
            own = self.as_noise()
            return own < constant if strictly else own <= constant
        one = self._chosen()
        if one.constant:
            return bool(one.shift < constant if strictly else one.shift <= constant)
        if one.factor == 1 and not one.shift:
            return self._variable.below(constant, strictly)
        place = (fraction(constant) - one.shift) / one.factor
        if one.factor > 0:
            return self._variable.below(place, strictly)
        return not self._variable.below(place, not strictly)

    def __lt__(self, constant: Any) -> Any:
        return self._below(constant, True)

    def __le__(self, constant: Any) -> Any:
        return self._below(constant, False)

    def __gt__(self, constant: Any) -> Any:
        return np.logical_not(below) if isinstance(below := self <= constant, np.ndarray) else not below

    def __ge__(self, constant: Any) -> Any:
        return np.logical_not(below) if isinstance(below := self < constant, np.ndarray) else not below

    def __eq__(self, other: Any) -> Any:
        """A number with a density has any given value with probability 0."""
        if isinstance(other, np.ndarray):
            return _each(other, lambda one: self == one).astype(np.bool_)
        if other is self:
            return True
        own = self.as_noise() if not _is_constant(other) or self._is_noise or self._has_constants else self
        if own is self:
            return False
        return own == shown_as_noise(other)

    def __ne__(self, other: Any) -> Any:
        equal = self == other
        return np.logical_not(equal) if isinstance(equal, np.ndarray) else not equal

    @property
    def _has_constants(self) -> bool:
        return any(one.constant for one in self._pieces)

    def _constant(self, constant: Any) -> Fraction:
        """A constant of the code as a fraction."""
        if not _is_constant(constant) or not np.isfinite(float(constant)):
            self.refuse()
        self._variable.note(constant)
        return fraction(constant)

    def _shifted(self, constant: Any) -> Any:
        if any(one.inner is not None for one in self._pieces):
            # Doubles round where noise is added to a number, and only a noisy number tells how.
            return self.as_noise() + constant
        shift = self._constant(constant)

        def shifted(one: Piece) -> Piece:
            return replace(one, shift=one.shift + shift)

        return self._with(shifted)._checked()

    def _checked(self) -> UniformNumber:
        """The number itself, unless doubles would round its bits away."""
        width = self._variable.limits.high - self._variable.limits.low
        if any(one.factor and abs(one.shift) > _LARGEST_SHIFT * abs(one.factor) * width for one in self._pieces):
            raise unfollowable(
                "the estimator adds a uniform number to a much larger one: there doubles round, but the exact check "
                "follows real numbers"
            )
        return self

    def _times(self, constant: Any) -> Any:
        factor = self._constant(constant)
        return self.refuse() if not factor else self._with(lambda one: one.times(factor))

    def _with_other(self, other: UniformNumber, join: Callable[[Piece, Piece], Piece]) -> UniformNumber:
        """A function of two functions of the same uniform number."""
        made: list[Piece] = []
        for one in self._pieces:
            for two in other._pieces:
                low, high = max(one.low, two.low), min(one.high, two.high)
                if low < high:
                    made.append(join(*(replace(each, low=low, high=high) for each in (one, two))))
        return UniformNumber(self._variable, tuple(made))

    def __add__(self, other: Any) -> Any:
        if _is_constant(other):
            return self._shifted(other)
        if isinstance(other, np.ndarray):
            return _each(other, lambda one: self + one)
        if type(other) is UniformNumber and other._variable is self._variable:
            return self._with_other(other, self._sum)._checked()
        if type(other) in (UniformNumber, NoisyNumber):
            return self.as_noise() + shown_as_noise(other)
        return self.refuse()

    def _sum(self, one: Piece, two: Piece) -> Piece:
        if one.inner is not None or two.inner is not None:
            if one.inner != two.inner or not one.factor + two.factor:
                self.refuse()
        elif abs(one.factor + two.factor) < _LEAST_REST * max(abs(one.factor), abs(two.factor)):
            self.refuse()
        return replace(one, factor=one.factor + two.factor, shift=one.shift + two.shift)

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if _is_constant(other):
            return self._times(other)
        if isinstance(other, np.ndarray):
            return _each(other, lambda one: self * one)
        if type(other) is UniformNumber and other._variable is self._variable:
            return self._with_other(other, self._product)
        if all(one.constant for one in self._pieces):
            return other * self.as_noise()
        if type(other) is UniformNumber and all(one.constant for one in other._pieces):
            return self * other.as_noise()
        return self.refuse()

    def _product(self, one: Piece, two: Piece) -> Piece:
        if two.constant:
            return one.times(two.shift)
        return two.times(one.shift) if one.constant else self.refuse()

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return _each(other, lambda one: self / one)
        if not _is_constant(other) or not other:
            return self.refuse()
        return self._times(1 / self._constant(other))

    def __neg__(self) -> Any:
        return self._times(-1)

    def __pos__(self) -> Any:
        return self

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: Any) -> Any:
        return self.sqrt() if _is_constant(exponent) and exponent == 0.5 else self.refuse()

    def __abs__(self) -> Any:
        signs = self.sign()
        return signs * self if type(signs) is UniformNumber else abs(self.as_noise())

    def __floor__(self) -> Any:
        if self._is_noise:
            return math.floor(self.as_noise())
        one = self._chosen()
        if one.constant:
            return math.floor(one.shift)
        least, most = sorted(one.factor * end + one.shift for end in (one.low, one.high))
        whole, past = math.floor(least), math.ceil(most)
        if past - whole > _MOST_PARTS:
            raise unfollowable(f"the whole part of a uniform number has {past - whole} values")
        # One comparison after the other, so that the number is confined as by comparisons of the code.
        while whole < past - 1:
            if self._variable.below((whole + 1 - one.shift) / one.factor, True) is (one.factor > 0):
                break
            whole += 1
        return whole

    def __ceil__(self) -> Any:
        return math.ceil(self.as_noise()) if self._is_noise else -math.floor(-self)

    def __trunc__(self) -> Any:
        if self._is_noise:
            return math.trunc(self.as_noise())
        return math.floor(self) if self >= 0 else math.ceil(self)

    def __round__(self, digits: Any = None) -> Any:
        return round(self.as_noise(), digits) if self._is_noise or digits is not None else math.floor(self + 0.5)

    def log(self) -> Any:
        """The natural logarithm."""

        def of(one: Piece) -> Piece:
            if one.inner is not None or (one.constant and one.shift <= 0):
                self.refuse()
            if one.constant:
                return replace(one, shift=fraction(math.log(one.shift)))
            return Piece(one.low, one.high, Fraction(1), Fraction(0), (one.shift, one.factor))

        return self._with(of)

    def log1p(self) -> Any:
        """The natural logarithm of the number plus 1."""
        return (self + 1).log()

    def log2(self) -> Any:
        """The logarithm to the base 2."""
        return self.log() / math.log(2)

    def log10(self) -> Any:
        """The logarithm to the base 10."""
        return self.log() / math.log(10)

    def sign(self) -> Any:
        """1 or -1, as a function of the same uniform number."""
        if self._variable.made is not None or any(one.inner and one.inner_range[1] > 1 for one in self._pieces):
            return 1.0 if self.as_noise() > 0 else -1.0

        def of(one: Piece) -> Piece:
            middle = one.shift + one.factor * (one.low + one.high) / 2
            side = middle if one.inner is None else -one.factor
            return Piece(one.low, one.high, Fraction(0), Fraction((side > 0) - (side < 0)))

        return self._cut()._with(of)

    def sqrt(self) -> Any:
        """The square root of a multiple of a logarithm."""
        return _PartOfNormal("sqrt", self)

    def cos(self) -> Any:
        """The cosine of an angle."""
        return _PartOfNormal("cos", self)

    def sin(self) -> Any:
        """The sine of an angle."""
        return _PartOfNormal("sin", self)

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        raise unfollowable(
            "the estimator uses a number of random or uniform in a way that cannot be followed exactly: sums, "
            "multiples, comparisons, whole parts, signs and logarithms can; use integers for a uniform integer, choice "
            "with p for a distribution on finitely many values, laplace for noise, or bernoulli for bits"
        )

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.refuse() if asked_by_judged_code() else UniformNumber

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and asked_by_judged_code():
            self.refuse()
        if name in METHODS:
            return getattr(self.as_noise(), name)
        raise AttributeError(f"a uniform number has no {name!r}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if function in _OF_NOISE and method == "__call__" and self._is_noise:
            # The whole part of a double is a double, whose zero has a sign.
            return function(*map(shown_as_noise, inputs), **options)
        if function in _BY_ELEMENT and method == "__call__" and not options:
            return _BY_ELEMENT[function](*inputs)
        return _by_name(function, method, inputs, options, self.refuse)


def _by_name(function: Any, method: str, inputs: Any, options: Any, refuse: Callable[[], Any]) -> Any:
    """A function of numpy by the methods of its operands that are not drawn."""
    names = _OF_NUMPY.get(function)
    if names is None or method != "__call__" or options:
        return refuse()
    if len(inputs) == 2 and any(isinstance(one, np.ndarray) and one.ndim for one in inputs):
        left, right = (np.asarray(one, dtype=object) for one in inputs)
        made = np.frompyfunc(lambda one, other: function(one, other), 2, 1)(left, right)
        return made.astype(np.bool_) if names[0] in _COMPARISONS else made
    if type(inputs[0]) in (UniformNumber, _PartOfNormal):
        return getattr(inputs[0], names[0])(*inputs[1:])
    return getattr(inputs[1], names[1])(inputs[0])


def _is_constant(value: Any) -> bool:
    return type(value) is not UniformNumber and isinstance(value, (int, float, Fraction, np.number, np.bool_))


def _plain(value: Fraction) -> float:
    return float(value)


def _each(array: Any, function: Callable[[Any], Any]) -> Any:
    made = np.empty(array.shape, dtype=object)
    for place, value in np.ndenumerate(array):
        made[place] = function(value)
    return made


_WHOLE_TURNS = 2.0**-45
"""The relative error of an angle that doubles leave."""


class _NormalPair:
    """Two normal variables of one radius and one angle."""

    def __init__(self, radius: Piece, angle: Piece, variables: tuple[_Variable, _Variable]) -> None:
        self.radius, self.angle, self.variables = radius, angle, variables
        self._drawn: dict[str, Any] = {}

    def is_of(self, radius: Piece, angle: Piece, variables: tuple[_Variable, _Variable]) -> bool:
        """Whether it is the pair of these numbers."""
        return (self.radius, self.angle, self.variables) == (radius, angle, variables)

    def normal(self, name: str) -> Any:
        """The product of the radius and the cosine, or the sine, of the angle."""
        if name not in self._drawn:
            deviation = math.sqrt(-self.radius.factor / 2)
            self._drawn[name] = self.variables[0].draws.normal_noise(0, deviation, 1)[0]
        return self._drawn[name]


@refusing_the_rest
class _PartOfNormal:
    """The root of an exponential variable, or the cosine or sine of a uniform angle: a factor of a normal variable."""

    __slots__ = ("_name", "_number", "_scale")

    def __init__(self, name: str, number: UniformNumber, scale: Fraction = Fraction(1)) -> None:
        self._name, self._number, self._scale = name, number, scale
        one = self._piece
        if name == "sqrt":
            fits = one.inner is not None and list(one.inner_range) == [0, 1] and one.factor < 0
        else:
            turns = abs(float(one.factor * (one.high - one.low))) / (2 * math.pi)
            fits = one.inner is None and round(turns) >= 1 and abs(turns / max(1, round(turns)) - 1) < _WHOLE_TURNS
        if not fits:
            self.refuse()

    @property
    def _piece(self) -> Piece:
        pieces = self._number._pieces
        return pieces[0] if len(pieces) == 1 else self.refuse()

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return _each(other, lambda one: self * one)
        if _is_constant(other):
            factor = self._number._constant(other)
            return _PartOfNormal(self._name, self._number, self._scale * factor) if factor else self.refuse()
        if type(other) is not _PartOfNormal or (self._name == "sqrt") == (other._name == "sqrt"):
            return self.refuse()
        root, wave = (self, other) if self._name == "sqrt" else (other, self)
        return _pair_of(root, wave).normal(wave._name) * (self._scale * other._scale)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not _is_constant(other) or not other:
            return self.refuse()
        return self * (1 / self._number._constant(other))

    def __neg__(self) -> Any:
        return self * -1

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        raise unfollowable(
            "the estimator takes a root, a cosine or a sine of a uniform number, and this cannot be followed exactly: "
            "only sqrt(-2 log(u)) times cos(2 pi v) or sin(2 pi v) is noise of a known distribution"
        )

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.refuse() if asked_by_judged_code() else _PartOfNormal

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if function not in (np.multiply, np.true_divide, np.negative):
            return self.refuse()
        return _by_name(function, method, inputs, options, self.refuse)


def _pair_of(root: _PartOfNormal, wave: _PartOfNormal) -> _NormalPair:
    """The normal variables of a radius and an angle, of which each other use is refused."""
    variables = root._number._variable, wave._number._variable
    known = variables[0].normal
    if known is not None and known is variables[1].normal and known.is_of(root._piece, wave._piece, variables):
        return known
    for one in variables:
        one.require_open()
    if variables[0] is variables[1]:
        root.refuse()
    made = _NormalPair(root._piece, wave._piece, variables)
    variables[0].normal = variables[1].normal = made
    return made


_COMPARISONS = ("__lt__", "__gt__", "__le__", "__ge__", "__eq__", "__ne__")

_OF_NOISE = (np.floor, np.ceil, np.trunc, np.rint)

_OF_NUMPY: dict[Any, tuple[str, str]] = {
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.true_divide: ("__truediv__", "refuse"),
    np.power: ("__pow__", "refuse"),
    np.negative: ("__neg__", ""),
    np.absolute: ("__abs__", ""),
    np.floor: ("__floor__", ""),
    np.ceil: ("__ceil__", ""),
    np.trunc: ("__trunc__", ""),
    np.log: ("log", ""),
    np.log1p: ("log1p", ""),
    np.log2: ("log2", ""),
    np.log10: ("log10", ""),
    np.sqrt: ("sqrt", ""),
    np.cos: ("cos", ""),
    np.sin: ("sin", ""),
}
"""Functions of numpy, as methods of a uniform number at the left and at the right."""

_OF_MATH: dict[str, Callable[..., Any]] = {
    "log": lambda number, *base: number.log() if not base else number.log() / math.log(*base),
    "fabs": abs,
    **{
        name: lambda number, *others, name=name: getattr(number, name)(*others)
        for name in ("log1p", "log2", "log10", "sqrt", "cos", "sin")
    },
}


_OF_NOISE_IN_MATH: dict[str, Callable[..., Any]] = {
    "fabs": abs,
    "atan": partial(of_math, "arctan"),
    **{name: partial(of_math, name) for name in FUNCTIONS if hasattr(math, name)},
}


def let_math_follow() -> None:
    """Let the functions of ``math`` follow uniform and noisy numbers, before judged code is imported."""
    for name in (*{**_OF_MATH, **_OF_NOISE_IN_MATH}, "copysign"):
        function = _copysign if name == "copysign" else _following(name, getattr(math, name))
        # A compiler finds a function by its module and its name.
        function.__module__, function.__name__, function.__qualname__ = "math", name, name
        setattr(math, name, function)


def _following(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    of_uniform, of_noise = _OF_MATH.get(name), _OF_NOISE_IN_MATH.get(name)

    def function(number: Any, *others: Any) -> Any:
        if type(number) is UniformNumber:
            if of_uniform is not None:
                return of_uniform(number, *others)
            number = number.as_noise()
        if type(number) is NoisyNumber and of_noise is not None:
            return of_noise(number, *others)
        return original(number, *others)

    return function


_plain_copysign = math.copysign


def _copysign(size: Any, sign: Any, /) -> Any:
    if type(sign) is UniformNumber:
        return abs(size) * sign.sign()
    if type(sign) is NoisyNumber:
        return abs(size) * (1.0 if sign > 0 else -1.0)
    if type(size) is UniformNumber:
        return abs(size) * _plain_copysign(1.0, sign)
    return _plain_copysign(size, sign)


class _UniformArray(np.ndarray[Any, Any]):
    """An array of uniform numbers, whose signs numpy would ask for by comparisons."""

    of_draws = True
    """It is sent as an ordinary array."""

    def __array_ufunc__(self, function: Any, method: Any, *inputs: Any, **options: Any) -> Any:  # type: ignore[override]
        plain = [_without_class(one) for one in inputs]
        if "out" in options:
            options["out"] = tuple(map(_without_class, options["out"]))
        if function in _BY_ELEMENT and method == "__call__" and not options:
            made = np.frompyfunc(_BY_ELEMENT[function], len(plain), 1)(*plain)
        else:
            made = getattr(function, method)(*plain, **options)
        is_drawn = type(made) is np.ndarray and made.dtype == object
        return made.view(_UniformArray) if is_drawn else made


def _without_class(one: Any) -> Any:
    return one.view(np.ndarray) if type(one) is _UniformArray else one


def _sign(one: Any) -> Any:
    # numpy compares other objects with 0.
    return one.sign() if type(one) is UniformNumber else np.sign(np.array([one], dtype=object))[0]


_BY_ELEMENT: dict[Any, Callable[..., Any]] = {np.sign: _sign, np.copysign: _copysign, np.fabs: abs}
"""Functions that numpy does not compute by a method of each object."""


def uniform_numbers(low: Any, high: Any, size: int, draws: UniformDraws) -> np.ndarray[Any, Any]:
    """An array of uniform numbers that are not drawn; the last argument makes the draws for what code asks."""
    made = np.empty(size, dtype=object)
    for place in range(size):
        one = _Variable(low, high, draws)
        made[place] = UniformNumber(one, (Piece(one.low, one.high, Fraction(1), Fraction(0)),))
    return made.view(_UniformArray) if size > 1 else made


def refuse_uniform(value: Any) -> None:
    """Raise the error of a uniform number, if a value is one."""
    if isinstance(value, (UniformNumber, _PartOfNormal)):
        value.refuse()
