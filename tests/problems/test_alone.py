"""A search for streams leaves nothing in its folder, and does not depend on the modules that are loaded."""

from __future__ import annotations

import os
import subprocess
import sys

SEARCH = """
import here  # Hypothesis collects the constants of local modules
from pan_audits.problems.inputs.streams import schedules
from pan_audits.problems.inputs.streams.shrink import shrink
from pan_audits.problems.inputs.streams.strategies import generated_families
from pan_promises.promise import Adjacency, Promise

promise = Promise.parse("epsilon=1,adjacency=user-level,observed=state")
schedule = schedules(promise)[0]
found = generated_families(Adjacency.USER_LEVEL, schedule, range(5), deletions=False, count=20, seed=1)
shrink(found[0].pairs[0], lambda pair: True, seed=1)
"""
OTHER = "\nimport hypothesis\nhypothesis.find(hypothesis.strategies.integers(), lambda number: number > 9)\n"


def ran(script, folder):
    (folder / "here.py").write_text(f"CONSTANTS = {list(range(1000, 20_000, 20))}\n")
    # Without the variables of a CI service: Hypothesis keeps no examples where it finds one.
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": ".", "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=folder, check=True, env=environment, capture_output=True, text=True).stdout


def files_after(script, folder):
    ran(script, folder)
    return {each.name for each in folder.iterdir()} - {"here.py", "__pycache__"}


def test_a_search_leaves_no_files(tmp_path):
    assert files_after(SEARCH, tmp_path) == set()


def test_other_searches_of_the_same_process_keep_their_folder(tmp_path):
    assert files_after(SEARCH + OTHER, tmp_path) == {".hypothesis"}


def test_the_streams_of_a_seed_do_not_depend_on_loaded_modules(tmp_path):
    """Hypothesis would draw constants of local modules where it chooses among more than 127 users."""
    script = SEARCH.replace("range(5)", "range(20_000)") + "\nprint(found)"
    assert "import here" in script
    with_more = ran(script, tmp_path)
    assert with_more == ran(script.replace("import here", "import math"), tmp_path)
    assert with_more.count("Family(") > 5
