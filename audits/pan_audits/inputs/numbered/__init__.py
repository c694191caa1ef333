"""Inputs that are handed to a mechanism as a whole, each under a label."""
