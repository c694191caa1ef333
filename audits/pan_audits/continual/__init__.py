"""Distinct counting under continual observation: the sensitivity of tree nodes at any number of steps."""
