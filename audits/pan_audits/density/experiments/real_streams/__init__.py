"""The shipped estimators on the shipped real streams: their outputs, and the knowledge of an intruder."""

from pan_audits.density.experiments.real_streams.experiment import real_streams

__all__ = ["real_streams"]
