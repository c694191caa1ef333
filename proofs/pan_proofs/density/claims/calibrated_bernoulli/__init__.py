"""The claims about ``calibrated_bernoulli``."""
