"""Sites as files: they answer in processes and on Dask, and a site that dies or is asked twice spends nothing twice."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from pan_audits.tables.sites import OnEngine, transcript_of
from pan_audits.workers.engines import InProcess, open_engine
from pan_audits.workers.limits import Limits
from pan_estimators import create_estimator
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.frames import write_csv
from pan_estimators.tables.schema import binary
from pan_estimators.tables.sites import site as site_file
from pan_estimators.tables.sites.messages import Counts, Recorded
from pan_estimators.tables.sites.site import Site, SiteFile, read_answers
from pan_promises.errors import InputError
from tests.public.tables.test_sites import THREE, table_of

NAMES = ["noisy-sufficient-statistics", "noisy-majority-vote", "noisy-shared-model"]


@pytest.fixture
def files(tmp_path):
    """Three sites with 30 rows each, and a budget of 2."""
    (tmp_path / "s.json").write_text(json.dumps(THREE.to_dict()))
    found = []
    for number in range(3):
        write_csv(tmp_path / f"{number}.csv", table_of(30, seed=number).to_columns())
        paths = {"data": f"{number}.csv", "schema": "s.json", "record": f"{number}.answers"}
        found.append(SiteFile(epsilon=2.0, seed=number, **{name: str(tmp_path / one) for name, one in paths.items()}))
    return found


def forget(files):
    for one in files:
        Path(one.record).unlink(missing_ok=True)


def spent(file):
    return sum(epsilon for _, epsilon, _ in read_answers(Path(file.record)))


@pytest.mark.more
def test_processes_give_the_transcript_and_the_process_of_the_analyst_reads_no_rows(files, monkeypatch):
    mechanisms = [create_estimator(name, epsilon=2.0, schema=THREE, sites=3) for name in NAMES]
    here = []
    for mechanism in mechanisms:
        here.append(transcript_of(mechanism, files, InProcess()))
        assert [spent(one) for one in files] == pytest.approx([2.0] * 3)
        forget(files)

    def no_rows(*_):
        raise AssertionError("the analyst reads rows")

    monkeypatch.setattr(site_file, "_table", no_rows)
    with open_engine("processes", workers=2, limits=Limits()) as engine:
        for mechanism, expected in zip(mechanisms, here, strict=True):
            found = transcript_of(mechanism, files, engine)
            assert found == expected
            # What arrives is plain data: it goes through JSON unchanged, and names no file.
            text = json.dumps([vars(one) for one in found])
            assert json.loads(text) == [vars(one) for one in found]
            assert ".csv" not in text
            assert sorted(place for place, _ in mechanism.post_process(found).structure) == [0, 1, 2]
            # A second analyst who asks the same gets the same, for no more budget.
            assert transcript_of(mechanism, files, engine) == expected
            assert [spent(one) for one in files] == pytest.approx([2.0] * 3)
            forget(files)


@dataclass(frozen=True)
class Dies:
    """A question at which the process of the site dies, once before the answer is written, or once after it."""

    marker: str
    words: str = "dies"
    epsilon: float = 1.5

    def answer(self, table, randomness):
        drawn = randomness.laplace(0.0, 1.0)
        if not Path(self.marker).exists():
            Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return [drawn]

    def accepts(self, answer):
        return True


@pytest.mark.more
def test_a_site_whose_process_dies_answers_again_and_spends_its_budget_once(files, tmp_path):
    with open_engine("processes", workers=2, limits=Limits()) as engine:
        channel = Recorded(OnEngine(files, engine))
        assert len(channel.every(Dies(str(tmp_path / "marker")))) == 3
        assert (tmp_path / "marker").exists()
        assert [spent(one) for one in files] == [1.5] * 3
        with pytest.raises(InputError, match=r"site 1: the budget of the site is spent: 1\.5 of 2 are used"):
            channel.every(Counts((0,), 1.0))


@pytest.mark.more
def test_a_site_that_is_asked_by_several_processes_at_once_gives_one_answer(files):
    secure = SiteFile(**{**vars(files[0]), "seed": None})
    with open_engine("processes", workers=2, limits=Limits()) as engine:
        answers = OnEngine([secure] * 8, engine).every(Counts((0, 1), 2.0))
    assert all(one == answers[0] for one in answers)
    assert spent(secure) == 2.0


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_transcript(files):
    mechanism = create_estimator("noisy-majority-vote", epsilon=2.0, schema=THREE, sites=3)
    here = transcript_of(mechanism, files, InProcess())
    forget(files)
    with open_engine("dask", workers=2, limits=Limits()) as engine:
        assert transcript_of(mechanism, files, engine) == here


def test_a_line_that_a_dying_site_did_not_finish_is_cut_off(files):
    record = Path(files[0].record)
    first = files[0].answer(Counts((0,), 1.0))
    whole = record.read_bytes()
    record.write_bytes(whole + b'["counts of 1", 1.0, [3.')
    assert files[0].answer(Counts((0,), 1.0)) == first
    assert record.read_bytes() == whole
    assert Site(table_of(9), 2.0, None, record).spent == 1.0
    record.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(InputError, match="cannot read the answers"):
        files[0].answer(Counts((0,), 1.0))


def test_a_disk_without_room_loses_no_answer_that_was_written(files, monkeypatch):
    record = Path(files[0].record)
    site = Site(table_of(9), 2.0, NumpyRandomness(1), record)
    first = site.answer(Counts((0,), 0.5))
    whole = record.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(InputError, match=r"cannot write the answers of a site to .*: No space left on device"):
            site.answer(Counts((1,), 0.5))
    assert record.read_bytes() == whole
    # The noise of the answer that was lost may be known.
    assert site.spent == 1.0
    site.answer(Counts((2,), 0.5))
    again = Site(table_of(9), 2.0, NumpyRandomness(2), record)
    assert (again.spent, again.answer(Counts((0,), 0.5))) == (1.0, first)


def test_a_site_with_another_schema_answers_nothing(files, tmp_path):
    # The schema of the others with the columns in another order.
    schema = binary(3).to_dict()
    schema["attributes"].reverse()
    Path(files[1].data).write_text("c,b,a\n0,1,1\n")
    (tmp_path / "other.json").write_text(json.dumps(schema))
    files[1] = SiteFile(**{**vars(files[1]), "schema": str(tmp_path / "other.json")})
    for name in ("distributed-parameters", *NAMES):
        mechanism = create_estimator(name, epsilon=2.0, schema=THREE, sites=3)
        with pytest.raises(InputError, match=r"site 2: .* is another schema than that of the question"):
            transcript_of(mechanism, files, InProcess())
        assert not Path(files[1].record).exists()
        forget(files)


def test_bad_files_give_one_sentence(files, tmp_path):
    mechanism = create_estimator("noisy-majority-vote", epsilon=2.0, schema=THREE, sites=3)
    shared = SiteFile(**{**vars(files[1]), "record": files[0].record})
    for given, sentence in (
        ([], "there are no sites"),
        (files[:2], "the algorithm has 3 sites, got the files of 2"),
        ([files[0], *files[:2]], r"each site has files of its own, got .*csv.* twice"),
        ([files[0], shared, files[2]], r"each site has files of its own, got .*answers.* twice"),
    ):
        with pytest.raises(InputError, match=sentence):
            transcript_of(mechanism, given, InProcess())
    Path(files[1].data).write_text("a,b,c\n0,0,7\n")
    with pytest.raises(InputError, match="site 2: the value '7' of 'c' is not in its domain"):
        transcript_of(mechanism, files, InProcess())
    nowhere = SiteFile(**{**vars(files[0]), "record": str(tmp_path / "no" / "record")})
    with pytest.raises(InputError, match="cannot write the answers of a site"):
        nowhere.answer(Counts((0,), 1.0))
