"""The hash function of distinct sampling, section 5.1 of the paper."""

from __future__ import annotations

from pan_proofs.density.lemmas.hashing.hash_bijection_proofs import bijection, other_hash_functions
from pan_proofs.density.lemmas.hashing.hash_level_proofs import (
    amended_distributions,
    dependence,
    last_level,
    levels_below_last,
)
from pan_proofs.density.lemmas.hashing.hash_sample_proofs import (
    equally_likely,
    exact_fraction,
    not_every_subset,
    other_universes,
    residue_class,
)
from pan_proofs.density.lemmas.hashing.space_of_ids import as_a_list, space_of_ids
from pan_proofs.ledger.claim import Claim, Reference


def fm_hash() -> Claim:
    """The hash function as printed, part by part."""
    return Claim(
        id="density.fm_hash",
        title="The hash function of distinct sampling",
        references=(Reference("paper", "section 5.1"),),
        statement=r"Let $U = 2^Q$, $h(u) = (au + b) \bmod 2^Q$ with $a$ odd and $b$ uniform, and $\mathrm{hash}(u)$ "
        r"the number of trailing zeros of $h(u)$. Then $h$ is a bijection; $P(\mathrm{hash}(u) = i) = 2^{-(i+1)}$ for "
        r"every $i \in \{0, \ldots, Q\}$, independently over users; a fraction $2^{-L}$ of the users has a level of "
        r"at least $L$; and these are a uniform sample. To store the ids of a set of users explicitly needs $O(U)$ "
        r"space.",
        notation=(
            (r"$\mathrm{Var}_{\mathrm{simple}}$", "variance for a sample drawn without replacement"),
            (r"$X$, $y$; $j$, $n$, $r$, $s$", r"whole numbers"),
        ),
        hypotheses=(
            r"$U = 2^Q$, $Q \ge 1$",
            r"$a$ uniform on the odd numbers below $2^Q$, $b$ uniform on $\{0, \ldots, 2^Q-1\}$, independent",
        ),
        silent=(
            r"The trailing zeros of 0 are not defined. That they are $Q$ is our convention, as the levels of the "
            r"source go up to $Q$. The bijection and the sum of the printed values do not depend on it. The "
            r"distribution below "
            r"the level $Q$, the dependence of two levels and the users of level at least $L$ need only that they are "
            r"not fewer than $Q$. The probability of the level $Q$ in the counterexample with $Q = 1$, and the amended "
            r"distributions of one level and of two where the level $Q$ occurs, with their enumerations, need that "
            r"they are "
            r"$Q$.",
            r"$Q \ge 1$: for $Q = 0$ there is no multiplier among $1, \ldots, 2^Q - 1$.",
            r"User ids are integers; they only matter modulo $2^Q$.",
            r"Algorithm 3 asks only for $U \le 2^Q$; the fraction is then judged in a part of its own.",
        ),
        parts=(
            bijection(),
            levels_below_last(),
            last_level(),
            dependence(),
            amended_distributions(),
            other_hash_functions(),
            exact_fraction(),
            other_universes(),
            equally_likely(),
            not_every_subset(),
            residue_class(),
            space_of_ids(),
            as_a_list(),
        ),
        remark=r"The multiplier does not matter for any of this: with $a = 1$ the qualifying users are a residue "
        r"class as well. Where ids are assigned in an order that goes with behaviour, the ids should first be "
        r"permuted at random.",
    )


CLAIMS = {"density.fm_hash": fm_hash}
