"""The inputs of a derivation: the text of its module and of all imported modules here, and the engines' versions."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_OURS = ("pan_proofs", "pan_promises")
_KERNEL = "pan_proofs.ledger.registry"
"""It asks whether statements follow from the steps, which no derivation imports."""
_ENGINES = ("sympy", "python-flint", "z3-solver", "cvc5", "numpy", "scipy", "mpmath")


def fingerprint(module: str) -> str:
    """A hash of everything that a module's derivations depend on.

    Parameters
    ----------
    module
        Dotted name of a module of this package, or of another one that declares a family.
    """
    digest = hashlib.sha256()
    for name in sorted(_closure(module) | _closure(_KERNEL)):
        digest.update(f"{name}\n".encode())
        digest.update(_path(name).read_bytes())
    for name, number in versions().items():
        digest.update(f"{name} {number}\n".encode())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """The versions of Python and of the engines."""
    return {"python": ".".join(map(str, sys.version_info[:3]))} | {one: _version(one) for one in _ENGINES}


def size(module: str) -> int:
    """The length of the text of a module and of all that it imports here, which tells roughly how long it takes."""
    return sum(len(_path(name).read_bytes()) for name in _closure(module))


def _closure(module: str) -> set[str]:
    packages = frozenset({*_OURS, module.partition(".")[0]})
    seen: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += _imports(name, packages)
    return seen


@cache
def _imports(module: str, packages: frozenset[str]) -> tuple[str, ...]:
    """The modules of these packages that a module imports, wherever in its text; a package is its ``__init__``."""
    tree = ast.parse(_path(module).read_text())
    return tuple(
        name
        for candidate in _candidates(tree)
        if candidate.partition(".")[0] in packages
        for name in [candidate]
        if _exists(name)
    )


def _candidates(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@cache
def _path(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module {module}")
    return Path(spec.origin)


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
