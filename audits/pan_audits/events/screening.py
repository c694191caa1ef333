"""The columns from which single conditions are combined, where there are very many."""

from __future__ import annotations

import numpy as np

from pan_audits.events.table import Floats, Table

MOST_COLUMNS = 64
_QUANTILES = np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])


def promising_columns(left: Table, right: Table) -> tuple[Table, Table]:
    """Both tables with at most 64 columns: those that differ most between the streams, in their order."""
    if len(left.names) <= MOST_COLUMNS:
        return left, right
    contrast = [_contrast(left.values[:, place], right.values[:, place]) for place in range(len(left.names))]
    kept = sorted(np.argsort(-np.array(contrast), kind="stable")[:MOST_COLUMNS].tolist())
    names = tuple(left.names[place] for place in kept)
    return Table(names, left.values[:, kept]), Table(names, right.values[:, kept])


def _contrast(left: Floats, right: Floats) -> float:
    """The largest difference of two frequencies, in standard deviations: of absence, and of values up to a quantile."""
    absent = [np.isnan(side) for side in (left, right)]
    counts = [[float(side.sum()) for side in absent]]
    present = np.sort(np.concatenate([left[~absent[0]], right[~absent[1]]]))
    if present.size and present[0] != present[-1]:
        for value in np.unique(present[(_QUANTILES * (present.size - 1)).astype(np.int64)]):
            counts.append([float((side <= value).sum()) for side in (left, right)])
    seen = np.array(counts)
    return float((np.abs(seen[:, 0] - seen[:, 1]) / np.sqrt(seen.sum(axis=1) + 1)).max())
