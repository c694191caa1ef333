"""The options of the pytest plugin, their old names, and other plugins that have options of the same names."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

THEIRS = """
class Open:
    promise = "epsilon=1,adjacency=user-level,observed=state"

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return state + (len(ids) if hasattr(ids, "__len__") else 1)

    def release(self, state, randomness):
        return state


def mechanism(data, randomness):
    return data


def other(data, randomness):
    return data + 1


def neighbours():
    return [(0, 1)]
"""
ALONE = ("-p", "pan_audits.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No other plugin, so that pytest starts fast, and no CI, where its summary repeats the whole message."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def judged(pytester):
    pytester.makepyfile(theirs=THEIRS)
    return lambda *words: pytester.runpytest_subprocess(*ALONE, "--pyargs", "pan_audits.suite", *words)


@pytest.mark.slow
def test_every_estimator_has_its_own_three_tests(judged):
    names = [f"--panproof-estimator=theirs:{name}" for name in ("mechanism", "other", "mechanism")]
    run = judged("-v", "--panproof-neighbours=theirs:neighbours", "--panproof-epsilon=1", *names)
    run.assert_outcomes(failed=2, skipped=4)
    for name in ("mechanism", "other"):
        lines = [f"::test_{part}?theirs:{name}? SKIPPED*" for part in ("conduct", "accuracy")]
        run.stdout.fnmatch_lines([*lines, f"::test_privacy?theirs:{name}? FAILED*"])
        run.stdout.fnmatch_lines(["REFUTED: *", f"again: panproof gate theirs:{name} *"])
    run.stdout.no_fnmatch_line("*Traceback*")


def test_the_estimators_are_chosen_by_name(judged):
    names = [f"--panproof-estimator=theirs:{name}" for name in ("Open", "other")]
    run = judged("--collect-only", "-q", *names, "-k", "other and privacy")
    assert run.outlines[0] == "::test_privacy[theirs:other]"
    run.stdout.fnmatch_lines(["1/6 tests collected*"])


@pytest.mark.slow
def test_all_options_reach_the_gate(judged):
    run = judged(
        "--panproof-estimator=theirs:mechanism",
        "--panproof-neighbours=theirs:neighbours",
        "--panproof-epsilon=log(3/2)",
        "--panproof-error=1e-9",
        "--panproof-runs=700",
        "--panproof-seed=5",
    )
    run.stdout.fnmatch_lines(["again: panproof gate theirs:mechanism --neighbours theirs:neighbours --promise*"])
    (again,) = [line for line in run.outlines if line.startswith("again")]
    for words in ("epsilon=log(3/2),", "--runs 700", "--seed 5", "--error 1e-09"):
        assert words in again
    stated = judged(
        "--panproof-estimator=theirs:Open",
        "--panproof-promise=epsilon=2,adjacency=event-level,observed=output",
        "--panproof-universe=5",
    )
    stated.stdout.fnmatch_lines(["again: *--universe 5 --promise epsilon=2.0,adjacency=event-level,observed=output*"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--panproof-estimator=theirs:Nobody"],
            "module 'theirs' has no 'Nobody'; known are Open, mechanism, other, neighbours",
        ),
        (["--panproof-estimator=theirs:Open", "--panproof-runs=3"], "the number of runs must be at least 100, got 3"),
    ],
)
def test_bad_input_is_a_usage_error_before_the_first_test(judged, words, sentence):
    run = judged(
        "--panproof-estimator=theirs:mechanism",
        "--panproof-neighbours=theirs:neighbours",
        "--panproof-epsilon=1",
        *words,
    )
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert run.errlines == [f"ERROR: panproof: {sentence}", ""]
    run.assert_outcomes()


def test_a_missing_extra_is_named_when_something_is_to_be_judged(pytester, judged):
    pytester.makeconftest("import sys\nsys.modules['statsmodels'] = None\n")
    run = judged("--panproof-estimator=theirs:Open")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    needs = "the pytest plugin of panproof needs an optional library: pip install 'panproof[suite]'"
    assert run.errlines == [f"ERROR: panproof: {needs}", ""]
    assert judged("--panproof-estimator=theirs:Open", "--collect-only").ret == 0
    pytester.makepyfile("def test_own():\n    pass\n")
    pytester.runpytest_subprocess(*ALONE).assert_outcomes(passed=1)
