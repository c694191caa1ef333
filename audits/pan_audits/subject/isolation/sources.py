"""In the judged process: the sources of random numbers of Python, numpy and the system, which the judge owns.

A mechanism that is given no randomness draws from them, or from generators that its module has made. While it runs,
each source gives the draws of the judge, so that the exact check can follow them. In many runs each source is seeded
from the randomness of the runs. A seed that the code sets while it runs is its own choice, and holds for this run.
"""

from __future__ import annotations

import ctypes
import os
import random
import secrets
import struct
import sys
import zlib
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from pan_audits.choices.errors import asked_by_judged_code, unfollowable
from pan_audits.subject.isolation.seeds import WORDS, words_of
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness

_FOUR_WORDS = struct.Struct(f"<{WORDS}I")
_Random: TypeAlias = random.Random
_RandomState: TypeAlias = np.random.RandomState
_Generator: TypeAlias = np.random.Generator


class _Run:
    """The run of a mechanism that is being made."""

    randomness: Any = None
    reseeded = made = 0
    """Seeds for sources that were made, in all runs and in this one."""
    number = 0
    """It changes with each run."""
    is_followed = False
    """Whether the judge answers each draw."""


_RUN = _Run()


def is_followed() -> bool:
    """Whether the judge answers each draw of the run that is being made."""
    return _RUN.is_followed


GLOBALS = "global generators"
"""A kind of acts."""

SEEN: set[tuple[str, str]] = set()
"""The acts of this process."""

_BEFORE: list[Any] = [None, 0]
"""The last randomness of runs, and how many have been made with it."""


def owned(value: Any) -> bool:
    """Whether a value is a generator that the judge owns, whose contents are no memory of the code."""
    return isinstance(value, _Owned)


class drawn_from:  # noqa: N801
    """Give all sources the draws of a randomness, while a mechanism runs; not those of a deployment, as they are.

    A context for a run, and again for the next one.
    """

    def __init__(self, randomness: Any) -> None:
        self.randomness = randomness
        self.owns = isinstance(randomness, NumpyRandomness)
        # A randomness searches long for a name that it does not have.
        self.is_followed = self.owns and bool(vars(randomness).get("followed", False))
        self.outer: tuple[Any, bool] = None, False

    def __enter__(self) -> None:
        if not self.owns:
            return
        run = _RUN
        self.outer = run.randomness, run.is_followed
        run.randomness, run.is_followed = self.randomness, self.is_followed
        run.number += 1
        run.made = 0
        if self.randomness is not _BEFORE[0]:
            _BEFORE[:] = self.randomness, 0
        _BEFORE[1] += 1
        if self.is_followed:
            _own_scipy()
        elif _BEFORE[1] == 1 or any(map(sys.modules.__contains__, _COMPILED)):
            _seed_compiled(self.randomness)

    def __exit__(self, *problem: Any) -> None:
        if self.owns:
            _RUN.randomness, _RUN.is_followed = self.outer


def as_parameter(name: str, randomness: Any) -> Any:
    """A randomness in the form that a parameter of this name takes: also a seed, or numpy's older generator."""
    if name == "seed":
        return int(randomness.uniform_integers(0, 2**31, 1)[0])
    return OwnedRandomState() if name == "random_state" else randomness


def as_numpy_generator(randomness: Any) -> Any:
    """A randomness as numpy's own generator with the same draws, which compiled code takes."""
    if _RUN.is_followed:
        raise unfollowable("a compiled function draws from the generator that it is given, and this is not followed")
    if isinstance(randomness, SecureRandomness):
        return OwnedGenerator(np.random.PCG64())
    return OwnedGenerator(randomness.generator.bit_generator)


def _words() -> list[int]:
    """Seeds for one source in the run.

    They are made from the state of the run's generator, so that its own draws stay the same whatever else draws.
    """
    _RUN.reseeded += 1
    _RUN.made += 1
    generator = getattr(_RUN.randomness, "generator", None)
    # A generator of the judge that refuses all questions has a class of its own.
    if type(generator) is not _Generator:
        return list(map(int, _RUN.randomness.uniform_integers(0, 2**32, WORDS)))
    state = zlib.crc32(repr(generator.bit_generator.state).encode())
    return words_of(state, _BEFORE[1], _RUN.made)


