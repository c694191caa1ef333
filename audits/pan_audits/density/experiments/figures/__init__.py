"""The figures of the paper and of the thesis, each with what its source says about it."""
