"""Algorithms in which several sites hold the rows, and an analyst learns from their messages alone."""
