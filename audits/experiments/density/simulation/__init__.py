"""Outputs of density estimators on a fixed stream, drawn from their exact distribution many at a time."""

from experiments.density.simulation.fixed_stream import FixedStream, Outputs
from experiments.density.simulation.simulate import simulate
from experiments.density.simulation.truncated_gaussian import TruncatedGaussian

__all__ = ["FixedStream", "Outputs", "TruncatedGaussian", "simulate"]
