"""Pan-private stream estimators: frozen configurations, explicit states, randomness handed in.

>>> from pan_estimators import NumpyRandomness, optimal_bernoulli
>>> estimator = optimal_bernoulli(universe=1000, epsilon=0.5, sample_size=500)
>>> randomness = NumpyRandomness(7)
>>> state = estimator.create(randomness)
>>> state = estimator.update(state, [3, 1, 4, 1, 5], randomness)
>>> density = estimator.release(state, randomness)
"""

from pan_estimators.accuracy_statement import AccuracyStatement, Quantity, Relation, Target
from pan_estimators.adder import Adder
from pan_estimators.announced_intrusions import announced_intrusions
from pan_estimators.bernoulli_family import bernoulli_family
from pan_estimators.calibrated_announced_intrusions import calibrated_announced_intrusions
from pan_estimators.calibrated_bernoulli import calibrated_bernoulli
from pan_estimators.calibrated_cells import CalibratedCells, CalibratedCellsState
from pan_estimators.calibrated_continual_output import calibrated_continual_output
from pan_estimators.calibrated_insert_delete import calibrated_insert_delete
from pan_estimators.calibration import Calibration, calibrate_basic, calibrate_symmetric
from pan_estimators.cell_loss import tight_joint_loss
from pan_estimators.cells import BernoulliCells, Cells, LaplaceCells
from pan_estimators.dwork import dwork
from pan_estimators.errors import InputError, MissingExtraError, StateFileError, require_count
from pan_estimators.estimator import Estimator
from pan_estimators.exact_counter import ExactCounter, ExactCounterState, exact_counter
from pan_estimators.exact_epsilon import LogFraction, parse_epsilon
from pan_estimators.graph_density import graph_density
from pan_estimators.ids import Ids, as_id_array
from pan_estimators.interval import CountInterval, confidence_interval, distinct_count
from pan_estimators.keyed_sample import KeyedSample, ListedSample, Sample, WholePopulation
from pan_estimators.laplace import laplace
from pan_estimators.lecture import lecture
from pan_estimators.likelihood import last_update_of_each, log_likelihood, log_likelihood_of_many
from pan_estimators.many_cells import ManyCells
from pan_estimators.many_runs import ManyRuns, Stack, StackedStates
from pan_estimators.memory import let_go_of_memory, wipe_freed_memory
from pan_estimators.optimal_bernoulli import optimal_bernoulli, optimal_pair
from pan_estimators.pan_private_distinct_sampling import (
    DistinctSamplingState,
    PanPrivateDistinctSampling,
    pan_private_distinct_sampling,
)
from pan_estimators.planning import (
    ErrorBound,
    Plan,
    dwork_bound,
    laplace_bound,
    least_sample_size,
    optimal_bernoulli_bound,
    tightest_beta,
)
from pan_estimators.promise import Adjacency, Observed, Promise
from pan_estimators.quantized_laplace import quantized_laplace
from pan_estimators.randomness import NumpyRandomness, Randomness, SecureRandomness
from pan_estimators.registry import ESTIMATORS, create_estimator, estimator_from_dict
from pan_estimators.releasing import CountsReleases, counts_releases, is_erased, releases_covered
from pan_estimators.sampled_cells import SampledCells, SampledCellsState
from pan_estimators.state_file import dump_state, load_state, parse_state, require_savable, save_spent, save_state
from pan_estimators.state_format import StoredArray
from pan_estimators.streams import STREAMS, Stream, load_stream, uniform_stream, zipf_stream
from pan_estimators.universe import EdgeUniverse, HashedUniverse, IntegerUniverse, LabelUniverse, Universe

__all__ = [
    "ESTIMATORS",
    "STREAMS",
    "AccuracyStatement",
    "Adder",
    "Adjacency",
    "BernoulliCells",
    "CalibratedCells",
    "CalibratedCellsState",
    "Calibration",
    "Cells",
    "CountInterval",
    "CountsReleases",
    "DistinctSamplingState",
    "EdgeUniverse",
    "ErrorBound",
    "Estimator",
    "ExactCounter",
    "ExactCounterState",
    "HashedUniverse",
    "Ids",
    "InputError",
    "IntegerUniverse",
    "KeyedSample",
    "LabelUniverse",
    "LaplaceCells",
    "ListedSample",
    "LogFraction",
    "ManyCells",
    "ManyRuns",
    "MissingExtraError",
    "NumpyRandomness",
    "Observed",
    "PanPrivateDistinctSampling",
    "Plan",
    "Promise",
    "Quantity",
    "Randomness",
    "Relation",
    "Sample",
    "SampledCells",
    "SampledCellsState",
    "SecureRandomness",
    "Stack",
    "StackedStates",
    "StateFileError",
    "StoredArray",
    "Stream",
    "Target",
    "Universe",
    "WholePopulation",
    "announced_intrusions",
    "as_id_array",
    "bernoulli_family",
    "calibrate_basic",
    "calibrate_symmetric",
    "calibrated_announced_intrusions",
    "calibrated_bernoulli",
    "calibrated_continual_output",
    "calibrated_insert_delete",
    "confidence_interval",
    "counts_releases",
    "create_estimator",
    "distinct_count",
    "dump_state",
    "dwork",
    "dwork_bound",
    "estimator_from_dict",
    "exact_counter",
    "graph_density",
    "is_erased",
    "laplace",
    "laplace_bound",
    "last_update_of_each",
    "least_sample_size",
    "lecture",
    "let_go_of_memory",
    "load_state",
    "load_stream",
    "log_likelihood",
    "log_likelihood_of_many",
    "optimal_bernoulli",
    "optimal_bernoulli_bound",
    "optimal_pair",
    "pan_private_distinct_sampling",
    "parse_epsilon",
    "parse_state",
    "quantized_laplace",
    "releases_covered",
    "require_count",
    "require_savable",
    "save_spent",
    "save_state",
    "tight_joint_loss",
    "tightest_beta",
    "uniform_stream",
    "wipe_freed_memory",
    "zipf_stream",
]
