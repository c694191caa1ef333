"""The page audits/PACKAGES.md, from the results of all packages."""

from __future__ import annotations

from typing import Any

from packages.definitions import PACKAGES, Package, Row

Results = dict[str, dict[str, Any]]

JUDGED = ("REFUTED", "NOT_REFUTED")
NOT_MEASURED = {"verdict": "NOT MEASURED", "reason": "", "day": "", "unseeded": False}
"""The result of a row that has none for its pins and its promise."""

INTRODUCTION = """# Packages

Verdicts of `panproof gate` on other people's packages. Written by `make packages`, not by hand.

Each package is judged at a pinned version, in an environment of its own. The adapters stand in `audits/packages`; the
sketches of DataSketches need none.

- A row is about one promise under one adjacency. A package that does not name the adjacency has a row for each one that
  it may mean. A refutation under one adjacency says nothing about another one.
- A tool has one adjacency alone, if its cause is the same under the other one, or if it is slow: PrivBayesGM of dpmm
  and AIM of synthcity.
- The bound is a lower bound on the loss, in nats, beside the promised epsilon, or on rho beside the promised rho. A
  refutation is wrong with probability at most 1e-6.
- Each refutation was made with two seeds. The bound is that of the first. Its witness replays with the same counts:
  `panproof replay FILE --estimator NAME --neighbours NAME`, from the root of this repository, in an environment with
  the package. The names stand in the file. For synthcity, `--memory-limit 32` gives room for the addresses of torch.
- NOT_REFUTED is no proof: the audit makes 5,000 or 10,000 runs to search, and fewer of models and synthesizers, 1,000
  to 128, by the time of a fit. It would not find a small excess, nor one on other inputs than those that the adapter
  names. With 128 runs it finds an almost certain event of a loss of about 4, and nothing smaller.
- "system": the package draws from the operating system, where no seed reaches. Elsewhere each run has a fresh seed.
- The checks of conduct, and of the independence of runs that no seed reaches, were made for the first row of each
  package, and for every row of the sketches.
- A repository that is no package is judged at a commit, if a copy of it stands in `.venv-packages/sources`.
- FAILED: the row gave no verdict, for the reason that is shown. NOT MEASURED: there is no result for this version and
  this promise. Each row has the day of its measurement.
- A refutation under one adjacency is no error of a package that means another one.
"""


def page(results: dict[str, Results]) -> str:
    """The whole page, from results by package, then by row."""
    parts = [INTRODUCTION]
    for package in PACKAGES:
        parts.append(_section(package, results[package.name]))
    return "\n".join(parts)


def _section(package: Package, results: Results) -> str:
    lines = [f"## {' and '.join(pin.replace('==', ' ') for pin in _shown(package))}", "", package.claim, ""]
    if not package.rows:
        return "\n".join(lines)
    lines += [
        "| tool | adjacency | promise | verdict | loss at least | witness | measured |",
        "|---|---|---|---|---:|---|---|",
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
    if verdict in JUDGED and (package.of_the_system or found["unseeded"]):
        verdict += " (system)"
    if found["verdict"] == "REFUTED":
        loss = f"{found['loss']:.3g}"
        event = found["event"].replace("|", "\\|")
        shown = f"[{event}](packages/witnesses/{package.name}/{row.slug}.json)"
    elif found["verdict"] != "NOT_REFUTED":
        shown = found["reason"].replace("|", "\\|")
    cells = (row.name, row.adjacency, promised(row), verdict, loss, shown, found["day"])
    return f"| {' | '.join(cells)} |"
