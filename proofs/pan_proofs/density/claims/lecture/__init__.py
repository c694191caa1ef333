"""The claims about ``lecture``."""
