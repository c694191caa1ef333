"""Symbolic derivations, from the definitions of the mechanisms alone.

Nothing here reads an implementation: an audit compares what is derived here with what the code does.
"""

from pan_promises.lazily import exports_of

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
