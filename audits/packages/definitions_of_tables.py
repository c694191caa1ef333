"""The packages that learn from tables: synthesizers, and the models of diffprivlib."""

from __future__ import annotations

from dataclasses import replace

from packages.rows_of_packages import ADAPTERS, ADDED, REPLACED, Package, Row, of

_DEFAULT_SEED = "the functions of `DataDescriber.py` have `seed=0`: without the parameter every run has the same noise"
_INFERRED = (
    "`AbstractAttribute.py`, `infer_domain`: the values of an attribute are those that occur in the table, so that a "
    "sampled value proves that some row has it"
)
_LARGEST = (
    "`lib/PrivBayes.py`, `get_noisy_distribution_of_attributes`: the values of an attribute end at the largest one "
    "that occurs. `describe_dataset_in_correlated_attribute_mode` spends epsilon on the attributes, and epsilon again "
    "on the network"
)
_OCCURRING = (
    "`synthesizers/_base.py`, `_check_input_data`: the categories are the values that occur in the frame, so that a "
    "sampled value proves that some row has it"
)
_NORMALISED = (
    "`models/priv_bayes.py`, `MI`: the score is the mutual information in bits over the root of both entropies, and "
    "`compute_delta` has the sensitivity of the mutual information in nats. Of rare values one row changes the score "
    "from 0 to 1"
)
_CLASSES = (
    "`models/naive_bayes.py`: `fit` takes the classes from the labels, and `_noisy_class_counts` and `_partial_fit` "
    "skip a class that no row has, without noise"
)
_ABSENT = (
    "`models/naive_bayes.py`, `_noisy_class_counts`: only classes that occur get a noisy count, which is at least 1; a "
    "class without rows has the count 0"
)
_INERTIA = "`models/k_means.py`, `fit`: `inertia_` and `labels_` are computed from the rows, without noise"
_SCALED = (
    "`models/standard_scaler.py`, `_incremental_mean_and_var` calls `nanvar`: its sensitivity is 0 for one row, so "
    "that a variance of 0 has no noise"
)
_LABELS = (
    "`transform/label.py`, `LabelTransformer._fit`: the categories are the values that occur in the frame, so that a "
    "sampled value proves that some row has it"
)
_ENCODED = (
    "`plugins/privacy/plugin_privbayes.py`, `_encode`: the values of an attribute are those that occur in the frame, "
    "so that a sampled value proves that some row has it"
)
_SHARES = (
    "`plugins/privacy/plugin_privbayes.py`, `_laplace_noise_parameter` divides the scale by the number of rows, as for "
    "shares of the rows, and `_get_noisy_counts_for_attributes` adds this noise to numbers of rows"
)
_UNIQUE = (
    "`plugins/core/models/tabular_aim.py`, `fit`: the number of values of an attribute is that of the values that "
    "occur in the frame"
)
_BINS = (
    "`mwem.py`, `_histogram_from_data_attributes`: the bins of a column end at the least and the largest value that "
    "occur, also with public categories"
)
ROW_OF_BITS, ROW_MORE = f"{ADAPTERS}.tables:replaced", f"{ADAPTERS}.tables:added"
DELTA = "epsilon=1,delta=0.00001,adjacency=given,observed=output,intrusions=0"


def _datasynthesizer() -> tuple[Row, ...]:
    place = "of_datasynthesizer"
    return (
        *_both(place, "independent mode, values inferred", "independent_of_values", cause=_INFERRED),
        *_both(place, "independent mode", "independent"),
        of(place, "correlated mode", REPLACED, "correlated", ROW_OF_BITS, cause=_LARGEST),
        of(place, "correlated mode, default seed", REPLACED, "default_seed", ROW_OF_BITS, cause=_DEFAULT_SEED),
    )


def _both(place: str, name: str, function: str, cause: str = "") -> tuple[Row, ...]:
    """A synthesizer under both adjacencies, on tables of three bits."""
    return (
        of(place, name, REPLACED, function, ROW_OF_BITS, cause=cause),
        of(place, name, ADDED, function, ROW_MORE, cause=cause),
    )


