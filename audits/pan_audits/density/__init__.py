"""Density estimation: audit cases, capabilities and commands."""