def reseeded() -> int:
    """How many times a source got a seed of the judge in this process."""
    return _RUN.reseeded


_COMPILED = ("numba", "torch")
"""Libraries whose compiled code has a generator of its own."""


def _loaded() -> list[str]:
    return [name for name in _COMPILED if name in sys.modules]


def _of_numba() -> tuple[Any, tuple[Any, Any]]:
    """The functions of numba for its generators, and these: that of numpy's names and that of ``random``."""
    made: Any = sys.modules["numba._helperlib"]
    return made, (made.rnd_get_np_state_ptr(), made.rnd_get_py_state_ptr())


def compiled_states() -> dict[str, Any]:
    """The states of the generators of compiled code, by library: a draw changes them."""
    found: dict[str, Any] = {}
    loaded = _loaded()
    if "numba" in loaded:
        numba, states = _of_numba()
        found["numba"] = [numba.rnd_get_state(state) for state in states]
    if "torch" in loaded:
        found["torch"] = sys.modules["torch"].get_rng_state().tolist()
    return found


def _seed_compiled(randomness: Any) -> None:
    """Seed the generators of compiled code that is loaded, for this run."""
    if type(getattr(randomness, "generator", None)) is not _Generator:
        return
    compiled, seed = _loaded(), _words()[0]
    if _BEFORE[1] == 1:
        ctypes.CDLL(None).srand(seed)
    if "numba" in compiled:
        numba, states = _of_numba()
        for state in states:
            numba.rnd_seed(state, seed)
    if "torch" in compiled:
        sys.modules["torch"].manual_seed(seed)


class _AsOfNumpy(type):
    """A class in place of one of numpy, of which all objects of numpy's class count as instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        kind = cls.__mro__[2]
        if kind is _Generator and issubclass(type(instance), (NumpyRandomness, SecureRandomness)):
            # Code asks so before it draws from what it is given.
            return asked_by_judged_code()
        return isinstance(instance, kind)


class _Owned:
    """A generator that the judge owns, unless the code has seeded it in this run."""

    _seeded_in = -1
    _owned_in = -1
    _module = ""
    """The module whose functions draw from it."""

    def _reseed(self, words: list[int]) -> None:
        raise NotImplementedError

    def _forget(self) -> None:
        """The code asks for a fresh seed."""
        self._seeded_in = self._owned_in = -1

    def _require_no_copy(self) -> None:
        """Refuse to show a state that the judge's draws do not have."""
        if self._answers() is not None:
            raise unfollowable("the mechanism copies a generator, or asks for its state, and this cannot be followed")

    def _mark(self) -> None:
        """The code has given it a seed."""
        self._seeded_in = _RUN.number if _RUN.randomness is not None else -2

    def _answers(self) -> Any:
        """The randomness that makes its draws; ``None`` if it makes them itself, from a seed."""
        if _RUN.randomness is None or (self._owned_in == _RUN.number and not _RUN.is_followed):
            return None
        if self._module:
            SEEN.add((GLOBALS, self._module))
        if self._seeded_in == _RUN.number:
            return None
        if _RUN.is_followed:
            return _RUN.randomness
        if self._owned_in != _RUN.number:
            # Runs are independent, as those of processes that begin.
            self._reseed(_words())
            self._owned_in = _RUN.number
        return None


