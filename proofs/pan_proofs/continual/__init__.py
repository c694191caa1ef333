"""Distinct counting in the turnstile model under continual observation."""
