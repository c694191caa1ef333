"""Claims about entropies and their estimates."""
