"""The fixtures ``panproof`` and ``experiments``: they run the commands in this process."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest
from jsonschema import Draft202012Validator


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
        lines = [line for line in self.err.splitlines(keepends=True) if "the old name goes" not in line]
        assert all(line.startswith("panproof: ") for line in lines), self.err
        return lines


@pytest.fixture
def panproof(monkeypatch, capfd, tmp_path):
    from pan_audits.cli.main import main

    return _runner(main, monkeypatch, capfd, tmp_path)


@pytest.fixture
def experiments(monkeypatch, capfd, tmp_path):
    from experiments.__main__ import PROGRAM, app
    from pan_audits.cli.main import main

    return _runner(lambda: main(app, PROGRAM), monkeypatch, capfd, tmp_path)


def _runner(main, monkeypatch, capfd, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(command: str, *more, stdin: bytes | None = None) -> Outcome:
        """Run the words of a text, and more words that may hold spaces."""
        monkeypatch.setattr(sys, "argv", ["panproof", *command.split(), *map(str, more)])
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


def schema_of(command):
    """The schema of the document of a command, or of an experiment."""
    from experiments.__main__ import COMMANDS as EXPERIMENTS
    from pan_audits.cli import output
    from pan_audits.cli.commands import COMMANDS

    return output.schema_of(command, {**COMMANDS, **EXPERIMENTS}[command][0].partition(":")[0])


def validate(command, document):
    """Check a document of an experiment by its schema."""
    schema = schema_of(command)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
