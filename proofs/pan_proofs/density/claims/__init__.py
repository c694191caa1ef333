"""One folder an estimator; statements that belong to no estimator stand in ``any_estimator``."""
