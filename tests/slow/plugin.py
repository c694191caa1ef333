"""Options of pytest: ``--record PAGE`` writes down how a run went, ``--rotating DAY`` selects what is run today.

With ``--adding``, a run leaves out each test that has passed by the page, and its results are added to those.

The page is written anew after every test: of a run that is ended from outside, it names the tests that
were under way.
"""

from __future__ import annotations

import platform
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.slow.longest import longest
from tests.slow.results import FAILED, PASSED, SKIPPED, Outcome, Results, durations
from tests.slow.rotation import never, todays

PAGE = Path(__file__).with_name("RESULTS.md")
"""Where ``make test-slow`` writes."""


def pytest_addoption(parser):
    group = parser.getgroup("slow tests")
    group.addoption("--record", metavar="PAGE", type=Path, help="Write how the run goes to this page, and as JSON.")
    group.addoption("--adding", action="store_true", help="Only tests that have not passed by the page; add to it.")
    group.addoption("--rotating", metavar="DAY", type=int, help="Only the part of the tests whose turn it is.")
    group.addoption("--rotating-seconds", type=float, default=180.0, help="The longest that a part may take.")
    group.addoption("--timed", metavar="PAGE", type=Path, default=PAGE, help="Where it stands how long each test took.")


def pytest_configure(config):
    # With several processes, the one that hands out the tests hears of all.
    if config.getoption("--record") and not hasattr(config, "workerinput"):
        recorder = Recorder(config.getoption("--record"), adding=config.getoption("--adding"))
        config.pluginmanager.register(recorder, "recorder")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave the part of today, or what is not on the page yet, in every process the same."""
    names = [item.nodeid for item in items]
    if config.getoption("--adding"):
        passed = passed_before(config.getoption("--record"))
        getattr(config, "workeroutput", {})[_COLLECTED] = names
        if recorder := config.pluginmanager.get_plugin("recorder"):
            recorder.forget_all_but(names)
        _leave(config, items, set(names) - passed)
    day = config.getoption("--rotating")
    if day is not None:
        known = longest() | durations(Results.read(config.getoption("--timed")))
        seconds = config.getoption("--rotating-seconds")
        _leave(config, items, set(todays(names, known, seconds, day)))
        config.stash[_NEVER] = never(names, known, seconds)


def _leave(config, items, names):
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = [item for item in items if item.nodeid in names]


_NEVER = pytest.StashKey[list[str]]()
_COLLECTED = "collected"


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take the names of all tests from a process that has collected them."""
    names = getattr(node, "workeroutput", {}).get(_COLLECTED)
    recorder = node.config.pluginmanager.get_plugin("recorder")
    if names is not None and recorder:
        recorder.forget_all_but(names)


def pytest_sessionfinish(session, exitstatus):
    # Where nothing was timed yet, there is nothing whose turn it could be, and perhaps every test is on the page.
    chosen = session.config.getoption("--rotating") is not None or session.config.getoption("--adding")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and chosen:
        session.exitstatus = pytest.ExitCode.OK


def pytest_report_collectionfinish(config):
    return [f"too long for a part, or never timed: {name}" for name in config.stash.get(_NEVER, [])]


class Recorder:
    """Writes down what becomes of each test, as soon as it is known."""

    def __init__(self, page, *, adding=False):
        self.page = page
        commit, clean = described(page)
        date = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        self.results = Results(commit, clean, date, platform.python_version())
        earlier = Results.read(page) if adding else None
        self.outcomes = {}
        for each in earlier.outcomes if earlier else ():
            if each.outcome == PASSED:
                self.outcomes[each.test] = replace(each, commit=each.commit or earlier.commit)
        self.results.outcomes = list(self.outcomes.values())
        self.before = set(self.outcomes)

    def pytest_collection_finish(self, session):
        self.results.selected = len({item.nodeid for item in session.items} | self.before)

    def pytest_xdist_node_collection_finished(self, ids):
        self.results.selected = len({*ids} | self.before)

    def forget_all_but(self, names):
        """Drop earlier results of tests that are not there any more."""
        gone = self.before - set(names)
        self.before -= gone
        self.results.selected -= len(gone & set(self.outcomes))
        self.outcomes = {name: outcome for name, outcome in self.outcomes.items() if name not in gone}
        self.results.outcomes = list(self.outcomes.values())

    def pytest_runtest_logstart(self, nodeid):
        self._of(nodeid)
        self._write()

    def pytest_runtest_logreport(self, report):
        outcome = self._of(report.nodeid)
        outcome.seconds += report.duration
        outcome.figures |= {str(name): str(value) for name, value in report.user_properties}
        if report.failed:
            outcome.outcome = FAILED
        elif report.skipped and outcome.outcome != FAILED:
            outcome.outcome = SKIPPED
        elif report.when == "teardown" and outcome.outcome not in (FAILED, SKIPPED):
            outcome.outcome = PASSED
        self._write()

    def pytest_sessionfinish(self, exitstatus):
        # An interrupt or an error of pytest itself ends a run too early.
        self.results.ended = int(exitstatus) in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        self._write()

    def _of(self, nodeid):
        if nodeid not in self.outcomes:
            self.outcomes[nodeid] = Outcome(nodeid, commit=self.results.commit)
            self.results.outcomes = list(self.outcomes.values())
        return self.outcomes[nodeid]

    def _write(self):
        self.results.write(self.page)


def passed_before(page):
    """The names of the tests that have passed by the page."""
    earlier = Results.read(page)
    return {each.test for each in earlier.outcomes if each.outcome == PASSED} if earlier else set()


def described(page):
    """The commit that is tested, and whether anything but the record itself was changed since."""
    folder = Path(__file__).parent

    def git(*arguments):
        ran = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
        return ran.stdout if ran.returncode == 0 else None

    try:
        commit, changed = git("rev-parse", "HEAD"), git("status", "--porcelain")
    except FileNotFoundError:
        commit = changed = None
    if commit is None or changed is None:
        return "unknown", False
    names = [line[3:] for line in changed.splitlines()]
    own = {page.name, page.with_suffix(".json").name}
    return commit.strip(), all(Path(name).name in own for name in names)
