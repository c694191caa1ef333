"""Ids from files and pipes, in constant memory."""

from pan_audits.sources.integers import as_integers
from pan_audits.sources.reader import IdSource, open_source

__all__ = ["IdSource", "as_integers", "open_source"]