class OwnedRandom(_Owned, _Random):
    """``random.Random``; methods that are not here draw by those that are."""

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Take a seed from the code."""
        super().seed(a, version)
        if a is None:
            self._forget()
        else:
            self._mark()

    def getstate(self) -> Any:
        """The state, for the code."""
        self._require_no_copy()
        return super().getstate()

    def setstate(self, state: Any) -> None:
        """Take a state from the code."""
        super().setstate(state)
        self._mark()

    def __reduce__(self) -> Any:
        return type(self), (), (self.getstate(), self._owned_in, self._seeded_in)

    def __setstate__(self, state: Any) -> None:
        # An object of the judge's process has the state alone.
        state, owned_in, seeded_in = state if isinstance(state[0], tuple) else (state, -1, -1)
        super().setstate(state)
        self._owned_in, self._seeded_in = owned_in, seeded_in

    def _shortens(self) -> Any:
        """The randomness that makes the draws of a method, unless a subclass draws in another way."""
        return self._answers() if type(self).random is OwnedRandom.random else None

    def _reseed(self, words: list[int]) -> None:
        _Random.seed(self, int.from_bytes(_FOUR_WORDS.pack(*words), "little"))

    def random(self) -> Any:
        """A uniform number."""
        given = self._answers()
        return super().random() if given is None else given.random()

    def getrandbits(self, k: int, /) -> Any:
        """A uniform integer of ``k`` bits."""
        given = self._answers()
        return super().getrandbits(k) if given is None else _integer(given, 2**k)

    def _randbelow(self, n: int) -> Any:
        given = self._answers()
        # The inherited method draws bits.
        return _Random._randbelow_with_getrandbits(self, n) if given is None else _integer(given, n)  # type: ignore[attr-defined]

    def uniform(self, a: Any, b: Any) -> Any:
        """A uniform number between two others."""
        given = self._shortens()
        if given is None or a == b:
            return super().uniform(a, b)
        return given.uniform(min(a, b), max(a, b))

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        """Entries of a sequence, with replacement."""
        given = self._shortens()
        if given is None:
            return super().choices(population, weights, cum_weights=cum_weights, k=k)
        if cum_weights is not None:
            weights = [later - earlier for earlier, later in zip([0, *cum_weights], cum_weights, strict=False)]
        chances = [1] * len(population) if weights is None else list(weights)
        return [population[int(place)] for place in given.weighted_places(_of_sum_one(chances), k)]

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> Any:
        """A normal variable."""
        given = self._shortens()
        return super().gauss(mu, sigma) if given is None else given.normal(mu, sigma)

    def normalvariate(self, mu: float = 0.0, sigma: float = 1.0) -> Any:
        """A normal variable."""
        given = self._shortens()
        return super().normalvariate(mu, sigma) if given is None else given.normal(mu, sigma)

    def expovariate(self, lambd: float = 1.0) -> Any:
        """An exponential variable."""
        given = self._shortens()
        return super().expovariate(lambd) if given is None else given.exponential(1 / lambd)


class OwnedSystemRandom(OwnedRandom):
    """``random.SystemRandom``, which takes no seed."""

    def _mark(self) -> None:
        return


def _integer(given: Any, stop: int) -> int:
    return int(given.uniform_integers(0, stop, 1)[0])


def _of_sum_one(weights: list[Any]) -> list[Any]:
    # Only the exact check needs it, and with it flint.
    from pan_audits.choices.numbers import fraction

    exact = [fraction(weight) for weight in weights]
    total = sum(exact)
    return [weight / total for weight in exact] if total > 0 else exact


_STANDARD: dict[str, Callable[..., Any]] = {
    "standard_exponential": lambda given, size=None: given.exponential(1.0, size),
}
"""The methods of numpy's generators that have another name here."""

_LEGACY: dict[str, Callable[..., Any]] = {
    **_STANDARD,
    "rand": lambda given, *shape: given.random(shape or None),
    "randn": lambda given, *shape: given.standard_normal(shape or None),
    **dict.fromkeys(("random_sample", "ranf", "sample"), lambda given, size=None: given.random(size)),
    "randint": lambda given, low, high=None, size=None, dtype=int: given.integers(low, high, size, dtype),
    "random_integers": lambda given, low, high=None, size=None: given.integers(
        *((1, low) if high is None else (low, high)), size, endpoint=True
    ),
}
"""The methods of ``numpy.random.RandomState`` that have another form than those of ``Generator``."""


