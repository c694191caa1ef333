"""Section 3.4.2 of the thesis against sections 3.3.3 and 3.7.1: whether what is analysed is what is run."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import bounded, counterexample
from pan_proofs.tables.lemmas.moments import holders, noise, noisy_count

_count, _share, _number = sp.symbols("c p d", nonnegative=True)
_noise, _chance, _variance, _one_mean = sp.symbols("y p V E", positive=True)
_expected, _smoothed, _mean = sp.symbols("E Q E_0")
_records, _values = sp.symbols("n d", integer=True, positive=True)
_bound, _taken, _best, _noisy_taken, _noisy_best = sp.symbols("delta s t stilde ttilde", real=True)
_SEVERAL = (le(_share, 1), ge(_number, 2))
_BIAS_BOUND = le(sp.Abs(1 - _number * _share), _number - 1)
_variances = sp.symbols("V_1 V_2")
_errors = sp.symbols("a_1 a_2 a_3", real=True)
_NEAR = tuple(le(sp.Abs(one), _bound) for one in _errors)
_CHOSEN = (
    le(_noisy_taken - _taken, _bound),
    le(_best - _noisy_best, _bound),
    ge(_noisy_taken, _noisy_best),
)
_part, _inverse, _sum, _sums, _cells = (
    sp.Symbol("p", positive=True),
    sp.Symbol("v", real=True),
    sp.Symbol("P", real=True),
    sp.Symbol("V", real=True),
    sp.Symbol("r", nonnegative=True, integer=True),
)


def analysis_of_algorithm() -> Claim:
    """The analysis leaves out what is done with negative counts, and the smoothing; its use of entropies is right."""
    return Claim(
        id="bayesnet.analysis_of_algorithm",
        title="The analysed and the executed algorithm",
        references=(Reference("networks", "section 3.4.2", "against sections 3.3.3, 3.4.1, 3.7 and 3.8"),),
        statement=r"The analyst's total $n' = \sum_{i,j} \tilde c_i^{(j)}$ has $E[n'] = n$, and $\tilde p = "
        r"\frac{\tilde c}{n}$ stands for what the analyst uses, with $E[\tilde p_i] = p_i$. If the entropies of all "
        r"sets are close to the true ones, so are the informations, and Algorithm 3.5 learns an accurate structure. "
        r"The noise of more holders cancels out.",
        hypotheses=("the holders add Laplace noise to their counts",),
        silent=("negative counts stay in the analysis; the holders set them to 0 before they share (section 3.3.3)",),
        parts=(
            Part(
                Role.PUBLISHED,
                "counts with noise as they are",
                r"Without any change of negative counts, $E[\tilde c_i] = np_i$, and so $E[n'] = n$. In the formula "
                r"$E_0$ is the expectation of a noisy count.",
                (
                    equal_as(
                        "unbiased",
                        r"By the moments of noisy counts.",
                        (lambda: noisy_count(1), _records * _chance),
                        r"E[\tilde c_i] &= np_i",
                    ),
                ),
                formal=symbolic(eq(_mean, _records * _chance)),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "counts that holders set to 0",
                r"A negative count that is set to $0$ raises the expectation. In the formula $E$ is that of $n'$ for "
                r"one holder of one record, $d = 2$ and $b = 1$.",
                _raised(),
            ),
            Part(
                Role.AMENDED,
                "the expectation of a count that is set to 0",
                r"$E[\max(0, c + \eta)] = c + \frac b2 e^{-c/b}$. So $E[n'] = n + \frac b2 \sum_{i,j} "
                r"e^{-c_i^{(j)}/b}$, which is at most $n + \frac{dMb}{2}$. In the formula $E$ is the expectation of "
                r"one count.",
                (
                    equal_as(
                        "clipped_mean",
                        r"A count $c$ with noise $\eta$ is $c + \eta$, plus its amount below $0$ where it is set to "
                        r"$0$. The noise is below $-c$ by $y$ with the density $\frac{1}{2b} e^{-(c + y)/b}$.",
                        (
                            _integral,
                            _clipped_mean(),
                        ),
                        r"E[\max(0, c + \eta)] = c + e^{-c/b} \int_0^\infty \frac{y}{2b}\,e^{-y/b}\,dy &= c + \tfrac "
                        r"b2\,e^{-c/b}",
                    ),
                ),
                formal=symbolic(eq(_one_mean, _clipped_mean())),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "smoothed frequencies",
                r"The frequencies of section 3.7.1 are not unbiased. In the formula $Q$ is the expectation of "
                r"$\frac{\tilde c + 1}{n + d}$ for $p = \frac14$, $n = 10$ and $d = 2$.",
                counterexample(
                    "biased",
                    r"The expectation of the count is $np$:",
                    eq(_smoothed, sp.Rational(1, 4)),
                    {_smoothed: lambda: _smoothed_mean().subs({_records: 10, _values: 2, _chance: sp.Rational(1, 4)})},
                ),
            ),
            Part(
                Role.AMENDED,
                "the bias of smoothed frequencies",
                r"Their bias is $\frac{1 - dp_i}{n + d}$. It is at most $\frac{d-1}{n+d}$ in absolute value, for $d "
                r"\ge 2$, and this is less than twice the leading term $\frac{d-1}{2n}$ of the bias of the entropy. "
                r"For uniform frequencies it is $0$. The analysis holds for structures that are learned from "
                r"$\frac{\tilde c}{n}$.",
                (
                    equal_as(
                        "bias",
                        r"The difference to $p$:",
                        (
                            lambda: sp.factor(_smoothed_mean() - _chance),
                            (1 - _values * _chance) / (_records + _values),
                        ),
                        r"\frac{np + 1}{n + d} - p &= \frac{1 - dp}{n + d}",
                    ),
                    bounded(
                        "bias_bounded",
                        r"For $0 \le p \le 1$ and $d \ge 2$ it lies between $-\frac{d-1}{n+d}$ and $\frac{1}{n+d}$:",
                        _BIAS_BOUND,
                        *_SEVERAL,
                        lines=r"|1 - dp| &\le d - 1",
                    ),
                ),
                formal=(
                    *symbolic(eq(_smoothed_mean() - _chance, (1 - _values * _chance) / (_records + _values))),
                    *symbolic(_BIAS_BOUND, given=_SEVERAL),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "from entropies to informations and structures",
                r"If three entropies have errors of at most $\delta$, the information has at most $3\delta$. If all "
                r"informations have errors of at most $\delta$, the chosen candidate's is within $2\delta$ of the "
                r"best. In the formulas $a_i$ are errors, $s$ and $t$ are the informations of the chosen and of the "
                r"best candidate, and $\tilde s$ and $\tilde t$ the noisy ones.",
                (
                    bounded(
                        "informations",
                        r"The information is $H(X) + H(\mathrm{Pa}) - H(X, \mathrm{Pa})$.",
                        le(sp.Abs(_errors[0] + _errors[1] - _errors[2]), 3 * _bound),
                        *_NEAR,
                        gt(_bound, 0),
                        lines=r"|a_1 + a_2 - a_3| &\le 3\delta",
                    ),
                    bounded(
                        "choice",
                        r"The chosen candidate has the largest noisy information.",
                        le(_best - _taken, 2 * _bound),
                        *_CHOSEN,
                        gt(_bound, 0),
                        lines=r"t - s &\le 2\delta",
                    ),
                ),
                formal=(
                    *symbolic(le(sp.Abs(_errors[0] + _errors[1] - _errors[2]), 3 * _bound), given=_NEAR),
                    *symbolic(le(_best - _taken, 2 * _bound), given=_CHOSEN),
                ),
            ),
            derived(
                Role.PUBLISHED,
                "marginals of noisy distributions",
                r"A cell of a marginal sums $r$ cells and has $r$ times the noise. Its noise term "
                r"$\frac{rMb^2}{n^2P}$ is at most the sum of theirs over $r$: in the formula $P$ and $V$ are the sums "
                r"of $p_i$ and $v_i = \frac1{p_i}$.",
                over_entries(
                    "marginals",
                    r"For every number of cells, with $v_i = \frac1{p_i}$: $p_i + v_i \ge 2$.",
                    ge(_sum + _sums, 2 * _cells),
                    _cells,
                    {_sum: _part, _sums: _inverse},
                    (_part, _inverse),
                    ((1, 1), (1, 1)),
                    r"\sum_{i=1}^r (p_i + v_i) &\ge 2r",
                    (ge(_part * _inverse, 1), ge(_inverse, 0)),
                    weaker=sp.Rational(1001, 1000),
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "noise of more holders",
                r"Section 3.7.3 explains a better result for more holders by noise that cancels out. The variance of "
                r"the sum of their noise grows. In the formula $V_1$ and $V_2$ are the variances for one and for two "
                r"holders with $b = 1$.",
                _more_noise(),
            ),
            Part(
                Role.AMENDED,
                "the variance of the noise of all holders",
                r"It is $2Mb^2$ for a count, and does not depend on $n$: more holders of the same records add noise, "
                r"as section 3.8 says. In the formula $V$ is this variance.",
                (
                    equal_as(
                        "noise_of_all",
                        r"For every number of holders.",
                        (lambda: noise(2), 2 * holders * scale**2),
                        r"E\Bigl[\Bigl(\sum_{j=1}^M \eta^{(j)}\Bigr)^2\Bigr] &= 2Mb^2",
                    ),
                ),
                formal=symbolic(eq(_variance, 2 * holders * scale**2)),
            ),
        ),
        uses=(
            "bayesnet.noisy_count_moments",
            "bayesnet.laplace_sum_moments",
            "bayesnet.smoothing",
            "bayesnet.listings",
        ),
        in_words=(
            (
                "marginals",
                r"For cells with the mean $1$, $P = r$, this gives $V \ge r = \frac{r^2}{P}$; other cells are "
                r"multiples of such. So $\frac{r}{P} \le \frac Vr$.",
            ),
        ),
        remark=r"The scale $b$ of the analysis is half of that of Theorem 3.4. The claim on the bias of the entropy is "
        r"about sums over the holders that are set to $0$ once, not about counts that each holder sets to $0$.",
    )


def _more_noise() -> Step:
    def variance(number: int) -> sp.Expr:
        return noise(2).subs({holders: number, scale: 1})

    return counterexample(
        "more_noise",
        r"By the moments of sums of Laplace variables:",
        le(_variances[1], _variances[0]),
        {_variances[0]: lambda: variance(1), _variances[1]: lambda: variance(2)},
    )


def _clipped_mean() -> sp.Expr:
    return _count + scale / 2 * sp.exp(-_count / scale)


def _integral() -> sp.Expr:
    """The expectation of a count with noise, with a negative value set to 0: the count, and the part below 0."""
    beyond = sp.integrate(_noise * sp.exp(-_noise / scale) / (2 * scale), (_noise, 0, sp.oo))
    return _count + sp.exp(-_count / scale) * beyond


def _raised() -> Step:
    def total() -> sp.Expr:
        return sp.Add(*(_clipped_mean().subs({_count: one, scale: 1}) for one in (1, 0)))

    return counterexample(
        "raised",
        r"The counts are $1$ and $0$:",
        eq(_expected, 1),
        {_expected: total},
    )


def _smoothed_mean() -> sp.Expr:
    return (_records * _chance + 1) / (_records + _values)


CLAIMS = {"bayesnet.analysis_of_algorithm": analysis_of_algorithm}
