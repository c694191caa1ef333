"""States and outputs as columns of numbers."""
