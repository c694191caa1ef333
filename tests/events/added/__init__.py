"""A comparison and a derived feature that live in the tests alone."""
