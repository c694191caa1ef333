"""Synthesizers of other people: an object with a method ``fit``, and with ``sample`` or ``generate``.

They draw from seeds and global generators of their own, which the judge seeds and watches.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from pan_audits.subject.isolation.objects import find_method, parameters_of, seeded_arguments, seeded_globally
from pan_promises.errors import InputError
from pan_promises.problem import Problem

SEEDS = "fixed seeds"
"""A kind of acts."""

_MAKERS = frozenset({"default_rng", "RandomState", "seed", "manual_seed", "SeedSequence", "PRNGKey", "Random", "PCG64"})
_PARAMETERS = frozenset({"seed", "random_state", "random_seed"})


def fixed_seeds(function: FunctionType) -> list[str]:
    """The calls in a function that make or seed a generator with a constant, in words."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _has_fixed_seed(node):
            words = ast.unparse(node)
            found.append(f"{words[:60]} in line {first + node.lineno - 1}")
    return found


def _has_fixed_seed(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in _MAKERS and call.args and _is_number(call.args[0]):
        return True
    return any(keyword.arg in _PARAMETERS and _is_number(keyword.value) for keyword in call.keywords)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)


FIT_METHODS = ("fit", "train")
SAMPLE_METHODS = ("sample", "generate")
_BUDGETS = ("epsilon", "delta", "rho")


@dataclass(frozen=True)
class FitAndSample:
    """A mechanism on tables that is made of a synthesizer.

    A run makes a fresh object, fits it to the table as a data frame, and samples rows. The generators of Python and of
    numpy are seeded for each run, and a parameter for a seed or a generator gets one of the run. An object that draws
    from other sources draws as it does elsewhere.

    Attributes
    ----------
    factory
        Makes an object.
    problem
        The tables.
    arguments
        The arguments of the factory.
    while_fitting
        The arguments of ``fit``, beside the table.
    """

    factory: Callable[..., Any]
    problem: Problem
    arguments: Mapping[str, Any] = field(default_factory=dict)
    while_fitting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def judged_code(self) -> Any:
        """What makes the objects."""
        return self.factory

    def release(self, table: Any, randomness: Any) -> Any:
        """The fitted object."""
        generator = seeded_globally(randomness)
        made = self.factory(**seeded_arguments(self.factory, dict(self.arguments), randomness, generator))
        fit = getattr(made, _required(made, FIT_METHODS))
        fitted = fit(framed(table, self.problem), **self.while_fitting)
        # Some libraries return the model from the method, and others keep it in the object.
        return fitted if fitted is not None and find_method(type(fitted), SAMPLE_METHODS) else made

    def post_process(self, observation: Any) -> Any:
        """The fitted object itself."""
        return observation

    def sample(self, model: Any, rows: int, randomness: Any) -> Any:
        """Sampled rows, in the form of the library."""
        generator = seeded_globally(randomness)
        sample = getattr(model, _required(model, SAMPLE_METHODS))
        return sample(rows, **seeded_arguments(sample, {}, randomness, generator))


def framed(table: Any, problem: Problem) -> Any:
    """A table as a pandas data frame, or as columns by name without pandas."""
    columns = {name: [row[place] for row in table] for place, (name, _) in enumerate(problem.schema)}
    try:
        import pandas  # type: ignore[import-untyped]
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def synthesizer(kind: Any, name: str, given: Mapping[str, Any], problem: Problem) -> FitAndSample | None:
    """The mechanism of a synthesizer, or ``None`` if a thing is none."""
    if isinstance(kind, type) and find_method(kind, FIT_METHODS) is None:
        return None
    if not callable(kind) or hasattr(kind, "release"):
        return None
    taken = _taken(kind, given)
    try:
        made = kind(**taken)
    except InputError:
        raise
    except (Exception, SystemExit) as problem_of_it:
        raise InputError(f"{name} could not be made: {type(problem_of_it).__name__}: {problem_of_it}") from None
    if find_method(type(made), FIT_METHODS) is None:
        return None
    fit = getattr(made, _required(made, FIT_METHODS))
    while_fitting = {key: value for key, value in _taken(fit, given).items() if key not in taken}
    unknown = [key for key in given if key not in taken and key not in while_fitting and key not in _BUDGETS]
    if unknown:
        raise InputError(f"{name} takes no parameter {unknown[0]!r}, neither when it is made nor in fit")
    return FitAndSample(kind, problem, taken, while_fitting)


def _taken(function: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = parameters_of(function) or {}
    return {key: value for key, value in given.items() if key in parameters}


def _required(made: Any, methods: tuple[str, ...]) -> str:
    found = find_method(made, methods)
    if found is None:
        raise InputError(f"a synthesizer has a method {' or '.join(methods)}, and {type(made).__name__} has none")
    return found
