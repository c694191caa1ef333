"""The observations of an intruder of bits: one user, whole streams, several releases."""
