"""Ids and columns of entries from files and pipes, in constant memory."""
