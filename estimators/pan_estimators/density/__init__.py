"""The density of a stream: the published estimators, and the calibrated ones with a proved promise."""
