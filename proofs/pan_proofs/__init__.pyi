from pan_proofs.density.lemmas.cell_enumeration import Cell, largest_joint_ratio
from pan_proofs.density.lemmas.joint_loss import JointLoss, inversion, joint_loss, noise_factor
from pan_proofs.density.lemmas.laplace_mixture import (
    constant_beyond_atoms,
    monotone_between_atoms,
    monotone_in_one_coordinate,
)
from pan_proofs.density.lemmas.published_losses import (
    LossRow,
    PublishedLoss,
    bernoulli_family_loss,
    loss_table,
    published_losses,
)
from pan_proofs.engines.inequalities import Inequality, smt_script
from pan_proofs.engines.obligation import Answer, Check, MissingEngine, Obligation, Status

__all__ = [
    "Answer",
    "Cell",
    "Check",
    "Inequality",
    "JointLoss",
    "LossRow",
    "MissingEngine",
    "Obligation",
    "PublishedLoss",
    "Status",
    "bernoulli_family_loss",
    "constant_beyond_atoms",
    "inversion",
    "joint_loss",
    "largest_joint_ratio",
    "loss_table",
    "monotone_between_atoms",
    "monotone_in_one_coordinate",
    "noise_factor",
    "published_losses",
    "smt_script",
]
