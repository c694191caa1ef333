"""Ids from files and pipes, in constant memory."""

from pan_audits.sources.integers import as_integers
from pan_audits.sources.reader import IdSource, open_source
from pan_audits.sources.reading import IdKind, MissingPolicy, Reading, Tally

__all__ = ["IdKind", "IdSource", "MissingPolicy", "Reading", "Tally", "as_integers", "open_source"]
