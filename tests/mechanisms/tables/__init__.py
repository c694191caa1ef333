"""Mechanisms on tables: correct ones, and broken ones with one error each."""
