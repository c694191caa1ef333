"""The longest tests with the marker ``more``. They are slow tests, each of which has its day."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).with_name("LONGEST.txt")
"""A test in each line: the seconds that it takes, and its name. `python -m tests.slow.longest LOG` writes it."""

LEAST_SECONDS = 8.0


def longest() -> dict[str, float]:
    """The names of the tests, and the seconds that each takes."""
    lines = (line.split(maxsplit=1) for line in PAGE.read_text().splitlines())
    return {name: float(seconds) for seconds, name in lines}


def from_log(log: str) -> dict[str, float]:
    """The longest tests of a run with ``--durations=0``, from its output. Fixtures count for no test."""
    found: dict[str, float] = {}
    for line in log.splitlines():
        seconds, _, rest = line.partition("s call ")
        if rest and seconds.replace(".", "").isdigit() and float(seconds) >= LEAST_SECONDS:
            found[rest.strip()] = float(seconds)
    return found


def main(log: Path) -> None:
    """Write the page from the output of a run of ``make test-more``; tests that are there already stay."""
    found = longest() | from_log(log.read_text())
    PAGE.write_text("".join(f"{seconds:.1f} {name}\n" for name, seconds in sorted(found.items())))


if __name__ == "__main__":
    import sys

    main(Path(sys.argv[1]))
