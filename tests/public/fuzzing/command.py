"""The command in this process, and what must hold whatever it is given."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from dataclasses import dataclass
from unittest import mock

from pan_audits.cli.main import main

CODES = {0, 1, 2, 3, 130, 141}


@dataclass(frozen=True)
class Ending:
    code: int
    out: str
    err: str


def ending_of(words, stdin=b""):
    """How the command ends."""
    out, err = io.StringIO(), io.StringIO()
    given = mock.Mock(buffer=io.BytesIO(stdin))
    with (
        mock.patch.object(sys, "argv", ["panproof", *words]),
        mock.patch.object(sys, "stdin", given),
        mock.patch.dict(os.environ, {"COLUMNS": "200"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
    return Ending(code, out.getvalue(), err.getvalue())


def ends_as_it_should(words, stdin=b""):
    """Run the command: an exit code of its own, no crash, and one sentence for each bad word."""
    ending = ending_of(words, stdin)
    assert ending.code in CODES, (words, ending)
    assert "Traceback" not in ending.err, (words, ending.err)
    assert "internal error" not in ending.err, (words, ending.err)
    if ending.code == 2:
        assert ending.out == "", (words, ending)
        lines = ending.err.splitlines()
        assert lines, words
        assert all(line.startswith("panproof: ") and len(line) < 5000 for line in lines), (words, ending.err)
    return ending
