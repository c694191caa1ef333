"""``python -m pan_audits``: the command ``panproof``."""

from pan_audits.command_line.main import main

main()
