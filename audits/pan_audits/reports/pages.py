"""Tools of all HTML pages: templates in a package, figures inside the page."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from pan_promises.errors import MissingExtraError


def require_figures(purpose: str) -> None:
    """Check that the libraries for figures and pages are installed, before anything is computed."""
    try:
        for library in ("jinja2", "matplotlib"):
            importlib.import_module(library)
    except ImportError:
        raise MissingExtraError(purpose, "figures") from None


def asset(package: str, name: str) -> str:
    """The text of a file in the folder ``templates`` of a package."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def environment(package: str, **filters: Callable[..., Any]) -> Any:
    """An environment of jinja2 for the templates of a package: values are escaped, and a missing value is an error.

    The filter ``svg`` puts in a drawing, by its attribute ``svg``, as it is.
    """
    import jinja2
    from markupsafe import Markup

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: asset(package, name)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    made.filters |= {"svg": lambda drawing: Markup(drawing.svg), **filters}
    return made
