"""Worker processes, and their limits."""
