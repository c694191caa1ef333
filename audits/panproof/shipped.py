"""The shipped estimators by name."""

from __future__ import annotations

from typing import Any


def estimator(name: str, **parameters: Any) -> Any:
    """A shipped estimator.

    Parameters
    ----------
    name
        Its name, as ``panproof list`` shows it.
    parameters
        Its parameters, such as ``universe`` (a number of users), ``epsilon`` (nats) and ``sample_size`` (users).

    Returns
    -------
    A frozen configuration with ``create``, ``update`` and ``release``.

    Raises
    ------
    InputError
        For an unknown name or parameter, or a parameter outside its range.

    Examples
    --------
    >>> import panproof
    >>> panproof.estimator("calibrated-bernoulli", universe=1000, epsilon=0.5, sample_size=1000).sample_size
    1000
    """
    from pan_estimators.common.registry import create_estimator

    return create_estimator(name, **parameters)
