"""Counts of present elements of a turnstile stream, private over all outputs together."""
