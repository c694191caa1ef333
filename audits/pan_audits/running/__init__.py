"""Running estimators: mechanisms, features of what is seen, workers under limits, the journal."""
