"""Pan-private stream estimators: frozen configurations, explicit states, and randomness as an argument.

>>> from pan_estimators import NumpyRandomness, optimal_bernoulli
>>> estimator = optimal_bernoulli(universe=1000, epsilon=0.5, sample_size=500)
>>> randomness = NumpyRandomness(7)
>>> state = estimator.create(randomness)
>>> state = estimator.update(state, [3, 1, 4, 1, 5], randomness)
>>> density = estimator.release(state, randomness)
"""

from pan_promises.lazily import exports_of

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
