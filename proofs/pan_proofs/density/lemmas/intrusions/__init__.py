"""The observations of an adversary of bits: one user, whole streams, several releases."""
