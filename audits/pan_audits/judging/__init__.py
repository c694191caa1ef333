"""Verdicts, the settings of a judgement, and the reading of data from elsewhere."""
