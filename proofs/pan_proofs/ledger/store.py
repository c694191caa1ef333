"""Derived claims, kept by the hash of what they depend on."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pan_proofs.ledger.claim import Claim, ProofVerdict
from pan_proofs.ledger.theorems import with_theorems


@dataclass(frozen=True)
class Store:
    """A folder of derived claims.

    Attributes
    ----------
    folder
        Where they are; made when the first one is kept.
    """

    folder: Path

    def load(self, identifier: str, key: str) -> Claim | None:
        """The claim that was derived from the same inputs, if there is one that can be read.

        Of the theorems that it names the record of Coq is read anew.
        """
        try:
            claim = Claim.from_dict(json.loads(self._path(identifier, key).read_text()))
            return with_theorems(claim) if claim.id == identifier else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, claim: Claim, key: str) -> None:
        """Keep a claim that is decided by all its engines; nothing is kept if the folder cannot be written."""
        if claim.skipped or claim.verdict is ProofVerdict.UNDECIDED:
            return
        path = self._path(claim.id, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
                json.dump(claim.to_dict(), file)
            os.replace(file.name, path)
            for older in path.parent.glob(f"{claim.id}-*.json"):
                if older != path:
                    older.unlink(missing_ok=True)
        except OSError:
            return

    def _path(self, identifier: str, key: str) -> Path:
        return self.folder / f"{identifier}-{key[:32]}.json"


def default_store() -> Store:
    """The user's own, or the one that ``PANPROOF_CACHE`` names."""
    named = os.environ.get("PANPROOF_CACHE")
    if named:
        return Store(Path(named))
    from platformdirs import user_cache_path

    return Store(user_cache_path("panproof") / "ledger")
