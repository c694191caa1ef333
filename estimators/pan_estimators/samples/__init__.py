"""Random samples of a universe."""
