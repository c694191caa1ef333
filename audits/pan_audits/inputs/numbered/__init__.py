"""Inputs of mechanisms on whole inputs, each under a label."""
