from pan_estimators.common.accuracy_statement import (
    AccuracyStatement,
    Columns,
    Estimand,
    Quantity,
    Relation,
    ValueOfInput,
)
from pan_estimators.common.estimator import Estimator
from pan_estimators.common.many_runs import ManyRuns, Stack, StackedStates
from pan_estimators.common.registry import ESTIMATORS, ESTIMATORS_OF_IDS, create_estimator, estimator_from_dict
from pan_estimators.density.adder import Adder
from pan_estimators.density.calibrated import (
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    calibrated_continual_output,
    calibrated_insert_delete,
)
from pan_estimators.density.calibration import Calibration, calibrate_basic, calibrate_symmetric
from pan_estimators.density.cell_loss import tight_joint_loss
from pan_estimators.density.cells import BernoulliCells, Cells, LaplaceCells
from pan_estimators.density.distinct.dask import count_in_dask
from pan_estimators.density.distinct.output import DistinctCount
from pan_estimators.density.distinct.planning import costs_of_releases
from pan_estimators.density.distinct.run import CountRun, CountUse
from pan_estimators.density.distinct.shards import DividedCounter, SavedShard, ShardState, load_shard, save_shard
from pan_estimators.density.distinct.union import CounterUnion, counter_for_union, union_of
from pan_estimators.density.distinct.users import DistinctUserCounter, load_counter, save_counter
from pan_estimators.density.exact_counter import ExactCounter, ExactCounterState, exact_counter
from pan_estimators.density.interval import CountInterval, confidence_interval
from pan_estimators.density.likelihood import log_likelihood, log_likelihood_of_many
from pan_estimators.density.many_cells import ManyCells
from pan_estimators.density.pan_private_distinct_sampling import (
    DistinctSamplingState,
    PanPrivateDistinctSampling,
    pan_private_distinct_sampling,
)
from pan_estimators.density.printed import (
    announced_intrusions,
    bernoulli_family,
    dwork,
    graph_density,
    laplace,
    lecture,
    optimal_bernoulli,
    optimal_pair,
    quantized_laplace,
)
from pan_estimators.density.published import (
    ErrorBound,
    Plan,
    dwork_bound,
    laplace_bound,
    least_sample_size,
    optimal_bernoulli_bound,
    tightest_beta,
)
from pan_estimators.density.sampled_cells import CalibratedCells, CalibratedCellsState, SampledCells, SampledCellsState
from pan_estimators.density.target import Target
from pan_estimators.randomness import NumpyRandomness, Randomness, SecureRandomness
from pan_estimators.samples.keyed_sample import KeyedSample, ListedSample, Sample, WholePopulation
from pan_estimators.states.memory import return_unused_memory, wipe_freed_memory
from pan_estimators.states.releasing import CountsReleases, counts_releases, is_erased, releases_covered
from pan_estimators.states.state_file import (
    dump_state,
    load_state,
    parse_state,
    require_savable,
    save_spent,
    save_state,
)
from pan_estimators.states.state_format import StoredArray
from pan_estimators.streams import STREAMS, Stream, load_stream, uniform_stream, zipf_stream
from pan_estimators.streams.generators import last_update_of_each
from pan_estimators.universes.collisions import distinct_count
from pan_estimators.universes.ids import Ids, as_id_array
from pan_estimators.universes.universe import EdgeUniverse, HashedUniverse, IntegerUniverse, LabelUniverse, Universe
from pan_promises.errors import InputError, MissingExtraError, StateFileError, require_count
from pan_promises.exact_epsilon import LogFraction, parse_epsilon
from pan_promises.promise import Adjacency, Observed, Promise

__all__ = [
    "ESTIMATORS",
    "ESTIMATORS_OF_IDS",
    "STREAMS",
    "AccuracyStatement",
    "Adder",
    "Adjacency",
    "BernoulliCells",
    "CalibratedCells",
    "CalibratedCellsState",
    "Calibration",
    "Cells",
    "Columns",
    "CountInterval",
    "CountRun",
    "CountUse",
    "CounterUnion",
    "CountsReleases",
    "DistinctCount",
    "DistinctSamplingState",
    "DistinctUserCounter",
    "DividedCounter",
    "EdgeUniverse",
    "ErrorBound",
    "Estimand",
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
    "SavedShard",
    "SecureRandomness",
    "ShardState",
    "Stack",
    "StackedStates",
    "StateFileError",
    "StoredArray",
    "Stream",
    "Target",
    "Universe",
    "ValueOfInput",
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
    "costs_of_releases",
    "count_in_dask",
    "counter_for_union",
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
    "load_counter",
    "load_shard",
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
    "return_unused_memory",
    "save_counter",
    "save_shard",
    "save_spent",
    "save_state",
    "tight_joint_loss",
    "tightest_beta",
    "uniform_stream",
    "union_of",
    "wipe_freed_memory",
    "zipf_stream",
]
