"""The source of the tables family, and its statements in order: each must have an entry in the ledger."""

DOCUMENTS = {"networks": "Thesis, chapter 3: private Bayesian networks of distributed tables"}
"""Titles by short name."""

STATEMENTS = (
    "bayesnet.mutual_information_sensitivity",
    "bayesnet.score_sensitivities",
    "bayesnet.score_use",
    "bayesnet.multinomial_moments",
    "bayesnet.laplace_sum_moments",
    "bayesnet.cauchy_schwarz",
    "bayesnet.sum_bounds",
    "bayesnet.empirical_entropy",
    "bayesnet.noisy_count_moments",
    "bayesnet.privbayes_privacy",
    "bayesnet.sufficient_statistics_privacy",
    "bayesnet.majority_voting_privacy",
    "bayesnet.noisy_model_privacy",
    "bayesnet.entropy_bias",
    "bayesnet.entropy_conditions",
    "bayesnet.independences",
    "bayesnet.counts",
    "bayesnet.degree",
    "bayesnet.fully_connected",
    "bayesnet.listings",
    "bayesnet.consistency",
    "bayesnet.loglikelihood",
    "bayesnet.greedy_optimality",
    "bayesnet.smoothing",
    "bayesnet.analysis_of_algorithm",
    "bayesnet.synthetic_entropy",
    "bayesnet.entropy_mse",
    "bayesnet.remainders",
    "bayesnet.orders",
    "bayesnet.preprocessing",
)
