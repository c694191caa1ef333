"""PrivBayes and AIM of synthcity: counts of many sampled rows, for tables of three bits."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from functools import partial

from synthcity.plugins.core.models import aim
from synthcity.plugins.core.models.tabular_aim import TabularAIM
from synthcity.plugins.privacy.plugin_privbayes import PrivBayes

from packages.tables import framed, seeded, seen

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
ROWS, MANY, SAMPLED = 12, 100, 50_000


class FewIterations(aim.FactoredInference):
    """The inference from noisy counts: its iterations have no part in the promise."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.__dict__["iters"] = 20

    def __setattr__(self, name, value):
        super().__setattr__(name, 20 if name == "iters" else value)


aim.FactoredInference = FewIterations


class Adaptive:
    """AIM behind ``fit`` and ``sample``. It samples as many rows as its noisy number says."""

    def fit(self, df):
        self.model = TabularAIM(df, epsilon=1.0, delta=1e-5)
        self.model.fit(df)

    def sample(self, rows):
        return self.model.generate(rows)


def view(make, sampled, data, rng):
    """The view of one synthesizer, without its messages."""
    seeded(rng)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        made = make()
        made.fit(framed(data))
        return seen(made.sample(sampled))


privbayes = partial(view, partial(PrivBayes, epsilon=1.0), SAMPLED)
adaptive = partial(view, Adaptive, ROWS)


def one_value():
    """A value that occurs once, or in no row. PrivBayes needs 10 rows."""
    yield [[0, 0, 0]] * ROWS, [[0, 0, 0]] * (ROWS - 1) + [[1, 1, 1]]


def both_values():
    """Each value occurs in both tables, each column in a half of the rows or in one row less."""
    half = ROWS // 2
    yield [[0, 0, 0]] * half + [[1, 1, 1]] * half, [[0, 0, 0]] * (half - 1) + [[1, 1, 1]] * (half + 1)


def both_values_of_many():
    """The same for many rows. A sample of many more shows the noisy shares."""
    half = MANY // 2
    yield [[0, 0, 0]] * half + [[1, 1, 1]] * half, [[0, 0, 0]] * (half - 1) + [[1, 1, 1]] * (half + 1)
