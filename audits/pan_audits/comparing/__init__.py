"""Estimators side by side: promise, loss and error."""
