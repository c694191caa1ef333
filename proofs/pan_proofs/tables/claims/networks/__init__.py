"""Claims about scores of networks, about what is learned, and about the text of the algorithms."""
