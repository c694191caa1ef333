"""The fixture ``panproof``: it runs the command in this process."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def one_sentence(self) -> str:
        """What one bad input must end with: exit code 2, nothing on standard output, one line on standard error."""
        (line,) = self.sentences()
        return line

    def sentences(self) -> list[str]:
        """What bad input must end with: a line for each bad word, and the usage in no box."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == ""
        assert self.err.endswith("\n")
        lines = self.err.splitlines(keepends=True)
        assert all(line.startswith("panproof: ") for line in lines), self.err
        return lines


@pytest.fixture
def panproof(monkeypatch, capfd, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")

    from pan_audits.command_line.main import main

    def run(*words, stdin: bytes | None = None) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["panproof", *map(str, words)])
        if stdin is not None:
            path = tmp_path / "stdin"
            path.write_bytes(stdin)
            monkeypatch.setattr(sys, "stdin", path.open())
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return run
