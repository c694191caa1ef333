"""Claims about the privacy of the algorithms that learn networks."""
