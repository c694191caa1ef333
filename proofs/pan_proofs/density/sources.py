"""The sources of the density family, and their statements in order: each must have an entry in the ledger."""

DOCUMENTS = {
    "paper": "Improved pan-private stream density estimation",
    "lecture": "Lecture on user-level pan-privacy",
    "thesis": "Thesis, chapters 2 and 4",
}
"""Titles by short name."""

STATEMENTS = (
    "density.laplace_distribution",
    "density.randomized_response",
    "density.laplace_mechanism",
    "density.dwork_privacy",
    "density.dwork_error",
    "density.union_lemma",
    "density.dwork_accuracy",
    "density.tightest_beta",
    "density.optimal_sample_size",
    "density.dwork_budget",
    "density.bernoulli_family",
    "density.tanh_optimality",
    "density.optbern_privacy",
    "density.optbern_error",
    "density.optbern_accuracy",
    "density.fm_hash",
    "density.ppds_privacy",
    "density.ppds_error",
    "density.stream_densities",
    "density.insert_delete",
    "density.announced_intrusions",
    "density.continual_output",
    "density.user_level_noise",
    "lecture.privacy",
    "lecture.accuracy",
    "lecture.unbiased",
    "thesis.post_processing",
    "thesis.sequential_composition",
    "thesis.parallel_composition",
    "thesis.group_privacy",
    "thesis.unbounded_to_bounded",
    "thesis.exponential_mechanism",
    "thesis.total_variance",
    "thesis.laplace_privacy",
    "thesis.laplace_error",
    "thesis.subexponential",
    "thesis.laplace_accuracy",
    "thesis.quantizer",
    "thesis.truncated",
    "thesis.gaussian",
)

ALIASES = {
    "thesis.randomized_response": "density.randomized_response",
    "thesis.laplace_mechanism": "density.laplace_mechanism",
    "thesis.dwork_privacy": "density.dwork_privacy",
    "thesis.dwork_error": "density.dwork_error",
    "thesis.dwork_accuracy": "density.dwork_accuracy",
    "thesis.dwork_budget": "density.dwork_budget",
    "thesis.union_lemma": "density.union_lemma",
    "thesis.bernoulli_family": "density.bernoulli_family",
    "thesis.optbern_privacy": "density.optbern_privacy",
    "thesis.optbern_error": "density.optbern_error",
    "thesis.optbern_accuracy": "density.optbern_accuracy",
}
"""Statements that the thesis repeats: the entry has both references."""

EXPERIMENTS = (
    "density.figure_4",
    "density.figure_5",
    "density.figure_6",
    "density.figure_7",
    "thesis.figure_4_8",
    "thesis.figure_4_9",
    "thesis.figure_4_10",
    "thesis.figure_4_11",
)
"""Statements about experiments: no derivation can judge them. Runs do, by ``python -m experiments reproduce ID``."""
