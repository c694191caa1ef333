"""Packages whose rows are a table: a callable by its name, its parameters, and a pair of neighbours.

A callable of ``packages.short`` is an adapter of at most five lines. All others are judged as they are.
"""

from __future__ import annotations

from typing import Any

from packages.rows import ADDED, DISTANCE, REPLACED, STEP, Package, Row

LOCAL = "the value of one person changes"
UNIT = "values at distance 1"
SHORT = "packages.short"

Given = tuple[str, str, str, str] | tuple[str, str, str, str, dict[str, Any]]
"""Name, adjacency, callable, pair, and what differs: parameters, a promise, a cause."""


def rows(*given: Given, **common: Any) -> tuple[Row, ...]:
    """Rows of a table. A callable without a module is an adapter."""
    made = []
    for name, adjacency, callable_, pair, *more in given:
        options = common | (more[0] if more else {})
        promise = options.pop("promise", "epsilon=1")
        made.append(
            Row(
                name,
                adjacency,
                callable_ if ":" in callable_ else f"{SHORT}:{callable_}",
                f"{promise},adjacency=given,observed=output,intrusions=0",
                f"packages.pairs:{pair}",
                exact=options.pop("exact", True),
                runs=options.pop("runs", 3_000),
                cause=options.pop("cause", ""),
                of_the_system=options.pop("of_the_system", False),
                parameters=options,
            )
        )
    return tuple(made)


def package(name: str, version: str, claim: str, *given: Given, beside: tuple[str, ...] = (), **more: Any) -> Package:
    """A package whose rows are a table."""
    alone = more.pop("alone", False)
    return Package(name, version, claim, rows(*given, **more), beside, conduct_of_all=False, alone=alone)


_ONE_SIDED = (
    "`__init__.py`, `geometric_noise`: the noise is `ceil(log(1 - u) / log(1 - p) - 1)`, which is never below 0. The "
    "released count is never below the true one"
)
_OF_THE_DATA = (
    "`statistics.py`, `sum`, `mean`, `variance`: the sensitivity is that of the least and the greatest value of the "
    "data. If all rows are equal the noise has the scale 0"
)
_MEDIAN = "`global_sensitivity/median.py`: the sensitivity is 1 whatever the range of the values"
_OCCURRING = (
    "`categorical/`: `categories = np.unique(data)`. The words that can be released, and whether the function raises, "
    "are those of the data"
)
_UNCLAMPED = (
    "`operations.py`, `PrivateClampedMean.execute`: `S = np.sum(values)`. The values are not clamped; only the "
    "result is"
)
_SCALAR = (
    "`operations.py`, `PrivateVectorClampedMeanLaplace.execute`: `LaplaceMechanism.execute` draws one number, which is "
    "added to all coordinates. Their differences have no noise"
)
_NOISY_MAX = (
    "`operations.py`, `PrivateQuantile.execute`: a replaced row raises some scores by 1 and lowers others by 1, and "
    "the noise of each has the scale 1 / epsilon. The index of the largest one then costs up to 2 epsilon"
)
_SEED = "`laplace_mechanism.py`: the parameter has the default `seed=0`, so that each call adds the same noise"
_HASHED = (
    "`HyperLogLogLDP.py`, `_random_or_true_hash`: the hash of the segment is reported with the probability "
    "e^epsilon / (e^epsilon + 1), and one of 2^64 numbers otherwise. No other segment gives that hash"
)
_KEYS = "`HyperLogLogLDP.py`, `insert_segments`: `sketch_map` has the segments themselves as its keys"
_ONLY_SET = (
    "`rappor_client.py`, `RAPPORClient._perturb`: it sets bits to 1, and never one to 0. A bit of the true value is "
    "always 1"
)
_FIRST = (
    "`pure_frequency_oracles/SS.py`, `SS_Client`: if the true value is in the subset it is its first element. The "
    "array is returned in that order, so that the true value never stands at a later place"
)
_SWAPPED = (
    "`mechanism.py`, `get_sensitivity`: the sensitivities of distinct tuples and of any tuples are exchanged. The "
    "README "
    "has sqrt(2) m where the code has sqrt(2 m)"
)
_LATTICE = (
    "`client.py`, `disclapu.privatize`: integer noise is added to a vector whose entry for the true value is sqrt(k). "
    "If that is no integer, its fractional part tells the true value"
)
_FACTOR = (
    "`privacy_mechanisms.py`, `applyDPGaussian`: sigma is `sqrt(sensitivity * log(1.25 / delta)) / epsilon`. The "
    "factor 2 is missing, and the sensitivity stands under the root"
)

