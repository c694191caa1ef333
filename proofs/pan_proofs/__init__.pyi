from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, largest_joint_ratio
from pan_proofs.density.lemmas.losses.joint_loss import JointLoss, Setting, distinct_ratios, joint_loss, maximal_ratios
from pan_proofs.density.lemmas.losses.joint_loss_proofs import (
    SETTINGS,
    dominance,
    inversion,
    monotone,
    noise_factor,
    noise_for_total,
    symmetric_pair,
)
from pan_proofs.density.lemmas.losses.laplace_mixture import (
    RatioSupremum,
    constant_beyond_atoms,
    largest_ratio,
    monotone_between_atoms,
    monotone_in_one_coordinate,
)
from pan_proofs.density.lemmas.losses.observations import Phase, Ratio, Update
from pan_proofs.density.lemmas.losses.published_loss_proofs import false_below, loss_at_zero, promise_fails
from pan_proofs.density.lemmas.losses.published_losses import (
    LossRow,
    PublishedLoss,
    bernoulli_family_loss,
    loss_table,
    published_losses,
)
from pan_proofs.density.lemmas.losses.sampled_cells import Moments, bernoulli_moments, laplace_moments
from pan_proofs.density.lemmas.losses.unbounded_losses import (
    distinct_sampling_is_unbounded,
    distinct_sampling_loss,
    kept_to_redrawn,
    real_cells_are_unbounded,
)
from pan_proofs.engines.inequalities import Inequality, smt_script
from pan_proofs.engines.obligation import Answer, Check, MissingEngine, Obligation, Status

__all__ = [
    "SETTINGS",
    "Answer",
    "Cell",
    "Check",
    "Inequality",
    "JointLoss",
    "LossRow",
    "MissingEngine",
    "Moments",
    "Obligation",
    "Phase",
    "PublishedLoss",
    "Ratio",
    "RatioSupremum",
    "Setting",
    "Status",
    "Update",
    "bernoulli_family_loss",
    "bernoulli_moments",
    "constant_beyond_atoms",
    "distinct_ratios",
    "distinct_sampling_is_unbounded",
    "distinct_sampling_loss",
    "dominance",
    "false_below",
    "inversion",
    "joint_loss",
    "kept_to_redrawn",
    "laplace_moments",
    "largest_joint_ratio",
    "largest_ratio",
    "loss_at_zero",
    "loss_table",
    "maximal_ratios",
    "monotone",
    "monotone_between_atoms",
    "monotone_in_one_coordinate",
    "noise_factor",
    "noise_for_total",
    "promise_fails",
    "published_losses",
    "real_cells_are_unbounded",
    "smt_script",
    "symmetric_pair",
]
