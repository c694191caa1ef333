"""The claims about ``calibrated_continual_output``."""
