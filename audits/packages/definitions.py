"""The packages at their versions, their claims, and the promises that are judged."""

from __future__ import annotations

from dataclasses import replace

from packages.definitions_of_tables import OF_TABLES, models_of_diffprivlib
from packages.rows_of_packages import (
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
    of,
)
from packages.sources import SOURCES

__all__ = ["PACKAGES", "Package", "Row"]

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
        (*_diffprivlib(), *(replace(row, runs=1_000, confirmation=500) for row in models_of_diffprivlib())),
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
    *OF_TABLES,
)
