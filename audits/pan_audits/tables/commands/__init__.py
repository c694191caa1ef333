"""The commands of the family of tables."""
