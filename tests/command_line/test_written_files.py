"""Files that a command writes: bad places are told before the work, and a late failure does not lose the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

# Imported before a test replaces what they import.
import pan_audits.gate.gate
import pan_audits.gate.overview  # noqa: F401
from pan_audits.cli import output
from pan_promises.errors import InputError

LEAK = ("exact-counter", "--promise", "epsilon=1,adjacency=user-level")
SMALL = ("--users", "1", "--length", "1")


@pytest.mark.parametrize(
    "words",
    [
        ("check", *LEAK, *SMALL, "--witness"),
        ("check", *LEAK, *SMALL, "--profile"),
        ("gate", *LEAK, "--runs", "1000", "--witness"),
        ("gate", *LEAK, "--runs", "1000", "--junit"),
        ("list", "--verdicts", "--only", "dwork", "--junit"),
        ("claims", "--page"),
    ],
)
def test_a_place_that_does_not_exist_is_told_before_any_work(panproof, tmp_path, words, monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("the work began")

    for place in ("exact.instances.check_in_worker", "gate.gate.run_gate", "gate.overview.overview"):
        monkeypatch.setattr(f"pan_audits.{place}", forbidden)
    monkeypatch.setattr("pan_audits.cli.claims.derived", forbidden)
    sentence = panproof(*words, tmp_path / "absent" / "file").one_sentence()
    assert "there is no folder" in sentence
    assert "it is a folder" in panproof(*words, tmp_path).one_sentence()


def test_a_folder_that_cannot_be_written_is_told_before_any_work(panproof, tmp_path, monkeypatch):
    words = ("claims", "density.union_lemma")

    def forbidden(*arguments, **options):
        raise AssertionError("the work began")

    monkeypatch.setattr("pan_audits.cli.claims.derived", forbidden)
    (tmp_path / "file").write_text("no folder")
    for place in ("file", "file/folder"):
        sentence = panproof(*words, "--out", tmp_path / place).one_sentence()
        assert f"cannot write to {tmp_path / place}: " in sentence
    assert "the work began" in panproof(*words, "--out", tmp_path / "absent" / "folder").err
    assert (tmp_path / "absent" / "folder").is_dir()


def test_a_missing_program_is_told_before_any_work(panproof, tmp_path, monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("the work began")

    monkeypatch.setattr("pan_audits.cli.claims.derived", forbidden)
    monkeypatch.setattr("pan_proofs.rendering.pdf.shutil.which", lambda program: None)
    sentence = panproof("claims", "density.union_lemma", "--pdf", "--out", tmp_path).one_sentence()
    assert "--pdf needs pdflatex" in sentence


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that cannot be written")
@pytest.mark.parametrize("command", [("check", *LEAK, *SMALL), ("gate", *LEAK, "--runs", "1000")])
def test_a_file_that_cannot_be_written_in_the_end_does_not_lose_the_verdict(panproof, command):
    """``/dev/full`` takes no bytes, as a full disk."""
    done = panproof(*command, "--witness", "/dev/full")
    assert done.out.startswith("REFUTED")
    assert "witness written" not in done.out
    assert done.err.count("\n") == 1
    assert "cannot write /dev/full" in done.err
    assert done.code == 2


def test_a_place_without_permission_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(output.os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match="permission denied"):
        output.require_writable(tmp_path / "file")


def test_a_gate_without_a_place_for_its_journal_goes_on(panproof, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    done = panproof("gate", *LEAK, "--runs", "1000")
    assert done.code == 1
    assert done.out.startswith("REFUTED")
    assert done.err.startswith("panproof: no journal, an interrupted gate begins again: cannot write ")
