"""A verdict is about the code that a name means now: in the present folder, and in the present version of a file."""

from __future__ import annotations

import math
import os
import shutil

import pytest

import panproof
from pan_promises.workers import end_workers

CODE = """
class Bit:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return [0]

    def update(self, state, ids, randomness):
        return [1]

    def release(self, state, randomness):
{imported}
        return int(state[0]) ^ int(randomness.bernoulli({chance}, 1)[0])
"""


def write(folder, chance, imported="        pass"):
    folder.mkdir(exist_ok=True)
    (folder / "a_bit_of_it.py").write_text(CODE.format(chance=chance, imported=imported))


def loss(name="a_bit_of_it:Bit"):
    return panproof.check(name, users=1, length=1).loss


def of(chance):
    return pytest.approx(math.log((1 - chance) / chance))


@pytest.mark.parametrize("name", ["a_bit_of_it:Bit", pytest.param("a_bit_of_it.py:Bit", marks=pytest.mark.more)])
def test_the_same_name_in_another_folder_is_other_code(tmp_path, monkeypatch, name):
    chances = {"first": 0.4, "second": 0.1}
    for folder, chance in chances.items():
        write(tmp_path / folder, chance)
    for folder in ("first", "second", "first"):
        monkeypatch.chdir(tmp_path / folder)
        assert loss(name) == of(chances[folder])


def test_a_changed_file_is_imported_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for chance in (0.4, 0.1, 0.3):
        write(tmp_path, chance)
        assert loss() == of(chance)


def test_a_changed_file_with_the_size_and_the_time_of_the_earlier_one_is_imported_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a_bit_of_it.py"
    for chance in (0.4, 0.1, 0.3):
        write(tmp_path, chance)
        os.utime(file, ns=(10**18, 10**18))
        assert loss() == of(chance)


@pytest.mark.more
def test_a_changed_module_that_the_code_imports_later_is_imported_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "chance_of_it.chance", imported="        import chance_of_it")
    for chance in (0.4, 0.1, 0.3):
        (tmp_path / "chance_of_it.py").write_text(f"chance = {chance}\n")
        assert loss() == of(chance)


@pytest.mark.more
def test_workers_whose_folder_is_gone_blame_nobody(tmp_path, monkeypatch):
    gone, here = tmp_path / "gone", tmp_path / "here"
    for folder in (gone, here):
        write(folder, 0.4)
    monkeypatch.chdir(gone)
    # New ones begin here.
    end_workers()
    assert loss() == of(0.4)
    monkeypatch.chdir(here)
    shutil.rmtree(gone)
    report = panproof.gate("a_bit_of_it:Bit", runs=2000, seed=1, jobs=1)
    assert "No such file" not in report.report.reason
    assert report.verdict is panproof.Verdict.NOT_REFUTED
