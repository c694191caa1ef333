"""The proved loss of the estimators with calibrated cells, computed from their parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pan_audits.judging.capabilities import ClosedLoss
from pan_estimators.density.calibrated_cells import CalibratedCells
from pan_estimators.density.distinct_counter import DistinctCounter


def closed_loss(estimator: Any) -> ClosedLoss | None:
    """The joint loss of :class:`CalibratedCells` and of :class:`DistinctCounter`.

    It is ``None`` for any other class, and for one derived from them.
    """
    if type(estimator) not in (CalibratedCells, DistinctCounter):
        return None
    from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, largest_joint_ratio

    calibration, promise = estimator.calibration, estimator.promise
    cell = Cell(
        pairs=tuple((Fraction(pair.p_init), Fraction(pair.p_upd)) for pair in calibration.pairs),
        flips=(Fraction(calibration.flip),) * promise.announced,
        low=Fraction(calibration.down),
        high=1 / Fraction(calibration.up),
    )
    deletions = bool(getattr(estimator, "deletions", False))
    ratio = largest_joint_ratio(cell, announced=promise.announced, outputs=promise.outputs, deletions=deletions)
    return ClosedLoss(ratio, promise.claim or "")
