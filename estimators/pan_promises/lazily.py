"""Lazy exports of a package: each is imported at its first use, as the package's stub lists it.

Type checkers read the stub, ``__init__.pyi``. Here it is the list of exports as well. ``lazy_loader`` supports
relative imports only; the packages here export names of one another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def exports_of(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """The functions ``__getattr__`` and ``__dir__``, and the list ``__all__``, of a package.

    Parameters
    ----------
    package
        Name of the package.
    file
        Path of its ``__init__.py``. The stub is in the same folder.

    Returns
    -------
    The three values, to be bound to these names in the package.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {
        alias.asname or alias.name: (statement.module, alias.name)
        for statement in stub.body
        if isinstance(statement, ast.ImportFrom) and statement.module is not None
        for alias in statement.names
    }

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = homes[name]
        return getattr(import_module(module), attribute)

    def names() -> list[str]:
        return sorted(homes)

    return get, names, names()
