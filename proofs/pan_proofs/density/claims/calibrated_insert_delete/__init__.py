"""The claims about ``calibrated_insert_delete``."""
