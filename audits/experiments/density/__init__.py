"""The experiments of the density papers."""
