"""The front door of panproof.

>>> import panproof
>>> def mechanism(data, rng):  # randomised response on one bit
...     return data if rng.bernoulli(0.75, 1)[0] else 1 - data
>>> panproof.check(mechanism, 0, 1, epsilon=1).verdict
<Verdict.REFUTED: 'REFUTED'>

A module is imported on first use.
"""

from pan_promises.lazily import exports_of

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
