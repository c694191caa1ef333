"""The cost of the ledger: all derivations on two processes (limit 180 s), and from the store."""

import pytest

from pan_proofs.ledger import ProofVerdict, Store, derive, derive_here, modules

LIMIT = 180


def test_the_whole_ledger(benchmark):
    entries = benchmark.pedantic(lambda: derive(jobs=2), rounds=1)
    assert all(entry.verdict is not ProofVerdict.UNDECIDED for entry in entries.values())
    benchmark.extra_info["limit in seconds"] = LIMIT


def test_the_whole_ledger_from_what_was_kept(benchmark, tmp_path):
    store = Store(tmp_path)
    derive(jobs=2, store=store)
    assert len(benchmark.pedantic(lambda: derive(store=store), rounds=3)) == len(modules())


@pytest.mark.parametrize("name", modules())
def test_a_claim(benchmark, name):
    assert benchmark.pedantic(lambda: derive_here(name), rounds=1).parts
