"""One file for each claim, or for a few that share a derivation; each has a table ``CLAIMS`` from id to derivation."""
