"""The family of counts of present elements under continual observation: its inputs, attacks and sensitivities."""