_SPLITS = (
    "`models/dp_rf.py`, `_build_dp_tree`: `DecisionTreeClassifier.fit` chooses the splits from the rows, without "
    "noise. Only the leaves get noise"
)
_ENCODER = (
    "`methods/utils/bin_encoder.py`, `BinEncoder.fit`: the values of a column are those that occur, also if the "
    "categories are given as bounds. A sampled value proves that some row has it"
)
_DIVIDED = (
    "`cox_numpy.py`, `local_cox_train`: the deviation of the noise is divided by the number of rows, and the sum "
    "of the clipped gradients is not"
)
_POSITIONS = (
    "`privacy/diff_privacy.py`, `bounds_dp`: the exponential mechanism chooses among the values of the data, so that a "
    "released number proves that some row has it"
)
_TRUNCATED = "`tools/utils.py`, `_sum`: the noise is truncated at `upper * array.size`, which tells the number of rows"

_NUMPY = "numpy==1.26.4"
_STATISTICS = "diffpriv_laplace.statistics:DiffPrivStatistics"
_TRASGO = "trasgodp.numerical:dp_clip"
_CATEGORICAL = "trasgodp.categorical:dp"
_LDPY = "multi_freq_ldpy.pure_frequency_oracles"
_SNSQL = "snsql.sql._mechanisms"
_ORNL = "ornl_presto.privacy_mechanisms"
_UNIT_BOUNDS = {"lower_bound": 0, "upper_bound": 1}
_GAUSS = "epsilon=1,delta=0.00001"

