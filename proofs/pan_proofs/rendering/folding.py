"""Displays that are too wide for a page, folded at sums and after long fractions; widths are estimated from LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LINE = 78
"""The width of a display beside its number, in digits."""
_NUMERATOR = 40
"""The width of the longest numerator or denominator that is set as one."""
_ARGUMENTS = 36
"""The width of the longest list of arguments in which no line ends."""

_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\s+|.", re.DOTALL)
_FRACTIONS = (r"\frac", r"\tfrac", r"\dfrac")
_INVISIBLE = (r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\displaystyle", r"\limits", "{", "}", "&")
_WIDE = {r"\quad": 2.0, r"\qquad": 4.0, r"\,": 0.4, r"\;": 0.6, r"\ ": 0.7, r"\!": 0.0, r"\ldots": 2.4, r"\cdots": 2.4}
_SIGNS = ("+", "-", "=", "<", ">", r"\le", r"\ge", r"\leq", r"\geq", r"\ne", r"\neq", r"\wedge", r"\vee", r"\cdot")
_FUNCTIONS = (r"\log", r"\exp", r"\min", r"\max", r"\tanh", r"\cosh", r"\sinh", r"\lim", r"\det", r"\sup", r"\inf")
_TEXTS = (r"\text", r"\mathrm", r"\operatorname", r"\mathbf")
_SUMMED = ("+", "-", r"\wedge", r"\vee")
_ENDS = (r"\quad", "=", "<", ">", r"\le", r"\leq", r"\ge", r"\geq")
_BEFORE_A_TERM = ("", "(", "[", "^", "_", ",", "{", r"\quad", r"\bigl")
_SUMS = (r"\sum", r"\prod", r"\int")


def width(formula: str) -> float:
    """The width of a formula, in digits."""
    return _width(_TOKEN.findall(formula))


def folded(rows: Sequence[str], line: float = LINE) -> list[str]:
    """The rows of an aligned display, the too wide ones over several rows.

    Parameters
    ----------
    rows
        Each with an ``&`` where they are aligned.
    line
        The width of a row, in digits.
    """
    sides = [row.partition("&")[::2] for row in map(str.strip, rows)]
    before = max(width(left) for left, _ in sides)
    if before + max(width(right) for _, right in sides) <= line:
        return list(rows)
    aligned = before <= line / 2
    found: list[str] = []
    for left, right in sides:
        room = line - before if aligned else line
        whole = right if aligned else f"{left}{right}"
        first, *more = _pieces(_loose(whole) if width(whole) > room else whole, room)
        found += [f"{left}&{first}" if aligned else f"&{first}", *(rf"&\quad {piece}" for piece in more)]
    return found


def unfolded(formula: str, line: float = LINE) -> str:
    """A formula of a paragraph whose lines TeX can break: without long fractions and parentheses that grow."""
    if width(formula) <= line / 2:
        return formula
    return _breakable(_loose(formula))


def _breakable(formula: str) -> str:
    """A formula with a place for the end of a line after each comma, but not between the arguments of a function.

    By itself TeX breaks no line after a comma, as in a set of cases.
    """
    parts = _TOKEN.findall(formula)
    found: list[str] = []
    kept: list[bool] = []
    for at, token in enumerate(parts):
        if token == "(":
            # Long arguments are parted: a line that cannot be broken would run over the margin.
            kept.append(_width(parts[at : _closing(parts, at)]) <= _ARGUMENTS)
        elif token == ")" and kept:
            kept.pop()
        found.append(r", \allowbreak" if token == "," and not any(kept) else token)
    return "".join(found)


def _closing(parts: list[str], at: int) -> int:
    """The place of the parenthesis that closes the one at a place."""
    depth = 0
    for place in range(at, len(parts)):
        depth += {"(": 1, ")": -1}.get(parts[place], 0)
        if depth == 0:
            return place
    return len(parts)


def nested(formula: str) -> bool:
    """Whether a fraction stands in a fraction, so that the inner one would be too small in a line of text."""
    parts = _TOKEN.findall(formula)
    fractions = [at for at, token in enumerate(parts) if token in _FRACTIONS]
    ends = [_after(parts, _after(parts, at + 1)) for at in fractions]
    return any(at < inner < end for at, end in zip(fractions, ends, strict=True) for inner in fractions)


def _loose(formula: str) -> str:
    sized = re.sub(r"\\(left|right)(?![a-zA-Z])", lambda found: rf"\big{found[1][0]}", formula)
    return _short_fractions(sized)


def _short_fractions(formula: str) -> str:
    """Fractions with a long numerator as a factor before it."""
    parts = _TOKEN.findall(formula)
    found: list[str] = []
    at = 0
    while at < len(parts):
        if parts[at] not in _FRACTIONS:
            found.append(parts[at])
            at += 1
            continue
        middle = _after(parts, at + 1)
        end = _after(parts, middle)
        top, bottom = (_short_fractions("".join(_inside(parts[a:b]))) for a, b in ((at + 1, middle), (middle, end)))
        if max(width(top), width(bottom)) <= _NUMERATOR:
            found.append(rf"{parts[at]}{{{top}}}{{{bottom}}}")
        elif width(bottom) <= _NUMERATOR:
            found.append(rf"{parts[at]}{{1}}{{{bottom}}}\bigl({top}\bigr)")
        else:
            found.append(rf"\bigl({top}\bigr) / \bigl({bottom}\bigr)")
        at = end
    return "".join(found)


def _pieces(formula: str, room: float) -> Iterator[str]:
    """A formula in pieces that fit, each but the first with the sign before which it was cut."""
    terms = list(_terms(formula))
    piece = terms[0]
    for term in terms[1:]:
        # The pieces after the first are indented.
        if width(piece) + width(term) > room - 2:
            yield piece.strip()
            piece = term if term.lstrip().startswith("\\quad") else f"{{}}{term}"
        else:
            piece += term
    yield piece.strip()


def _terms(formula: str) -> Iterator[str]:
    """The parts between which a row may end: before a sum's sign, a relation, or a wide space outside of braces."""
    depth, part, last = 0, "", ""
    for token in _TOKEN.findall(formula):
        depth += {"{": 1, "}": -1}.get(token, 0)
        binary = token in _SUMMED and last not in _BEFORE_A_TERM and last not in _SIGNS
        if depth == 0 and part.strip() and (binary or token in _ENDS):
            yield part
            part = ""
        part += token
        last = last if token.isspace() else token
    yield part


