"""Running the command in this process, and files to run it on."""

from __future__ import annotations

import gzip
import sys
from dataclasses import dataclass

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from pan_audits.command_line.main import main

IDS = np.random.default_rng(7).integers(0, 500, size=4000)


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


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """The same ids in every format that is read."""
    folder = tmp_path_factory.mktemp("files")
    table = arrow.table({"customer_id": IDS, "name": [f"customer {i}" for i in IDS], "price": np.ones(IDS.size)})
    parquet.write_table(table, folder / "ids.parquet")
    lines = "\n".join(map(str, IDS)) + "\n"
    rows = "customer_id,name\n" + "".join(f'{i},"customer, {i}"\n' for i in IDS)
    (folder / "ids.txt").write_text(lines)
    (folder / "ids.csv").write_text(rows)
    (folder / "ids.tsv").write_text(rows.replace(",", "\t"))
    (folder / "ids.csv.gz").write_bytes(gzip.compress(rows.encode()))
    (folder / "ids.txt.gz").write_bytes(gzip.compress(lines.encode()))
    with arrow.CompressedOutputStream(str(folder / "ids.csv.zst"), "zstd") as stream:
        stream.write(rows.encode())
    with arrow.CompressedOutputStream(str(folder / "ids.txt.zst"), "zstd") as stream:
        stream.write(lines.encode())
    return folder
