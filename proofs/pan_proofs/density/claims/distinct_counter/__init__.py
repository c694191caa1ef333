"""The claims about ``distinct_counter``."""
