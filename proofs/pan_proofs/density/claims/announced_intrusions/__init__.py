"""The claims about ``announced_intrusions``."""
