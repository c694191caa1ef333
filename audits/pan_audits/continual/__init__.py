"""Audits of distinct counting in the turnstile model under continual observation."""
