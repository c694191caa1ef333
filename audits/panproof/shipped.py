"""The shipped estimators by name."""

from __future__ import annotations

from typing import Any


def estimator(
    name: str, *, epsilon: float | str | None = None, promise_epsilon: float | str | None = None, **parameters: Any
) -> Any:
    """A shipped estimator.

    Parameters
    ----------
    name
        Its name, as ``panproof list`` shows it.
    epsilon
        The epsilon of its promise, in nats; also a text such as ``log(3/2)``. An estimator that promises a multiple of
        its parameter refuses it for one release: it was the parameter.
    promise_epsilon
        The same number, also for such an estimator.
    parameters
        Its parameters, such as ``universe`` (a number of users) and ``sample_size`` (users).

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
    >>> panproof.estimator("calibrated-bernoulli", universe=1000, promise_epsilon=1.0, sample_size=1000).promise.epsilon
    1.0
    """
    from pan_estimators.common.registry import create_estimator, ships, with_promised

    if ships(name):
        parameters = with_promised(name, parameters, epsilon, promise_epsilon)
    return create_estimator(name, **parameters)
