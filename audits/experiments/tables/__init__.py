"""The experiments of the family of tables."""
