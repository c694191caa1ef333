"""Hypergeometric probabilities are those of scipy.stats, at every count and beyond."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from pan_audits.conduct import samples as hypergeometric
from pan_audits.conduct.samples import above, at_most


@pytest.mark.parametrize(("total", "drawn"), [(2, 1), (9, 4), (300, 150), (15_624, 7_812), (10**6, 3)])
@pytest.mark.parametrize("older", [False, True])
def test_probabilities_are_those_of_scipy(total, drawn, older, monkeypatch):
    if older:
        monkeypatch.setattr(hypergeometric, "_quick", lambda name: None)
    marked = np.unique(np.linspace(0, total, 9).astype(int))[:, None]
    count = np.unique(np.linspace(-2, drawn + 2, 23).astype(int))[None, :]
    distribution = total, marked, drawn
    for ours, theirs in ((at_most, stats.hypergeom.cdf), (above, stats.hypergeom.sf)):
        assert np.array_equal(ours(count, *distribution), theirs(count, *distribution))


def test_the_gate_is_imported_without_the_distributions_of_scipy():
    code = (
        "import sys, numpy as np, pan_audits.gate.gate\n"
        "from pan_audits.conduct.samples import spread_p_value\n"
        "assert 0 < spread_p_value(np.eye(4) > 0, more=True) <= 1\n"
        "assert 'scipy.stats' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
