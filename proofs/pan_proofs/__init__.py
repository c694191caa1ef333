"""Symbolic derivations, from the definitions of the mechanisms alone.

Nothing here reads an implementation: an audit compares what is derived here with what the code does.
"""

from pan_proofs.sampled_cells import Moments, bernoulli_moments, laplace_moments

__all__ = ["Moments", "bernoulli_moments", "laplace_moments"]
