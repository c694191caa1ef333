"""The claims about the density of a stream."""
