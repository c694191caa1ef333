"""Prose is plain: docstrings, comments, messages and documents have none of the patterns that readers stumble over."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "pan_audits": ROOT / "audits" / "pan_audits",
    "panproof": ROOT / "audits" / "panproof",
    "experiments": ROOT / "audits" / "experiments",
    "pan_promises": ROOT / "estimators" / "pan_promises",
    "pan_estimators": ROOT / "estimators" / "pan_estimators",
}
DOCUMENTS = (*sorted(ROOT.glob("*.md")), ROOT / "tests" / "README.md", *sorted((ROOT / "docs").glob("*.md")))

# A sentence starts with a subject: a relative clause in its place, or a noun phrase that begins with one, is hard to
# read. A question is no such sentence.
_OPENING = re.compile(r"(?:^|(?<=[.!?] ))(?:What|Whoever|Whatever|Whichever|Who|Whose|Which|How)\b(?![^.!?]*\?)")
FORBIDDEN = (
    "all the same",
    "adjacent twin",
    "anything true",
    "by turns",
    "came of it",
    "for ever",
    "for want of",
    "held against",
    "holds nothing any more",
    "is told so",
    "it is none",
    "lets expect",
    "looked at again",
    "made anew",
    "makes of it",
    "may be the same",
    "must be mended",
    "names what is no",
    "of one's own",
    "one by one",
    "so many",
    "somebody",
    "speaks of",
    "stands there",
    "that there is not",
    "told apart",
    "where there is none",
    "whichever",
    "whoever",
)
_NAMES = re.compile(r"^_*(?:see|make_sure|say|tell)_(?:that|to|whether)_")


def _paragraphs(text):
    """Runs of lines with one indentation, each as one line: sections of a docstring, entries of a list."""
    found, indentation = [""], -1
    for line in text.splitlines():
        here = len(line) - len(line.lstrip())
        if not line.strip() or here != indentation or line.lstrip().startswith(("- ", "* ", "|", "#")):
            found.append("")
        found[-1] = f"{found[-1]} {line.strip()}".strip()
        indentation = here if line.strip() else -1
    return [paragraph for paragraph in found if paragraph]


def faults(text):
    """The forbidden patterns in a text, each with the sentence around it."""
    found = []
    for paragraph in _paragraphs(text):
        found += [paragraph[match.start() : match.start() + 60] for match in _OPENING.finditer(paragraph)]
        small = paragraph.lower()
        found += [f"{words}: {paragraph[:60]}" for words in FORBIDDEN if re.search(rf"\b{words}\b", small)]
    return found


def _docstrings(tree):
    """Strings that stand alone: docstrings of modules, classes and functions, and those below a constant."""
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


def _messages(tree, skipped):
    """All other strings with a space; a formatted string as one, a gap where a value stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            skipped |= {id(part) for part in node.values}
            yield node.lineno, "".join(map(str, parts))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def _comments(source):
    """Comments, those of several lines as one text."""
    blocks, last = {}, None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            row = token.start[0]
            first = last[1] if last and last[0] == row - 1 else row
            blocks[first] = f"{blocks.get(first, '')} {token.string.lstrip('# ')}".strip()
            last = row, first
    return blocks.items()


def explanations(source):
    """Docstrings and comments of a module, each with its line."""
    yield from ((node.lineno, _dedented(node.value)) for node in _docstrings(ast.parse(source)))
    yield from _comments(source)


def prose(source):
    """Docstrings, messages and comments of a module, each with its line."""
    tree = ast.parse(source)
    skipped = {id(node) for node in _docstrings(tree)}
    yield from explanations(source)
    yield from ((line, text) for line, text in _messages(tree, skipped) if " " in text)


def _dedented(text):
    first, _, rest = text.partition("\n")
    return f"{first}\n\n{rest}" if rest.strip() else first


def _functions(source):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.lineno, node.name) for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_are_written_in_plain_words(package):
    found = []
    for path in sorted(PACKAGES[package].rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        place = path.relative_to(ROOT)
        found += [f"{place}:{line}: {fault}" for line, text in prose(source) for fault in faults(text)]
        found += [f"{place}:{line}: the name {name}" for line, name in _functions(source) if _NAMES.match(name)]
    assert not found, "\n".join(found)


def test_proofs_are_explained_in_plain_words():
    """Strings of the proofs are statements of mathematics, in the words of their sources."""
    found = []
    for path in sorted((ROOT / "proofs" / "pan_proofs").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        place = path.relative_to(ROOT)
        found += [f"{place}:{line}: {fault}" for line, text in explanations(source) for fault in faults(text)]
    assert not found, "\n".join(found)


def test_templates_are_written_in_plain_words():
    found = []
    for path in sorted((ROOT / "audits").rglob("*.j2")):
        text = re.sub(r"<[^>]*>|\{%.*?%\}|\{\{.*?\}\}", "\n\n", path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(ROOT)}: {fault}" for fault in faults(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_documents_are_written_in_plain_words(page):
    assert not faults(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "What is run.",
        "A noun.\n\n    subject\n        What is run.",
        "It ends. Whoever reads it is told.",
        "The result may be the same all the same.",
        "The output minus what the state lets\nexpect.",
        "How often the event happened.",
        "Which streams are adjacent.",
        "The code of somebody else.",
        "The loss, or ``None`` where there is none.",
        "Runs are made one by one.",
    ],
)
def test_a_fault_is_found(text):
    assert faults(text)


@pytest.mark.parametrize("text", ["What does it cost? Nothing.", "The value that a user sees.", "Show what is left."])
def test_plain_sentences_pass(text):
    assert not faults(text)


def test_a_message_in_several_parts_is_read_as_one():
    source = 'raise ValueError(\n    f"the output of {name} is all "\n    "the same"\n)'
    assert [fault for _, text in prose(source) for fault in faults(text)] == [
        "all the same: the output of … is all the same"
    ]
