"""The packages at their versions, their claims, and the promises that are judged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.packages.sources import SOURCES

ADAPTERS = "tests.packages"
REPLACED = "replace one row; the number of rows is public"
ADDED = "add or remove one row"
DISTANCE = "inputs at distance 1"
CHANGED = "one count changes by 1"
STEP = "one step changes by 1"
USER = "all updates of one user"
ONE = "epsilon=1,adjacency=given,observed=output,intrusions=0"
RHO = "rho={},adjacency=given,observed=output,intrusions=0"
STATE = "epsilon=1,adjacency=user-level,observed=state"
OUTPUT = "epsilon=1,adjacency=user-level,observed=output"


@dataclass(frozen=True)
class Row:
    """One promise of one tool under one adjacency.

    Attributes
    ----------
    name
        Of the tool, as its package names it; with the adjacency it is unique in the package.
    adjacency
        In words.
    estimator, inputs, parameters
        As the command line takes them.
    promise
        As the option ``--promise`` takes it.
    cause
        Where in the source the loss comes from. It is shown beside a refutation only.
    runs
        Of the search; a rare event needs more. Twice as many confirm what it found.
    """

    name: str
    adjacency: str
    estimator: str
    promise: str = ONE
    inputs: str = ""
    parameters: dict[str, float | int] = field(default_factory=dict)
    cause: str = ""
    runs: int = 5_000

    @property
    def slug(self) -> str:
        words = f"{self.name} {self.promise.split('observed=')[1].split(',')[0]} {self.adjacency.split(';')[0]}"
        return "-".join("".join(c if c.isalnum() else " " for c in words).split()).lower()


@dataclass(frozen=True)
class Package:
    """A package in an environment of its own.

    Attributes
    ----------
    name, version
        As the registry names them.
    claim
        What its documentation promises, in words.
    rows
        What is judged.
    beside
        Pinned packages that it needs beside it.
    conduct_of_all
        Whether the checks of conduct are made for each row, or for the first row alone, since they start the package
        in seven new processes.
    repository
        Whether it is a repository of :mod:`tests.packages.sources` and no package; its version is then a commit.
    of_the_system
        Whether all rows draw from the operating system, where no seed reaches.
    alone
        Whether it is installed without the libraries that it names, since these exclude libraries of a gate. Those that
        it needs stand in ``beside``.
    """

    name: str
    version: str
    claim: str
    rows: tuple[Row, ...]
    beside: tuple[str, ...] = ()
    conduct_of_all: bool = True
    of_the_system: bool = False
    repository: bool = False
    alone: bool = False

    @property
    def pins(self) -> tuple[str, ...]:
        return self.beside if self.repository else (f"{self.name}=={self.version}", *self.beside)


def _of(module: str, name: str, adjacency: str, function: str, inputs: str, **more: object) -> Row:
    place = f"{ADAPTERS}.{module}"
    inputs = inputs if ":" in inputs else f"{place}:{inputs}"
    return Row(name, adjacency, f"{place}:{function}", inputs=inputs, **more)  # type: ignore[arg-type]


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
    rows = [_of(place, "tools.mean, random_state=None", REPLACED, "mean_of_the_system", "replaced", cause=_MEAN)]
    for name, function, added, cause in (
        ("tools.count_nonzero", "count", "added", _COUNT),
        ("tools.sum", "total", "added", _SUM),
        ("tools.mean", "mean", "added_at_the_other_end", _MEAN),
        ("tools.var", "variance", "added_at_the_other_end", _VARIANCE),
        ("tools.histogram", "histogram", "added", _HISTOGRAM),
        ("tools.median", "median", "added_at_the_other_end", ""),
    ):
        for adjacency, inputs in ((REPLACED, "replaced"), (ADDED, added)):
            rows.append(_of(place, name, adjacency, function, inputs, cause=cause, runs=10_000))
    for name, function in (
        ("mechanisms.Laplace", "laplace"),
        ("mechanisms.Geometric", "geometric"),
        ("mechanisms.Staircase", "staircase"),
        ("mechanisms.Binary", "binary"),
    ):
        rows.append(_of(place, name, DISTANCE, function, "numbers"))
    promise = "epsilon=1,delta=0.01,adjacency=given,observed=output,intrusions=0"
    rows.append(_of(place, "mechanisms.Gaussian", DISTANCE, "gaussian", "numbers", promise=promise))
    return tuple(rows)


def _opendp() -> tuple[Row, ...]:
    def promise(epsilon: str, delta: str = "") -> str:
        return f"epsilon={epsilon},{delta}adjacency=given,observed=output,intrusions=0"

    return (
        _of("of_opendp", "make_laplace, integers", DISTANCE, "laplace", "numbers"),
        _of("of_opendp", "make_laplace, reals", DISTANCE, "laplace_of_reals", "numbers"),
        _of(
            *("of_opendp", "make_gaussian with make_zCDP_to_approxDP", DISTANCE, "gaussian", "numbers"),
            promise=promise("1.128931082901368", "delta=0.01,"),
        ),
        _of("of_opendp", "make_randomized_response_bool", DISTANCE, "response", "numbers", promise=promise("log(3)")),
        _of(
            *("of_opendp", "make_randomized_response", DISTANCE, "response_of_categories", "numbers"),
            promise=promise("log(3)"),
        ),
        _of("of_opendp", "make_noisy_max", "scores at distance 1", "noisy_max", "scores"),
        _of("of_opendp", "then_b_ary_tree with then_laplace", CHANGED, "b_ary_tree", "counts"),
        _of(
            *("of_opendp", "make_consistent_b_ary_tree after then_laplace", CHANGED, "consistent_b_ary_tree", "counts"),
        ),
        _of("of_opendp", "prefix sums of make_consistent_b_ary_tree", CHANGED, "prefix_sums", "counts"),
        _of(
            *("of_opendp", "then_b_ary_tree with then_gaussian", CHANGED, "gaussian_b_ary_tree", "counts"),
            promise=RHO.format(0.5),
        ),
        _of(
            *("of_opendp", "make_consistent_b_ary_tree after then_gaussian", CHANGED),
            *("consistent_gaussian_b_ary_tree", "counts"),
            promise=RHO.format(0.5),
        ),
    )


def _jax_privacy() -> tuple[Row, ...]:
    place, promise = "of_jax_privacy", RHO.format(0.5)
    return (
        _of(place, "matrix_factorization_privatizer, optimal Toeplitz", STEP, "dense", "steps", promise=promise),
        _of(place, "matrix_factorization_privatizer, 3 bands, streaming", STEP, "streaming", "steps", promise=promise),
    )


_DEVIATION = (
    "`mechanism_noise_generation.py`: `noise_generator(0, variance, size=dimensions)` gives the variance to "
    "`numpy.random.normal`, which takes the standard deviation. A variance below 1 is too small a deviation"
)


def _smooth_binary() -> tuple[Row, ...]:
    return tuple(
        _of(
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
ROW_OF_BITS = f"{ADAPTERS}.tables:replaced"
DELTA = "epsilon=1,delta=0.00001,adjacency=given,observed=output,intrusions=0"


def _datasynthesizer() -> tuple[Row, ...]:
    place = "of_datasynthesizer"
    return (
        _of(
            place, "independent mode, values inferred", REPLACED, "independent_of_values", ROW_OF_BITS, cause=_INFERRED
        ),
        _of(place, "independent mode", REPLACED, "independent", ROW_OF_BITS),
        _of(place, "correlated mode", REPLACED, "correlated", ROW_OF_BITS, cause=_LARGEST),
        _of(place, "correlated mode, default seed", REPLACED, "default_seed", ROW_OF_BITS, cause=_DEFAULT_SEED),
    )


def _synthesis() -> tuple[Row, ...]:
    place = "of_synthesis"
    return (
        _of(place, "MarginalSynthesizer of a frame", REPLACED, "marginal_of_values", ROW_OF_BITS, cause=_OCCURRING),
        _of(place, "MarginalSynthesizer, public categories", REPLACED, "marginal", ROW_OF_BITS),
    )


def _dpmm() -> tuple[Row, ...]:
    place = "of_dpmm"
    return (
        _of(place, "PrivBayes, structure", REPLACED, "structure", "rare", cause=_NORMALISED, promise=DELTA),
        _of(place, "PrivBayesGM", REPLACED, "privbayes", "few", promise=DELTA),
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
        _diffprivlib(),
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
        SOURCES["smooth-binary-mechanism"].commit[:12],
        "The noise vector added to the prefix sums makes them rho-zCDP if a single bit changes.",
        _smooth_binary(),
        conduct_of_all=False,
        repository=True,
    ),
    Package(
        "DataSynthesizer",
        "0.1.13",
        "With `epsilon` the description of a table is differentially private. Sampled rows are judged, at epsilon 1. "
        "The adjacency is not named; the noise suits a replaced row.",
        tuple(replace(row, runs=600) for row in _datasynthesizer()),
        conduct_of_all=False,
    ),
    Package(
        "synthetic-data-generation",
        "0.1.14",
        "Synthesizers with `epsilon` are differentially private. Sampled rows are judged, at epsilon 1. "
        "`ContingencySynthesizer` does not run with the libraries that the package allows.",
        tuple(replace(row, runs=600) for row in _synthesis()),
        ("scikit-learn==1.5.0", "numpy==1.26.4"),
        conduct_of_all=False,
    ),
    Package(
        "dpmm",
        "0.1.9",
        "Models with `epsilon` and `delta` are differentially private end to end. PrivBayes is judged, at epsilon 1 "
        "and delta 1e-5. A fit of MST takes half a minute on such a table, and is not judged.",
        tuple(replace(row, runs=600 if row.inputs.endswith("rare") else 300) for row in _dpmm()),
        (
            *("numpy==1.26.4", "scikit-learn==1.5.0", "pandas==2.1.4", "opendp==0.12.1", "networkx==2.8.8"),
            *("disjoint-set==0.7.4", "tqdm==4.67.1"),
        ),
        conduct_of_all=False,
        alone=True,
    ),
)
