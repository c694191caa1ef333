"""Make the page anew: python -m tests.packages [PACKAGE ...] [--resume] [--page]."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.packages.definitions import PACKAGES
from tests.packages.environments import FOLDER, MISSING, ROOT, judge
from tests.packages.page import page

PAGE = ROOT / "audits" / "PACKAGES.md"


def checked(package: str, file: Path) -> dict[str, dict[str, object]]:
    """The results of a package, whose refutations were all made twice and replayed."""
    results: dict[str, dict[str, object]] = json.loads(file.read_text())
    if MISSING in results:
        return results
    for row, found in results.items():
        if found["verdict"] != "REFUTED":
            continue
        if not found["again"] == found["replayed"] == "REFUTED" or not (found["identical"] or found["unseeded"]):
            raise SystemExit(f"{package}, {row}: the refutation was not found again: {found}")
    return results


def main() -> None:
    """Judge the named packages, or all, and write the page of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [package.name for package in PACKAGES]
    parser.add_argument("packages", nargs="*", help="judge these only; the results of the others are those on disk")
    parser.add_argument("--page", action="store_true", help="judge nothing; write the page of the results on disk")
    parser.add_argument("--resume", action="store_true", help="keep the rows on disk, of a command that was stopped")
    given = parser.parse_args()
    if unknown := set(given.packages) - set(names):
        raise SystemExit(f"unknown package {min(unknown)}; the table has {', '.join(names)}")
    for package in PACKAGES:
        if not given.page and package.name in (given.packages or names):
            judge(package, resume=given.resume)
    results = {name: checked(name, FOLDER / f"{name}.json") for name in names}
    PAGE.write_text(page(results))
    print(f"written to {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
