"""Outputs of density estimators on a fixed stream, drawn from their exact distribution many at a time."""

from pan_audits.density.experiments.simulation.fixed_stream import FixedStream
from pan_audits.density.experiments.simulation.outputs import Outputs
from pan_audits.density.experiments.simulation.simulate import simulate
from pan_audits.density.experiments.simulation.truncated_gaussian import TruncatedGaussian

__all__ = ["FixedStream", "Outputs", "TruncatedGaussian", "simulate"]
