"""Differences of two outputs: of all of them if they are few, else of neighbours only."""

from __future__ import annotations

from itertools import combinations, pairwise

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.names import OUTPUT
from pan_audits.events.polynomial import Polynomial
from pan_audits.events.regression import usable
from pan_audits.events.table import Table

_FEW_OUTPUTS, _MOST_PAIRS = 8, 32


def _derive(left: Table, right: Table) -> list[Derived]:
    outputs = [
        name
        for place, name in enumerate(left.names)
        if name.startswith(OUTPUT) and (usable(left.values[:, place]) or usable(right.values[:, place]))
    ]
    pairs = combinations(outputs, 2) if len(outputs) <= _FEW_OUTPUTS else list(pairwise(outputs))[:_MOST_PAIRS]
    differences = [
        Polynomial(f"{first} minus {second}", (((first,), 1.0), ((second,), -1.0))) for first, second in pairs
    ]
    return [Derived.of(difference, left, right) for difference in differences]


FEATURE = Feature(name="difference of outputs", order=10, derive=_derive)
