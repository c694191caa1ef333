"""Theorems of proofs/coq that claims name: what Coq has recorded of them, and whether it is of the sources as they are.

The file of a theorem names its claims, and a claim names its theorems. Both must agree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, minted
from pan_proofs.ledger.claim import Claim

ALLOWED = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "Classical_Prop.classic",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
"""Classical real numbers and functional extensionality."""
_RECORD, _PROJECT = "checked.json", "_CoqProject"
_KINDS = {"claim": Kind.THEOREM, "refutation": Kind.REFUTATION}
_PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = (_PACKAGE / "coq", _PACKAGE.parent / "coq")
"""The places of the Coq sources: in an installed package, and in a checkout."""


@dataclass(frozen=True)
class Theorem:
    """A theorem as Coq has recorded it.

    Attributes
    ----------
    name, file
        Its name, and the file in which it stands.
    about
        The claims that the file names.
    axioms
        The axioms on which it rests.
    statement
        The statement as Coq prints it; empty if it is not recorded.
    kind
        Whether it says that something holds, or that it is false; ``None`` for a control.
    current
        Whether the sources are those that Coq has checked.
    """

    name: str
    file: str
    about: tuple[str, ...]
    axioms: tuple[str, ...]
    statement: str
    kind: Kind | None
    current: bool


def theorems() -> Mapping[str, Theorem]:
    """The recorded theorems by name; none without the Coq sources."""
    folder = _folder()
    return _recorded((folder / _RECORD).read_text(), digest(folder)) if folder else {}


def source_files() -> tuple[Path, ...]:
    """The Coq sources, with the record of their check; none if they are not there."""
    folder = _folder()
    return (folder / _RECORD, *_sources(folder)) if folder else ()


@cache
def _recorded(record: str, found: str) -> Mapping[str, Theorem]:
    stored = json.loads(record)
    return {
        row["theorem"]: Theorem(
            row["theorem"],
            row["file"],
            tuple(row["about"]),
            tuple(row["axioms"]),
            row.get("statement", ""),
            _KINDS.get(row["kind"]),
            stored["digest"] == found,
        )
        for row in stored["theorems"]
    }


def digest(folder: Path) -> str:
    """The SHA-256 of all Coq sources in a folder, names included."""
    found = hashlib.sha256()
    for path in _sources(folder):
        text = path.read_bytes()
        found.update(f"{path.name} {len(text)}\n".encode() + text)
    return found.hexdigest()


def _folder() -> Path | None:
    return next((one for one in FOLDERS if (one / _RECORD).is_file()), None)


def _sources(folder: Path) -> tuple[Path, ...]:
    listed = (folder / line for line in (folder / _PROJECT).read_text().split() if line.endswith(".v"))
    return (folder / _PROJECT, *listed)


def with_theorems(claim: Claim) -> Claim:
    """The claim with what Coq has recorded of the theorems that its parts name, as it is now.

    Raises
    ------
    ValueError
        For a name that Coq has not recorded, for a control, and for a theorem about other claims.
    """
    return replace(
        claim,
        parts=tuple(
            replace(part, checked=tuple(_checked(claim.id, name) for name in part.theorems)) for part in claim.parts
        ),
    )


def _checked(claim: str, name: str) -> Obligation:
    found = theorems().get(name)
    if found is None:
        raise ValueError(f"{claim} names the theorem {name}, which Coq has not recorded")
    if found.kind is None or claim not in found.about:
        raise ValueError(f"{claim} names the theorem {name}, which {found.file} does not say is about it")
    asked = {
        "the sources are those that Coq has checked": Answer.HOLDS if found.current else Answer.UNKNOWN,
        "it rests on the allowed axioms only": Answer.HOLDS if set(found.axioms) <= ALLOWED else Answer.FAILS,
    }
    checks = (Check(question, "coq", Answer.HOLDS, answer) for question, answer in asked.items())
    return minted(name, f"{name} of {found.file}", checks, found.kind)
