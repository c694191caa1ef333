"""The commands of the continual family."""
