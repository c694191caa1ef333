"""``python -m pan_audits``: the command ``panproof``."""

from pan_audits.cli.main import main

main()
