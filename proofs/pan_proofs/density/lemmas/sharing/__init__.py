"""Cells that several users share, in levels with one noisy count each."""
