"""Processes that do the work, and their limits."""
