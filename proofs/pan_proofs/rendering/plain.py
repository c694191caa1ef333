"""LaTeX as text for a terminal or a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from pan_proofs.engines.obligation import MissingEngine

_GROUPED = re.compile(r"([\^_])\{([^{}]*[^{}\w\\][^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\[(\d+)\]\{((?:[^{}]|\{[^{}]*\})*)\}")
_RELATION = re.compile(r"\s*([=<>≤≥≠∈→∞⇒⟹≈])\s*")


_FUNCTIONS = ("log", "exp", "sinh", "cosh", "tanh", "coth", "det", "min", "max", "lim", "inf", "sup")
_SIGNS = {
    "ne": "≠",
    "neq": "≠",
    "implies": "⟹",
    "iff": "⟺",
    "|": "‖",
    "bmod": "mod",
    "mid": "|",
    "to": "→",
    "mapsto": "↦",
}


def plain(text: str) -> str:
    """Formulas between dollar signs and LaTeX commands as plain characters; as it is without the extra ``proofs``."""
    try:
        to_text = _converter()
    except MissingEngine:
        return text
    spaced = re.sub(r"~|\\[,;:!]|\\q?quad|&", " ", text)
    # The converter would leave out the index of a root.
    spaced = _ROOT.sub(r"(\2)^{1/\1}", spaced)
    # Exponents of several characters keep their braces as parentheses.
    converted = to_text(_GROUPED.sub(r"\1{(\2)}", spaced))
    return " ".join(_RELATION.sub(lambda sign: f" {sign[1]} " if sign[1] != "∞" else sign[0], converted).split())


@cache
def _converter() -> Callable[[str], str]:
    try:
        from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
        from pylatexenc.latexwalker import LatexWalker
        from pylatexenc.latexwalker import get_default_latex_context_db as walker_context
        from pylatexenc.macrospec import std_macro
    except ImportError:
        raise MissingEngine("pylatexenc is not installed; install it with: pip install 'panproof[proofs]'") from None
    fractions = ("frac", "tfrac", "dfrac")
    sizes = ("left", "right", "bigl", "bigr", "Bigl", "Bigr", "big", "Big", "displaystyle")
    parsed = walker_context()
    two = [std_macro(name, False, 2) for name in (*fractions, "binom")]
    parsed.add_context_category("panproof", prepend=True, macros=[*two, std_macro("operatorname", False, 1)])
    written = get_default_latex_context_db()
    macros = [
        *(MacroTextSpec(name, simplify_repl=_fraction) for name in fractions),
        *(MacroTextSpec(name, simplify_repl="") for name in sizes),
        MacroTextSpec("binom", simplify_repl="C(%s, %s)"),
        MacroTextSpec("operatorname", simplify_repl="%s"),
        *(MacroTextSpec(name, simplify_repl=f" {name} ") for name in _FUNCTIONS),
        *(MacroTextSpec(name, simplify_repl=f" {sign} ") for name, sign in _SIGNS.items()),
        MacroTextSpec("text", simplify_repl=" %s "),
    ]
    written.add_context_category("panproof", prepend=True, macros=macros)
    converter = LatexNodes2Text(math_mode="text", latex_context=written)

    def convert(text: str) -> str:
        nodes, _, _ = LatexWalker(text, latex_context=parsed, tolerant_parsing=True).get_latex_nodes()
        return str(converter.nodelist_to_text(nodes))

    return convert


def _fraction(node: Any, l2tobj: Any) -> str:
    top, bottom = (l2tobj.nodelist_to_text([argument]).strip() for argument in node.nodeargd.argnlist)
    return f"{_bracketed(top)}/{_bracketed(bottom)}"


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"\d+|\w(_\w+)?|\([^()]*\)", text) else f"({text})"
