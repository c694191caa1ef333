"""Section 3.7.2 of the thesis: the entropy of the synthetic data against that of the uniform distribution."""

from __future__ import annotations

from itertools import product

import sympy as sp

from pan_proofs.engines.relations import lt
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, derived
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import compared, found
from pan_proofs.tables.lemmas.gibbs import relative_entropy

_size = sp.Symbol("d")
_chance = sp.Symbol("p", positive=True)
_stated = sp.Rational(512, 100)
_ends = (sp.Rational(14, 100), sp.Rational(15, 100))


def independent_entropy(chance: sp.Expr) -> sp.Expr:
    """The entropy in bits of six biased bits and a uniform ternary value."""
    bit = -chance * sp.log(chance) - (1 - chance) * sp.log(1 - chance)
    return (6 * bit + sp.log(3)) / sp.log(2)


def synthetic_entropy() -> Claim:
    """The uniform entropy is right; the 5.12 bits are taken from the text, and possible: the network itself is lost."""
    return Claim(
        id="bayesnet.synthetic_entropy",
        title="Entropy of the synthetic data",
        notation=(("$h(p)$", "entropy of a bit that is 1 with probability $p$, in bits"),),
        references=(Reference("networks", "section 3.7.2", "the network of Figure 3.3 is lost in extraction"),),
        statement=r"Six binary attributes and a ternary one have $d = 192$ joint values. The uniform distribution has "
        r"$7.58$ bits, and the distribution of the network $5.12$ bits. A network that equals the distribution has the "
        r"cross entropy $5.12$.",
        hypotheses=("the network of Figure 3.3 is taken to have the stated entropy",),
        silent=("numbers are rounded to two decimals",),
        parts=(
            derived(
                Role.PUBLISHED,
                "the uniform distribution",
                r"There are $192$ joint values, and $\log_2 192$ lies between $7.58$ and $7.585$.",
                found(
                    "values",
                    r"All joint values are listed.",
                    "the number of joint values of six binary attributes and a ternary one",
                    lambda: len(list(product(*([range(2)] * 6), range(3)))),
                    192,
                    quantities=(_size,),
                    lines=r"d = 2^6 \cdot 3 &= 192",
                ),
                _bits(),
            ),
            derived(
                Role.CITED,
                "5.12 bits of the network",
                r"That the network of Figure 3.3 has $5.12$ bits is taken from the text: its tables are lost. What "
                r"can be "
                r"tested is whether some network of these attributes has. Six independent bits of probability $p$ and "
                r"a uniform ternary value have less than $5.12$ bits for "
                r"$p = 0.14$ and more for $p = 0.15$. The entropy is continuous in $p$, so that some network has "
                r"$5.12$ bits.",
                _between(),
            ),
            derived(
                Role.PUBLISHED,
                "no cross entropy is less",
                r"The relative entropy of a distribution to itself is $0$, and to others it is not negative. So $5.12$ "
                r"bits are the least cross entropy. In the formula $K$ is a relative entropy with $l_i = "
                r"\log\frac{p_i}{q_i}$, and $P$ and $Q$ are the sums of $p_i$ and $q_i$, both $1$.",
                equal_as(
                    "itself",
                    r"A value with the same probability.",
                    (lambda: _chance * sp.log(_chance / _chance), sp.S.Zero),
                    r"p \log\frac pp &= 0",
                ),
                *relative_entropy("not_less", r"Added over all values."),
                only=("not_less",),
            ),
        ),
        remark=r"Whether the network of Figure 3.3 has $5.12$ bits cannot be checked: its tables are not in the text. "
        r"That some network of these attributes has $5.12$ bits is checked.",
    )


def _bits() -> Step:
    value = sp.log(192) / sp.log(2)
    return compared(
        "bits",
        r"Rounded to two decimals this is $7.58$.",
        lt(sp.Rational(758, 100), value),
        lt(value, sp.Rational(7585, 1000)),
        lines=r"7.58 < \log_2 192 &< 7.585",
    )


def _between() -> Step:
    low, high = map(independent_entropy, _ends)
    return compared(
        "between",
        r"Both values:",
        lt(low, _stated),
        lt(_stated, high),
        lines=r"6h(0.14) + \log_2 3 < 5.12 &< 6h(0.15) + \log_2 3",
    )


CLAIMS = {"bayesnet.synthetic_entropy": synthetic_entropy}