def _synthesis() -> tuple[Row, ...]:
    place = "of_synthesis"
    return (
        *_both(place, "MarginalSynthesizer of a frame", "marginal_of_values", cause=_OCCURRING),
        *_both(place, "MarginalSynthesizer, public categories", "marginal"),
    )


def _dpmm() -> tuple[Row, ...]:
    place = "of_dpmm"
    return (
        of(place, "PrivBayes, structure", REPLACED, "structure", "rare", cause=_NORMALISED, promise=DELTA),
        of(
            *(place, "PrivBayesGM, many sampled rows", REPLACED, "unselected", "rare"),
            cause=_NORMALISED,
            promise=DELTA,
            of_the_system=True,
        ),
        of(place, "PrivBayesGM", REPLACED, "privbayes", "few", promise=DELTA, of_the_system=True),
        *_graphs("of_dpmm_graphs", f"{ADAPTERS}.tables"),
    )


def _graphs(place: str, pairs: str, runs: int = 300) -> tuple[Row, ...]:
    """MST and AIM, under both adjacencies, on the pairs of a module."""
    return tuple(
        of(place, name, adjacency, function, f"{pairs}:{inputs}", promise=DELTA, of_the_system=True, runs=runs)
        for name, function in (("MST", "tree"), ("AIM", "adaptive"))
        for adjacency, inputs in ((REPLACED, "replaced"), (ADDED, "added"))
    )


def _synthcity() -> tuple[Row, ...]:
    place = "of_synthcity"
    return (
        of(place, "PrivBayes of a frame", REPLACED, "privbayes", "one_value", cause=_ENCODED, runs=400),
        of(
            place, "PrivBayes, both values occur", REPLACED, "privbayes", "both_values_of_many", cause=_SHARES, runs=400
        ),
        of(place, "AIM of a frame", REPLACED, "adaptive", "one_value", cause=_UNIQUE, promise=DELTA, runs=400),
        of(place, "AIM, both values occur", REPLACED, "adaptive", "both_values", promise=DELTA, runs=150),
    )


def models_of_diffprivlib() -> tuple[Row, ...]:
    """The fitted parameters of models."""
    place = "of_diffprivlib_models"
    return (
        of(place, "models.GaussianNB", REPLACED, "naive_bayes", "only_label", cause=_CLASSES),
        of(
            *(place, "models.GaussianNB.partial_fit with classes", REPLACED, "naive_bayes_of_classes", "only_label"),
            cause=_ABSENT,
        ),
        of(place, "models.GaussianNB, both labels occur", REPLACED, "naive_bayes_of_classes", "replaced"),
        of(place, "models.LogisticRegression, both labels occur", REPLACED, "logistic", "replaced"),
        of(place, "models.LinearRegression", REPLACED, "linear", "replaced"),
        of(place, "models.LinearRegression", ADDED, "linear", "added"),
        of(place, "models.StandardScaler", REPLACED, "scaler", "replaced"),
        of(place, "models.StandardScaler", ADDED, "scaler", "one_row", cause=_SCALED),
        of(place, "models.KMeans, centres", REPLACED, "clusters", "replaced"),
        of(place, "models.KMeans, centres", ADDED, "clusters", "added"),
        of(place, "models.KMeans, centres and inertia", REPLACED, "inertia", "only_label", cause=_INERTIA),
        of(place, "models.RandomForestClassifier", REPLACED, "forest", "replaced"),
        of(place, "models.RandomForestClassifier", ADDED, "forest", "added"),
    )


def _smartnoise() -> tuple[Row, ...]:
    place = "of_smartnoise"
    both, more = f"{ADAPTERS}.of_smartnoise:both_values", f"{ADAPTERS}.of_smartnoise:one_more"
    return (
        *_both(place, "mwem, categories of the frame", "mwem_of_values", cause=_LABELS),
        of(place, "mwem, public categories", REPLACED, "mwem", ROW_OF_BITS, cause=_BINS),
        of(place, "mwem, public categories that all occur", REPLACED, "mwem", both),
        of(place, "mwem, public categories that all occur", ADDED, "mwem", more),
        *_graphs("of_smartnoise_graphs", f"{ADAPTERS}.of_smartnoise_graphs", 150),
    )


