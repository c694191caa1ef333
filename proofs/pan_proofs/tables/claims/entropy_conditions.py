"""The conditions of Theorems 3.5 and 3.6 of the thesis: needed, sufficient, or implied by the others."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import sympy as sp

from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, over_entries
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, lemma
from pan_proofs.tables.lemmas.information import exact, log_variance

(
    inverse_share,
    _w,
    total_noise,
    _L,
    theta,
    square,
    _x,
    _p,
    _square_root,
    _ratio,
    _scaled,
    _most_log,
    _term,
) = sp.symbols("q w W L theta z x p r rho t ell e", nonnegative=True)
(
    _eta,
    _y,
    share,
    records,
    size,
    _V,
    _c,
    grows,
    _root,
    _g,
    _many,
    _C,
    _budget,
    _square,
    _square_log,
    _many_log,
) = sp.symbols("eta y p n d V c L w g d C epsilon T m d", positive=True)
spread, bound_on_sum, inverse_sum = sp.symbols("V Q R")
n_attributes, set_size, index, _roots, _Q, _first, _second, _point, _total = sp.symbols(
    "N s i S Q S_1 S_2 ell T", real=True
)
_length = sp.Symbol("d", integer=True, nonnegative=True)
BOTH = (
    le(_w, _eta),
    le(inverse_share, _eta),
    le(_eta, 1),
)
UNIFORM = tuple([Fraction(1, 8)] * 8)
FIVE = (
    _x**2,
    _x**4,
    _L * _p * _x**2,
    _L * _x**2,
    _x**3,
)
_ENTRY = (_square_root, _p)
FIVE_log = (
    _ratio * _x**2,
    _ratio * _x**4,
    _ratio * _L * _p * _x**2,
    _ratio * _L * _x**2,
    _ratio * _x**3,
)
"""The five terms over ``sigma^2/n``, with ``rho = d^2/sigma^2`` and ``x = 1/(p sqrt(n))``."""
_SHOWN = (r"\rho z", r"\rho z^2", r"\rho Lpz", r"\rho Lz", r"\rho z^{3/2}")
_of_two_levels = 3 * sp.log(3) ** 2 / 16
_VANISHES = (sp.log(_many_log) ** 2 + 4) / _many_log


def entropy_conditions() -> Claim:
    """One direction of the equivalence holds; several steps are false, and each has a true form."""
    return Claim(
        id="bayesnet.entropy_conditions",
        title="Conditions for the entropy of noisy frequencies",
        references=(Reference("networks", "Theorems 3.5 and 3.6 and their proofs, section 3.4.2"),),
        statement=r"Theorem 3.5: the three conditions $\frac{dMb^2}{p_{\min}n^2}, \frac{dMb^2}{p_{\min}^2n^3}, "
        r"\frac{dM^2b^4}{p_{\min}^3n^4} = o(\frac dn)$ are equivalent to $\varepsilon = "
        r"\omega\bigl(\sqrt{\frac{M}{p_{\min}n}}\,N^{k+1}\bigr)$ and $p_{\min} = \omega(\frac1n)$; "
        r"$\frac{d}{p_{\min}n^2}$ is dominated by $\frac{dMb^2}{p_{\min}^2n^3}$. Theorem 3.6: since $\sigma^2 = "
        r"O(d^2)$, $\theta\log^2 p_{\min} = o(\frac1n)$ is equivalent to $\varepsilon = \omega\bigl(\sqrt{\frac "
        r"Mn}\,N^{k+1}|\log p_{\min}|\bigr)$ and sufficient for $d\,\theta\log^2 p_{\min} = o(\frac{\sigma^2}{n})$, "
        r"and $\frac{\theta}{p_{\min}} = o(\frac1n)$ implies it; $\frac{1}{p_{\min}^2n} = o(1)$, which is $p_{\min} = "
        r"\omega(\frac{1}{\sqrt n})$, implies the other four conditions on the five terms.",
        hypotheses=(r"$p_{\min} < e^{-2}$ in Theorem 3.6", r"$b = \Theta(\frac{N^{k+1}}{\varepsilon})$"),
        silent=(r"$k$ is fixed", "each condition is about the same sequence of distributions and numbers"),
        parts=(
            Part(
                Role.PUBLISHED,
                "sufficient for Theorem 3.5",
                r"Let $q = \frac{1}{p_{\min}n}$ and $w = \frac{Mb^2}{p_{\min}n}$. The three quantities over $\frac dn$ "
                r"are $w$, $wq$ and $w^2q$. If $w$ and $q$ are at most a small number $\eta$, all three are.",
                (
                    small_product("w_and_q", _w * inverse_share),
                    small_product("w_twice_and_q", _w**2 * inverse_share),
                ),
                formal=symbolic(
                    sp.And(
                        le(_w, _eta),
                        le(_w * inverse_share, _eta),
                        le(_w**2 * inverse_share, _eta),
                        evaluate=False,
                    ),
                    given=BOTH,
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the equivalence, with little noise",
                r"If $W = Mb^2$ is small, the three conditions do not imply $p_{\min} = \omega(\frac1n)$. In the "
                r"formula $q$ is $1$ while $w$ is as small as one likes.",
                counterexample(
                    "little_noise",
                    r"For instance the uniform distribution with $p_{\min} = \frac1n$ and noise with $W = "
                    r"\frac1{100}$:",
                    le(inverse_share, _eta),
                    {
                        inverse_share: 1,
                        total_noise: sp.Rational(1, 100),
                        _w: sp.Rational(1, 100),
                        _eta: sp.Rational(1, 100),
                    },
                    (le(_w, _eta), eq(_w, total_noise * inverse_share)),
                ),
            ),
            derived(
                Role.AMENDED,
                "the equivalence, with noise of at least one count",
                r"If $W = Mb^2 \ge 1$, the first condition alone implies the two others and $p_{\min} = "
                r"\omega(\frac1n)$: then $q \le w$.",
                bounded(
                    "much_noise",
                    r"Since $w = Wq$:",
                    le(inverse_share, _eta),
                    le(_w, _eta),
                    eq(_w, total_noise * inverse_share),
                    ge(total_noise, 1),
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "conditions that must hold",
                r"The proof says that the three conditions must hold. They are not needed: the noise term of the "
                r"second order is $\frac{Mb^2R}{n^2}$ with $R = \sum_i \frac1{p_i}$, and $R$ can be much less than "
                r"$\frac{d}{p_{\min}}$, so that $\frac{Mb^2R}{dn} \to 0$ is enough for it. In the formula $R$ is this "
                r"sum and $Q = \frac{d}{p_{\min}}$, for $999$ equal probabilities and one of $10^{-5}$.",
                not_needed(),
            ),
            derived(
                Role.PUBLISHED,
                "the number of sets in the budget",
                r"For fixed $k$ the number $\binom{N}{k+1}$ is of the order $N^{k+1}$: with $s = k + 1 \le N$ it is "
                r"at least $(\frac Ns)^s$, since it is the product of $\frac{N-i}{s-i} \ge \frac Ns$ for $i < s$.",
                bounded(
                    "factor_of_sets",
                    r"One factor:",
                    le(n_attributes / set_size, (n_attributes - index) / (set_size - index)),
                    ge(index, 0),
                    gt(set_size, index),
                    ge(n_attributes, set_size),
                    lines=r"\frac Ns &\le \frac{N - i}{s - i}",
                ),
                enumerated(
                    "sets_in_order",
                    r"In fractions, for up to twelve attributes:",
                    "the number of sets lies between the two powers",
                    [(size, chosen) for size in range(1, 13) for chosen in range(1, size + 1)],
                    lambda case: Fraction(case[0], case[1]) ** case[1] <= comb(*case) <= case[0] ** case[1],
                    mutant=lambda case: comb(*case) >= Fraction(case[0] ** case[1], 2),
                    lines=r"\Bigl(\frac Ns\Bigr)^s \le \binom Ns &\le N^s",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "from the noise to the budget, and back",
                r"Let $b = c\,\frac K\varepsilon$ with $K = N^{k+1}$ and $c$ between two positive constants. Then "
                r"$\frac{Mb^2}{p_{\min}n} = \frac{c^2T^2}{\varepsilon^2}$ with $T = \sqrt{\frac{M}{p_{\min}n}}\,K$, "
                r"and $n\theta\log^2 p_{\min} = \frac{c^2T^2}{\varepsilon^2}$ with $T = \sqrt{\frac Mn}\,K|\log "
                r"p_{\min}|$. So each tends to $0$ if and only if $\varepsilon = \omega(T)$. In the same way "
                r"$\frac{1}{p_{\min}^2n} = T^2$ with $T = \frac{1}{p_{\min}\sqrt n}$. In the formulas $C$ is a bound "
                r"on $c$, from above in the first one and from below in the second one.",
                bounded(
                    "budget_is_enough",
                    r"Let $c \le C$. If $\frac T\varepsilon \le \eta$ is small, the quantity is small.",
                    le(_c**2 * _square**2, _C**2 * _eta**2 * _budget**2),
                    le(_square, _eta * _budget),
                    le(_c, _C),
                    lines=r"c^2T^2 &\le C^2\eta^2\varepsilon^2",
                ),
                bounded(
                    "budget_is_needed",
                    r"Conversely, let $c \ge C$ for another $C > 0$. If the quantity is at most $\eta^2$, then $\frac "
                    r"T\varepsilon$ is small.",
                    le(_C * _square, _eta * _budget),
                    le(_c**2 * _square**2, _eta**2 * _budget**2),
                    ge(_c, _C),
                    lines=r"C\,T &\le \eta\,\varepsilon",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the dominated term of the bias",
                r"$\frac{d}{p_{\min}n^2}$ is not dominated by $\frac{dW}{p_{\min}^2n^3}$: their ratio is "
                r"$\frac{p_{\min}n}{W}$, which Theorem 3.5 itself lets grow.",
                counterexample(
                    "not_dominated",
                    r"For $p_{\min}n = 500$ and $W = 100$:",
                    le(size / (share * records**2), size * total_noise / (share**2 * records**3)),
                    {size: 2, share: sp.Rational(1, 2), records: 1000, total_noise: 100},
                ),
            ),
            derived(
                Role.AMENDED,
                "the dominating term of the bias",
                r"If $W \ge 1$, it is dominated by $\frac{dW}{p_{\min}n^2}$.",
                bounded(
                    "by_first",
                    r"It has the same denominator.",
                    le(size / (share * records**2), size * total_noise / (share * records**2)),
                    ge(total_noise, 1),
                    lines=r"\frac{d}{pn^2} &\le \frac{dW}{pn^2}",
                ),
            ),
            Part(
                Role.PUBLISHED,
                "implications between conditions of the two theorems",
                r"$\log^2 p \le \frac4p$, so that $\frac{\theta}{p_{\min}} = o(\frac1n)$ implies $\theta\log^2 "
                r"p_{\min} = o(\frac1n)$. As $\log^2 p_{\min} \ge 4$, this implies $\theta = o(\frac1n)$. In the "
                r"formulas $y = p_{\min}^{-1/2}$ and $L = |\log p_{\min}|$.",
                (
                    tangent("tangent", r"With $y = p^{-1/2}$ the logarithm is $L = 2\log y$."),
                    bounded(
                        "squared",
                        r"So $L \le 2(y - 1)$, and its square is at most $4y^2 = \frac4p$.",
                        le(_L**2, 4 * _y**2 - 4),
                        _y >= 1,
                        le(_L, 2 * (_y - 1)),
                        lines=r"L^2 \le 4y^2 - 4 &\le \tfrac4p",
                    ),
                    bounded(
                        "at_least_four",
                        r"From $p_{\min} < e^{-2}$, $L \ge 2$.",
                        le(4 * theta, _L**2 * theta),
                        ge(_L, 2),
                        ge(theta, 0),
                        lines=r"4\theta &\le L^2\theta",
                    ),
                ),
                formal=(
                    *symbolic(gt(_y - 1 - sp.log(_y), 0), given=(_y > 1,)),
                    *symbolic(
                        le(_L**2, 4 * _y**2),
                        given=(_y >= 1, le(_L, 2 * (_y - 1))),
                    ),
                    *symbolic(
                        le(4 * theta, _L**2 * theta),
                        given=(ge(_L, 2),),
                    ),
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "an upper bound on the variance",
                r"$\sigma^2 = O(d^2)$ bounds $\sigma^2$ from above, where the step needs a bound from below. For the "
                r"uniform distribution on $8$ values $\sigma^2 = 0$, and no noise is dominated. In the formula $V = "
                r"\sigma^2$.",
                counterexample(
                    "no_variance",
                    r"The variance of $\log p$ is computed from the distribution. For any $\theta > 0$:",
                    le(8 * theta * sp.log(8) ** 2, spread / records),
                    {spread: lambda: log_variance(UNIFORM), theta: sp.Rational(1, 10**9), records: 1000},
                    (gt(theta, 0),),
                    free=(theta, records),
                ),
            ),
            derived(
                Role.AMENDED,
                "a bound on the variance from below",
                r"The step needs $\theta L^2 = o(\frac{\sigma^2}{dn})$. If $\sigma^2 \ge c\,d$ for a $c > 0$, $\theta "
                r"L^2 = o(\frac1n)$ is enough. The next part says that this is possible for few values only. In the "
                r"formula $q = n\theta L^2$, and $V$ is the variance.",
                bounded(
                    "enough_variance",
                    r"With $q = n\theta L^2 \le \eta$:",
                    le(size * inverse_share, _eta * _V / _c),
                    le(inverse_share, _eta),
                    ge(_V, _c * size),
                    lines=r"d\,n\theta L^2 &\le \frac{\eta\,\sigma^2}{c}",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the hypothesis on the variance holds always",
                r"For every distribution on $d$ values $\sigma^2 \le \sum_i p_i\log^2 p_i \le 16\sqrt d$. So "
                r"$\sigma^2 = "
                r"O(d^2)$ is true for all, and leaves out none. In the formulas $w = p^{1/4}$ and $L = |\log p|$.",
                tangent("tangent_of_root", r"With $y = p^{-1/4}$ the logarithm is $L = |\log p| = 4\log y$."),
                bounded(
                    "term_of_one",
                    r"So with $w = p^{1/4}$ the logarithm is $L \le 4(\frac1w - 1)$, and the term $p \log^2 p$ of a "
                    r"value is at most $16\sqrt p$.",
                    le(_root**4 * _L**2, 16 * _root**2),
                    le(_L * _root, 4 * (1 - _root)),
                    le(_root, 1),
                    lines=r"w^4L^2 &\le 16\,w^2",
                ),
                over_entries(
                    "sum_of_roots",
                    r"For $d$ values, with $r_i = \sqrt{p_i}$, $S = \sum r_i$ and $Q = \sum p_i$: $2gr_i \le g^2p_i + "
                    r"1$ for every $g$. With $g = \sqrt d$ and $Q = 1$ this is $S \le \sqrt d$.",
                    le(2 * _g * _roots, _g**2 * _Q + _length),
                    _length,
                    {_roots: _square_root, _Q: _p},
                    _ENTRY,
                    ((sp.Rational(1, 2), sp.Rational(1, 4)), (sp.Rational(1, 2), sp.Rational(1, 4))),
                    r"2g\sum_{i=1}^d r_i &\le g^2 \sum_{i=1}^d p_i + d",
                    (eq(_square_root**2, _p),),
                    at={_g: 2},
                ),
                only=(
                    "term_of_one",
                    "sum_of_roots",
                ),
            ),
            derived(
                Role.AMENDED,
                "the order of the largest variance",
                r"For every distribution on $d$ values $\sigma^2 \le \log^2 d + 4$, and for some $\sigma^2 = \frac14 "
                r"\log^2(d-1)$. So the hypothesis can be written with $\log^2 d$ in place of $d^2$, and "
                r"$\frac{\sigma^2}{d} \to 0$ for a growing number of values.",
                equal_as(
                    "about_a_point",
                    r"Let $S_1$ and $S_2$ be the means of $|\log p|$ and of its square. The variance is at most the "
                    r"mean square about any point $\ell$, here $\ell = \log d$.",
                    (
                        lambda: sp.expand(_second - 2 * _point * _first + _point**2),
                        _second - _first**2 + (_first - _point) ** 2,
                    ),
                    r"S_2 - 2\ell S_1 + \ell^2 &= S_2 - S_1^2 + (S_1 - \ell)^2",
                ),
                bounded(
                    "rare_values",
                    r"A value with $q = pd \le 1$: with $w = \sqrt q$ the tangent of the logarithm gives $|\log q| "
                    r"\le 2(\frac1w - 1)$, so that $t = w\,|\log q|$ has $t^2 \le 4$. The term is $p\log^2 q = "
                    r"\frac{t^2}{d}$.",
                    le(_scaled**2, 4),
                    le(_scaled, 2 * (1 - _w)),
                    lines=r"t^2 &\le 4 \quad (t \le 2(1 - w))",
                ),
                bounded(
                    "frequent_values",
                    r"A value with $q \ge 1$: the logarithm $x = \log q$ is at most $\ell$, since $p \le 1$.",
                    le(_x**2, _most_log**2),
                    le(_x, _most_log),
                    lines=r"x^2 &\le \ell^2",
                ),
                over_entries(
                    "all_values",
                    r"So each term $e_i = p_i\log^2(p_id)$ has $g\,e_i \le 4 + m\,g\,p_i$ with $g = d$ and $m = "
                    r"\ell^2$. With $T = \sum e_i$ and $Q = \sum p_i = 1$ this is $T \le 4 + \ell^2$.",
                    le(_g * _total, 4 * _length + _square_log * _g * _Q),
                    _length,
                    {_total: _term, _Q: _p},
                    (_term, _p),
                    ((4, 0), (4, 0)),
                    r"g\sum_{i=1}^d e_i &\le 4d + m\,g\sum_{i=1}^d p_i",
                    (le(_g * _term, 4 + _square_log * _g * _p),),
                    at={_g: 1, _square_log: 1},
                ),
                lemma(
                    "small_share",
                    r"Over the number of values the bound tends to $0$.",
                    tends_to("log_order.share", _VANISHES, _many_log, sp.oo, sp.S.Zero),
                    r"\lim_{d \to \infty} \frac{\log^2 d + 4}{d} &= 0",
                ),
                equal_as(
                    "half_at_one",
                    r"The order is reached: half of the mass at one value, and the rest in equal parts at the others.",
                    (
                        _half_at_one,
                        sp.log(_many_log - 1) ** 2 / 4,
                    ),
                    r"\sigma^2 &= \tfrac14\log^2(d-1)",
                ),
                only=(
                    "rare_values",
                    "frequent_values",
                    "all_values",
                    "small_share",
                    "half_at_one",
                ),
            ),
            derived(
                Role.AMENDED,
                "no bound from below for a growing number of values",
                r"So $\sigma^2 \ge cd$ implies $d \le \frac{256}{c^2}$. For a growing number of values "
                r"$\theta\log^2 p_{\min} = o(\frac1n)$ is enough for no sequence of distributions by this step: the "
                r"condition must name $\frac{d}{\sigma^2}$. In the formula $g = \sqrt d$.",
                bounded(
                    "few_values",
                    r"With $V = \sigma^2 \le 16g$ and $V \ge cd = cg^2$, the number of values is at most "
                    r"$\frac{256}{c^2}$:",
                    le(_c * _g, 16),
                    ge(_V, _c * _g**2),
                    le(_V, 16 * _g),
                    lines=r"c\,g &\le 16",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the strongest of the five conditions",
                r"The fourth term asks for $\frac{L}{p_{\min}^2n} \to 0$ even if $\sigma^2$ is of order $d^2$. With "
                r"$z = \frac{1}{p_{\min}^2n} = \frac1L$, that is $n = L\,p_{\min}^{-2}$, $z$ tends to $0$ and $Lz = 1$ "
                r"does not.",
                lemma(
                    "vanishing",
                    r"Along $n = L\,p_{\min}^{-2}$ the printed condition holds.",
                    tends_to("conditions.vanishing", 1 / grows, grows, sp.oo, sp.S.Zero),
                    r"\lim_{L \to \infty} \tfrac1L &= 0",
                ),
                counterexample(
                    "logarithm_left",
                    r"The fourth term is not small there, for instance at $L = 100$:",
                    le(_L * square, sp.Rational(1, 2)),
                    {_L: 100, square: sp.Rational(1, 100)},
                ),
            ),
            derived(
                Role.AMENDED,
                "the strongest condition",
                r"$\frac{L}{p_{\min}^2n} = o(1)$ with $L \ge 2$ implies the four others: over $\frac{d^2}{n}$ the five "
                r"terms are $z$, $z^2$, $Lpz$, $Lz$ and $z^{3/2}$. In the formula $x = \sqrt z$.",
                *all_five(),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the five conditions for a variance that does not grow",
                r"All hypotheses hold for distributions of a growing number $d$ of values with one variance, and the "
                r"first of "
                r"the five terms is not $o(\frac{\sigma^2}{n})$: the condition $p_{\min} = \omega(\frac{1}{\sqrt n})$ "
                r"does not imply the five.",
                lemma(
                    "printed_condition_holds",
                    r"Half of $d$ values have the probability $\frac{1}{2d}$, and the others $\frac{3}{2d}$, as in "
                    r"bayesnet.entropy\_mse: $V = \sigma^2 = \frac{3}{16}\log^2 3$ for every $d$. Let $n = d^{5/2}$. "
                    r"Then $z = \frac{4d^2}{n} = \frac{4}{\sqrt d}$, and the printed condition holds.",
                    tends_to("log_variance.printed", 4 / sp.sqrt(_many), _many, sp.oo, sp.S.Zero),
                    r"\lim_{d \to \infty} \frac{4}{\sqrt d} &= 0",
                ),
                counterexample(
                    "first_term_is_large",
                    r"The first of the five terms over $\frac{\sigma^2}{n}$ is $\frac{d^2z}{V}$, and is at most $C$ "
                    r"for no $C$. For $C = 1000$ and $d = 10^8$:",
                    le(4 * _many ** sp.Rational(3, 2) / _of_two_levels, _C),
                    {_many: sp.Integer(10) ** 8, _C: 1000},
                ),
            ),
            derived(
                Role.AMENDED,
                "the strongest condition, against the leading term",
                r"The five terms must be $o(\frac{\sigma^2}{n})$, and $\sigma^2$ is much less than $d^2$ for many "
                r"values. With $\rho = \frac{d^2}{\sigma^2}$ they are $\rho z$, $\rho z^2$, $\rho Lpz$, $\rho Lz$ and "
                r"$\rho z^{3/2}$ over $\frac{\sigma^2}{n}$, and $\rho \ge \frac1{16}$. So "
                r"$\frac{d^2L}{\sigma^2p_{\min}^2n} = o(1)$ with $L \ge 2$ is enough for all five. In the formulas $x "
                r"= \sqrt z$.",
                *tuple(
                    bounded(
                        f"over_variance_{number}",
                        r"With $\rho Lz \le \frac{\eta^2}{4}$, $\rho \ge \frac{1}{16}$ and $L \ge 2$:"
                        if number == 1
                        else r"In the same way:",
                        le(one, _eta),
                        le(_ratio * _L * _x**2, _eta**2 / 4),
                        ge(_ratio, sp.Rational(1, 16)),
                        ge(_L, 2),
                        le(_p, 1),
                        le(_eta, 1),
                        lines=rf"{line} &\le \eta",
                        gap=sp.Rational(1, 2),
                        weaker=sp.Rational(1, 1000),
                    )
                    for number, (one, line) in enumerate(zip(FIVE_log, _SHOWN, strict=True), 1)
                ),
            ),
        ),
        remark=r"In the definition of $O$ for several variables only the largest of them needs to grow, so that "
        r"statements with $p_{\min} \to 0$ or $\varepsilon \to 0$ are read along sequences. For $k$ that grows with "
        r"$N$, $\binom{N}{k+1}$ is not of the order $N^{k+1}$: for $k = N - 1$ it is $1$.",
    )


def tangent(name: str, text: str) -> Step:
    """The logarithm lies below its tangent at 1."""
    small = sp.Rational(1, 1000)
    apart = Slopes(name, _y - 1 - sp.log(_y), _y, sp.S.One, {_y: sp.Rational(101, 100)}, small, strict=True)
    return by_slopes(name, text, apart, lines=r"\log y &< y - 1 \quad (y > 1)")


def small_product(name: str, product: sp.Expr) -> Step:
    """A product of small numbers."""
    return bounded(
        name,
        r"A product of small numbers is small.",
        le(product, _eta),
        *BOTH,
    )


def not_needed() -> Step:
    """A distribution with one rare value."""
    least = Fraction(1, 10**5)
    distribution = [least, *([(1 - least) / 999] * 999)]
    return counterexample(
        "not_needed",
        r"Both numbers are computed from the distribution:",
        le(bound_on_sum, 50 * inverse_sum),
        {
            bound_on_sum: lambda: exact(len(distribution) / min(distribution)),
            inverse_sum: lambda: exact(sum((1 / one for one in distribution), Fraction(0))),
        },
        lines=r"\frac{d}{p_{\min}} = 10^8 &> 50 \sum_i \frac1{p_i}",
    )


def all_five() -> Steps:
    """All five terms under the strongest condition."""
    shown = ("z", "z^2", "Lpz", "Lz", "z^{3/2}")
    return tuple(
        bounded(
            f"term_{number}",
            r"With $x = \sqrt z$ and $Lz \le \eta^2$:" if number == 1 else r"In the same way:",
            le(one, _eta),
            le(_L * _x**2, _eta**2),
            ge(_L, 2),
            le(_p, 1),
            le(_eta, 1),
            lines=rf"{line} &\le \eta",
            weaker=sp.Rational(1, 8),
            gap=None if one.has(_L) else sp.Rational(3, 4),
        )
        for number, (one, line) in enumerate(zip(FIVE, shown, strict=True), 1)
    )


def _half_at_one() -> sp.Expr:
    """The variance for half of the mass at one of the values, and the rest spread over the others."""
    half = sp.Rational(1, 2)
    logs = (sp.log(2), sp.log(2) + sp.log(_many_log - 1))
    mean = half * logs[0] + half * logs[1]
    return half * logs[0] ** 2 + half * logs[1] ** 2 - mean**2


CLAIMS = {"bayesnet.entropy_conditions": entropy_conditions}
