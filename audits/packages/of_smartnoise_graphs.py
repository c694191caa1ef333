"""MST and AIM of smartnoise-synth: sampled rows of tables of three bits, with public categories."""

from __future__ import annotations

import warnings
from functools import cache, partial

import jax
import snsynth.aim.aim
import snsynth.mst.mst
from mbi import estimation, marginal_loss
from snsynth import utils
from snsynth.transform import LabelTransformer
from snsynth.transform.table import TableTransformer

from packages import tables
from packages.tables import COLUMNS, framed, of

warnings.filterwarnings("ignore")
ITERATIONS = 5
ROUNDS = 4

# A number that depends on epsilon and delta alone, and is computed once.
snsynth.aim.aim.cdp_rho = snsynth.mst.mst.cdp_rho = cache(utils.cdp_rho)
_descent = estimation.mirror_descent


def short(*given, **named):
    """The inference from noisy counts: its iterations have no part in the promise."""
    return _descent(*given, **named | {"iters": ITERATIONS})


estimation.mirror_descent = short

# The inference is compiled anew for each fit, since the noisy counts are constants of its code: the time of the
# compiler is the time of a fit. It decides nothing about the result.
jax.config.update("jax_disable_most_optimizations", True)

_loss_of = marginal_loss.from_linear_measurements
_constants: dict[object, object] = {}


def with_kept_constant(measurements, norm="l2", normalize=False, domain=None):
    """The loss of measurements, with a Lipschitz constant of their attributes and scales, which is computed once."""
    told = tuple((each.clique, float(each.stddev)) for each in measurements)
    if told not in _constants:
        _constants[told] = _loss_of(measurements, norm, normalize, domain).lipschitz
    made = _loss_of(measurements, norm, normalize)
    return marginal_loss.MarginalLossFn(made.cliques, made.loss_fn, _constants[told])


marginal_loss.from_linear_measurements = with_kept_constant


class Model:
    """A synthesizer behind ``fit`` and ``sample``."""

    def __init__(self, made, **parameters):
        self.made = made(epsilon=1.0, delta=1e-5, **parameters)
        self.transformer = TableTransformer([LabelTransformer(nullable=False) for _ in COLUMNS])
        self.transformer.fit(framed([[0, 0, 0], [1, 1, 1]]))

    def fit(self, df):
        self.made.fit(df, transformer=self.transformer)

    def sample(self, rows):
        return self.made.sample(rows)


def tree(data, rng):
    return of(partial(Model, snsynth.mst.mst.MSTSynthesizer), data, rng)


def adaptive(data, rng):
    return of(partial(Model, snsynth.aim.aim.AIMSynthesizer, rounds=ROUNDS), data, rng)


def replaced():
    """The first pair alone, since a fit takes seconds."""
    yield next(tables.replaced())


def added():
    """The first pair alone, since a fit takes seconds."""
    yield next(tables.added())
