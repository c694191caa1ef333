"""The likelihood of a network as a product of local likelihoods, one for each attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import at_most, enumerated
from pan_proofs.tables.lemmas.likelihoods import Structure
from pan_proofs.tables.lemmas.small_tables import Records

Chances = Callable[[int, tuple[int, ...], int], Fraction]
"""The probability of a value of an attribute, given those of its parents."""
_before, _most_before, _local_one, _most_local = sp.symbols("F G f g", nonnegative=True)
_PRODUCTS = le(_before * _local_one, _most_before * _most_local)
_FACTORS = (
    le(_before, _most_before),
    le(_local_one, _most_local),
)


def _by_attributes(table: Records, structure: Structure, chances: Chances) -> Fraction:
    """The product over attributes of products over records of conditional probabilities."""
    found = Fraction(1)
    for child, parents in enumerate(structure):
        local = Fraction(1)
        for record in table:
            local *= chances(child, tuple(record[one] for one in parents), record[child])
        found *= local
    return found


def _by_records(table: Records, structure: Structure, chances: Chances) -> Fraction:
    """The product over records of the probabilities of the network."""
    found = Fraction(1)
    for record in table:
        whole = Fraction(1)
        for child, parents in enumerate(structure):
            whole *= chances(child, tuple(record[one] for one in parents), record[child])
        found *= whole
    return found


def _some_chances(child: int, parents: tuple[int, ...], value: int) -> Fraction:
    """Conditional probabilities that differ for each attribute and for each value of its parents."""
    one = Fraction(1 + child + sum(parents), 7)
    return one if value else 1 - one


def local_products(cases: Iterable[tuple[Records, Structure]]) -> Step:
    """The order of the two products does not matter."""
    return enumerated(
        "local_products",
        r"In fractions, for all tables of up to three records of three binary attributes, all structures and one set "
        r"of conditional tables.",
        "the product over records is the product over attributes",
        cases,
        lambda case: _by_records(*case, _some_chances) == _by_attributes(*case, _some_chances),
        mutant=lambda case: _by_records(*case, _some_chances) == _by_attributes(case[0][:1], case[1], _some_chances),
        lines=r"\prod_x \prod_i \Theta_i(x) &= \prod_i \prod_x \Theta_i(x)",
    )


def largest_product() -> Step:
    """A product of local likelihoods is largest where each of them is."""
    return at_most(
        "largest_product",
        r"One factor after the other: a product of two factors that are not negative is at most that of their largest "
        r"values.",
        Inequality(
            "likelihood.largest_product",
            _PRODUCTS.lhs,
            _PRODUCTS.rhs,
            _FACTORS,
            touching={_before: 1, _most_before: 1, _local_one: 1, _most_local: 1},
        ),
        lines=r"F\,f_i &\le G\,g_i",
    )


def stated_product() -> tuple[str, ...]:
    """The same, formally."""
    return symbolic(_PRODUCTS, given=_FACTORS)
