"""The packages at their versions, their claims, and the promises that are judged: each promise is a row."""

from __future__ import annotations

from dataclasses import replace

from packages.callables import OF_CALLABLES
from packages.rows import (
    ADAPTERS,
    ADDED,
    CHANGED,
    DISTANCE,
    OUTPUT,
    REPLACED,
    RHO,
    STATE,
    STEP,
    USER,
    Package,
    Row,
    Source,
    of,
)

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


def _models_of_diffprivlib() -> tuple[Row, ...]:
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

_TOOLS = "`diffprivlib/tools/utils.py`"
_MEAN = (
    f"{_TOOLS}, `_mean`: the sensitivity is `(upper - lower) / array.size`, so that the noise tells the number of rows"
)
_SUM = f"{_TOOLS}, `_sum`: the noise is truncated at `lower * array.size` and `upper * array.size`"
_VARIANCE = f"{_TOOLS}, `_var`: the sensitivity is 0 for one row, so that its variance of 0 has no noise"
_HISTOGRAM = (
    "`diffprivlib/tools/histograms.py`, `histogram`: the noise of a bin has sensitivity 1 and the whole epsilon, but a "
    "row that is replaced changes two bins"
)
_COUNT = f"{_TOOLS}, `count_nonzero` calls `sum`; in `_sum` the noise is truncated at `upper * array.size`"
_HASHES = "the state is a function of hashes of the ids, without noise: a dump tells whether a given id was hashed"


def _diffprivlib() -> tuple[Row, ...]:
    place = "of_diffprivlib"
    # The first row has the randomness that the package takes by default.
    rows = [of(place, "tools.mean, random_state=None", REPLACED, "mean_of_the_system", "replaced", cause=_MEAN)]
    for name, function, added, cause in (
        ("tools.count_nonzero", "count", "added", _COUNT),
        ("tools.sum", "total", "added", _SUM),
        ("tools.mean", "mean", "added_at_the_other_end", _MEAN),
        ("tools.var", "variance", "added_at_the_other_end", _VARIANCE),
        ("tools.histogram", "histogram", "added", _HISTOGRAM),
        ("tools.median", "median", "added_at_the_other_end", ""),
    ):
        for adjacency, inputs in ((REPLACED, "replaced"), (ADDED, added)):
            rows.append(of(place, name, adjacency, function, inputs, cause=cause, runs=10_000))
    for name, function in (
        ("mechanisms.Laplace", "laplace"),
        ("mechanisms.Geometric", "geometric"),
        ("mechanisms.Staircase", "staircase"),
        ("mechanisms.Binary", "binary"),
    ):
        rows.append(of(place, name, DISTANCE, function, "numbers"))
    promise = "epsilon=1,delta=0.01,adjacency=given,observed=output,intrusions=0"
    rows.append(of(place, "mechanisms.Gaussian", DISTANCE, "gaussian", "numbers", promise=promise))
    return tuple(rows)


def _opendp() -> tuple[Row, ...]:
    def promise(epsilon: str, delta: str = "") -> str:
        return f"epsilon={epsilon},{delta}adjacency=given,observed=output,intrusions=0"

    return (
        of("of_opendp", "make_laplace, integers", DISTANCE, "laplace", "numbers"),
        of("of_opendp", "make_laplace, reals", DISTANCE, "laplace_of_reals", "numbers"),
        of(
            *("of_opendp", "make_gaussian with make_zCDP_to_approxDP", DISTANCE, "gaussian", "numbers"),
            promise=promise("1.128931082901368", "delta=0.01,"),
        ),
        of("of_opendp", "make_randomized_response_bool", DISTANCE, "response", "numbers", promise=promise("log(3)")),
        of(
            *("of_opendp", "make_randomized_response", DISTANCE, "response_of_categories", "numbers"),
            promise=promise("log(3)"),
        ),
        of("of_opendp", "make_noisy_max", "scores at distance 1", "noisy_max", "scores"),
        of("of_opendp", "then_b_ary_tree with then_laplace", CHANGED, "b_ary_tree", "counts"),
        of(
            *("of_opendp", "make_consistent_b_ary_tree after then_laplace", CHANGED, "consistent_b_ary_tree", "counts"),
        ),
        of("of_opendp", "prefix sums of make_consistent_b_ary_tree", CHANGED, "prefix_sums", "counts"),
        of(
            *("of_opendp", "then_b_ary_tree with then_gaussian", CHANGED, "gaussian_b_ary_tree", "counts"),
            promise=RHO.format(0.5),
        ),
        of(
            *("of_opendp", "make_consistent_b_ary_tree after then_gaussian", CHANGED),
            *("consistent_gaussian_b_ary_tree", "counts"),
            promise=RHO.format(0.5),
        ),
    )


