"""The sample size of an estimator: given, or planned from the required accuracy."""

from __future__ import annotations

from pan_estimators.density.planning import ErrorBound, least_sample_size
from pan_estimators.universes.universe import Universe
from pan_promises.errors import InputError, require_count


def resolve_sample_size(
    universe: Universe,
    bound: ErrorBound,
    sample_size: int | None,
    alpha: float | None,
    beta: float | None,
) -> int:
    """``sample_size`` itself, or the least one for which ``bound`` gives ``(alpha, beta)``."""
    if sample_size is not None:
        if alpha is not None or beta is not None:
            raise InputError("give either the sample size m or both alpha and beta, not both")
        require_count("the sample size m", sample_size, most=universe.size, source="the size of the universe")
        return sample_size
    if alpha is None or beta is None:
        raise InputError("give either the sample size m or both alpha and beta")
    planned = least_sample_size(bound, alpha=alpha, beta=beta).sample_size
    if planned > universe.size:
        raise InputError(
            f"alpha {alpha:g} and beta {beta:g} need a sample of {planned} users by {bound.claim}, "
            f"more than the {universe.size} of the universe; ask for less accuracy"
        )
    return planned
