"""The names of means, variances and errors in formal statements."""

from __future__ import annotations

import sympy as sp

of_absent, of_appeared, of_mean, of_output, of_cell, of_mean_given = map(
    sp.Symbol,
    (
        r"\mathrm{Var}(b_1)",
        r"\mathrm{Var}(b_2)",
        r"\mathrm{Var}(\hat{d})",
        r"\mathrm{Var}(\tilde{d})",
        r"\mathrm{Var}(b_i)",
        r"\mathrm{Var}(\hat{d} \mid M)",
    ),
)
"""Variances in formal statements: of the bits of a user who has not appeared and of one who has, and of their mean."""
error_of_stream = sp.Symbol(r"E[(\tilde{d} - d(\mathcal{S}))^2]")
error_of_sample = sp.Symbol(r"E[(\tilde{d} - d(\mathcal{S}_M))^2]")
error_of_coins = sp.Symbol(r"E[(\tilde{d} - \delta)^2]")
output_given, output_mean = sp.Symbol(r"E[\tilde{d} \mid M]"), sp.Symbol(r"E[\tilde{d}]")
"""Means of the output in formal statements."""
density_of_sample = sp.Symbol(r"E[d(\mathcal{S}_M)]")
"""The mean of the sample's density over uniform samples."""
