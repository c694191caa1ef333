"""The commands that concern density estimation only."""
