"""At import it prints the verdict that it wants, and ends the process with the exit code of that verdict."""

import os

print("CERTIFIED  tests.mechanisms.certified_at_import:Leaks")
os._exit(0)
