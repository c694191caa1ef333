"""The sources' notation: the symbols that the derivations share, and how they are printed."""

from __future__ import annotations

from decimal import Decimal

import sympy as sp
from sympy.core.function import _coeff_isneg
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import LatexPrinter, translate

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

_HUNDRED, _DECIMALS = 100, 6
"""A denominator from which a fraction is printed as a decimal, and the most decimals of one."""
_CHANCES = ("p_init", "p_upd", "p0", "p1", "delta_1", "delta_2", "delta_3", "delta_4", "delta_5")
"""The names of probabilities and shares, of which one less the share is shown."""
_ZEROS = 7
"""The number of zeros at the end of an integer from which a power of ten is printed."""
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
    "chi2": r"\chi^2",
    "d_bar": r"\bar d",
    "s_bar": r"\bar s",
    "phi": r"\varphi",
    "E_N": r"E[N]",
    "E_X": r"E[X]",
    "E_d_hat": r"E[\hat{d}]",
    "E_theta": r"E[\theta]",
    "E_theta_hat": r"E[\hat{\theta}]",
    "Var_N": r"\mathrm{Var}(N)",
    "Var_X": r"\mathrm{Var}(X)",
    "Var_Z": r"\mathrm{Var}(Z)",
    "Var_b": r"\mathrm{Var}(b_i)",
    "Var_constant": r"\mathrm{Var}(\text{a constant})",
    "Var_of_a_term": r"\mathrm{Var}(\text{a term})",
    "Var_d_hat": r"\mathrm{Var}(\hat{d})",
    "Var_x": r"\mathrm{Var}(x_i)",
}


class _SourcePrinter(LatexPrinter):  # type: ignore[misc]
    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:  # noqa: N802 - sympy's name
        # The name of a quantity may be a formula.
        formula = expr.name if any(one in expr.name for one in "\\({") else ""
        if formula := formula or _NAMES.get(expr.name) or _upright(expr.name):
            return formula
        # One letter has one form, with an index as without.
        return str(super()._print_Symbol(expr, style)).replace(r"\epsilon", r"\varepsilon")

    def _as_ordered_terms(self, expr: sp.Expr, order: str | None = None) -> list[sp.Expr]:
        # A sum does not begin with a minus if one of its terms has none, and among fractions a number comes first.
        terms = list(super()._as_ordered_terms(expr, order=order))
        numbers = [one for one in terms if one.is_Rational and one.is_positive]
        among_fractions = any(not one.as_coeff_Mul()[0].is_Integer for one in terms if not one.is_number)
        plain = numbers if among_fractions else []
        first = next((one for one in (*plain, *terms) if not self._print(one).startswith("-")), terms[0])
        # A term that stands twice is taken once.
        terms.remove(first)
        return [first, *terms]

    def _print_Add(self, expr: sp.Add, order: str | None = None) -> str:  # noqa: N802 - sympy's name
        # A term whose factors turn out negative is taken off: the two signs do not stand side by side.
        text = ""
        for number, term in enumerate(self._as_ordered_terms(expr, order=order)):
            taken = bool(number) and _coeff_isneg(term)
            # Within a sum the minus of a term is the sign before it.
            said = self._term(-term if taken else term, within=bool(number))
            minus = said.startswith("-")
            sign = "" if not number else " - " if taken is not minus else " + "
            text += sign + (said[1:].lstrip() if number and minus else said)
        return text

    def _term(self, term: sp.Expr, *, within: bool) -> str:
        said = self._product(term, whole=not within) if term.is_Mul else str(self._print(term))
        return rf"\left({said}\right)" if self._needs_add_brackets(term) else said

    def _print_Mul(self, expr: sp.Expr) -> str:  # noqa: N802 - sympy's name
        return self._product(expr, whole=True)

    def _product(self, expr: sp.Expr, *, whole: bool) -> str:
        """A product; a minus before a fraction that is no term of a sum goes into a difference."""
        if not expr.is_commutative:
            return str(super()._print_Mul(expr))
        # Sympy prints both signs of a negative factor in a product that is not evaluated.
        return self._signed(expr, whole=whole).removeprefix("- - ")

    def _signed(self, expr: sp.Expr, *, whole: bool) -> str:
        factors = _powers(expr)
        turned = [_mostly_negative(base) for base, _ in factors]
        said = self._with_signs(expr, turned)
        if whole and said.startswith("-") and any(power.is_Integer and power.is_negative for _, power in factors):
            shown = [-base if turn else base for (base, _), turn in zip(factors, turned, strict=True)]
            places = [place for place, (_, power) in enumerate(factors) if power in (1, -1)]
            # A difference comes first, and else the sum above the line.
            chosen = [one for one in places if _reads_opposite(shown[one], most=2)]
            chosen += [one for one in places if factors[one][1] == 1 and _reads_opposite(shown[one])]
            if chosen:
                return self._with_signs(expr, [turn is not (at == chosen[0]) for at, turn in enumerate(turned)])
        return said

    def _with_signs(self, expr: sp.Expr, turned: list[bool]) -> str:
        """A product with the opposite sign of some of its factors; the signs that cancel are not shown."""
        odd = [turn and power.is_Integer for turn, (_, power) in zip(turned, _powers(expr), strict=True)]
        if not any(odd):
            return str(super()._print_Mul(expr))
        pairs = list(zip(_powers(expr), odd, strict=True))
        parts = [(-base if turn else base) ** power for (base, power), turn in pairs]
        sign = sp.S.NegativeOne ** sum(int(power) for (_, power), turn in pairs if turn)
        product = sp.Mul(sign, *parts)
        if product.is_Add:
            # A number may have been multiplied out; where a product stands, a sum needs parentheses.
            return rf"\left({self._print(product)}\right)"
        return str(super()._print_Mul(product) if product.is_Mul else self._print(product))

    def _needs_mul_brackets(self, expr: sp.Expr, first: bool = False, last: bool = False) -> bool:
        needed = bool(super()._needs_mul_brackets(expr, first=first, last=last))
        # A product within a product may begin with a minus as it is printed here.
        return needed or (expr.is_Mul and not first and self._print(expr).startswith("-"))

    def _print_Pow(self, expr: sp.Pow) -> str:  # noqa: N802 - sympy's name
        # The square of a sum is that of the opposite sum.
        base, power = expr.args
        if power.is_Integer and power.is_even and _mostly_negative(base):
            return str(super()._print_Pow(sp.Pow(-base, power, evaluate=False)))
        return str(super()._print_Pow(expr))

    def _print_Rational(self, expr: sp.Rational) -> str:  # noqa: N802 - sympy's name
        # A fraction of hundreds that ends after a few decimals is read as a decimal.
        if expr.q >= _HUNDRED and 10**_DECIMALS % expr.q == 0:
            return f"{Decimal(int(expr.p)) / Decimal(int(expr.q)):f}"
        if expr.p > 0 and expr.q % 10**_ZEROS == 0:
            return rf"\frac{{{self._print(sp.Integer(expr.p))}}}{{{self._print(sp.Integer(expr.q))}}}"
        return str(super()._print_Rational(expr))

    def _print_Integer(self, expr: sp.Integer) -> str:  # noqa: N802 - sympy's name
        # A number that ends in many zeros is a power of ten, or a multiple of one.
        digits = str(expr).rstrip("0")
        zeros = len(str(expr)) - len(digits)
        if zeros < _ZEROS:
            return str(expr)
        power = f"10^{{{zeros}}}"
        return {"1": power, "-1": f"-{power}"}.get(digits, rf"{digits} \cdot {power}")

    def _helper_print_standard_power(self, expr: sp.Pow, template: str) -> str:
        # Such a number is put in brackets where it has an exponent.
        if expr.base.is_Integer and "^" in (base := self._print(expr.base)):
            return template % (rf"\left({base}\right)", self._print(expr.exp))
        return str(super()._helper_print_standard_power(expr, template))

    def _print_Mod(self, expr: sp.Mod, exp: str | None = None) -> str:  # noqa: N802 - sympy's name
        # Of a sum the whole is meant.
        divided, by = (
            rf"\left({self._print(one)}\right)" if one.is_Add or one.is_Mul else self._print(one) for one in expr.args
        )
        whole = rf"{divided} \bmod {by}"
        return rf"\left({whole}\right)^{{{exp}}}" if exp is not None else whole


