"""Pairs of adjacent streams: their parts, the catalogue of an audit, and their reduction."""
