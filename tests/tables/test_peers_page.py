"""The numbers of the page of synthesizers: the error of a model is exact, and a better model has a smaller one."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from packages.definitions_of_tables import OF_TABLES
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.junction_tree import JunctionMarginals
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from tests.benchmarks import peers_of_tables, peers_section
from tests.benchmarks.peers_of_tables import PEERS, NoResultError, error_of_rows, fitted
from tests.benchmarks.peers_section import Cell, Kept, Ours, cells_of, conclusions
from tests.benchmarks.tables import ROWS, SCHEMA, diabetes, error


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    codes = [generator.integers(0, 3, 3000)]
    for _ in range(3):
        codes.append(np.where(generator.random(3000) < 0.7, codes[-1], generator.integers(0, 3, 3000)))
    return Table(Schema(tuple(Attribute(name, (0, 1, 2)) for name in "abcd")), np.array(codes).T)


@pytest.mark.parametrize("made", [CalibratedTree, AdaptiveMarginals])
def test_the_joint_distributions_are_those_of_many_sampled_rows(table, made):
    mechanism = made(table.schema, epsilon=1.0)
    model = mechanism.post_process(mechanism.release(table, NumpyRandomness(1)))
    drawn = model.sample(200_000, NumpyRandomness(2))
    for pair, joint in JunctionMarginals.of_network(model).pairs().items():
        assert joint.sum() == pytest.approx(1)
        assert np.abs(joint - drawn.counts(pair) / drawn.rows).max() < 0.005


def test_less_noise_makes_a_smaller_error(table):
    errors = []
    for epsilon in (0.1, 1.0, 100.0):
        mechanism = CalibratedTree(table.schema, epsilon=epsilon)
        runs = [mechanism.post_process(mechanism.release(table, NumpyRandomness(run))) for run in range(10)]
        errors.append(np.mean([error(model, table) for model in runs]))
    assert errors[0] > 2 * errors[1] > 2 * errors[2]


def test_the_page_is_about_shipped_records():
    table = diabetes()
    assert (table.rows, table.schema) == (ROWS, SCHEMA)


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("import json, sys, time\ntime.sleep(60)", "no result within 1 s"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGXCPU)", "no result within 20 s"),
        ("raise ValueError('no such model')", "it fails: ValueError: no such model"),
        ("import sys\nsys.exit(3)", "it fails: it ended without a message"),
    ],
)
def test_a_peer_without_rows_is_told_with_the_reason(table, tmp_path, monkeypatch, script, outcome):
    place = tmp_path / "peer.py"
    place.write_text(script)
    monkeypatch.setattr(peers_of_tables, "SCRIPT", place)
    monkeypatch.setattr(peers_of_tables, "WAITING", 1)
    monkeypatch.setattr(peers_of_tables, "python_of", lambda _: sys.executable)
    with pytest.raises(NoResultError, match=outcome):
        fitted(PEERS[0], table, 1.0, 1e-6, 1, 1.0 if "sleep" in script else 20.0)


def test_the_rows_of_a_peer_come_back_with_its_time(table, tmp_path, monkeypatch):
    place = tmp_path / "peer.py"
    place.write_text(
        "import json, sys\nimport numpy as np\ngiven = json.loads(sys.stdin.read())\n"
        "np.save(given['out'], np.array([given['codes'], given['codes'][::-1]]))\nprint(json.dumps({'seconds': 2.5}))"
    )
    monkeypatch.setattr(peers_of_tables, "SCRIPT", place)
    monkeypatch.setattr(peers_of_tables, "python_of", lambda _: sys.executable)
    (rows, others), seconds = fitted(PEERS[0], table, 1.0, 1e-6, 1, 20.0)
    assert (rows.codes == table.codes).all()
    assert (others.codes == table.codes[::-1]).all()
    assert (seconds, error_of_rows(rows, table)) == (2.5, 0)


def cell(*errors, seconds=100.0, reason=""):
    return Cell([list(errors)] if errors else [], [seconds] * len(errors), reason)


def test_a_target_is_about_the_best_peer_that_is_not_refuted(monkeypatch):
    ours = {1.0: Ours("calibrated-tree", {1.0: 0.022}, 1.0), 10.0: Ours("adaptive-marginals", {10.0: 0.023}, 6.0)}
    every = {
        PEERS[0]: {1.0: cell(0.019, 0.021), 10.0: cell(0.02)},
        PEERS[1]: {1.0: cell(0.001), 10.0: cell(reason="no result within 600 s")},
    }
    monkeypatch.setattr(peers_section, "refuted", lambda peer: peer is PEERS[1])
    alike = {1.0: Ours("calibrated-tree", {1.0: 0.02}, 1.0), 10.0: Ours("adaptive-marginals", {10.0: 0.02}, 6.0)}
    one, ten = conclusions(every, ours, alike)[2:]
    assert "the best peer is MST of `smartnoise-synth`. `calibrated-tree` takes 0.0100 of its time" in one
    assert "has 1.10 times its error, so that the target holds; it has 1.00 times" in one
    assert "has 1.15 times its error, so that the target does not hold; it has 1.00 times its error with twice" in ten
    assert ten.endswith("so that the target does not hold.")
    monkeypatch.setattr(peers_section, "refuted", lambda peer: False)
    assert "has 22.00 times" in conclusions(every, ours, alike)[2]
    monkeypatch.setattr(peers_section, "refuted", lambda peer: True)
    assert "nothing is compared" in conclusions(every, ours, alike)[2]


def test_fits_are_kept_until_the_page_is_written(table, tmp_path, monkeypatch):
    asked = []

    def measured(peer, epsilon, *rest):
        asked.append((peer.name, epsilon))
        return cell(0.01) if epsilon < 1 else Cell(reason="no result within 5 s")

    monkeypatch.setattr(peers_section, "measured", measured)
    for _ in range(2):
        cells = cells_of(PEERS[0], (0.1, 1.0, 10.0), table, 1e-6, 5.0, Kept(tmp_path / "kept.json"))
        assert asked == [("MST", 0.1), ("MST", 1.0)]
        assert [one.reason for one in cells.values()] == ["", "no result within 5 s", "not tried"]
    chosen = replace(PEERS[0], tried=(0.1,))
    cells = cells_of(chosen, (0.1, 1.0), table, 1e-6, 5.0, Kept(tmp_path / "kept.json"))
    assert [one.reason for one in cells.values()] == ["", "not tried"]
    Kept(tmp_path / "kept.json").forget()
    cells_of(PEERS[0], (0.1,), table, 1e-6, 5.0, Kept(tmp_path / "kept.json"))
    assert asked[2:] == [("MST", 0.1)]


def test_the_peers_are_those_of_the_page_of_packages():
    known = {package.name for package in OF_TABLES}
    assert {peer.library for peer in PEERS} <= known
