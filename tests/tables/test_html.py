"""The page of a gate on tables, for a browser."""

from __future__ import annotations

import json
import re

import pytest

from pan_audits.reports.html import losses
from pan_estimators.tables.schema import binary
from pan_promises.looks import Observed

ROWS = "epsilon=1,adjacency=replace-row,observed="


def test_every_observation_has_a_name_on_the_page():
    assert set(losses._WHOLE) == set(Observed)


@pytest.mark.more
@pytest.mark.parametrize(
    ("observed", "seen"), [("transcript", "the transcript"), ("model", "the model"), ("sample", "sampled rows")]
)
def test_a_gate_on_tables_has_a_page(panproof, tmp_path, observed, seen):
    schema, page = tmp_path / "schema.json", tmp_path / "page.html"
    schema.write_text(json.dumps(binary(2).to_dict()))
    command = "gate" if observed == "transcript" else "audit"
    given = ("--schema", schema, "--epsilon", 1, "--runs", 1500, "--seed", 1, "--promise", ROWS + observed)
    ended = panproof(command, "noisy-shared-model", *given, "--html", page)
    assert f"report written to {page}" in ended.out + ended.err
    text = page.read_text()
    assert seen in text
    words = re.sub(r"<(style|script).*?</\1>", "", text, flags=re.DOTALL)
    assert "stream" not in re.sub(r"<[^>]*>", " ", words)
