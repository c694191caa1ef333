"""Following random choices in exact arithmetic."""
