"""``pip install panproof`` alone: small, and enough to count, to plan and to check exactly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from pan_promises.extras import _BRING, EXTRAS

ROOT = Path(__file__).parents[3]
MOST_MEGABYTES = 250
LEFT_OUT = [
    "numba",
    "scipy",
    "statsmodels",
    "pandas",
    "sympy",
    "hypothesis",
    "matplotlib",
    "jinja2",
    "pytest",
    "opendp",
]
NOISY_SET = """
class NoisySet:
    promise = "epsilon=1,adjacency=user-level,observed=state+output"

    def create(self, randomness):
        return set()

    def update(self, state, ids, randomness):
        return state | set(ids.tolist() if hasattr(ids, "tolist") else [ids])

    def release(self, state, randomness):
        return randomness.laplace(float(len(state)), 1.0)
"""
COUNTED = "estimate calibrated-bernoulli ids.txt --promise-epsilon 0.6 --universe 100000"


class Small:
    """A virtual environment with the wheel and what it asks for."""

    def __init__(self, folder):
        self.folder, self.home = folder, folder / "home"
        self.home.mkdir()
        venv.create(folder / "venv", with_pip=True)
        self.python = folder / "venv" / "bin" / "python"

    @property
    def packages(self):
        (found,) = (self.folder / "venv" / "lib").glob("python*/site-packages")
        return found

    def run(self, *words, **more):
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment |= {"XDG_CACHE_HOME": str(self.folder / "cache"), "COLUMNS": "200"}
        return subprocess.run(
            [self.python, *words],
            cwd=self.home,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            **more,
        )

    def panproof(self, *words):
        return self.run(self.python.with_name("panproof"), *words)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    build = ["pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, ROOT]
    subprocess.run([sys.executable, "-m", *map(str, build)], check=True, cwd=folder)
    made = Small(folder)
    (wheel,) = folder.glob("*.whl")
    done = made.run("-m", "pip", "install", "--quiet", "--constraint", str(ROOT / "constraints.txt"), str(wheel))
    if "Could not fetch" in done.stderr or "NewConnectionError" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    (made.home / "noisy_set.py").write_text(NOISY_SET)
    stream = made.panproof("stream", "zipf", "-l", "100000")
    assert stream.returncode == 0, stream.stderr
    (made.home / "ids.txt").write_text(stream.stdout)
    return made


@pytest.mark.more
def test_it_is_small_and_has_none_of_what_judges(small):
    files = [file for file in small.packages.rglob("*") if file.is_file() and not file.is_symlink()]
    assert sum(file.stat().st_blocks * 512 for file in files) <= MOST_MEGABYTES * 10**6
    there = {path.name for path in small.packages.iterdir()}
    assert not there & set(LEFT_OUT)
    assert {"numpy", "flint", "pan_audits"} <= there


@pytest.mark.more
@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        ("gate --help", 0, "Judge an estimator"),
        ("list", 0, "optimal-bernoulli"),
        ("plan optimal-bernoulli --promise-epsilon 1 --alpha 0.1 --beta 0.05", 0, "5679 sampled users"),
        ("check optimal-bernoulli --promise-epsilon log(9/4) --users 2 --length 3", 1, "REFUTED"),
        ("check noisy_set:NoisySet", 1, "witness     User 0 differs"),
        ("count ids.txt --promise-epsilon 2 --from 1e2 --to 1e5 --seed 1", 0, "distinct count"),
    ],
)
def test_commands_that_need_no_more(small, words, code, shown):
    run = small.panproof(*words.split())
    assert run.returncode == code, run.stdout + run.stderr
    assert shown in run.stdout


@pytest.mark.more
def test_a_stream_is_counted_with_the_numbers_of_the_full_install(small):
    words = f"{COUNTED} --seed 1 --json --sample-size 900".split()
    run = small.panproof(*words)
    assert run.returncode == 0, run.stdout + run.stderr
    full = subprocess.run(
        [sys.executable, "-m", "pan_audits", *words], cwd=small.home, capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == json.loads(full.stdout)
    assert json.loads(run.stdout)["interval"]


@pytest.mark.more
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("gate optimal-bernoulli --promise-epsilon 0.2", "suite"),
        ("claims", "proofs"),
        ("count ids.txt --promise-epsilon 2 --from 1e2 --to 1e5", "secure"),
        ("count - --promise-epsilon 2 --from 1e2 --to 1e5 --seed 1 --format csv", "files"),
        ("plan distinct --promise-epsilon 2 --relative-error 0.1", "suite"),
        (COUNTED, "secure"),
    ],
)
def test_commands_that_need_more_name_the_extra(small, words, extra):
    run = small.panproof(*words.split())
    assert run.returncode == 2, run.stdout + run.stderr
    (sentence,) = run.stderr.splitlines()
    assert sentence.startswith("panproof: ")
    assert sentence.endswith(f"needs an optional library: pip install 'panproof[{extra}]'")


def test_every_extra_that_a_message_names_exists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert {*EXTRAS, *_BRING.values()} <= set(extras)
    named = {name: " ".join(extras[name]).replace("_", "-").lower() for name in extras}
    for library, extra in _BRING.items():
        assert library in named[extra], (library, extra)
    for extra, libraries in EXTRAS.items():
        parts = " ".join([named[extra], *(named[part] for part in ("proofs",) if extra == "suite")])
        assert all(library in parts for library in libraries)
    assert not set(LEFT_OUT) & {line.partition(">")[0] for line in project["dependencies"]}
