"""Density estimation: audit cases, published losses and experiments."""
