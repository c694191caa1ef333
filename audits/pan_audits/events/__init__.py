"""Events that an adversary can look for, and how they are learned."""

from pan_promises.lazily import exports_of

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
