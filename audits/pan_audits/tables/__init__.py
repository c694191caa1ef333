"""The family of tables in the audits: its commands."""
