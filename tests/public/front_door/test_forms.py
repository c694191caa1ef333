"""A mechanism of any form is judged as it is; its errors are outcomes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import panproof
from panproof import Verdict
from tests.mechanisms import forms
from tests.turns import every

FORMS = {
    "a parameter before the input": forms.parameter_first,
    "an input by name": forms.by_name,
    "a randomness after a parameter": forms.randomness_last,
    "a generator function": forms.yielded,
    "an iterator": forms.iterated,
    "a maker": forms.maker,
    "a class that is called": forms.Callable,
    "randomise": forms.Randomising,
    "release": forms.Releasing,
    "noise of the constructor": forms.DrawnWhenMade,
    "fit": forms.Fitting,
    "sample": forms.Sampling,
    "add and result": forms.Counting,
    "a method by name": "tests.mechanisms.forms:OfAnotherName.protect",
}


@pytest.mark.parametrize("name", every(4, list(FORMS)))
def test_a_mechanism_of_any_form_is_judged(name):
    """The loss is that of the noise: 1 at epsilon 1, and 2 if the inputs differ by 2."""
    assert panproof.check(FORMS[name], [0], [1], epsilon=1).verdict is Verdict.NOT_REFUTED
    result = panproof.check(FORMS[name], [0], [2], epsilon=1)
    assert (result.verdict, result.loss) == (Verdict.REFUTED, pytest.approx(2))


def test_an_object_and_its_method_are_judged():
    for thing in (forms.Randomising(0.5), forms.OfAnotherName(0.5).protect, forms.Fitting(0.5)):
        assert panproof.check(thing, [0], [1], epsilon=1).loss == pytest.approx(0.5)


def test_arguments_of_a_fit_are_a_tuple():
    result = panproof.check(forms.FittingPairs(1), ([0], [0]), ([1], [1]), epsilon=3)
    assert (result.verdict, result.loss) == (Verdict.NOT_REFUTED, pytest.approx(2))


def test_a_model_that_shows_its_data_is_refuted():
    assert panproof.check(forms.Keeping, [0], [1], epsilon=1).loss == float("inf")


def test_outputs_of_an_iterator_that_are_not_seen_are_told():
    result = panproof.check(forms.yielded_late, [0], [1], epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "yields more than 1,024 outputs, and no more are followed" in repr(result)


def test_an_object_that_nothing_asks_names_its_methods():
    with pytest.raises(panproof.InputError, match=r"which has protect: name one as module:Class\.method"):
        panproof.check(forms.OfAnotherName, [0], [1], epsilon=1)


@pytest.mark.parametrize("name", every(5, list(forms.SHOWN)))
def test_an_output_of_any_type_is_compared(name):
    if name.startswith(("a frame", "a series")):
        pytest.importorskip("pandas")
    result = panproof.check(forms.shown_as(forms.SHOWN[name]), 0, 1, epsilon="log(2)")
    assert (result.verdict, result.loss) == (Verdict.REFUTED, pytest.approx(1.0986, abs=1e-4))
    assert panproof.check(forms.shown_as(forms.SHOWN[name]), 0, 1, epsilon="log(3)").verdict is Verdict.NOT_REFUTED


# Errors


def fails_on_one_side(data):
    if data:
        raise ValueError("one")
    return 0


def fails_always(data):
    raise (ValueError if data else KeyError)("always")


def lacks_a_module(data):
    if data:
        import a_module_that_is_not_there  # noqa: F401
    return 0


def lacks_a_file(data):
    return Path("/no/such/file").read_text() if data else 0


def lacks_a_right(data):
    try:
        return Path("/etc/panproof-test").write_text("x") if data else 0
    except OSError:
        raise ValueError("it cannot be written") from None


def lacks_memory(data):
    return len(bytearray(2**45)) if data else 0


def test_an_error_on_one_side_is_named():
    result = panproof.check(fails_on_one_side, 0, 1, epsilon=1)
    assert (result.verdict, result.loss) == (Verdict.REFUTED, float("inf"))
    assert "raises ValueError on one side" in repr(result)


def test_a_mechanism_that_always_fails_is_no_mechanism():
    result = panproof.check(fails_always, 0, 1, epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "in all of 16 runs on each of 2 inputs" in repr(result)


@pytest.mark.parametrize("lacking", every(4, [lacks_a_module, lacks_a_file, lacks_a_right, lacks_memory]))
def test_what_the_machine_of_the_judge_lacks_refutes_nothing(lacking):
    assert panproof.check(lacking, 0, 1, epsilon=1).verdict is Verdict.INCONCLUSIVE


# Measurements of OpenDP

NOISES = """
import sys
import panproof
import opendp.prelude as dp

dp.enable_features("contrib")
noise = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)


def made():
    dp.enable_features("contrib")
    return dp.m.make_randomized_response_bool(prob=0.75)


if __name__ == "__main__":
    things = {"object": noise, "name": "noises:noise", "maker": made}
    inputs = (0, 2) if sys.argv[1] != "maker" else (False, True)
    print(panproof.audit(things[sys.argv[1]], *inputs, runs=1000, confirmation_runs=1000, seed=1, jobs=1))
"""


@pytest.mark.parametrize(
    ("what", "promise"),
    [("object", "2"), pytest.param("name", "2", marks=pytest.mark.more), ("maker", "1.09861")],
)
def test_a_measurement_is_judged_by_its_own_map(tmp_path, what, promise):
    pytest.importorskip("opendp")
    (tmp_path / "noises.py").write_text(NOISES)
    run = subprocess.run([sys.executable, "noises.py", what], cwd=tmp_path, capture_output=True, text=True, check=True)
    words = run.stdout.split()
    assert words[0] == "NOT_REFUTED"
    assert words[words.index("promise") + 1].startswith(promise)
    assert "system" in run.stdout


@pytest.mark.more
def test_a_file_that_calls_panproof_when_it_is_imported_is_told_so(tmp_path):
    pytest.importorskip("opendp")
    (tmp_path / "noises.py").write_text(
        NOISES.replace('if __name__ == "__main__":', "sys.argv += ['object']\nif True:")
    )
    run = subprocess.run([sys.executable, "noises.py", "object"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0
    assert "calls panproof while it is imported" in run.stderr
