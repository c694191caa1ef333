"""Files to run the commands on."""

from __future__ import annotations

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

IDS = np.random.default_rng(7).integers(0, 500, size=4000)


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
    with arrow.CompressedOutputStream(str(folder / "ids.csv.zst"), "zstd") as stream:
        stream.write(rows.encode())
    with arrow.CompressedOutputStream(str(folder / "ids.txt.zst"), "zstd") as stream:
        stream.write(lines.encode())
    return folder