def _jax_privacy() -> tuple[Row, ...]:
    place, promise = "of_jax_privacy", RHO.format(0.5)
    return (
        of(place, "matrix_factorization_privatizer, optimal Toeplitz", STEP, "dense", "steps", promise=promise),
        of(place, "matrix_factorization_privatizer, 3 bands, streaming", STEP, "streaming", "steps", promise=promise),
    )


_DEVIATION = (
    "`mechanism_noise_generation.py`: `noise_generator(0, variance, size=dimensions)` gives the variance to "
    "`numpy.random.normal`, which takes the standard deviation. A variance below 1 is too small a deviation"
)


def _smooth_binary() -> tuple[Row, ...]:
    return tuple(
        of(
            *("of_smooth_binary", f"{name}, T = {steps}", STEP, function, inputs),
            promise=RHO.format(1),
            parameters={"rho": 1},
            cause=_DEVIATION,
        )
        for name, function in (("smooth_binary_mechanism_noise", "smooth"), ("binary_mechanism_noise", "binary"))
        for steps, inputs in ((1, "one_bit"), (5, "bits"))
    )


def _sketch(name: str, estimator: str, cause: str = _HASHES, promise: str = STATE, **parameters: int) -> Row:
    return Row(name, USER, estimator, promise, parameters=parameters, cause=cause)


_SMOOTH_BINARY = Source(
    "https://github.com/jodander/smooth-binary-mechanism",
    "1795acf00da002fb960eae801d81e0b2099eb403",
    "mechanism_noise_generation.py",
    "8f6b942b74be66e2e865060e5e278a4317c401f75ebae32252b40d4236c4ddb7",
)

PACKAGES = (
    Package(
        "datasketches",
        "5.2.0",
        "No privacy. The common claim is judged: a sketch hides who is in it (epsilon 1).",
        (
            _sketch("hll_sketch", "datasketches:hll_sketch", lg_k=7),
            _sketch(
                *("hll_sketch", "datasketches:hll_sketch"),
                cause="the estimate has no noise: one user more changes it",
                promise=OUTPUT,
                lg_k=7,
            ),
            _sketch("count_min_sketch", "datasketches:count_min_sketch", num_hashes=2, num_buckets=8),
        ),
    ),
    Package(
        "rbloom",
        "1.5.4",
        "No privacy. The common claim is judged: a Bloom filter hides who is in it (epsilon 1).",
        (_sketch("rbloom.Bloom", f"{ADAPTERS}.of_sketches:Rbloom"),),
    ),
    Package(
        "opendp",
        "0.16.0",
        "Each measurement has a map from the distance of two inputs to the loss. The loss of `map` is judged.",
        _opendp(),
        conduct_of_all=False,
        of_the_system=True,
    ),
    Package(
        "diffprivlib",
        "0.6.6",
        "Each tool and mechanism takes `epsilon` and satisfies differential privacy with it. The documentation of the "
        "tools does not name the adjacency; the bounds are given, as it advises.",
        (
            *_diffprivlib(),
            *(replace(row, runs=1_000, confirmation=500) for row in _models_of_diffprivlib()),
        ),
        ("scikit-learn==1.7.2",),
        conduct_of_all=False,
    ),
    Package(
        "jax-privacy",
        "2.0.0",
        "`matrix_factorization_privatizer` adds noise with the covariance of a factorisation of the prefix sums. With "
        "`sensitivity_squared` and one participation, its noisy sums satisfy the rho of the Gaussian mechanism.",
        _jax_privacy(),
        conduct_of_all=False,
    ),
    Package(
        "smooth-binary-mechanism",
        _SMOOTH_BINARY.commit[:12],
        "The noise vector added to the prefix sums makes them rho-zCDP if a single bit changes.",
        _smooth_binary(),
        conduct_of_all=False,
        source=_SMOOTH_BINARY,
    ),
    *OF_TABLES,
    *OF_CALLABLES,
)
