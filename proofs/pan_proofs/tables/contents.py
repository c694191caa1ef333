"""The contributions of the tables family to the ledger."""

from __future__ import annotations

from pan_proofs.ledger.contents import Contents
from pan_proofs.tables.errata import ERRATA
from pan_proofs.tables.notation import BIBLIOGRAPHY, NOTATION

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

CONTENTS = Contents(
    claims="pan_proofs.tables.claims",
    statements=STATEMENTS,
    documents=DOCUMENTS,
    errata=ERRATA,
    subject="private Bayesian networks",
    notation=NOTATION,
    bibliography=BIBLIOGRAPHY,
    order=3,
)
