"""The two private modes of DataSynthesizer. They read and write files."""

from __future__ import annotations

import io
import json
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator
from DataSynthesizer.lib import PrivBayes

from packages.tables import COLUMNS, of, seeded


class _Serial:
    """In place of a pool of processes: the scores of candidates have no noise."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def map(self, function, tasks):
        return [function(task) for task in tasks]


PrivBayes.Pool = _Serial


@contextmanager
def written(document):
    """A file with a document as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "document.json"
        file.write_text(json.dumps(document))
        yield str(file)


class Mode:
    """One mode behind ``fit`` and ``sample``.

    Parameters
    ----------
    correlated
        Whether a Bayesian network is learned.
    domains
        Whether the values of all attributes are given, and that none is a key. Otherwise both are inferred.
    seeds
        The parameter for the seed, or nothing for the default of the package, which is 0.
    """

    def __init__(self, correlated, domains, **seeds):
        self.mode = "correlated" if correlated else "independent"
        self.domains = domains
        self.seeds = seeds

    def fit(self, df):
        describer = DataDescriber()
        known = {"attribute_to_is_categorical": dict.fromkeys(COLUMNS, True), "epsilon": 1.0, **self.seeds}
        if self.mode == "correlated":
            known["k"] = 1
        with written({name: [0, 1] for name in COLUMNS}) as domains:
            if self.domains:
                known["categorical_attribute_domain_file"] = domains
                known["attribute_to_is_candidate_key"] = dict.fromkeys(COLUMNS, False)
            describe = getattr(describer, f"describe_dataset_in_{self.mode}_attribute_mode")
            describe(io.StringIO(df.to_csv(index=False)), **known)
        self.description = describer.data_description

    def sample(self, rows):
        generator = DataGenerator()
        name = "correlated_attribute" if self.mode == "correlated" else "independent"
        with written(self.description) as file:
            getattr(generator, f"generate_dataset_in_{name}_mode")(rows, file, **self.seeds)
        return generator.synthetic_dataset


def _view(correlated, domains, data, rng):
    return of(partial(Mode, correlated, domains, seed=seeded(rng)), data, rng)


def default_seed(data, rng):
    return of(partial(Mode, True, True), data, rng)


def independent_of_values(data, rng):
    return _view(False, False, data, rng)


def independent(data, rng):
    return _view(False, True, data, rng)


def correlated(data, rng):
    return _view(True, True, data, rng)
