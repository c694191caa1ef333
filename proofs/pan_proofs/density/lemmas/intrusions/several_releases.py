"""Several outputs and one intrusion, for the symmetric pair: the joint loss for every number of outputs."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.losses.joint_loss import limit, state_factor

E, r = state_factor, limit
p, q = E / (1 + E), 1 / (1 + E)


def level(factor: sp.Expr) -> sp.Expr:
    """``q + p a``: the likelihood of outputs of total ratio a after a draw as present."""
    return q + p * factor


def joint_ratio(outputs: sp.Expr = sp.S.One) -> sp.Expr:
    """The exponential of the joint loss: ``E (1 + E r^R)/(1 + E)``."""
    return E * (1 + E * r**outputs) / (1 + E)
