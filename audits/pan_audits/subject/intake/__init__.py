"""From a name to an estimator that can be judged."""
