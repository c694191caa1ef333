"""The shipped estimators on the shipped real streams: what they publish beside what an intruder learns."""

from pan_audits.experiments.real_streams.experiment import real_streams
from pan_audits.experiments.real_streams.result import Reproduced, Result, Sentence

__all__ = ["Reproduced", "Result", "Sentence", "real_streams"]
