"""The pytest plugin: ``--estimator module:Class`` runs the audit suite on somebody's own estimator.

In any repo with panproof installed::

    pytest --pyargs pan_audits.suite --estimator my_module:MyEstimator --epsilon 0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pan_audits.gate import GateReport

SUITE = "panproof_suite"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the audit suite."""
    group = parser.getgroup("panproof", "audits of privacy promises (panproof)")
    group.addoption("--estimator", help="estimator to audit: a name, module:Class or file.py:Class")
    group.addoption("--epsilon", type=float, help="its privacy budget, in nats")
    group.addoption("--universe", type=int, help="its number of users")
    group.addoption("--sample-size", type=int, help="its number of sampled users")
    group.addoption("--promise", help="the promise to audit, e.g. epsilon=1,adjacency=user-level")
    group.addoption("--audit-runs", type=int, help="runs of the search for a violation")
    group.addoption("--audit-seed", type=int, help="entropy of the audit; fresh by default")
    group.addoption("--audit-error", type=float, default=1e-6, help="probability that a true promise is refuted")


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker of the suite's tests."""
    config.addinivalue_line("markers", f"{SUITE}: runs on the estimator given by --estimator")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--estimator`` keep the suite alone; without it, leave the suite out."""
    wanted = config.getoption("--estimator") is not None
    kept = [item for item in items if (item.get_closest_marker(SUITE) is not None) == wanted]
    if len(kept) != len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.fixture(scope="session")
def panproof_report(request: pytest.FixtureRequest) -> GateReport:
    """The gate's report on the estimator under audit, made once."""
    from pan_audits.discovery import find_variant
    from pan_audits.gate import run_gate
    from pan_audits.settings import Settings
    from pan_estimators import InputError, Promise

    option: Any = request.config.getoption
    parameters = {
        "epsilon": option("--epsilon"),
        "universe": option("--universe"),
        "sample_size": option("--sample-size"),
    }
    try:
        promise = Promise.parse(option("--promise")) if option("--promise") else None
        variant = find_variant(option("--estimator"), parameters=parameters, promise=promise)
        settings = Settings(error=option("--audit-error"), runs=option("--audit-runs"), seed=option("--audit-seed"))
    except InputError as problem:
        pytest.exit(f"panproof: {problem}", returncode=2)
    return run_gate(variant, settings)
