"""The optional libraries of panproof, and the extras that install them."""

from __future__ import annotations

from importlib.util import find_spec

from pan_promises.errors import MissingExtraError

EXTRAS = {
    "proofs": ("sympy",),
    "suite": ("hypothesis", "scipy", "statsmodels", "sympy"),
}
"""Libraries of each extra that is checked before any work begins. Other extras are checked where they are used."""

_BRING = {
    "hypothesis": "suite",
    "jinja2": "figures",
    "matplotlib": "figures",
    "numba": "fast",
    "pyarrow": "files",
    "pytest": "pytest",
    "scipy": "suite",
    "statsmodels": "suite",
    "sympy": "proofs",
}


def require_extra(purpose: str, extra: str, *also: str) -> None:
    """Check that an extra is installed, before any work is done.

    Parameters
    ----------
    purpose
        The operation that needs it, for the message; for instance ``"panproof gate"``.
    extra
        A key of :data:`EXTRAS`.
    also
        Further libraries of the extra that this operation needs.

    Raises
    ------
    MissingExtraError
        If one of its libraries is missing.
    """
    if not all(map(is_there, (*EXTRAS[extra], *also))):
        raise MissingExtraError(purpose, extra)


def extra_with(library: str) -> str | None:
    """The extra that installs a library, or ``None`` if no extra does.

    Parameters
    ----------
    library
        The name under which the library is imported.
    """
    return _BRING.get(library.partition(".")[0])


def is_there(library: str) -> bool:
    """Whether a library is installed.

    Parameters
    ----------
    library
        The name under which the library is imported.
    """
    try:
        return find_spec(library) is not None
    except ValueError:  # Python raises it for a blocked module.
        return False