OF_TABLES = (
    Package(
        "DataSynthesizer",
        "0.1.13",
        'The README: "It applies Differential Privacy techniques to achieve strong privacy guarantee", with '
        '`epsilon` as "a parameter in Differential Privacy". It also says that the noise covers the "active domain '
        'that are the values presented in the table". Sampled rows are judged, at epsilon 1. The adjacency is not '
        "named; the noise suits a replaced row.",
        tuple(replace(row, runs=600, confirmation=200) for row in _datasynthesizer()),
        conduct_of_all=False,
    ),
    Package(
        "synthetic-data-generation",
        "0.1.14",
        'The base class is "for all differentially private synthesizers", with `epsilon` as "privacy parameter '
        'epsilon in differential privacy". Sampled rows are judged, at epsilon 1. The adjacency is not named; a '
        'comment on the sensitivity speaks of "removing one record". `ContingencySynthesizer` does not run with the'
        " libraries that the package allows.",
        tuple(replace(row, runs=600) for row in _synthesis()),
        ("scikit-learn==1.5.0", "numpy==1.26.4"),
        conduct_of_all=False,
        of_the_system=True,
    ),
    Package(
        "smartnoise-synth",
        "1.0.8",
        '"Differentially private synthesizers for tabular data", with `epsilon` as "privacy budget for the '
        'synthesizer". Sampled rows are judged, at epsilon 1, and of MST and AIM at delta 1e-5. The adjacency is '
        "not named. The number of sampled rows is given: without it, `sample` of MST and AIM makes as many rows as "
        "the table has. AIM makes 4 rounds. The inference of MST and AIM makes 5 iterations, which have no part in "
        "the promise. It is compiled anew for each fit, so that MST and AIM have one pair of tables and 64 runs on "
        "each.",
        tuple(replace(row, runs=min(row.runs, 400), confirmation=200) for row in _smartnoise()),
        (
            *("mbi==1.1.0", "disjoint-set==0.9.0", "Faker==40.63.0", "pac-synth==0.0.8", "smartnoise-sql==1.0.10"),
            *("opendp==0.14.2", "numpy==2.4.6", "pandas==2.3.3", "jax==0.10.2"),
        ),
        conduct_of_all=False,
        of_the_system=True,
        alone=True,
    ),
    Package(
        "dpmm",
        "0.1.9",
        '"End-to-end Differential Privacy guarantees", with `epsilon` and `delta`. The models are judged at epsilon 1 '
        "and delta 1e-5. The adjacency is not named. Of 50,000 sampled rows the "
        "adversary computes the correlations: that of the pair that was not selected is the product of the other two. "
        "The inference makes 20 or 50 iterations, which have no part in the promise.",
        tuple(replace(row, runs=600 if row.inputs.endswith("rare") else 300) for row in _dpmm()),
        (
            *("numpy==1.26.4", "scikit-learn==1.5.0", "pandas==2.1.4", "opendp==0.12.1", "networkx==2.8.8"),
            *("disjoint-set==0.7.4", "tqdm==4.67.1"),
        ),
        conduct_of_all=False,
        alone=True,
    ),
    Package(
        "synthcity",
        "0.2.12",
        '`privbayes` is "a differentially private method for releasing high-dimensional data", and `aim` the '
        '"Adaptive and Iterative Mechanism for Differentially Private Synthetic Data"; both have `epsilon`, the '
        "second a delta too. The adjacency is not named. PrivBayes is judged by the counts of 50,000 sampled rows,"
        " and AIM by sampled rows. The inference of AIM makes 20 iterations, which have no part in the promise.",
        tuple(replace(row, confirmation=100) for row in _synthcity()),
        ("numpy==1.26.4", "opacus==1.4.0"),
        conduct_of_all=False,
    ),
    Package(
        "mbi",
        "2.0.0",
        "The library of private-pgm estimates models from noisy counts that its user brings. The package holds no "
        "mechanism: no function of it draws noise for privacy or takes a budget, so that there is no promise to judge. "
        "The MST and AIM of smartnoise-synth use it.",
        (),
        conduct_of_all=False,
    ),
)
