"""Tables of three bits, their neighbours, and the adversary's view of sampled rows."""

from __future__ import annotations

import contextlib
import io
import random
from itertools import combinations

import numpy as np
import pandas as pd

COLUMNS = ("a", "b", "c")
DOMAIN = dict.fromkeys(COLUMNS, 2)
ROWS = 8


def framed(rows):
    """Rows as a data frame."""
    return pd.DataFrame(np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS)), columns=list(COLUMNS))


def seeded(rng):
    """Seed the global generators, from which some packages draw, and return a seed."""
    seed = int(rng.integers(2**31))
    random.seed(seed)
    np.random.seed(seed)
    return seed


def seen(sample):
    """The number of rows, and the counts of ones and of pairs of ones in the sampled rows."""
    bits = np.array([pd.Series(sample[name]).isin([1, "1", "1.0"]) for name in COLUMNS])
    ones = [int(column.sum()) for column in bits]
    pairs = [int((bits[left] & bits[right]).sum()) for left, right in combinations(range(len(COLUMNS)), 2)]
    return [len(sample), *ones, *pairs]


def of(make, given, rng, **while_fitting):
    """The view of one synthesizer: made, fitted and sampled from once, without its messages."""
    seeded(rng)
    with contextlib.redirect_stdout(io.StringIO()):
        made = make()
        made.fit(framed(given), **while_fitting)
        return seen(made.sample(ROWS))


def replaced():
    """One row of 8 has other values. The number of rows and the schema are public."""
    yield [[0, 0, 0]] * 8, [[0, 0, 0]] * 7 + [[1, 1, 1]]
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4, [[0, 0, 0]] * 3 + [[1, 1, 1]] * 5


def added():
    """One row more than 7. The schema is public, and the number of rows is not."""
    yield [[0, 0, 0]] * 7, [[0, 0, 0]] * 7 + [[1, 1, 1]]
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 3, [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4
