"""The last result of the slow tests, as it stands in the repo: a page to read, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

PASSED, FAILED, SKIPPED, UNDER_WAY = "passed", "failed", "skipped", "under way"


@dataclass
class Outcome:
    """One test: how it ended, how long it took, the figures that it noted, and the commit that was tested."""

    test: str
    outcome: str = UNDER_WAY
    seconds: float = 0.0
    figures: dict[str, str] = field(default_factory=dict)
    commit: str = ""


@dataclass
class Results:
    """One run of the slow tests, or the results of an earlier run and of one that added to them.

    Attributes
    ----------
    commit, clean
        What was tested last, and whether there were changes that are not committed.
    date
        When the last run began, in UTC.
    python
        The version of Python.
    selected
        Number of tests that were to be run, and of those that an earlier run has run.
    ended
        Whether the run came to its end.
    outcomes
        The tests so far.
    """

    commit: str
    clean: bool
    date: str
    python: str
    selected: int = 0
    ended: bool = False
    outcomes: list[Outcome] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        """Number of tests that ended so."""
        return sum(each.outcome == outcome for each in self.outcomes)

    @property
    def green(self) -> bool:
        """Whether the run came to its end, and no test failed."""
        return self.ended and len(self.outcomes) == self.selected and not self.count(FAILED) + self.count(UNDER_WAY)

    def write(self, page: Path) -> None:
        """Write the page, and the JSON file beside it."""
        whole = asdict(self) | {"outcomes": [asdict(each) for each in self._sorted()]}
        for path, text in ((page, self.markdown()), (page.with_suffix(".json"), json.dumps(whole, indent=1) + "\n")):
            new = path.with_suffix(path.suffix + ".new")
            new.write_text(text)
            new.replace(path)

    @classmethod
    def read(cls, page: Path) -> Results | None:
        """What was written beside the page, if anything was."""
        path = page.with_suffix(".json")
        if not path.exists():
            return None
        values = json.loads(path.read_text())
        return cls(**values | {"outcomes": [Outcome(**each) for each in values["outcomes"]]})

    def markdown(self) -> str:
        """The page."""
        verdict = "Every test passed" if self.green and not self.count(SKIPPED) else "No test failed"
        if not self.green:
            verdict = "**Not green**" if self.ended else "**The run has not come to its end**"
        counted = ", ".join(f"{self.count(kind)} {kind}" for kind in (PASSED, FAILED, SKIPPED, UNDER_WAY))
        changes = "" if self.clean else ", with changes that are not committed"
        lines = [
            "# The last run of the slow tests",
            "",
            "Written by `make test-slow`, not by hand.",
            "",
            f"{verdict}: {counted}, of {self.selected}.",
            "",
            f"Commit {self.commit}{changes}; {self.date}; Python {self.python}; "
            f"{sum(each.seconds for each in self.outcomes):.0f} s in all tests together.",
            "",
            "| test | | seconds | commit |",
            "|---|---|---:|---|",
            *(
                f"| {_cell(each.test)} | {each.outcome} | {each.seconds:.1f} | {(each.commit or self.commit)[:9]} |"
                for each in self._sorted()
            ),
        ]
        noted = [each for each in self._sorted() if each.figures]
        if noted:
            lines += ["", "## Figures", "", "| test | | |", "|---|---|---|"]
            lines += [f"| {_cell(e.test)} | {_cell(k)} | {_cell(v)} |" for e in noted for k, v in e.figures.items()]
        return "\n".join(lines) + "\n"

    def _sorted(self) -> list[Outcome]:
        return sorted(self.outcomes, key=lambda each: each.test)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def durations(results: Results | None) -> dict[str, float]:
    """How long each test took that came to its end."""
    known: Iterable[Outcome] = results.outcomes if results else ()
    return {each.test: each.seconds for each in known if each.outcome in (PASSED, FAILED)}
