"""Theorems 3.7 and 3.8 of the thesis: votes of several holders of data, and models of several holders."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import ge, le
from pan_proofs.foundations.finite_mechanisms import Distribution, biased, distribution_of_coins, largest_ratio
from pan_proofs.foundations.sums_over_terms import stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, derived
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, counterexample, enumerated
from pan_proofs.tables.lemmas.information import sensitivity
from pan_proofs.tables.lemmas.shares import (
    TWO,
    any_factor,
    chance,
    close_exponents,
    impossible_choice,
    noisy_sets,
    other_chance,
)
from pan_proofs.tables.lemmas.small_tables import exponential_chance

first_budget, second_budget = sp.symbols("epsilon_1 epsilon_2", positive=True)
_attributes = sp.Symbol("N", integer=True, positive=True)
_loss = sp.Symbol("R")
_total, _loss_of_one, _share = sp.symbols("L l e", real=True)
_rounds = sp.Symbol("r", integer=True, nonnegative=True)
_one_loss, _other_loss = sp.symbols("ell_1 ell_2", nonnegative=True)
_FACTORS = (Fraction(2), Fraction(3, 2))
_TURNED = (((0, 0, 0), (1, 1, 0)), ((0, 0, 0), (1, 0, 1)))
"""Two tables of two records: in the first B is A, and in the second C is."""
_PUBLIC = "the number of records of each holder is public, and does not change between adjacent tables"


def majority_voting_privacy() -> Claim:
    """The votes leak with the printed weights, and keep the budget with exponential ones."""
    return Claim(
        id="bayesnet.majority_voting_privacy",
        title="Privacy of noisy majority voting",
        notation=((r"$\ell_1, \ldots, \ell_r$", "losses of the votes of one holder"),),
        references=(Reference("networks", "Theorem 3.7, section 3.5", "Algorithm 3.6"),),
        statement=r"In each of $N - 1$ rounds each holder votes for a candidate, drawn as in line 12 of Algorithm 3.2 "
        r"with the budget $\frac{\varepsilon_1}{N-1}$. Then each holder releases $N$ distributions by the Laplace "
        r"mechanism with the budgets $\frac{\varepsilon_2}{N}$. All of this is "
        r"$(\varepsilon_1 + \varepsilon_2)$-differentially private for the table of each holder.",
        hypotheses=("adjacent tables of a holder have the same number of records, of which one differs",),
        silent=(
            _PUBLIC,
            "the holders draw independently; the tables of the other holders are fixed",
            "the analyst sees all votes and all counts; ties are broken without the data",
            r"$\Delta\hat I$ is that of $n_j$ records, the number of the holder's own",
        ),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "votes as they are printed",
                r"Line 12 of Algorithm 3.2 has weights proportional to the score. A holder with one of two adjacent "
                r"tables can cast a vote that is impossible with the other one. In the formula $P$ and $P'$ are "
                r"the probabilities of this vote.",
                _impossible_vote(),
            ),
            derived(
                Role.AMENDED,
                "votes by the exponential mechanism",
                r"With weights $\exp\frac{\hat I\,\varepsilon_1}{2(N-1)\Delta\hat I}$ the votes of a holder lose at "
                r"most $\varepsilon_1$, for every conduct of the other holders. In the formulas $q$ and $q'$ "
                r"are the scores of a candidate, $\Delta$ is $\Delta\hat I$ and $r = N - 1$; $l_i$ is the loss of a "
                r"round, $e = \frac{\varepsilon_1}{r}$, and $L$ that of all rounds, and $x$ and $y$ are the "
                r"probabilities of an outcome for two adjacent tables, given one of the $n$ outcomes of the coins of "
                r"the others, whose probability is $a$.",
                close_exponents(
                    "exponents_of_votes",
                    r"The exponents of a candidate's weights differ by at most half of the share of a round.",
                ),
                over_entries(
                    "votes",
                    r"The loss $l_i$ of a vote, given all earlier votes of all holders, is at most $e = "
                    r"\frac{\varepsilon_1}{r}$.",
                    le(_total, _rounds * _share),
                    _rounds,
                    {_total: _loss_of_one},
                    (_loss_of_one,),
                    ((1,), (1,)),
                    r"\ell_1 + \ldots + \ell_r &\le r\,e",
                    (le(_loss_of_one, _share),),
                    at={_share: 1},
                ),
                _others("voters"),
                enumerated(
                    "two_voters",
                    r"An example in fractions: two holders vote by randomized response in two rounds, and the "
                    r"second question depends on the first votes of both. The votes of all lose no more than the "
                    r"two votes of the first holder.",
                    "the largest ratio over all votes is the product of the factors of the first holder",
                    (0, 1),
                    lambda other: largest_ratio(_transcript(0, other), _transcript(1, other)) == _FACTORS[0] ** 2,
                    mutant=lambda other: largest_ratio(_transcript(0, other), _transcript(1, other)) == _FACTORS[0],
                ),
                but=("other_voters",),
                formal=stated_weighted_sums(sp.exp(first_budget)),
            ),
            derived(
                Role.PUBLISHED,
                "the parameters",
                r"The counts of a distribution change by at most $2$, and their noise has the scale "
                r"$\frac{2N}{\varepsilon_2}$. All $N$ lose at most $\varepsilon_2$. In the formulas $t_i$ and $T$ are "
                r"the changes of one and of all distributions.",
                *noisy_sets(
                    "a_holder",
                    (
                        r"The counts of all $N$ distributions together:",
                        r"With the scale of the Laplace mechanism for the budget $\frac{\varepsilon_2}{N}$:",
                    ),
                    _attributes,
                    2,
                    2 / (second_budget / _attributes),
                    second_budget,
                    r"T \Big/ \frac{2}{\varepsilon_2/N} &\le \varepsilon_2",
                ),
            ),
            derived(
                Role.READING,
                "the sensitivity for the records of all holders",
                r"If a holder puts the sensitivity $\Delta$ for the $n > n_j$ records of all holders into its weights, "
                r"which is less than its own, a vote can lose more than the share of its round. In the formula $R$ "
                r"is the ratio of the probabilities of a vote for $n_j = 2$, $n = 10$ and the share $1$.",
                _too_small(),
                holds=False,
            ),
        ),
        uses=(
            "bayesnet.mutual_information_sensitivity",
            "thesis.exponential_mechanism",
            "thesis.sequential_composition",
            "density.laplace_mechanism",
            "thesis.post_processing",
        ),
        in_words=(
            (
                "votes",
                "A round depends on the votes of all holders before it, which the analyst sees. The claim on "
                "sequential composition covers mechanisms that see earlier outputs.",
            ),
        ),
    )


def noisy_model_privacy() -> Claim:
    """Post-processing of private models."""
    return Claim(
        id="bayesnet.noisy_model_privacy",
        title="Privacy of shared noisy models",
        references=(Reference("networks", "Theorem 3.8, section 3.6", "Algorithm 3.7"),),
        statement=r"If each holder shares an $\varepsilon$-differentially private model, then the global model that "
        r"is learned from records sampled from these models is $\varepsilon$-differentially private for the table of "
        r"each holder.",
        hypotheses=(r"each holder's model is $\varepsilon$-differentially private",),
        silent=(
            _PUBLIC + r": Algorithm 3.7 sends $n_j$ without noise",
            "the holders' draws are independent of one another and of the sampled records",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "all that the analyst sees or computes",
                r"The probability of an event changes by a factor of at most $e^{\varepsilon}$. In the formula $x$ "
                r"and $y$ are the probabilities of one of $n$ models of the holder for two adjacent tables, and $a$ is "
                r"the probability of the event given this model.",
                _others("models"),
                but=("other_models",),
                formal=stated_weighted_sums(sp.exp(epsilon)),
            ),
            derived(
                Role.READING,
                "adding or removing a record",
                r"Then the number $n_j$ tells the tables apart. In the formula $P$ and $P'$ are the probabilities that "
                r"it is $2$.",
                counterexample(
                    "size_in_clear",
                    r"A holder sends the number of its records, which is $2$ or $3$.",
                    le(chance, any_factor * other_chance),
                    {
                        chance: lambda: int(len(TWO) == 2),
                        other_chance: lambda: int(len((*TWO, (0, 0, 0))) == 2),
                        any_factor: 10**9,
                    },
                    (ge(any_factor, 1),),
                    free=(any_factor,),
                    lines=r"P(n_j = 2 \mid D) = 1 &> e^{\varepsilon} \cdot 0",
                ),
                holds=False,
                departs="the number of records of each holder is public, and does not change between adjacent tables",
            ),
            derived(
                Role.READING,
                "a record that changes its holder",
                r"The theorem is about the table of one holder. For the union of the tables a record may change its "
                r"holder: one table loses it, and another one gets it. If each model is $\varepsilon$-differentially "
                r"private for an added or removed record, its size included, the losses $\ell_1$ and $\ell_2$ of the "
                r"two "
                r"models add up to $2 \varepsilon$ at most. This is attained by independent models with the loss "
                r"$\varepsilon$ each.",
                bounded(
                    "changed_holder",
                    r"The models are independent, so that their losses add up.",
                    le(_one_loss + _other_loss, 2 * epsilon),
                    le(_one_loss, epsilon),
                    le(_other_loss, epsilon),
                    lines=r"\ell_1 + \ell_2 &\le 2 \varepsilon",
                ),
            ),
            derived(
                Role.READING,
                "models that are learned by Algorithm 3.2 as it is printed",
                r"Then the hypothesis is not met: a structure can be possible with one table and impossible with an "
                r"adjacent one. In the formula $P$ and $P'$ are its probabilities.",
                _impossible_vote(),
                holds=False,
                departs=r"each holder's model is $\varepsilon$-differentially private",
            ),
        ),
        uses=("thesis.post_processing",),
        remark=r"If a holder's budget is $\varepsilon = \varepsilon_1 + \varepsilon_2$, the claim on PrivBayes says "
        r"which form of its two phases meets the hypothesis.",
    )


def _impossible_vote() -> Step:
    return impossible_choice(
        "impossible_vote",
        r"A holder has the records $D = \{000, 111\}$ or $D' = \{000, 101\}$ over the attributes $A, B, C$, and $A$ is "
        r"chosen, with $k = 1$. Both distributions are computed from the printed weights.",
    )


def _others(name: str) -> Step:
    return weighted_sums(
        f"other_{name}",
        r"The other holders draw independently. Given an outcome of theirs, of probability $a \ge 0$, the "
        r"probabilities $x$ and $y$ of the rest have the factor $F$, and so have the sums over all outcomes.",
    )


def _transcript(bit: int, other_bit: int) -> Distribution:
    """Two rounds of votes by two holders: the second question to both is about the parity of the first votes."""
    coins = [biased(one) for one in (*_FACTORS, *_FACTORS)]

    def votes(one: int, two: int, three: int, four: int) -> tuple[int, ...]:
        first, second = bit ^ one, other_bit ^ two
        turned = first ^ second
        return first, second, bit ^ turned ^ three, other_bit ^ four

    return distribution_of_coins(votes, coins[0], coins[1], coins[2], coins[3])


def _too_small() -> Step:
    def ratio() -> sp.Expr:
        factor = 1 / (2 * sensitivity((2, 2), 10))
        one, other = (exponential_chance(table, (0,), 1, (1, (0,)), factor) for table in _TURNED)
        return one / other

    return counterexample(
        "too_small",
        r"A holder has the records $\{000, 110\}$ or $\{000, 101\}$. Both distributions of the vote, with the "
        r"sensitivity of "
        r"ten records, give the ratio",
        le(_loss, sp.exp(1)),
        {_loss: ratio},
    )


CLAIMS = {
    "bayesnet.majority_voting_privacy": majority_voting_privacy,
    "bayesnet.noisy_model_privacy": noisy_model_privacy,
}
