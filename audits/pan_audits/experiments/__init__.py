"""Experiments on the errors of density estimators: the figures of the paper and of the thesis, run anew."""
