"""The page audits/PACKAGES.md, from the results of all packages."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from packages.definitions import PACKAGES
from packages.looked_at import LOOKED_AT
from packages.rows import ADAPTERS, Package, Row

Results = dict[str, dict[str, Any]]

REPORTS = Path(__file__).with_name("reports")
SHORT_ADAPTER = 5
"""Lines of code of a short adapter, without the line of its name."""
_LONGEST = 240

JUDGED = ("REFUTED", "NOT_REFUTED")
NOT_MEASURED = {"verdict": "NOT MEASURED", "reason": "", "day": "", "unseeded": False}
"""The result of a row that has none for its pins and its promise."""

INTRODUCTION = """# Packages

Verdicts of `panproof gate` on other people's packages. Written by `make packages`, not by hand.

Each package is judged at a pinned version, in an environment of its own. A callable of the package is judged as it is,
or by an adapter in `audits/packages`, whose lines of code are counted with those of the functions that it calls.

- A row is about one promise under one adjacency. A package that does not name the adjacency has a row for each one that
  it may mean. A refutation under one adjacency says nothing about another one, and is no error of a package that means
  another one.
- A tool has one adjacency alone, if its cause is the same under the other one, or if it is slow: PrivBayesGM of dpmm
  and AIM of synthcity.
- "exact": the exact check computes the loss, or the delta for the promised epsilon, on the pairs that are given. Else
  the loss is a lower bound, in nats, beside the promised epsilon, or on rho beside the promised rho. A refutation by
  runs is wrong with probability at most 1e-6.
- Each refutation by runs was made with two seeds. The bound is that of the first. Its witness replays with the same
  counts: `panproof replay FILE --estimator NAME --neighbours NAME`, from the folder `audits` of this repository, in an
  environment with the package. The names stand in the file. For synthcity, `--memory-limit 32` gives room for the
  addresses of torch.
- NOT_REFUTED by runs is no proof: the audit makes 3,000 to 10,000 runs to search, and fewer of models, synthesizers and
  slow functions, 1,000 to 128, by the time of a run. It would not find a small excess, nor one on other inputs than
  those that the row names. With 128 runs it finds an almost certain event of a loss of about 4, and nothing smaller.
- "system": the package draws from the operating system, where no seed reaches. Elsewhere each run has a fresh seed.
- The checks of conduct, and of the independence of runs that no seed reaches, were made for the first row of each
  package, and for every row of the sketches.
- A repository that is no package is judged at a commit, if a copy of it stands in `.venv-packages/sources`.
- FAILED: the row gave no verdict, for the reason that is shown. NOT MEASURED: there is no result for this version and
  this promise. Each row has the day of its measurement.
