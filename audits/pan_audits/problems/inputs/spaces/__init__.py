"""Inputs of a space: as texts, and drawn by Hypothesis with their neighbours."""
