"""The claims about ``bernoulli_family``."""
