"""The shipped estimators on the shipped real streams: what they publish beside what an intruder learns."""

from pan_audits.density.experiments.real_streams.experiment import real_streams

__all__ = ["real_streams"]
