"""Numerical mathematics for counting. A library for it would take ten times the space of everything else."""
