"""Example streams: two real ones, and the synthetic ones of the paper's Section 6."""

from pan_estimators.streams.generators import uniform_stream, zipf_stream
from pan_estimators.streams.real import STREAMS, Stream, load_stream

__all__ = ["STREAMS", "Stream", "load_stream", "uniform_stream", "zipf_stream"]
