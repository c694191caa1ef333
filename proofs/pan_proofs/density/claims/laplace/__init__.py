"""The claims about ``laplace``."""
