"""Hypothesis: the same examples in every run of the tests; many more, and new ones, when asked for.

``pytest tests --hypothesis-profile=thorough`` goes further.
"""

import os
import time

import pytest
from hypothesis import settings

pytest_plugins = ["tests.command", "tests.public.project.skips"]

settings.register_profile("default", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=3000, deadline=None)
settings.load_profile("default")


@pytest.fixture(scope="session")
def ledger_store(request):
    """Where the derivations of the tests are kept, for all processes and for later runs of the same code.

    A key holds the code of a derivation and the versions of the engines. A fresh checkout derives the whole ledger.
    """
    from pan_proofs.ledger import Store

    return Store(request.config.rootpath / ".pytest_cache" / "ledger")


@pytest.fixture(scope="session", autouse=True)
def kept_derivations(ledger_store):
    """A certificate looks its claim up where all processes keep theirs, and not in the user's own folder."""
    os.environ["PANPROOF_CACHE"] = str(ledger_store.folder)


@pytest.fixture(scope="session")
def entries(ledger_store, tmp_path_factory):
    """The whole ledger, derived once for all the processes of a run of the tests."""
    from pan_proofs.ledger import derive

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    lock, ready = shared / "ledger.lock", shared / "ledger.ready"
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        while not ready.exists():
            time.sleep(0.2)
    try:
        return derive(store=ledger_store, jobs=2)
    finally:
        ready.touch()
