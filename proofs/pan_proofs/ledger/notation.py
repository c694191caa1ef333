"""The sources' notation: the symbols that the derivations share, and how they are printed."""

from __future__ import annotations

import sympy as sp
from sympy.printing.latex import LatexPrinter

epsilon = sp.Symbol("epsilon", positive=True)
"""Budget of the state, and again of the output, in nats."""
x = sp.Symbol("x", positive=True)
"""``exp(epsilon)``."""
t = sp.Symbol("t", positive=True)
"""``tanh(epsilon/2)``."""
m = sp.Symbol("m", positive=True, integer=True)
"""Number of sampled users."""
universe = sp.Symbol("U", positive=True, integer=True)
"""Number of users."""
density = sp.Symbol("d", nonnegative=True)
"""Density of the stream, ``d(S)``."""
present = sp.Symbol("d_M", nonnegative=True)
"""Density of the stream of the sampled users, ``d(S_M)``."""
alpha, beta = sp.symbols("alpha beta", positive=True)
"""Accuracy, and the probability of missing it."""
delta_1, delta_2, delta_3, delta_4 = sp.symbols("delta_1:5", positive=True)
"""The split of the accuracy and the probability in the proofs of section 3."""
p_init, p_upd = sp.symbols("p_init p_upd", real=True)
"""Probability of a one before and after an appearance."""
scale = sp.Symbol("b", positive=True)
"""Scale of a Laplace distribution."""

_NAMES = {
    "epsilon": r"\varepsilon",
    "epsilon_star": r"\varepsilon^\ast",
    "d_M": r"d(\mathcal{S}_M)",
    "p_init": r"p_{\mathrm{init}}",
    "p_upd": r"p_{\mathrm{upd}}",
    "p0": r"p_{\mathrm{init}}",
    "p1": r"p_{\mathrm{upd}}",
    "mu_init": r"\mu_{\mathrm{init}}",
    "mu_upd": r"\mu_{\mathrm{upd}}",
    "U": r"U",
}


class _SourcePrinter(LatexPrinter):  # type: ignore[misc]
    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:  # noqa: N802 - sympy's name
        # The name of a quantity may be a formula.
        formula = expr.name if any(one in expr.name for one in "\\({") else ""
        return formula or _NAMES.get(expr.name) or super()._print_Symbol(expr, style)


_PRINTER = _SourcePrinter({"ln_notation": False, "fold_short_frac": False, "mul_symbol": None})


def tex(expression: sp.Basic) -> str:
    """LaTeX of an expression in the sources' notation."""
    return str(_PRINTER.doprint(sp.sympify(expression)))
