"""The public functions and classes of the estimators and the promises document their parameters and results."""

import importlib
import inspect
import pkgutil
import re
from enum import Enum
from typing import Protocol

import pytest

import pan_estimators
import pan_promises
from pan_estimators.common.capabilities import CopiesStates, KeepsParameters
from pan_estimators.common.estimator import Estimator
from pan_estimators.common.many_runs import ManyRuns
from pan_estimators.density.adder import CellEstimator
from pan_estimators.density.cells import Cells
from pan_estimators.randomness.draws import Draws
from pan_estimators.samples.keyed_sample import Sample
from pan_estimators.states.state_file import Storable
from pan_estimators.universes.universe import Universe

TITLE = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)
RESULT = re.compile(r"(The|A|An|Whether)\b|``")
"""The beginning of a summary that is a noun phrase for the returned thing."""

PROTOCOLS = (
    *(CellEstimator, Cells, CopiesStates, Draws, Estimator),
    *(KeepsParameters, ManyRuns, Sample, Storable, Universe),
)
"""Protocols that document the methods of the classes that implement them."""

WITHOUT_PARAMETERS = {
    "pan_estimators.InputError": "an exception takes its message",
    "pan_estimators.StateFileError": "an exception takes its message",
    "pan_promises.errors.InputError": "an exception takes its message",
    "pan_promises.errors.StateFileError": "an exception takes its message",
}
"""Classes whose docstring need not name the parameters that inspect shows, with the reasons."""


def public_things():
    """Every function and class that the two packages export; the modules of the promises are its exports."""
    found = {f"pan_estimators.{name}": getattr(pan_estimators, name) for name in pan_estimators.__all__}
    for info in pkgutil.iter_modules(pan_promises.__path__, "pan_promises."):
        for name, thing in vars(importlib.import_module(info.name)).items():
            if not name.startswith("_") and getattr(thing, "__module__", None) == info.name:
                found[f"{info.name}.{name}"] = thing
    return {name: thing for name, thing in found.items() if is_function(thing) or is_class(thing)}


def is_function(thing):
    return callable(thing) and inspect.isfunction(inspect.unwrap(thing))


def is_class(thing):
    return isinstance(thing, type) and thing.__module__.startswith("pan_")


def is_constructed(thing):
    """Whether a class is called with parameters of its own."""
    return not issubclass(thing, Enum) and not getattr(thing, "_is_protocol", False)


def sections(thing):
    """The numpy sections of a docstring that is its own, by title, and the text before them as ``""``."""
    titles_and_texts = TITLE.split(inspect.cleandoc(thing.__dict__.get("__doc__") or thing.__doc__ or ""))
    return {"": titles_and_texts[0], **dict(zip(titles_and_texts[1::2], titles_and_texts[2::2], strict=True))}