"""


def page(results: dict[str, Results]) -> str:
    """The whole page, from results by package, then by row."""
    parts = [INTRODUCTION, _summary(results)]
    for package in PACKAGES:
        parts.append(_section(package, results[package.name]))
    parts.append(_looked_at())
    return "\n".join(parts)


ALL_EXACT, SOME_EXACT, BY_RUNS, NOT_AT_ALL = (
    "every row exactly",
    "some rows exactly",
    "by runs alone",
    "not at all",
)
"""How the rows of a package are judged."""


def judged_how(package: Package, results: Results) -> str:
    """How the rows of a package are judged."""
    found = [results.get(row.slug, NOT_MEASURED) for row in package.rows]
    decided = [each.get("how", "runs") == "exact" for each in found if each["verdict"] in JUDGED]
    if not decided:
        return NOT_AT_ALL
    if all(decided) and len(decided) == len(found):
        return ALL_EXACT
    return SOME_EXACT if any(decided) else BY_RUNS


def _summary(results: dict[str, Results]) -> str:
    """Numbers of packages and rows, by what they need, by how they are judged, and why not exactly."""
    pairs = [
        (package, row, results[package.name].get(row.slug, NOT_MEASURED))
        for package in PACKAGES
        for row in package.rows
    ]
    lines = ["## In numbers", ""]
    lines.append(f"{len(PACKAGES)} packages, {len(pairs)} rows.")
    decided = [(package, row) for package, row, found in pairs if found["verdict"] in JUDGED]
    light = [package.name for package, row in decided if lines_of_adapter(row) <= SHORT_ADAPTER]
    lines.append(
        f"{len(light)} rows of {len(set(light))} packages have a verdict as they are, or by an adapter of at most "
        f"{SHORT_ADAPTER} lines."
    )
    lines += ["", "| packages judged | packages | |", "|---|---:|---:|"]
    how = Counter(judged_how(package, results[package.name]) for package in PACKAGES)
    for kind in (ALL_EXACT, SOME_EXACT, BY_RUNS, NOT_AT_ALL):
        lines.append(f"| {kind} | {how[kind]} | {how[kind] / len(PACKAGES):.0%} |")
    lines += ["", "| rows | rows | exactly | by runs | REFUTED |", "|---|---:|---:|---:|---:|"]
    for kind, chosen in (
        ("as it is", lambda lines: lines == 0),
        (f"adapter of at most {SHORT_ADAPTER} lines", lambda lines: 0 < lines <= SHORT_ADAPTER),
        ("longer adapter", lambda lines: lines > SHORT_ADAPTER),
    ):
        these = [found for _, row, found in pairs if chosen(lines_of_adapter(row))]
        decided = [each.get("how", "runs") for each in these if each["verdict"] in JUDGED]
        refuted = sum(each["verdict"] == "REFUTED" for each in these)
        lines.append(f"| {kind} | {len(these)} | {decided.count('exact')} | {decided.count('runs')} | {refuted} |")
    reasons = Counter(each["not_exact"] for _, _, each in pairs if each.get("not_exact"))
    lines += ["", "Why the exact check does not decide, where it was asked:", ""]
    lines += [f"- {number}: {_in_a_line(reason)}" for reason, number in reasons.most_common()]
    return "\n".join([*lines, ""])


def _looked_at() -> str:
    number = sum(map(len, LOOKED_AT.values()))
    lines = [
        "## Looked at, and not judged",
        "",
        f"{number} packages that speak of differential privacy, by their archive or their summary:",
        "",
    ]
    lines += [f"- {', '.join(names)}: {why}." for why, names in LOOKED_AT.items()]
    return "\n".join([*lines, ""])


def _section(package: Package, results: Results) -> str:
    lines = [f"## {' and '.join(pin.replace('==', ' ') for pin in _shown(package))}", "", package.claim, ""]
    if not package.rows:
        return "\n".join(lines)
    if reported(package):
        lines += [f"[A report for the maintainers](packages/reports/{package.name}.md).", ""]
    lines += [
        "| tool | adjacency | promise | judged | verdict | loss | witness | measured |",
        "|---|---|---|---|---|---:|---|---|",
    ]
    causes: dict[str, list[str]] = {}
    for row in package.rows:
        found = results.get(row.slug, NOT_MEASURED)
        lines.append(_line(package, row, found))
        if found["verdict"] == "REFUTED":
            causes.setdefault(row.cause, []).append(f"{row.name} ({row.adjacency})")
    if causes:
        lines += ["", "Causes:", ""]
        for cause, names in causes.items():
            lines.append(f"- {', '.join(dict.fromkeys(names))}: {cause}.")
    return "\n".join([*lines, ""])


def reported(package: Package) -> bool:
    """Whether there is a report for the maintainers of a package."""
    return (REPORTS / f"{package.name}.md").is_file()


def needs(row: Row) -> str:
    """What a row needs, in words."""
    lines = lines_of_adapter(row)
    return f"adapter, {lines} line{'s' * (lines != 1)}" if lines else "as it is"


def lines_of_adapter(row: Row) -> int:
    """The lines of code of the adapter, with the functions of adapters that it calls; 0 for a callable of a package.

    The line that names a function counts, and its imports do. Blank lines, comments and documentation do not.
    """
    module, _, name = row.estimator.partition(":")
    wanted, taken = [(module, name)], set()
    lines = 0
    while wanted:
        if (part := wanted.pop()) in taken:
            continue
        taken.add(part)
        defined, imported = _names_of(part[0])
        if part[1] in imported:
            wanted.append(imported[part[1]])
        elif part[1] in defined:
            lines += _lines_of_code(defined[part[1]])
            wanted += [(part[0], node.id) for node in ast.walk(defined[part[1]]) if isinstance(node, ast.Name)]
    return lines


@cache
def _names_of(module: str) -> tuple[dict[str, ast.stmt], dict[str, tuple[str, str]]]:
    """What a module of adapters defines, and what it takes from another one; nothing for a module of a package."""
    defined: dict[str, ast.stmt] = {}
    imported: dict[str, tuple[str, str]] = {}
    folder, _, name = module.rpartition(".")
    if folder != ADAPTERS or not (name in {"short", "tables"} or name.startswith("of_")):
        return defined, imported
    for each in ast.parse(Path(__file__).with_name(f"{name}.py").read_text()).body:
        names = [each.name] if isinstance(each, (ast.FunctionDef, ast.ClassDef)) else []
        if isinstance(each, ast.Assign):
            names = [target.id for target in each.targets if isinstance(target, ast.Name)]
        if isinstance(each, ast.ImportFrom) and each.module:
            imported |= {alias.asname or alias.name: (each.module, alias.name) for alias in each.names}
        defined |= dict.fromkeys(names, each)
    return defined, imported


def _lines_of_code(definition: ast.stmt) -> int:
    documentation = {id(each.body[0]) for each in ast.walk(definition) if _is_documented(each)}
    return len(
        {node.lineno for node in ast.walk(definition) if isinstance(node, ast.stmt) and id(node) not in documentation}
    )


def _is_documented(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None


def _shown(package: Package) -> tuple[str, ...]:
    if package.source:
        return (f"{package.name}=={package.version}",)
    beside = [pin for pin in package.beside if not pin.startswith("scikit-learn")]
    return (package.pins[0], *beside)


def promised(row: Row) -> str:
    """The promise as the page shows it."""
    words = dict(part.split("=") for part in row.promise.split(","))
    if "rho" in words:
        return f"rho {float(words['rho']):.4g}, {words['observed']}"
    budget = words["epsilon"] if "log" in words["epsilon"] else f"{float(words['epsilon']):.4g}"
    delta = f", delta {words['delta']}" if "delta" in words else ""
    return f"{budget}{delta}, {words['observed']}"


def _line(package: Package, row: Row, found: dict[str, Any]) -> str:
    verdict, loss, shown = found["verdict"], "", ""
    if verdict in JUDGED:
        how = found.get("how", "runs")
        verdict += f" ({how})" if how == "exact" else " (system)" if package.of_the_system or found["unseeded"] else ""
    if found["verdict"] == "REFUTED":
        loss = _in_numbers(row, found)
        shown = f"[{_in_a_line(found['event'])}](packages/witnesses/{package.name}/{row.slug}.json)"
    elif found["verdict"] != "NOT_REFUTED":
        shown = _in_a_line(found["reason"])
    cells = (row.name, row.adjacency, promised(row), needs(row), verdict, loss, shown, found["day"])
    return f"| {' | '.join(cells)} |"


def _in_numbers(row: Row, found: dict[str, Any]) -> str:
    """The loss of a refutation, or the delta that an exact check finds for the promised epsilon."""
    loss = found["loss"]
    if isinstance(loss, str):
        return loss
    if found.get("how") == "exact":
        return f"delta {loss:.3g}" if "delta=" in row.promise else f"{loss:.4g}"
    return f"at least {loss:.3g}"


def _in_a_line(text: str) -> str:
    words = " ".join(text.replace("|", "\\|").split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."
