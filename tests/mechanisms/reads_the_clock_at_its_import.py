"""A module as large packages have them: it reads the clock when it is imported."""

import time

BEGAN = time.time()
ONE = 1
