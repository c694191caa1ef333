"""What an intruder sees of bits: one user, whole streams, several releases."""
