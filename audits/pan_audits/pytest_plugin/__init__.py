"""The pytest plugin: it judges the estimators of ``--panproof-estimator``, and all things with the marker ``panproof``.

In any repo with panproof installed::

    pytest --pyargs pan_audits.suite --panproof-estimator my_module:MyEstimator --panproof-epsilon 0.5

Every pytest run imports this file: it imports nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pan_audits.pytest_plugin import estimators, marked, options

if TYPE_CHECKING:
    from pan_audits.gate.gate import GateReport


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--panproof-...``."""
    options.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Announce the markers."""
    config.addinivalue_line("markers", f"{estimators.SUITE}: runs on the estimators of --panproof-estimator")
    config.addinivalue_line(
        "markers",
        f"{marked.MARKER}(*inputs, epsilon, rho, adjacency, promise, neighbours, data, runs, seed, ...): judge this "
        "class or function; takes what panproof.gate takes",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give every estimator its own tests."""
    estimators.parametrise(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Collector] | None:
    """Collect a marked class or function, by any name."""
    return marked.collected(collector, name, obj)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With an estimator, keep only the suite. Without one, leave the suite out."""
    wanted = bool(options.estimators_of(config))
    kept = [item for item in items if (item.get_closest_marker(estimators.SUITE) is not None) == wanted]
    if len(kept) != len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Refuse bad input and a missing extra before the first test."""
    # A worker of pytest-xdist has no way to report bad usage: its tests report the same sentence.
    if session.config.option.collectonly or session.testsfailed or hasattr(session.config, "workerinput"):
        return
    estimators.require_ready(session)


@pytest.fixture(scope="session")
def panproof_report(request: pytest.FixtureRequest) -> GateReport:
    """The gate's report on an estimator under audit, made once."""
    return estimators.report_on(request.config, getattr(request, "param", None))
