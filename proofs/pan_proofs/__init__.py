"""Symbolic derivations, from the definitions of the mechanisms alone.

This package reads no implementation. An audit compares the derived formulas with the code.
"""

from pan_promises.lazily import exports_of

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
