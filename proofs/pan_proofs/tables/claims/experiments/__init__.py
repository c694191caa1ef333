"""Claims about the set-up of the experiments: metric, smoothing, synthetic data and preprocessing."""
