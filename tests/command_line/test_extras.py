"""A command whose libraries are missing names the extra that brings them, before it does anything."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pan_promises.errors import MissingExtraError
from pan_promises.extras import EXTRAS, extra_with, require_extra
from tests.turns import every


def run_without(libraries, *words):
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({[*libraries]!r})); sys.argv = {['panproof', *words]!r}\n"
        "from pan_audits.cli import main; main()"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("library", every(2, EXTRAS["suite"]))
def test_the_gate_needs_each_library_of_the_suite(library):
    run = run_without([library], "gate", "optimal-bernoulli", "--promise-epsilon", "0.2")
    sentence = "panproof: panproof gate needs an optional library: pip install 'panproof[suite]'\n"
    assert (run.returncode, run.stdout, run.stderr) == (2, "", sentence)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["audit", "dwork", "--promise-epsilon", "1"], "suite"),
        (["list", "--verdicts"], "suite"),
        (["claims"], "proofs"),
        (["claims", "--out", "nowhere"], "proofs"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_other_commands_name_their_extra(words, extra):
    run = run_without(EXTRAS[extra], *words)
    assert run.returncode == 2
    assert run.stderr.endswith(f"needs an optional library: pip install 'panproof[{extra}]'\n")


def test_a_library_that_is_missed_only_on_the_way_is_no_crash():
    code = (
        "import sys; sys.modules['statsmodels'] = None; sys.argv = ['panproof', 'list']\n"
        "import pan_audits.cli.listing as listing\n"
        "listing.list_estimators = lambda: __import__('statsmodels')\n"
        "from pan_audits.cli import main; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    sentence = "panproof: this command needs an optional library: pip install 'panproof[suite]'\n"
    assert (run.returncode, run.stderr) == (2, sentence)


def test_functions_raise_what_the_commands_print(monkeypatch):
    from pan_audits import Settings, find_mechanism, run_gate

    monkeypatch.setitem(sys.modules, "statsmodels", None)
    with pytest.raises(MissingExtraError, match=r"a gate needs an optional library.*panproof\[suite\]"):
        run_gate(find_mechanism("optimal-bernoulli", parameters={"epsilon": 0.1}), Settings(seed=1))
    require_extra("proofs", "proofs")


def test_a_module_of_somebody_else_is_in_no_extra():
    assert extra_with("numba.core.types") == "fast"
    assert extra_with("their_module") is None
