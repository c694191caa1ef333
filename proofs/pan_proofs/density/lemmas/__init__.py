"""Definitions and steps that several claims share."""
