"""Differences of two outputs."""

from __future__ import annotations

from itertools import combinations

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.names import OUTPUT
from pan_audits.events.polynomial import Polynomial
from pan_audits.events.table import Table


def _derive(left: Table, right: Table) -> list[Derived]:
    outputs = [name for name in left.names if name.startswith(OUTPUT)]
    differences = [
        Polynomial(f"{first} minus {second}", (((first,), 1.0), ((second,), -1.0)))
        for first, second in combinations(outputs, 2)
    ]
    return [Derived.of(difference, left, right) for difference in differences]


FEATURE = Feature(name="difference of outputs", order=10, derive=_derive)
