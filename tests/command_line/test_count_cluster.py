"""``panproof count --engine dask``: files on a cluster, and refusals."""

from __future__ import annotations

import json

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from pan_estimators import load_counter

COUNT = ("count", "--promise-epsilon", 2, "--from", 1e3, "--to", 1e9)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    ) as machines:
        yield ("--engine", "dask", "--scheduler", machines.scheduler_address)


@pytest.fixture
def files(tmp_path):
    """6,000 users in two files of different formats; 2,000 of them are in both."""
    (tmp_path / "one.csv").write_text("user,price\n" + "".join(f"{user},1\n" for user in range(4_000)) + ",1\n\n,2\n")
    parquet.write_table(arrow.table({"user": [str(user) for user in range(2_000, 6_000)]}), tmp_path / "two.parquet")
    return [tmp_path / "one.csv", tmp_path / "two.parquet"]


@pytest.mark.more
def test_files_are_counted_on_a_cluster_as_by_one_counter(panproof, cluster, files, tmp_path):
    words = (*COUNT, "-c", "user", "--missing", "skip", *cluster)
    outcome = panproof(*words, *files, "--json")
    assert outcome.code == 0, outcome.err
    assert "2 shards on the cluster" in outcome.err
    document = json.loads(outcome.out)
    (output,) = document["outputs"]
    assert abs(output["distinct_count"] - 6_000) < 5 * output["standard_error"] < 1_500
    assert document["missing_skipped"] == 2
    state = tmp_path / "state"
    assert panproof(*words, *files, "--state", state, "--update-only").code == 0
    counter, place = load_counter(state)
    assert place is None
    assert counter.releases == 0
    released = panproof("count", "--release-only", "--state", state, "--json")
    assert abs(json.loads(released.out)["outputs"][0]["distinct_count"] - 6_000) < 1_500
    assert "holds one" in panproof(*words, *files, "--state", state).err
    failed = panproof(*COUNT, "-c", "user", *cluster, *files)
    assert failed.code == 2
    assert "has missing ids, the first in row 4001" in failed.err


@pytest.mark.more
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--engine", "dask", "-"), "reads files"),
        (("--engine", "dask", "nothing.txt"), "is not a file"),
        (("--engine", "ray", "ids.txt"), "dask"),
        (("--scheduler", "tcp://127.0.0.1:1", "ids.txt"), "give --engine dask"),
        (("--jobs", 2, "ids.txt"), "give --engine dask"),
        (("--engine", "dask", "--seed", 1, "ids.txt"), "neither --seed"),
        (("--engine", "dask", "--every", 5, "--fresh-panes", "ids.txt"), "without --every"),
        pytest.param(
            ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "ids.txt"),
            "no Dask scheduler answers",
            marks=pytest.mark.more,
        ),
    ],
)
def test_wrong_uses_end_with_a_sentence(panproof, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ids.txt").write_text("1\n2\n")
    assert told in panproof(*COUNT, *words).one_sentence()