def described(section):
    """The names that a section describes: those of the lines without an indent."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for line in lines for name in line.split(",")}


def taken(thing):
    if isinstance(thing, type) and issubclass(thing, Exception) and "__init__" not in vars(thing):
        return ["args"]  # inspect shows no signature of the exceptions of Python
    if isinstance(thing, type) and Protocol in thing.__mro__ and "__init__" not in vars(thing):
        return []  # inspect shows those of any protocol until the class is first called
    return [name for name in inspect.signature(thing).parameters if name not in ("self", "cls")]


def undocumented_parameters(thing):
    found = sections(thing)
    known = described(found.get("Parameters", ""))
    if isinstance(thing, type):
        # The fields of a record are its parameters and its attributes.
        known |= described(found.get("Attributes", ""))
    return [name for name in taken(thing) if name not in known]


def has_result(function):
    """Whether the docstring says what the function returns, in a section or as the beginning of its summary."""
    found = sections(function)
    if inspect.signature(function).return_annotation in (None, "None"):
        return bool(found[""])
    return "Returns" in found or RESULT.match(found[""]) is not None


def public_methods(kind):
    for name, value in vars(kind).items():
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


def undocumented_in_method(kind, name, method):
    """The parameters that neither the method nor the protocol that it implements documents.

    A method may name a parameter in its text, and may refer to another method.
    """
    text = inspect.cleandoc(method.__doc__ or "")
    if ":meth:" in text.partition("\n")[0]:
        return []
    if kind not in PROTOCOLS and any(hasattr(protocol, name) for protocol in PROTOCOLS):
        allowed = next(protocol for protocol in PROTOCOLS if hasattr(protocol, name))
        return [one for one in undocumented_parameters(method) if one not in taken(getattr(allowed, name))]
    return [one for one in undocumented_parameters(method) if f"``{one}``" not in text]


THINGS = public_things()
FUNCTIONS = [name for name, thing in THINGS.items() if is_function(thing)]
CLASSES = [name for name, thing in THINGS.items() if is_class(thing)]
METHODS = [
    pytest.param(thing, name, method, id=f"{label}.{name}")
    for label, thing in THINGS.items()
    if is_class(thing)
    for name, method in public_methods(thing)
]


def test_the_exports_are_found():
    assert {"pan_estimators.calibrated_bernoulli", "pan_estimators.load_stream"} <= set(FUNCTIONS)
    assert {"pan_estimators.CalibratedCells", "pan_promises.promise.Promise"} <= set(CLASSES)
    assert len(METHODS) > 100


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_documents_its_parameters_and_its_result(name):
    assert undocumented_parameters(THINGS[name]) == []
    assert has_result(THINGS[name]), sections(THINGS[name])[""]


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_documents_its_parameters(name):
    assert sections(THINGS[name])[""]
    if is_constructed(THINGS[name]) and name not in WITHOUT_PARAMETERS:
        assert undocumented_parameters(THINGS[name]) == []


@pytest.mark.parametrize(("kind", "name", "method"), METHODS)
def test_a_method_or_its_protocol_documents_its_parameters(kind, name, method):
    assert undocumented_in_method(kind, name, method) == []


@pytest.mark.parametrize("name", WITHOUT_PARAMETERS)
def test_an_exception_is_needed(name):
    assert undocumented_parameters(THINGS[name])


def without_section(size: int) -> int:
    """The size."""
    return size


def with_one_missing(size: int, seed: int) -> int:
    """The size.

    Parameters
    ----------
    size
        At least 1.
    """
    return size + seed


def without_result(size: int) -> int:
    """Take a size.

    Parameters
    ----------
    size
        At least 1.
    """
    return size


def complete(size: int, *rest: int) -> int:
    """Take a size.

    Parameters
    ----------
    size
        At least 1.
    *rest
        More sizes.

    Returns
    -------
    The size.
    """
    return size + sum(rest)


class Undescribed:
    """A class without a description of its parameter."""

    def __init__(self, size: int) -> None:
        self.size = size

    def grown(self, by: int) -> int:
        """The size later."""
        return self.size + by

    def grown_by(self, by: int) -> int:
        """The size plus ``by``."""
        return self.size + by

    def update(self, state, ids, randomness, again):
        """The next state."""


def test_missing_documentation_is_found():
    assert undocumented_parameters(without_section) == ["size"]
    assert undocumented_parameters(with_one_missing) == ["seed"]
    assert undocumented_parameters(without_result) == []
    assert not has_result(without_result)
    assert undocumented_parameters(Undescribed) == ["size"]
    assert undocumented_in_method(Undescribed, "grown", Undescribed.grown) == ["by"]
    assert undocumented_in_method(Undescribed, "update", Undescribed.update) == ["again"]


def test_complete_documentation_is_accepted():
    assert undocumented_parameters(complete) == []
    assert has_result(complete)
    assert has_result(without_section)
    assert undocumented_in_method(Undescribed, "grown_by", Undescribed.grown_by) == []
