"""The templates, with what is filled into all of them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from pan_proofs.engines.obligation import load_engine
from pan_proofs.rendering.view import (
    axioms,
    carried,
    closed,
    discharged_by,
    engine_names,
    formal_statements,
    heading,
    listed,
    listing,
    named_theorems,
    place,
    prose_steps,
    short_source,
    symbol_meanings,
)


def environment(**options: Any) -> Any:
    """An environment of jinja2 with the filters that every kind of document needs.

    Parameters
    ----------
    options
        The syntax of the kind: delimiters, escaping.

    Raises
    ------
    MissingEngine
        If jinja2 is not installed, with the extra that installs it.
    """
    jinja2 = load_engine("jinja2")
    templates = files("pan_proofs.rendering") / "templates"
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (templates / name).read_text(encoding="utf-8")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )
    made.filters |= {
        "heading": heading,
        "place": place,
        "source": short_source,
        "engines": engine_names,
        "discharged_by": discharged_by,
        "listed": listed,
        "symbol_meanings": symbol_meanings,
        "closed": closed,
        "prose_steps": prose_steps,
        "formal_statements": formal_statements,
        "theorems": named_theorems,
        "axioms": axioms,
        "listing": listing,
        "carried": carried,
    }
    return made
