"""The shipped estimators on the shipped real streams: their outputs, and the knowledge of an adversary."""
