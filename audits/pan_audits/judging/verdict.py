"""The four verdicts, and the exit codes that go with them."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The verdict of an audit.

    ``CERTIFIED``
        Proved for all sizes and checked exactly at small ones; never by an audit alone.
    ``REFUTED``
        There is a witness.
    ``NOT_REFUTED``
        No witness was found; it comes with the smallest violation that would have been.
    ``INCONCLUSIVE``
        Something is missing; the reason names it.
    """

    CERTIFIED = "CERTIFIED"
    REFUTED = "REFUTED"
    NOT_REFUTED = "NOT_REFUTED"
    INCONCLUSIVE = "INCONCLUSIVE"

    @property
    def exit_code(self) -> int:
        """0 accepted, 1 refuted, 3 inconclusive; 2 is kept for bad input."""
        return {Verdict.REFUTED: 1, Verdict.INCONCLUSIVE: 3}.get(self, 0)
