"""The family of counts of present elements under continual observation: its audits, commands and sensitivities."""
