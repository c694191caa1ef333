"""The claims about ``pan_private_distinct_sampling``."""
