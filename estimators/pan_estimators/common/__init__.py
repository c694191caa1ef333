"""The parts that all families of estimators share: the protocols, and the registry of names."""
