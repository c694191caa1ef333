"""One environment for each package: a venv with the pinned package and the libraries of a gate, from PyPI by pip.

The file of a repository that is no package stands in .venv-packages/sources, where a person puts it.

The folders of panproof are on its path. A change of panproof therefore needs no new environment.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packages.rows import Package

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-packages"
CODE = ("estimators", "proofs", "audits")
"""The folders of panproof that belong on the path."""

_MARK = "pins"
"""The file of an environment that says for which pins it was made."""

OF_A_GATE = ("hypothesis", "numba", "scikit-learn", "scipy", "statsmodels", "sympy", "threadpoolctl")
"""Libraries of the extras that a gate imports, or without which it does not begin."""


def python_of(package: Package) -> Path:
    """The interpreter of a package's environment, which is made if it is missing or was made for other pins.

    Raises
    ------
    subprocess.CalledProcessError
        If pip cannot install the package.
    """
    if not package.pins:
        return Path(sys.executable)
    folder = FOLDER / package.name
    python, mark, wanted = folder / "bin" / "python", folder / _MARK, digest(package)
    if not (mark.is_file() and mark.read_text() == wanted):
        base = _base()
        shutil.rmtree(folder, ignore_errors=True)
        print(f"installing {', '.join(package.pins)} into an environment of its own (once)", flush=True)
        # Pip replaces a file and never writes into it, so that the environments can share the files of the libraries.
        shutil.copytree(base, folder, symlinks=True, copy_function=os.link)
        (folder / _MARK).unlink()
        if package.alone:
            _install(python, "--no-deps", package.pins[0])
        _install(python, *package.pins[package.alone :], *_libraries(package.pins))
        mark.write_text(wanted)
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "panproof.pth").write_text("".join(f"{ROOT / code}\n" for code in CODE))
    return python


def _base() -> Path:
    """An environment with the libraries of a gate alone, from which those of the packages begin."""
    folder, libraries = FOLDER / "base", _libraries()
    if not ((mark := folder / _MARK).is_file() and mark.read_text() == "\n".join(libraries)):
        shutil.rmtree(folder, ignore_errors=True)
        _run(sys.executable, "-m", "venv", "--without-pip", folder)
        _install(folder / "bin" / "python", *libraries)
        mark.write_text("\n".join(libraries))
    return folder


def _install(python: Path, *words: object) -> None:
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *words)


def digest(package: Package) -> str:
    """The pins of an environment as text. The code of panproof is no part of it."""
    return "\n".join([*package.pins, *_libraries(package.pins)])


def _libraries(pins: Sequence[str] = ()) -> list[str]:
    """The libraries that panproof needs in a gate, as pyproject.toml names them; pins of the package go before them.

    The constraints of panproof pin its own tools. A judged package may need other versions of its libraries.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    optional = [each for name in ("suite", "fast", "proofs") for each in extras[name] if _name(each) in OF_A_GATE]
    pinned = {_name(pin) for pin in pins}
    return [each for each in [*project["dependencies"], *optional] if _name(each) not in pinned]


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement)[0]


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True)


def file_of(package: Package) -> Path:
    """Where the file of a repository stands."""
    assert package.source is not None
    return FOLDER / "sources" / package.name / package.source.file


def why_missing(package: Package) -> str:
    """Why a repository cannot be judged here, in a sentence; empty if it can, and for a package."""
    source = package.source
    if source is None:
        return ""
    if not file_of(package).is_file():
        return (
            f"it is a repository and no package, and there was no copy of it: a clone of {source.address} belongs "
            f"into `.venv-packages/sources/{package.name}`"
        )
    if hashlib.sha256(file_of(package).read_bytes()).hexdigest() != source.digest:
        return f"its file `{source.file}` is not that of the commit {source.commit[:12]}"
    return ""
