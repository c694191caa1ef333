"""The probability of an error: tails, thresholds and sample sizes."""
