"""The claims about ``quantized_laplace``."""
