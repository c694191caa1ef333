"""Code that looks around for a judge is named; reads at the import, and imports, are not."""

from __future__ import annotations

import pytest

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.isolation.following import Following
from pan_audits.isolation.looks import READS
from pan_audits.isolation.own_code import OwnCode, is_own_file
from pan_audits.reports.check import check_lines
from pan_estimators import NumpyRandomness
from tests.variants import more_watchers, watchers

HERE = "tests.variants.watchers"
SMALL = CheckSettings(users=2, length=1, appearances=2)

WORDS = more_watchers.WORDS | {
    "Clock": "datetime.now",
    "ClockUnderAnotherName": "time.monotonic",
    "TableOfModules": "sys.modules",
    "Variables": "os.environ",
    "OtherVariables": "os.getenv",
    "ProcessId": "os.getppid",
    "Frames": "sys._getframe",
    "Objects": "gc.get_objects",
    "ProcessFiles": "/proc/self/cmdline",
    "CommandLine": "sys.argv",
    "HashSeed": "os.environ",
    "StackOfCalls": "inspect.stack",
    "TextOfTheStack": "traceback.extract_stack",
    "FrameOfAnError": "tb_frame",
    "StartedModule": "__main__",
    "LimitOfMemory": "resource.getrlimit",
    "VariablesAsBytes": "os.environ",
    "InstalledJudge": "find_spec",
    "Threads": "threading.active_count",
    "TimesOfAFile": "os.stat",
    "TimeOfAnOpenFile": "os.fstat",
    "TimeOfAChange": "os.path.getmtime",
    "TimeOfAnAccess": "os.path.getatime",
    "TimesOfAPath": "pathlib.Path.stat",
    "TimesInAFolder": "os.DirEntry.stat",
}


def looks(name, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    estimator = getattr(watchers if hasattr(watchers, name) else more_watchers, name)()
    following, own = Following(is_own_file), OwnCode.of(estimator)
    following.add(own)
    randomness = NumpyRandomness(1)
    with following.on():
        estimator.release(estimator.update(estimator.create(randomness), [2, 3], randomness), randomness)
    return [words for kind, words in {*following.acts, *following.looks(own)} if kind == READS]


@pytest.mark.parametrize("name", WORDS)
def test_each_look_around_is_named(name, monkeypatch):
    told = looks(name, monkeypatch)
    assert any(WORDS[name] in words for words in told)
    assert len(told) <= 3


@pytest.mark.parametrize("name", [*watchers.TWINS, *more_watchers.TWINS])
def test_what_is_read_at_the_import_is_no_look_around(name, monkeypatch):
    assert looks(name, monkeypatch) == []


def test_the_exact_check_names_a_look_around():
    result = run_check(SmallInstances(f"{HERE}:TableOfModules"), SMALL)
    assert any(label == "looks around" and "sys.modules" in text for label, text in check_lines(result))


def test_a_count_of_calls_is_data_outside_the_state():
    result = run_check(SmallInstances(f"{HERE}:CallCount"), SMALL)
    assert "CallCount.calls" in result.reason
