"""Hypothesis: the same examples in every run of the tests; many more, and new ones, when asked for.

``pytest tests --hypothesis-profile=thorough`` goes further.
"""

import os
import time

import pytest
from hypothesis import settings

pytest_plugins = ["tests.command", "tests.project.skips"]

settings.register_profile("default", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=3000, deadline=None)
settings.load_profile("default")


@pytest.fixture(scope="session")
def ledger_store(tmp_path_factory):
    """Where the derivations of this run of the tests are kept, for all its processes."""
    from pan_proofs.ledger import Store

    base = tmp_path_factory.getbasetemp()
    return Store((base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "ledger")


@pytest.fixture(scope="session", autouse=True)
def kept_derivations(ledger_store):
    """A certificate looks its claim up where all processes keep theirs, and not in the user's own folder."""
    os.environ["PANPROOF_CACHE"] = str(ledger_store.folder)


@pytest.fixture(scope="session")
def entries(ledger_store):
    """The whole ledger, derived anew once for all the processes of a run of the tests."""
    from pan_proofs.ledger import derive

    lock, ready = ledger_store.folder.with_suffix(".lock"), ledger_store.folder.with_suffix(".ready")
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        while not ready.exists():
            time.sleep(0.2)
    try:
        return derive(store=ledger_store, jobs=2)
    finally:
        ready.touch()
