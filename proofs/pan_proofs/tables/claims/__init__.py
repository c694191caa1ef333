"""Claims of the tables family."""
