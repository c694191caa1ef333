"""The command ``panproof``."""

from pan_audits.command_line.main import app, main

__all__ = ["app", "main"]
