"""Claims about the scores by which a structure is chosen."""