def _powers(product: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
    """The factors of a product, each as a base and an exponent. Sympy prints a power below the line as a product."""
    return [one.as_base_exp() for one in (product.args if product.is_Mul else (product,))]


def _reads_opposite(base: sp.Expr, most: int | None = None) -> bool:
    """Whether a sum reads well with the opposite sign.

    It has a negative term. A number that is added makes it read well as it is, unless no number of terms is given and
    there are three or more. Without any number it has at most as many terms as are given.
    """
    if not base.is_Add or not any(one.could_extract_minus_sign() for one in base.args):
        return False
    numbers = [one for one in base.args if one.is_Rational]
    several = most is None and len(base.args) > 2
    return bool(numbers[0].is_negative) or several if numbers else most is None or len(base.args) <= most


def _mostly_negative(base: sp.Expr) -> bool:
    """Whether a sum has more negative terms than others, or is a probability or a share less one."""
    if not base.is_Add:
        return False
    negative = sum(one.could_extract_minus_sign() for one in base.args)
    less_one = len(base.args) == 2 and sp.S.NegativeOne in base.args
    return bool(2 * negative > len(base.args)) or (less_one and any(str(one) in _CHANCES for one in base.args))


def _upright(name: str) -> str:
    """A name that has a word in it, or below it, with its words upright; empty for other names."""
    head, above, below = split_super_sub(name)
    if above or not any(_is_word(one) for one in (head, *below)):
        return ""
    first, *rest = [
        rf"\mathrm{{{one}}}" if _is_word(one) else _NAMES.get(one) or translate(one) for one in (head, *below)
    ]
    place = r"\ ".join(rest)
    return f"{first}_{{{place}}}" if rest else first


def _is_word(part: str) -> bool:
    """Whether it is a word, and no name of a Greek letter or of an accent."""
    return part.isalpha() and len(part) > 2 and translate(part) == part


_PRINTER = _SourcePrinter({"ln_notation": False, "fold_short_frac": False, "mul_symbol": None})


def tex(expression: sp.Basic) -> str:
    """LaTeX of an expression in the sources' notation."""
    return str(_PRINTER.doprint(sp.sympify(expression)))
