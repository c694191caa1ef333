"""The claims about the published estimators."""
