"""The claims about ``optimal_bernoulli``."""
