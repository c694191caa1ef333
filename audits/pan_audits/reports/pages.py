"""Pages, figures and folders: their libraries and their places are tried before the work begins."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from pan_promises.errors import InputError, MissingExtraError


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


def require_folder(folder: Path) -> None:
    """Make a folder if it is missing, and write and delete a file there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"panproof")
    except OSError as problem:
        raise InputError(f"cannot write to {folder}: {problem.strerror}") from None


_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "panproof",
    "text.parse_math": False,
    "text.usetex": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


@contextmanager
def plotting_style(settings: Mapping[Any, Any]) -> Iterator[None]:
    """Draw and save figures within it; :func:`pan_audits.reports.pages.require_figures` checks the library."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE | dict(settings))
        yield


def new_figure(width: float, height: float, **options: Any) -> Any:
    """An empty figure, in inches; it belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), **options)


def svg_element(figure: Any, **options: Any) -> str:
    """The figure as an ``svg`` element: the same text for the same figure, at any time and on any machine."""
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=nothing, **options)
    element = text.getvalue()
    return element[element.index("<svg") :]
