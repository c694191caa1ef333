"""The claims about tables: their verdicts, and that no false statement of the same kind is proved."""

from __future__ import annotations

import pytest

from pan_proofs.ledger import ProofVerdict, Role, modules, statements
from pan_proofs.tables.sources import STATEMENTS

VERDICTS = {
    "bayesnet.mutual_information_sensitivity": ProofVerdict.PROVED_AMENDED,
    "bayesnet.score_sensitivities": ProofVerdict.PROVED_AMENDED,
    "bayesnet.score_use": ProofVerdict.PROVED_AMENDED,
    "bayesnet.multinomial_moments": ProofVerdict.PROVED,
    "bayesnet.laplace_sum_moments": ProofVerdict.PROVED_AMENDED,
    "bayesnet.cauchy_schwarz": ProofVerdict.PROVED_AMENDED,
    "bayesnet.sum_bounds": ProofVerdict.PROVED,
    "bayesnet.empirical_entropy": ProofVerdict.PROVED_AMENDED,
    "bayesnet.noisy_count_moments": ProofVerdict.PROVED_AMENDED,
    "bayesnet.privbayes_privacy": ProofVerdict.PROVED_AMENDED,
    "bayesnet.sufficient_statistics_privacy": ProofVerdict.PROVED_AMENDED,
    "bayesnet.majority_voting_privacy": ProofVerdict.PROVED_AMENDED,
    "bayesnet.noisy_model_privacy": ProofVerdict.PROVED,
    "bayesnet.entropy_bias": ProofVerdict.PROVED_AMENDED,
    "bayesnet.entropy_conditions": ProofVerdict.PROVED_AMENDED,
    "bayesnet.independences": ProofVerdict.PROVED_AMENDED,
    "bayesnet.counts": ProofVerdict.PROVED_AMENDED,
    "bayesnet.degree": ProofVerdict.PROVED_AMENDED,
    "bayesnet.fully_connected": ProofVerdict.PROVED_AMENDED,
    "bayesnet.listings": ProofVerdict.PROVED_AMENDED,
    "bayesnet.consistency": ProofVerdict.PROVED_AMENDED,
    "bayesnet.loglikelihood": ProofVerdict.PROVED_AMENDED,
    "bayesnet.greedy_optimality": ProofVerdict.PROVED_AMENDED,
    "bayesnet.smoothing": ProofVerdict.PROVED_AMENDED,
    "bayesnet.analysis_of_algorithm": ProofVerdict.PROVED_AMENDED,
    "bayesnet.synthetic_entropy": ProofVerdict.CITED,
    "bayesnet.entropy_mse": ProofVerdict.PROVED_AMENDED,
    "bayesnet.remainders": ProofVerdict.PROVED_AMENDED,
    "bayesnet.orders": ProofVerdict.PROVED_AMENDED,
    "bayesnet.preprocessing": ProofVerdict.PROVED_AMENDED,
}


@pytest.fixture(scope="module")
def claims(entries):
    return {identifier: entries[identifier].claim for identifier in VERDICTS}


@pytest.mark.parametrize("identifier", VERDICTS)
def test_the_verdicts_follow(claims, identifier):
    claim = claims[identifier]
    undone = [str(one) for one in claim.obligations if str(one.status) != "discharged"]
    assert not undone
    assert claim.verdict is VERDICTS[identifier]
    assert not claim.prose
    assert all(line.count("&") == 1 for part in claim.parts for step in part.steps for line in step.lines)


@pytest.mark.parametrize("identifier", VERDICTS)
def test_every_inequality_has_its_controls(claims, identifier):
    done, asked = claims[identifier].controls
    assert done == asked


def test_every_statement_has_an_entry():
    assert set(STATEMENTS) == set(VERDICTS)
    assert set(STATEMENTS) <= set(modules())
    assert set(STATEMENTS) <= set(statements())


@pytest.mark.parametrize(
    ("identifier", "role"),
    [(one, Role.COUNTEREXAMPLE) for one, verdict in VERDICTS.items() if verdict is ProofVerdict.PROVED_AMENDED],
)
def test_amended_claims_rest_on_their_counterexamples(claims, identifier, role):
    claim = claims[identifier]
    assert [part.title for part in claim.parts if part.role is role]
    assert all(part.shown_false for part in claim.parts)