def _owning(kind: type, translated: dict[str, Callable[..., Any]], seeders: tuple[str, ...]) -> Callable[[type], type]:
    """Let the judge make the draws of all methods of a class of numpy."""

    def method_of(name: str, original: Any) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any, **options: Any) -> Any:
            if name in seeders:
                if any(one is not None for one in (*arguments, *options.values())):
                    self._mark()
                    return original(self, *arguments, **options)
                return self._forget()
            if name == "get_state":
                self._require_no_copy()
                return original(self, *arguments, **options)
            if name == "spawn" and self._seeded_in != _RUN.number:
                return [_default_rng() for _ in range(*arguments, **options)]
            given = self._answers()
            if given is None:
                return original(self, *arguments, **options)
            if name in translated:
                return translated[name](given, *arguments, **options)
            if not hasattr(type(given), name):
                raise unfollowable(f"the mechanism draws by {name}, whose distribution cannot be followed exactly")
            return getattr(given, name)(*arguments, **options)

        method.__name__ = name
        return method

    def complete(made: type) -> type:
        for name in dir(kind):
            original = getattr(kind, name)
            if not name.startswith("_") and callable(original):
                setattr(made, name, method_of(name, original))
        return made

    return complete


@_owning(np.random.Generator, _STANDARD, ())
class OwnedGenerator(_Owned, np.random.Generator, metaclass=_AsOfNumpy):
    """``numpy.random.Generator``."""

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self._mark()

    @property
    def bit_generator(self) -> Any:
        """The source of its bits, for the code."""
        self._require_no_copy()
        return super().bit_generator

    def _reseed(self, words: list[int]) -> None:
        source = super().bit_generator
        source.state = type(source)(words).state


@_owning(_RandomState, _LEGACY, ("seed", "set_state"))
class OwnedRandomState(_Owned, _RandomState, metaclass=_AsOfNumpy):
    """``numpy.random.RandomState``."""

    def __init__(self, seed: Any = None) -> None:
        source = hasattr(seed, "capsule")
        super().__init__(seed if source else np.random.MT19937(0))
        if seed is not None:
            if not source:
                # numpy would ask for fresh bits before.
                _RandomState.seed(self, seed)
            self._mark()
        elif _RUN.randomness is None:
            self._reseed(list(_urandom(16)))

    def _reseed(self, words: list[int]) -> None:
        _RandomState.seed(self, words)


_OF_SCIPY: dict[str, Callable[..., Any]] = {
    "bernoulli": lambda given, loc, scale, size, p: loc + given.binomial(1, p, size),
    "binom": lambda given, loc, scale, size, n, p: loc + given.binomial(n, p, size),
    "dlaplace": lambda given, loc, scale, size, a: loc + given.discrete_laplace(1 / a, size),
    "expon": lambda given, loc, scale, size: loc + given.exponential(scale, size),
    "geom": lambda given, loc, scale, size, p: loc + given.geometric(p, size),
    "gumbel_r": lambda given, loc, scale, size: given.gumbel(loc, scale, size),
    "laplace": lambda given, loc, scale, size: given.laplace(loc, scale, size),
    "norm": lambda given, loc, scale, size: given.normal(loc, scale, size),
    "randint": lambda given, loc, scale, size, low, high: loc + given.integers(low, high, size),
    "uniform": lambda given, loc, scale, size: loc + scale * given.random(size),
}
"""The distributions of scipy whose draws the judge makes. Others are made by scipy from those of numpy."""


