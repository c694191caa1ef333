"""The figures of the paper and of the thesis, each with the statements of its source."""
