"""The experiments of the continual family."""