def _width(parts: list[str]) -> float:
    total, at = 0.0, 0
    while at < len(parts):
        token, end = parts[at], at + 1
        if token in _FRACTIONS:
            middle = _after(parts, at + 1)
            end = _after(parts, middle)
            total += max(_width(parts[at + 1 : middle]), _width(parts[middle:end])) * (0.7 if token == r"\tfrac" else 1)
        elif token in ("^", "_"):
            end = _after(parts, at + 1)
            total += 0.7 * _width(parts[at + 1 : end])
        elif token in _TEXTS:
            end = _after(parts, at + 1)
            total += 0.9 * len("".join(_inside(parts[at + 1 : end])))
        else:
            total += _single(token)
        at = end
    return total


def _single(token: str) -> float:
    if token in _INVISIBLE or token.isspace():
        return 0.0
    if token in _WIDE:
        return _WIDE[token]
    if token in _SIGNS:
        return 2.6
    if token in _SUMS:
        return 3.0
    return float(len(token) - 1) if token in _FUNCTIONS else 1.0 if token in "0123456789.,()[]|" else 1.15


def _after(parts: list[str], at: int) -> int:
    """The place after an argument: a group in braces, or one token."""
    while at < len(parts) and parts[at].isspace():
        at += 1
    if at >= len(parts) or parts[at] != "{":
        return min(at + 1, len(parts))
    depth = 0
    for place in range(at, len(parts)):
        depth += {"{": 1, "}": -1}.get(parts[place], 0)
        if depth == 0:
            return place + 1
    return len(parts)


def _inside(parts: list[str]) -> list[str]:
    """An argument without its braces."""
    kept = [part for part in parts if not part.isspace()] if len(parts) < 2 else parts
    while kept and kept[0].isspace():
        kept = kept[1:]
    return kept[1:-1] if kept and kept[0] == "{" else kept
