"""The detection of an estimator that changes itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan_audits.exact.plain import plain_bytes
from pan_audits.observing.fingerprint import fingerprint


@dataclass
class Constancy:
    """The fingerprint of an estimator, taken again only if a quick description of it has changed.

    Attributes
    ----------
    estimator
        The estimator whose attributes are watched.
    """

    estimator: Any
    _quick: bytes | None = None
    _print: str = ""

    def now(self) -> str:
        """The fingerprint of the estimator as it is."""
        told = getattr(self.estimator, "own_digest", None)
        if told is not None:
            # It runs in another process, and is described there.
            return str(told())
        quick = plain_bytes(self.estimator, functions=True)
        if quick is None or quick != self._quick:
            self._print = fingerprint(self.estimator)
            self._quick = quick
        return self._print
