"""The claims about ``dwork``."""
