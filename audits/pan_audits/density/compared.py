"""The density estimators that are compared at equal memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPARED: Mapping[str, Mapping[str, Any]] = {
    "dwork": {},
    "lecture": {},
    "bernoulli-family": {},
    "optimal-bernoulli": {},
    "laplace": {},
    "quantized-laplace": {},
    "pan-private-distinct-sampling": {},
    "calibrated-bernoulli": {},
    "calibrated-continual-output": {"outputs": 2},
}
"""The estimators of the density of insert-only streams, with their parameters besides universe, epsilon and size."""
