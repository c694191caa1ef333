"""The wheel: complete, importable alone, and free of this machine."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = ["pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder]
    subprocess.run([sys.executable, "-m", *map(str, command), ROOT], check=True, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_holds_every_module_and_the_data(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    wanted = {
        str(path.relative_to(ROOT / place))
        for place in ("proofs", "estimators", "audits")
        for path in (ROOT / place).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
        if path.relative_to(ROOT / place).parts[0].startswith(("pan_", "panproof"))
    }
    coq = ROOT / "proofs" / "coq"
    sources = {coq / "_CoqProject", coq / "checked.json", *coq.glob("*.v")}
    assert packed == wanted | {f"pan_proofs/coq/{path.name}" for path in sources}
    packages = ("pan_promises", "pan_estimators", "pan_proofs", "pan_audits", "panproof")
    assert {f"{package}/py.typed" for package in packages} <= packed
    assert any(name.endswith("online-retail.npz") for name in packed)
    assert any(name.endswith("ATTRIBUTION.md") for name in packed)


def test_the_wheel_works_without_the_checkout(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "import pan_estimators, pan_audits, panproof\n"
        "assert panproof.estimator('exact-counter', universe=3).state_bits == 3\n"
        "assert 'site' in pan_estimators.__file__ and 'site' in pan_audits.__file__\n"
        "assert pan_estimators.load_stream('online-retail').ids.size == 406829\n"
        "from pan_proofs.ledger.theorems import theorems\n"
        "assert theorems() and all(one.current for one in theorems().values())\n"
        "sys.argv = ['panproof', 'list']\n"
        "from pan_audits.cli import main; main()\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "optimal-bernoulli" in run.stdout


def test_the_source_distribution_holds_the_pages_and_what_make_needs(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    (made,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(made) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    pages = {str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]}
    assert pages | {"LICENSE", "CITATION.cff", "Makefile", "constraints.txt", "pyproject.toml"} <= names


def test_nothing_names_a_registry_or_a_machine():
    suspicious = re.compile(r"(?<![\w.])/(home|root|work|tmp|Users)/\w|index-url|files\.pythonhosted|--hash=sha256")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.suffix in {".npz", ".png"} or path == Path(__file__) or not path.is_file():
            continue
        found = suspicious.search(path.read_text())
        assert found is None, f"{name}: {found}"
