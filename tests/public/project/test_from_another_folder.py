"""Somebody else's estimator, in somebody else's folder: gated by one command, by pytest, and by name."""

from __future__ import annotations

import pytest

QUICK = ("--runs", "4000", "--seed", "1", "--confirmation-runs", "1000")
SUITE = ("pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "pan_audits.suite", "--panproof-runs", "4000")


@pytest.mark.more
def test_the_gate_finds_a_class_in_the_working_directory(elsewhere):
    kept = elsewhere.run("pan_audits", "gate", "their_estimators.py:EveryUpdateCounted", *QUICK)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    assert kept.stdout.startswith("NOT_REFUTED")
    broken = elsewhere.run("pan_audits", "gate", "their_estimators:UserLevelPromised", *QUICK)
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "User 0 differs" in broken.stdout
    audited = elsewhere.run("pan_audits", "audit", "their_estimators:UserLevelPromised", *QUICK)
    assert audited.returncode == 1, audited.stdout + audited.stderr
    assert "appears" in audited.stdout


@pytest.mark.slow
def test_the_suite_runs_by_pyargs(elsewhere):
    kept = elsewhere.run(*SUITE, "--estimator", "their_estimators:EveryUpdateCounted")
    assert kept.returncode == 0, kept.stdout
    assert "3 passed" in kept.stdout
    broken = elsewhere.run(*SUITE, "--estimator", "their_estimators:UserLevelPromised")
    assert broken.returncode == 1
    assert "REFUTED: User 0 differs" in broken.stdout
    assert "again: panproof gate their_estimators:UserLevelPromised" in broken.stdout
    unknown = elsewhere.run(*SUITE, "--estimator", "their_estimators:Nobody")
    assert unknown.returncode == pytest.ExitCode.USAGE_ERROR
    assert "has no 'Nobody'" in unknown.stdout + unknown.stderr


def test_without_an_estimator_the_suite_stays_out_of_the_way(elsewhere):
    (elsewhere.folder / "test_theirs.py").write_text("def test_their_own():\n    pass\n")
    assert "1 passed" in elsewhere.run("pytest", "-q", "-p", "no:cacheprovider").stdout


@pytest.mark.more
def test_an_installed_package_announces_its_estimators(elsewhere, tmp_path):
    site = tmp_path / "site-packages"
    information = site / "theirs-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[panproof.estimators]\ncounted = their_estimators:EveryUpdateCounted\n"
    )
    (elsewhere.folder / "their_estimators.py").rename(site / "their_estimators.py")
    listed = elsewhere.run("pan_audits", "list", path=str(site))
    assert "counted" in listed.stdout
    assert "theirs" in listed.stdout
    gated = elsewhere.run("pan_audits", "gate", "counted", *QUICK, path=str(site))
    assert gated.returncode == 0, gated.stdout + gated.stderr
    assert "unknown estimator 'counted'" in elsewhere.run("pan_audits", "gate", "counted").stderr
