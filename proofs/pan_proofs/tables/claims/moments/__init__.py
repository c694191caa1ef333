"""Claims about moments of counts and of noise."""
