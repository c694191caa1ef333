"""One environment for each package: a venv with panproof and the pinned package, from PyPI by pip."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.packages.definitions import Package
from tests.packages.sources import why_missing

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-packages"
MISSING = "missing"
"""The key of the results that say why a package could not be judged."""


def python_of(package: Package) -> Path:
    """The interpreter of a package's environment, which is made if it is missing or was made for other pins."""
    if not package.pins:
        return Path(sys.executable)
    folder = FOLDER / package.name
    python, mark = folder / "bin" / "python", folder / "pins"
    if mark.is_file() and mark.read_text() == _pins(package):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    print(f"installing {', '.join(package.pins)} into {folder.relative_to(ROOT)} (once)", flush=True)
    _run(sys.executable, "-m", "venv", folder)
    # The constraints pin the tools of panproof. A judged package may need other versions of its own libraries.
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{ROOT}[suite]", *package.pins)
    mark.write_text(_pins(package))
    return python


def judge(package: Package, *, resume: bool = False) -> Path:
    """Judge a package in its environment: the file with the results.

    Parameters
    ----------
    package
        The package.
    resume
        Whether rows that are in the file already are kept.
    """
    results = FOLDER / f"{package.name}.json"
    if not resume:
        results.unlink(missing_ok=True)
    try:
        why = why_missing(package.name) if package.repository else ""
        python = "" if why else python_of(package)
    except subprocess.CalledProcessError as problem:
        why = f"pip could not install {', '.join(package.pins)} (exit code {problem.returncode})"
    if why:
        print(f"{package.name}: {why}", flush=True)
        results.write_text(json.dumps({MISSING: why}))
        return results
    _run(python, "-W", "ignore", "-m", "tests.packages.judged", package.name, results)
    return results


def _pins(package: Package) -> str:
    """The pins, and a digest of the code of panproof that is installed beside them."""
    digest = hashlib.sha256()
    for folder in ("estimators", "audits", "proofs"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return "\n".join([*package.pins, digest.hexdigest()])


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True)
