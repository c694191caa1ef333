"""Universes of users, and arrays of ids that are looked up in them."""
