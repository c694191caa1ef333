"""The family of tables: its own commands."""
