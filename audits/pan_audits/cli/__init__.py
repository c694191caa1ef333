"""The command ``panproof``."""

from pan_audits.cli.main import app, main

__all__ = ["app", "main"]
