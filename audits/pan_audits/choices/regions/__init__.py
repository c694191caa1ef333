"""Exact probabilities of regions that linear comparisons of independent noise variables cut out."""
