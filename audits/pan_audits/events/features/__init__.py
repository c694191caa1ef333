"""Derived features. Each module of this folder defines one ``FEATURE``, a kind of derived feature.

The state at the intrusion and a noisy output can each reveal little, and together reveal much. The deviation of the
output from its prediction given the state carries the information, and its meaning changes with single elements of the
state. So each output has its residual after a linear regression on the state, and there is a score with all products of
the residual and elements of the state.

A new feature is a new module here, and edits no other file. A family brings features under the key ``features``.
"""

from __future__ import annotations

from pan_audits.events.feature import Feature
from pan_audits.events.registry import Registry

FEATURES = Registry("kind of derived feature", Feature, __name__, "FEATURE", "features")
"""The kinds of features that are derived from the columns that the intruder sees."""
