"""The proved loss of the calibrated estimators, computed from their parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pan_audits.judging.capabilities import ClosedLoss
from pan_estimators.density.calibrated_cells import CalibratedCells


def closed_loss(estimator: Any) -> ClosedLoss | None:
    """The joint loss of :class:`CalibratedCells`; ``None`` for any other class, and for one derived from it."""
    if type(estimator) is not CalibratedCells:
        return None
    from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, largest_joint_ratio

    calibration = estimator.calibration
    cell = Cell(
        pairs=tuple((Fraction(pair.p_init), Fraction(pair.p_upd)) for pair in calibration.pairs),
        flips=(Fraction(calibration.flip),) * estimator.announced,
        low=Fraction(calibration.down),
        high=1 / Fraction(calibration.up),
    )
    ratio = largest_joint_ratio(
        cell, announced=estimator.announced, outputs=estimator.outputs, deletions=estimator.deletions
    )
    return ClosedLoss(ratio, estimator.promise.claim or "")
