"""The claims about ``calibrated_announced_intrusions``."""