def _own_scipy() -> None:
    """Let the judge make the draws of distributions of scipy, if it is loaded: scipy computes with them in C."""
    made: Any = sys.modules.get("scipy.stats._distn_infrastructure")
    if made is None or hasattr(made.rv_generic.rvs, "of_judge"):
        return
    original = made.rv_generic.rvs

    def rvs(self: Any, *arguments: Any, **options: Any) -> Any:
        asked = options.get("random_state")
        state = self._random_state if asked is None else made.check_random_state(asked)
        given = state._answers() if owned(state) else state if getattr(state, "followed", False) else None
        own = str(type(self).__module__).startswith("scipy.stats.")
        if given is None or not own or self.name not in _OF_SCIPY:
            return original(self, *arguments, **options)
        others = {name: one for name, one in options.items() if name not in ("random_state", "discrete")}
        shapes, loc, scale, size = self._parse_args_rvs(*arguments, **others)
        loc, scale, *shapes = (
            one.item() if np.ndim(one) == 0 else one for one in map(np.asarray, (loc, scale, *shapes))
        )
        return _OF_SCIPY[self.name](given, loc, scale, size or None, *shapes)

    rvs.of_judge = True  # type: ignore[attr-defined]
    made.rv_generic.rvs = rvs


_make = np.random.default_rng
_urandom = os.urandom


def _default_rng(seed: Any = None) -> Any:
    if isinstance(seed, (NumpyRandomness, np.random.Generator)):
        return seed
    made = OwnedGenerator(_make(0 if seed is None else seed).bit_generator)
    if seed is None:
        # No draw of it is made before the judge, or the system outside of a run, gives it a seed.
        made._seeded_in = -1
        if _RUN.randomness is None:
            made._reseed(list(_urandom(16)))
    return made


def _bytes_of_system(size: int, /) -> bytes:
    if _RUN.randomness is None:
        return _urandom(size)
    if _RUN.is_followed:
        drawn: bytes = _RUN.randomness.bytes(size)
        return drawn
    return _Random(str(_words())).randbytes(size)


_DEVICES = ("/dev/urandom", "/dev/random")


def _refuse_devices(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse the files of the system's entropy while draws are followed, whoever opens them."""
    if event == "open" and arguments[0] in _DEVICES and is_followed():
        raise unfollowable(f"the mechanism reads {arguments[0]}, and these draws cannot be followed")


def own_all() -> None:
    """Replace the sources, before the judged code is imported."""
    # Only judged processes need it, and with it flint.
    from pan_audits.choices.largest import let_libraries_choose
    from pan_audits.choices.uniform import let_math_follow

    let_math_follow()
    let_libraries_choose()
    python, system, legacy = OwnedRandom(), OwnedSystemRandom(), OwnedRandomState()
    python._module, legacy._module = "random", "numpy.random"
    numpy: tuple[Any, ...] = (np.random, np.random.mtrand)
    replaced: list[tuple[Any, str, Any]] = [
        (random, "Random", OwnedRandom),
        (random, "SystemRandom", OwnedSystemRandom),
        (random, "_inst", python),
        *((random, name, getattr(python, name)) for name in random.__all__ if hasattr(OwnedRandom, name)),
        (secrets, "SystemRandom", OwnedSystemRandom),
        (secrets, "_sysrand", system),
        (secrets, "randbits", system.getrandbits),
        (secrets, "choice", system.choice),
        (os, "urandom", _bytes_of_system),
        (np.random, "Generator", OwnedGenerator),
        (np.random, "default_rng", _default_rng),
        (np.random.mtrand, "_rand", legacy),
        # Generators of numpy without a seed ask for these bits, and copies of objects are made by these names.
        (np.random.bit_generator, "randbits", system.getrandbits),
        (np.random._pickle, "Generator", OwnedGenerator),  # type: ignore[attr-defined]
        (np.random._pickle, "RandomState", OwnedRandomState),  # type: ignore[attr-defined]
        *((module, "RandomState", OwnedRandomState) for module in numpy),
        *((module, name, legacy.random_sample) for module in numpy for name in ("ranf", "sample")),
        *(
            (module, name, getattr(legacy, name))
            for module in numpy
            for name in dir(OwnedRandomState)
            if not name.startswith("_") and callable(getattr(module, name, None))
        ),
    ]
    for module, name, value in replaced:
        setattr(module, name, value)
    sys.addaudithook(_refuse_devices)
