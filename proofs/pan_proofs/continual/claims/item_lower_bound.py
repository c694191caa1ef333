"""Lemma 5.4 and Theorem 1.6: the item-level lower bounds, from bounds for one-way marginals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.reductions import Records, all_bits, averages
from pan_proofs.continual.small_budget import CONTRADICTION, FLOORED, floored, scaled, scaled_formula, tiny
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, compared, enumerated

_flips, _length, _records, _size = sp.symbols("w T n d", positive=True)
_error, _constant, _rows = sp.symbols("alpha c r", positive=True)
_square, _least_square = sp.symbols("q b", positive=True)
_count, _factor, _chance = sp.symbols("N x P", positive=True)

_THIRD_ROOT = _length ** sp.Rational(1, 3) / epsilon ** sp.Rational(2, 3)
_SQUARE_ROOT = sp.sqrt(_length / epsilon)
_SHORT = (sp.Eq(_flips * _records, _length), sp.Le(_flips**3, _length**2))
_SHORT_PURE = (sp.Eq(_flips * _records, _length), sp.Le(_flips**2, _length))
_LARGE = sp.Ge(_error, _constant * _records)
_PACKED = (sp.Ge(_chance, sp.Rational(99, 100)), sp.Le(_count * _chance, _factor))


def item_lower_bound() -> Claim:
    """The cited bound, the packing bound, both cases of the lemma, and the scaling."""
    return Claim(
        id="turnstile.item_lower_bound",
        title="The item-level lower bounds",
        references=(
            Reference("turnstile", "Theorem 1.6, section 1.1, and Lemma 5.4, section 5.2", "the formulas are lost"),
            Reference("turnstile", "Lemma 5.3, section 5.2", "taken from the literature"),
        ),
        statement=r"If an $(\varepsilon, \delta)$-item-level-differentially private mechanism is $\alpha$-accurate "
        r"for all streams of length $T$ with flippancy at most $w$, then $\alpha = \tilde\Omega(\min(\sqrt "
        r"w/\varepsilon,\ T^{1/3}/\varepsilon^{2/3},\ T))$. For $\delta = 0$: $\alpha = \Omega(\min(w/\varepsilon,\ "
        r"\sqrt{T/\varepsilon},\ T))$.",
        hypotheses=(r"$0 < \varepsilon \le 1$, $T$ is sufficiently large, and $\delta$ is small",),
        silent=(
            r"Lemma 5.3 is read as: to release $d$ marginals of $n$ records with an error of at most $\gamma$ below a "
            r"constant takes $n = \Omega(\sqrt d / (\gamma \varepsilon \log d))$ records, and $n = \Omega(d / (\gamma "
            r"\varepsilon))$ for $\delta = 0$",
            r"by turnstile.marginals_reduction the marginals have twice the budget, which changes constants only; "
            r"likewise the rounding of $d = w/2$ and $n = T/w$",
            r"$\delta = o(\varepsilon/T)$; below, $\delta \le 1/(10 T)$ for $\varepsilon \le 2/T$",
        ),
        parts=(
            Part(
                Role.CITED,
                "marginals with a delta (item 1 of Lemma 5.3)",
                r"The bound with $\sqrt d$ rests on fingerprinting codes. It is not derived here: it is tested that "
                r"marginals with an error below $\frac12$ tell the row of a table of equal rows.",
                (equal_rows(),),
                no_formula="the theorem speaks of every algorithm, and no step derives it",
            ),
            Part(
                Role.PUBLISHED,
                "marginals without a delta (item 2 of Lemma 5.3)",
                r"Tables with $r$ equal rows $v$ and zeros else, $r > 2 \gamma n$, one for each $v \in \{0, 1\}^d$, "
                r"are "
                r"told apart by marginals with an error of at most $\gamma$. So $r \varepsilon \ge d \log 2 - 0.02$.",
                packing(),
                formal=symbolic(le(sp.Rational(99, 100) * _count, _factor), given=_PACKED),
            ),
            Part(
                Role.PUBLISHED,
                "epsilon = 1, with a delta (Lemma 5.4)",
                r"For $w \le T^{2/3}$ let $d = w/2$ and $n = T/w$. If the error of the marginals is above a constant "
                r"$c$, then $\alpha \ge c n \ge c \sqrt w$. Otherwise $\alpha = \gamma n = \Omega(\sqrt d/\log d)$.",
                approximate(),
                formal=symbolic(ge(_error**2, _constant**2 * _flips), given=(*_SHORT, _LARGE)),
            ),
            Part(
                Role.PUBLISHED,
                "epsilon = 1, without a delta (Lemma 5.4)",
                r"For $w \le \sqrt T$ with the same $d$ and $n$: $\alpha \ge c n \ge c w$, or $\alpha = \gamma n = "
                r"\Omega(d)$, by item 2 of Lemma 5.3. The text names item 1 there.",
                pure(),
                formal=symbolic(ge(_error, _constant * _flips), given=(*_SHORT_PURE, _LARGE)),
            ),
            Part(
                Role.PUBLISHED,
                "smaller epsilon",
                r"For $\varepsilon > 2/T$ Theorem B.1 gives $\min(\sqrt w, (\varepsilon T)^{1/3}) / \varepsilon$ and "
                r"$\min(w, \sqrt{\varepsilon T}) / \varepsilon$, up to constants.",
                (
                    floored("item"),
                    scaled(
                        "third_root",
                        r"With a delta the second term is",
                        3,
                        _THIRD_ROOT,
                    ),
                    scaled(
                        "square_root",
                        r"Without a delta it is",
                        2,
                        _SQUARE_ROOT,
                    ),
                ),
                formal=(*FLOORED, *scaled_formula(3, _THIRD_ROOT), *scaled_formula(2, _SQUARE_ROOT)),
            ),
            Part(
                Role.PUBLISHED,
                "epsilon at most 2/T",
                r"There the error is at least $T/2$, by group privacy for $T$ items.",
                tiny("item"),
                formal=CONTRADICTION,
            ),
        ),
        uses=("turnstile.marginals_reduction", "turnstile.small_epsilon", "turnstile.group_privacy"),
        remark=r"The streams are of the toggle model, so that the bounds hold in all three models.",
    )


def table(row: tuple[int, ...], copies: int, records: int) -> Records:
    """Some equal rows, and zeros else."""
    return (*(row,) * copies, *((0,) * len(row),) * (records - copies))


def equal_rows() -> Step:
    """Rounded marginals of equal rows."""
    return enumerated(
        "equal_rows",
        r"The marginals of equal rows are the row.",
        "rows of 1 to 4 bits, 1 to 5 records: any two tables of equal rows have a marginal that differs by 1",
        (
            (one, other, records)
            for size in range(1, 5)
            for one, other in product(all_bits(size), repeat=2)
            for records in range(1, 6)
            if one != other
        ),
        lambda case: _apart(table(case[0], case[2], case[2]), table(case[1], case[2], case[2])) == 1,
        mutant=lambda case: _apart(table(case[0], 1, case[2]), table(case[1], 1, case[2])) == 1,
    )


def _apart(one: Records, other: Records) -> Fraction:
    return max(abs(a - b) for a, b in zip(averages(one), averages(other), strict=True))


def packing() -> Steps:
    """Disjoint sets of outputs."""
    return (
        enumerated(
            "told_apart",
            r"Their marginals differ by $r/n > 2 \gamma$, so that the outputs within $\gamma$ of them are disjoint "
            r"sets.",
            "rows of 1 to 3 bits, 4 records, r = 1, 2, 3: any two tables have a marginal that differs by r/4",
            (
                (one, other, copies)
                for size in range(1, 4)
                for one, other in product(all_bits(size), repeat=2)
                for copies in (1, 2, 3)
                if one != other
            ),
            lambda case: _apart(table(case[0], case[2], 4), table(case[1], case[2], 4)) == Fraction(case[2], 4),
            mutant=lambda case: _apart(table(case[0], case[2], 4), table(case[1], case[2], 4)) > Fraction(case[2], 4),
        ),
        at_most(
            "masses",
            r"Each of the $N = 2^d$ sets has the probability $P \ge 0.99$ under its table. Its probability under one "
            r"fixed table is at least $P/x$, $x = e^{r \varepsilon}$, as $r$ rows differ at most. These add up to at "
            r"most $1$.",
            Inequality(
                "item_lower_bound.masses",
                sp.Rational(99, 100) * _count,
                _factor,
                _PACKED,
            ),
            lines=r"0.99 \cdot 2^d &\le e^{r \varepsilon}",
        ),
        compared(
            "logarithm",
            r"So $r \varepsilon \ge d \log 2 + \log 0.99$. Here $\log 0.99 > -0.02$.",
            gt(sp.log(sp.Rational(99, 100)), -sp.Rational(2, 100)),
        ),
    )


def approximate() -> Steps:
    """The two cases of the approximate bound."""
    return (
        _fits(),
        at_most(
            "many_records",
            r"For $w \le T^{2/3}$ there are at least $\sqrt w$ records.",
            Inequality("item_lower_bound.many", _flips, _records**2, _SHORT),
            lines=r"w^3 \le T^2 = w^2 n^2 &\implies w \le n^2",
        ),
        at_most(
            "large_error",
            r"If the error of the marginals is above $c$:",
            Inequality(
                "item_lower_bound.large",
                _constant**2 * _flips,
                _error**2,
                (*_SHORT, _LARGE),
            ),
        ),
        at_most(
            "largest",
            r"For larger $w$ the bound for $w = T^{2/3}$ holds, which is of order $T^{1/3}$: with $q = \alpha^2$ and "
            r"$b = c^2$,",
            Inequality(
                "item_lower_bound.largest",
                _least_square**3 * _length**2,
                _square**3,
                (sp.Ge(_square, _least_square * _flips), sp.Eq(_flips**3, _length**2)),
            ),
            lines=r"c^6 T^2 &\le \alpha^6",
        ),
    )


def _fits() -> Step:
    return at_most(
        "fits",
        r"The stream of Algorithm 5 has flippancy at most $2 d$ and $2 d n$ entries. For $2 d \le w$ and $w n \le T$ "
        r"it fits:",
        Inequality(
            "item_lower_bound.fits",
            2 * _size * _records,
            _length,
            (sp.Le(2 * _size, _flips), sp.Le(_flips * _records, _length)),
        ),
    )


def pure() -> Steps:
    """The two cases of the pure bound."""
    return (
        at_most(
            "many_records_pure",
            r"For $w \le \sqrt T$ there are at least $w$ records.",
            Inequality(
                "item_lower_bound.many_pure",
                _flips,
                _records,
                _SHORT_PURE,
            ),
        ),
        at_most(
            "large_error_pure",
            r"If the error of the marginals is above $c$:",
            Inequality(
                "item_lower_bound.large_pure",
                _constant * _flips,
                _error,
                (*_SHORT_PURE, _LARGE),
            ),
        ),
        at_most(
            "small_error_pure",
            r"Otherwise, for the budget $1$, $r = 3 \gamma n$ equal rows give $3 \gamma n \ge d \log 2 - 0.02$, up to "
            r"rounding. As $\log 2 \ge 0.69$, for $d \ge 1$:",
            Inequality(
                "item_lower_bound.small_pure",
                _size / 10,
                _error,
                (
                    sp.Ge(3 * _error, sp.Rational(69, 100) * _size - sp.Rational(2, 100)),
                    sp.Ge(_size, 1),
                ),
                gap=sp.Rational(99, 100),
                weaker=sp.Rational(1, 3),
            ),
            lines=r"\frac{d}{10} &\le \gamma n = \alpha",
        ),
        compared(
            "log_of_two",
            r"The logarithm of $2$ is above $0.69$.",
            gt(sp.log(2), sp.Rational(69, 100)),
        ),
    )


CLAIMS = {"turnstile.item_lower_bound": item_lower_bound}