OF_CALLABLES = (
    package(
        "diffpriv-pure",
        "0.1.0",
        'The README: "Pure-DP: Laplace noise for a sum query", with `epsilon` and `bounds`, and a geometric mechanism '
        "for counts. The adjacency is not named; the noise of a sum suits a replaced row.",
        ("private_count", "one count changes by 1", "diffpriv_pure:private_count", "counts", {"cause": _ONE_SIDED}),
        ("private_sum", REPLACED, "diffpriv_pure:private_sum", "floats", {"bounds": [0, 1]}),
        ("private_mean", REPLACED, "diffpriv_pure:private_mean", "floats", {"bounds": [0, 1]}),
        epsilon=1,
    ),
    package(
        "diff-priv-laplace-python",
        "1.0.5",
        "`DiffPrivStatistics` has statistics of `data` with a privacy budget `epsilon`, and no bounds. The adjacency "
        "is not named.",
        ("DiffPrivStatistics.count", REPLACED, f"{_STATISTICS}.count", "bits"),
        ("DiffPrivStatistics.sum", REPLACED, f"{_STATISTICS}.sum", "floats", {"cause": _OF_THE_DATA}),
        ("DiffPrivStatistics.mean", REPLACED, f"{_STATISTICS}.mean", "floats", {"cause": _OF_THE_DATA}),
        ("DiffPrivStatistics.variance", REPLACED, f"{_STATISTICS}.variance", "floats", {"cause": _OF_THE_DATA}),
        ("DiffPrivStatistics.median", REPLACED, f"{_STATISTICS}.median", "half_of_ten", {"cause": _MEDIAN}),
        epsilon=1,
    ),
    package(
        "trasgodp",
        "2.1.0",
        '"Local differential privacy mechanisms" for the values of a column. Each person has one value; the values of '
        "the others stay.",
        ("dp_clip_laplace_array", LOCAL, f"{_TRASGO}_laplace_array", "one_float", _UNIT_BOUNDS),
        ("dp_clip_laplace_array, out of the bounds", LOCAL, f"{_TRASGO}_laplace_array", "out_of_range", _UNIT_BOUNDS),
        (
            "dp_clip_gaussian_array",
            LOCAL,
            f"{_TRASGO}_gaussian_array",
            "one_float",
            {**_UNIT_BOUNDS, "promise": "epsilon=1,delta=0.001"},
        ),
        ("dp_exponential_array", LOCAL, f"{_CATEGORICAL}_exponential_array", "words", {"cause": _OCCURRING}),
        ("dp_exponential_array, all words occur", LOCAL, f"{_CATEGORICAL}_exponential_array", "words_that_occur"),
        ("dp_randomized_response_binary_array", LOCAL, f"{_CATEGORICAL}_randomized_response_binary_array", "two_words"),
        (
            "dp_randomized_response_kary_array",
            LOCAL,
            f"{_CATEGORICAL}_randomized_response_kary_array",
            "words",
            {"cause": _OCCURRING},
        ),
        (
            "dp_randomized_response_kary_array, all words occur",
            LOCAL,
            f"{_CATEGORICAL}_randomized_response_kary_array",
            "words_that_occur",
        ),
        epsilon=1,
    ),
    package(
        "eeprivacy",
        "0.0.5",
        '"Energy Differential Privacy": operations with bounds that they clamp to, and `epsilon`. The adjacency is not '
        "named.",
        ("PrivateClampedSum", REPLACED, "eeprivacy_sum", "floats"),
        ("PrivateClampedMean", REPLACED, "eeprivacy_mean", "odd_floats"),
        ("PrivateClampedMean, out of the bounds", REPLACED, "eeprivacy_mean", "beyond", {"cause": _UNCLAMPED}),
        ("PrivateVectorClampedMeanLaplace", REPLACED, "eeprivacy_vector", "points", {"cause": _SCALAR}),
        ("PrivateHistogram", ADDED, "eeprivacy_histogram", "one_more"),
        ("PrivateQuantile", REPLACED, "eeprivacy_quantile", "thirds", {"cause": _NOISY_MAX}),
    ),
    package(
        "syndp",
        "0.5.2",
        '"Data synthesis package that leverages local differential privacy", by a Laplace mechanism with `sensitivity` '
        "and `epsilon`.",
        (
            "laplace_mechanism",
            DISTANCE,
            "syndp.laplace_mechanism:laplace_mechanism",
            "numbers",
            {"sensitivity": 1, "epsilon": 1, "cause": _SEED},
        ),
        beside=("pandas==2.3.3", "matplotlib==3.10.7", "scipy==1.15.3"),
        alone=True,
    ),
    package(
        "dwork",
        "0.0.13",
        '"A Python toolkit for differentially private data science". Its mechanisms are noise for an `epsilon` over '
        "the sensitivity.",
        ("geometric_noise", DISTANCE, "dwork_geometric", "counts"),
    ),
    package(
        "hll-py",
        "0.1.13",
        '"Local differentially private counting using probabilistic data structures like HyperLogLog", with `epsilon`.',
        ("HyperLogLogLDP, the report of a segment", LOCAL, "hll_py_report", "two_users", {"cause": _HASHED}),
        ("HyperLogLogLDP, the keys of its sketches", LOCAL, "hll_py_segments", "two_users", {"cause": _KEYS}),
    ),
    package(
        "cloakdb",
        "1.0.0",
        '`DifferentialPrivacyStrategy` "adds mathematically provable (epsilon, delta) Differential Privacy noise to '
        'numeric data". By default the noise is made from a salt and the value; it is judged without that.',
        ("differential_privacy, deterministic=False", DISTANCE, "cloakdb_of_the_system", "numbers"),
    ),
    package(
        "insurance-fairness-ldp",
        "0.1.1",
        '"Local Differential Privacy for discrimination-free insurance pricing": k-ary randomised response with '
        "`epsilon`.",
        (
            "privatise",
            LOCAL,
            "insurance_fairness_ldp.mechanisms:privatise",
            "one_of_three",
            {"epsilon": 1, "categories": ["a", "b", "c"]},
        ),
    ),
    package(
        "pure-ldp",
        "1.2.0",
        '"Pure LDP frequency oracle implementations": each client is locally private with its `epsilon`, over a domain '
        "of four values. RAPPOR has `f`: with f = 0.75 and one hash function its epsilon is 2 log(5/3), by its "
        "`convert_f_to_eps`.",
        ("DEClient", LOCAL, "pure_ldp_direct", "counts"),
        ("UEClient", LOCAL, "pure_ldp_unary", "counts"),
        ("UEClient, use_oue", LOCAL, "pure_ldp_optimised_unary", "counts"),
        ("HEClient", LOCAL, "pure_ldp_histogram", "counts"),
        ("HadamardMechClient", LOCAL, "pure_ldp_hadamard", "counts"),
        ("RAPPORClient", LOCAL, "pure_ldp_rappor", "counts", {"promise": "epsilon=log(25/9)", "cause": _ONLY_SET}),
        beside=("setuptools==80.9.0",),
    ),
    package(
        "multi-freq-ldpy",
        "0.2.5",
        '"Multiple Frequency Estimation Under Local Differential Privacy": each client is locally private with its '
        "`epsilon`, over a domain of eight values.",
        ("GRR_Client", LOCAL, f"{_LDPY}.GRR:GRR_Client", "categories"),
        ("UE_Client", LOCAL, f"{_LDPY}.UE:UE_Client", "categories", {"optimal": True}),
        ("SS_Client", LOCAL, f"{_LDPY}.SS:SS_Client", "categories", {"cause": _FIRST}),
        ("HE_Client", LOCAL, f"{_LDPY}.HE:HE_Client", "categories"),
        epsilon=1,
        k=8,
    ),
    package(
        "ldp-toolbox",
        "0.1.3",
        '"Local Differential Privacy Toolbox": each protocol is locally private with its `epsilon`, over a domain of '
        "eight values.",
        ("SubsetSelection", LOCAL, "ldp_toolbox_subset", "categories"),
        beside=("xxhash==3.6.0",),
        alone=True,
    ),
    package(
        "inf-tda",
        "0.1",
        'The README: "bounded privacy" replaces a user, who contributes to `contribution` tuples, which need not be '
        "distinct with `distinct_tuples=False`; and the budget is (epsilon, delta). Judged at epsilon 1, delta 1e-6.",
        (
            "inf_tda",
            "one user of one trip is replaced",
            "inf_tda_trips",
            "trips",
            {"contribution": 1, "distinct": True},
        ),
        (
            "inf_tda, distinct_tuples=False",
            "one user of 1,000 trips is replaced",
            "inf_tda_trips",
            "thousand_trips",
            {"contribution": 1000, "distinct": False, "runs": 300, "cause": _SWAPPED},
        ),
        promise="epsilon=1,delta=0.000001",
        of_the_system=True,
        beside=("opendp==0.12.1",),
    ),
    package(
        "dp-group-stats",
        "0.1.2",
        '"Differentially private publication pipeline for aggregate group statistics". `laplace_noise` takes an '
        "epsilon and a sensitivity.",
        ("laplace_noise", DISTANCE, "dp_group_stats_laplace", "numbers"),
    ),
    package(
        "dpsprt",
        "1.2.0",
        '`dp_sprt_laplace` is an "epsilon-DP SPRT": the decision and the stopping time are private. The adjacency is '
        "that of a replaced observation.",
        ("dp_sprt_laplace, decision and time", REPLACED, "dpsprt_decision", "bits"),
    ),
    package(
        "dpcrpy",
        "1.0.0",
        '"Differential privacy continual release mechanisms": sums of a stream of values, of which one changes by 1.',
        ("BinMech", STEP, "dpcrpy_binary", "streams_of_four"),
    ),
    package(
        "privateab",
        "0.0.2",
        '"Two-sample testing under local differential privacy": each client is locally private with `privacy_level`, '
        "over three values.",
        ("genrr", LOCAL, "privateab_report", "counts", {"method": "genrr"}),
        ("disclapu", LOCAL, "privateab_report", "counts", {"method": "disclapu", "cause": _LATTICE}),
    ),
    package(
        "python-dp",
        "1.1.5",
        'Google\'s library: "epsilon- and (epsilon, delta)-differentially private algorithms" with bounds, for one row '
        "more or less.",
        ("Count", ADDED, "python_dp_count", "one_more"),
        of_the_system=True,
    ),
    package(
        "ornl-presto",
        "0.1.29",
        '"Automated privacy mechanism selection": each mechanism privatises values with `epsilon`, and with '
        "`sensitivity` where it has one.",
        ("applyDPGaussian", DISTANCE, f"{_ORNL}:applyDPGaussian", "one_float", {"promise": _GAUSS, "cause": _FACTOR}),
        epsilon=1,
        beside=("torch==2.13.0",),
    ),
    package(
        "geoprivacy",
        "0.0.4",
        '"Geo-indistinguishability": planar Laplace noise, with the loss epsilon at distance 1.',
        ("random_laplace_noise", "places at distance 1", "geoprivacy_place", "places"),
        beside=("networkx==3.5", "gurobipy==12.0.3", "geopy==2.4.1"),
    ),
    package(
        "tabularforge-sgk",
        "0.1.1",
        '`DifferentialPrivacy.add_noise`: "Laplace noise calibrated to provide epsilon-DP", with `sensitivity` 1.',
        ("DifferentialPrivacy.add_noise", DISTANCE, "tabularforge_frame", "one_float"),
        beside=("torch==2.13.0",),
    ),
    package(
        "diffprivlib-fix",
        "0.6.7",
        "A copy of diffprivlib 0.6.6, with its promise. It differs in one parameter of `LogisticRegression`.",
        (
            "tools.count_nonzero",
            ADDED,
            "diffprivlib.tools:count_nonzero",
            "one_more_bit",
            {"epsilon": 1, "cause": _TRUNCATED},
        ),
        beside=("scikit-learn==1.7.2",),
    ),
    package(
        "binomialdpy",
        "0.1.5",
        '"Differentially Private UMP Test for Binomial Data": a count with noise of the Tulap distribution with '
        "b = exp(-epsilon) and q = 0.",
        ("tulap.random", "one count changes by 1", "binomialdpy_noise", "counts"),
    ),
    package(
        "synthhub",
        "0.1.0.post1",
        '"One unified API for differentially private synthetic data", with `epsilon`. The method `independent` is '
        "judged by the sampled rows. It says that privacy is conditional on public categories. The adjacency is not "
        "named; the noise suits a replaced row.",
        ("independent, all words occur", REPLACED, "synthhub_marginals", "words_that_occur", {"exact": False}),
    ),
    package(
        "dp-mobility-report",
        "0.2.11",
        '"Mobility report with differential privacy guarantees": counts with a sensitivity, and quantiles.',
        (
            "count_dp",
            "one count changes by 1",
            "dp_mobility_report.privacy.diff_privacy:count_dp",
            "five_counts",
            {"eps": 1, "sensitivity": 1},
        ),
        (
            "counts_dp",
            "one count changes by 1",
            "dp_mobility_report.privacy.diff_privacy:counts_dp",
            "two_counts",
            {"eps": 1, "sensitivity": 1},
        ),
        ("bounds_dp", REPLACED, "dp_mobility_bounds", "two_floats", {"cause": _POSITIONS}),
        beside=(
            *("numpy==1.26.4", "pandas==2.2.3", "scipy==1.13.1", "diffprivlib==0.6.5", "scikit-learn==1.5.0"),
            *("folium==0.12.1.post1", "haversine==2.9.0", "geopandas==1.0.1", "pandarallel==1.6.5", "seaborn==0.13.2"),
            *(
                "geojson==3.2.0",
                "opencv-python-headless==4.10.0.84",
                "rtree==1.4.0",
                "setuptools==80.9.0",
                "tqdm==4.67.1",
            ),
        ),
        alone=True,
    ),
    package(
        "dpart",
        "0.1.2",
        '"Differentially private synthetic data generation", with `epsilon`. The engine `Independent` is judged by the '
        "sampled rows, with public categories. The adjacency is not named; the noise suits a replaced row.",
        ("Independent, public categories", REPLACED, "dpart_marginals", "words", {"runs": 300, "cause": _ENCODER}),
        ("Independent, all words occur", REPLACED, "dpart_marginals", "words_that_occur", {"runs": 1_000}),
        exact=False,
        beside=("numpy==1.26.4", "pandas==1.5.3", "scikit-learn==1.5.0", "diffprivlib==0.6.5", "scipy==1.13.1"),
        alone=True,
    ),
    package(
        "privsyn-core",
        "0.1.1",
        '"PrivSyn for differentially private discrete tabular synthesis", with an epsilon and a delta. The adjacency '
        "is not named; the noise suits an added row. `rho` is `cdp_rho(1, 1e-6)`, which is the default. The synthesis "
        "makes 5 iterations, which have no part in the promise.",
        ("fit_privsyn, 8 sampled rows", ADDED, "privsyn_rows", "one_of_many", {"promise": "epsilon=1,delta=0.000001"}),
        rho=0.024355970359538372,
        runs=300,
        exact=False,
    ),
    package(
        "smartnoise-sql",
        "1.0.10",
        '"Differentially private SQL queries". Its mechanisms add noise for an `epsilon`, a `delta` and a '
        "`sensitivity`; they are judged without the query. They draw from OpenDP.",
        ("Laplace", DISTANCE, f"{_SNSQL}.laplace:Laplace", "one_float"),
        ("Gaussian", DISTANCE, f"{_SNSQL}.gaussian:Gaussian", "one_float", {"delta": 0.00001, "promise": _GAUSS}),
        epsilon=1,
        sensitivity=1,
        runs=500,
        of_the_system=True,
    ),
    package(
        "pipeline-dp",
        "0.3.1",
        '"Framework for applying differential privacy to large datasets". Its mechanisms add noise for an epsilon, a '
        "delta and a sensitivity; they are judged without a pipeline. They draw from python-dp.",
        (
            "apply_laplace_mechanism",
            DISTANCE,
            "pipeline_dp.dp_computations:apply_laplace_mechanism",
            "numbers",
            {"l1_sensitivity": 1},
        ),
        (
            "apply_gaussian_mechanism",
            DISTANCE,
            "pipeline_dp.dp_computations:apply_gaussian_mechanism",
            "numbers",
            {"l2_sensitivity": 1, "delta": 0.00001, "promise": _GAUSS},
        ),
        eps=1,
        of_the_system=True,
    ),
    package(
        "ldp-hierarchical-mechanism",
        "0.1.3",
        '"Local Differential Privacy for Range Queries": a person reports on each level of a tree with `eps`, and the '
        "loss of `get_privacy()` is eps times the number of levels. Judged over four values, with two levels of eps "
        "0.5.",
        ("Private_TreeBary.update_tree", LOCAL, "hierarchical_tree", "ends_of_four"),
        beside=("setuptools==80.9.0", "scipy==1.15.3", "pandas==2.3.3", "tqdm==4.67.1"),
    ),
    package(
        "sdsa",
        "1.2.1",
        "Sanitises files: noise for numbers with an `epsilon` and bounds for each value. It says that this is no "
        "promise for the file as a whole, so that the local promise is judged.",
        ("apply_laplace", LOCAL, "sdsa_laplace", "one_float"),
        beside=("polars==1.35.2",),
        alone=True,
    ),
    package(
        "distributed-random-forest",
        "0.4.0",
        '`DPRandomForest`: "differential privacy at the training level using Laplace mechanism for leaf node counts '
        'and exponential mechanism for split selection", with `epsilon`. The trees leave the client. The adjacency is '
        "not named.",
        ("DPRandomForest, sizes of the trees", REPLACED, "distributed_forest", "bits", {"cause": _SPLITS}),
        exact=False,
    ),
    package(
        "federatedhplearning",
        "1.0.2",
        '"Federated Hyper-parameterized Learning with differential privacy": a client clips the gradients of its rows '
        "and adds noise for an `epsilon` and a `delta`. The Cox model is judged with one epoch, 10 rows and clipping "
        "norm 1. The adjacency is not named.",
        ("local_cox_train", REPLACED, "federated_cox", "one_of_ten", {"promise": _GAUSS, "cause": _DIVIDED}),
    ),
)
