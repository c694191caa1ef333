"""The claims about distinct counting in the turnstile model."""
