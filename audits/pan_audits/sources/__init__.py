"""Ids from files and pipes, in constant memory."""

from pan_audits.sources.reader import IdSource, open_source

__all__ = ["IdSource", "open_source"]
