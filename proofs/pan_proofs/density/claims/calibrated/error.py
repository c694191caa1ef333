"""The error of the calibrated estimators: random bits, and integer noise on the number of ones."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.estimate_errors import (
    CellEstimate,
    bounded_error,
    derivations,
    derived,
    equations,
    finite_population,
    fixed_sample,
    mean_squared_error,
    over_samples,
    sampled_density_steps,
    unbiased,
)
from pan_proofs.engines.relations import eq, le
from pan_proofs.foundations.distributions import (
    Affine,
    KnownMoments,
    TwoSidedGeometric,
    bernoulli,
    mean,
    power_series_tail,
    variance,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.notation import density, m, p_init, p_upd, present
from pan_proofs.ledger.steps import equal, lemma

up, down = sp.symbols("r s", positive=True)
"""The ratios by which the weights fall above 0 and below it."""

noise_variance = up / (1 - up) ** 2 + down / (1 - down) ** 2
"""The variance of the noise."""

_index = sp.Symbol("n", integer=True, positive=True)


def noise_steps() -> tuple[Step, ...]:
    """The series, the mean, and the variance, also for equal ratios."""
    distribution = TwoSidedGeometric(up, down)
    same = TwoSidedGeometric(up, up)
    return (
        _series(),
        derived(
            "noise_mean",
            r"The weights above $0$ and below it are summed with $n = 1$, those below with the sign of $k^j$; the "
            r"weight of $0$ is $1$. Divided by the sum of all weights,",
            r"E[N]",
            mean(distribution),
            up / (1 - up) - down / (1 - down),
        ),
        derived(
            "noise_variance",
            r"The second central moment is",
            r"\operatorname{Var}(N)",
            variance(distribution),
            noise_variance,
        ),
        derived(
            "noise_symmetric",
            r"For $r = s$",
            r"\operatorname{Var}(N)",
            variance(same),
            2 * up / (1 - up) ** 2,
        ),
    )


def _series() -> Step:
    steps = [
        equal(
            f"series_{power}",
            "",
            "",
            power_series_tail(power, up, _index) - power_series_tail(power, up, _index + 1),
            _index**power * up**_index,
        )
        for power in range(3)
    ]
    return lemma(
        "series",
        r"The series $T_j(n) = \sum_{k \ge n} k^j r^k$, $j = 0, 1, 2$, have the closed forms below. In each case the "
        r"form at $n$ less that at $n+1$ is $n^j r^n$, and it tends to $0$, being a polynomial in $n$ times $r^n$.",
        [obligation for step in steps for obligation in step.obligations],
        lines=(
            r"T_0(n) &= \frac{r^n}{1-r}",
            r"T_1(n) &= r^n \left(\frac{n}{1-r} + \frac{r}{(1-r)^2}\right)",
            r"T_2(n) &= r^n \left(\frac{n^2}{1-r} + \frac{2nr}{(1-r)^2} + \frac{r(1+r)}{(1-r)^3}\right)",
        ),
    )


_flip = sp.Symbol("f", real=True)
_step = sp.Symbol("k", integer=True, nonnegative=True)
_gap = p_upd - p_init
_centre, _spread = sp.Symbol("nu", real=True), sp.Symbol("V", nonnegative=True)


def calibrated_estimate(pair: tuple[sp.Expr, sp.Expr] = (p_init, p_upd)) -> CellEstimate:
    """Bits with the parameters of the pair; noise on their number, centred, on the scale of the output.

    Of the noise only its mean and its variance enter, which are derived on their own.
    """
    added = KnownMoments(_centre, _spread)
    factor = 1 / (m * (pair[1] - pair[0]))
    return CellEstimate(bernoulli(pair[0]), bernoulli(pair[1]), Affine(added, factor, -mean(added) * factor))


def error(share: sp.Expr) -> sp.Expr:
    """The mean squared error about the density of the sample."""
    of_bits = (1 - share) * p_init * (1 - p_init) + share * p_upd * (1 - p_upd)
    return of_bits / (m * _gap**2) + _spread / (m * _gap) ** 2


def calibrated_error() -> Claim:
    """Bias and mean squared error, the symmetric case, and what a flip after an announced intrusion does."""
    return Claim(
        id="calibrated.error",
        title="Error of the calibrated estimators",
        references=(Reference("here", "stated with the calibrated estimators of this package"),),
        statement=r"The bits are $\operatorname{Bernoulli}(p_{\mathrm{init}})$ and "
        r"$\operatorname{Bernoulli}(p_{\mathrm{upd}})$. To their number integer noise $N$ is added, with $P(N = k)$ "
        r"proportional to $r^k$ for $k \ge 0$ and to $s^{-k}$ for $k < 0$; the output is $\tilde{d} = "
        r"\frac{\sum_i b_i + N - m p_{\mathrm{init}} - E[N]}{m (p_{\mathrm{upd}} - p_{\mathrm{init}})}$. It is "
        r"unbiased for $d = d(\mathcal{S}_M)$, with variance $\frac{(1-d)\, p_{\mathrm{init}} q_{\mathrm{init}} + d\, "
        r"p_{\mathrm{upd}} q_{\mathrm{upd}}}{m (p_{\mathrm{upd}} - p_{\mathrm{init}})^2} + "
        r"\frac{\operatorname{Var}(N)}{m^2 (p_{\mathrm{upd}} - p_{\mathrm{init}})^2}$, where $q = 1 - p$.",
        notation=(
            ("$V$", "variance of the noise $N$"),
            ("$v_0$, $v_1$", "variances of the two kinds of bits"),
            (r"$p'_{\mathrm{init}}$, $p'_{\mathrm{upd}}$", "the pair after a flip"),
            (
                r"$\mathrm{gap}_{\mathrm{after}\ \mathrm{flip}}$, $\mathrm{after}$, $\mathrm{flip}$",
                "gap of the pair after a flip",
            ),
        ),
        hypotheses=(
            r"$0 \le p_{\mathrm{init}}, p_{\mathrm{upd}} \le 1$, $p_{\mathrm{init}} \ne p_{\mathrm{upd}}$",
            r"$0 < r, s < 1$",
            r"the bits of different users and the noise are independent",
        ),
        uses=("general_error.two_kinds",),
        parts=(_noise(), _fixed_sample(), _worst_density(), _symmetric(), _uniform_sample(), _flipped()),
        remark=r"A deletion draws the bit from $\operatorname{Bernoulli}(p_{\mathrm{init}})$ again, so that with "
        r"deletions the same holds for the density of the users who are present at the end. Of several outputs, each "
        r"with noise of its own, each has this error.",
    )


def _noise() -> Part:
    return Part(
        Role.PUBLISHED,
        "the noise",
        r"$E[N] = \frac{r}{1-r} - \frac{s}{1-s}$ and $\operatorname{Var}(N) = \frac{r}{(1-r)^2} + \frac{s}{(1-s)^2}$; "
        r"for $r = s$ these are $0$ and $\frac{2r}{(1-r)^2}$.",
        noise_steps(),
        formal=symbolic(
            eq(sp.Symbol("E_N"), up / (1 - up) - down / (1 - down)),
            sp.Eq(sp.Symbol("Var_N"), noise_variance),
        ),
    )


def _fixed_sample() -> Part:
    estimate = calibrated_estimate()
    of_mean = ((1 - present) * p_init * (1 - p_init) + present * p_upd * (1 - p_upd)) / m
    rows = (
        *unbiased(estimate, p_init + _gap * present),
        *fixed_sample(estimate, of_mean, error(present)),
    )
    return Part(
        Role.PUBLISHED,
        "a fixed sample",
        r"For every stream and every sample $E[\tilde{d}] = d(\mathcal{S}_M)$, and the variance is as stated.",
        derivations(*rows),
        formal=(*equations(rows[1]), *symbolic(sp.Eq(mean_squared_error, error(present)))),
    )


def _worst_density() -> Part:
    largest = sp.Symbol("w", real=True)
    values = sp.symbols("v_0 v_1", real=True)
    of_bits = calibrated_estimate().variance_of_cells * m
    return Part(
        Role.PUBLISHED,
        "the worst density",
        r"Over all densities the error is greatest for $d = 0$ or $d = 1$: there the first term is $\frac{w}{m "
        r"(p_{\mathrm{upd}} - p_{\mathrm{init}})^2}$ with $w$ the greater of $p_{\mathrm{init}} q_{\mathrm{init}}$ and "
        r"$p_{\mathrm{upd}} q_{\mathrm{upd}}$.",
        (
            displayed(
                equal(
                    "affine",
                    r"The only term with $d$ is affine in it, with the two values at its ends.",
                    "",
                    of_bits,
                    (1 - present) * of_bits.subs(present, 0) + present * of_bits.subs(present, 1),
                ),
                r"m \operatorname{Var}(\hat{d} \mid M) &= (1-d)\,v_0 + d\,v_1",
            ),
            bounded_error(
                "ends",
                r"Such an average is at most the greater one of the two.",
                (1 - density) * values[0] + density * values[1],
                largest,
                (density, *values, largest),
                lambda d, low, high, most: (d >= 0, d <= 1, low >= 0, high >= 0, low <= most, high <= most),
                (r"(1-d)\,v_0 + d\,v_1 &\le \max(v_0, v_1)",),
            ),
        ),
        formal=_at_the_ends(),
    )


def _at_the_ends() -> tuple[str, ...]:
    """The error of any density is at most that with the greater variance of a bit, which is reached at an end."""
    before, after = p_init * (1 - p_init), p_upd * (1 - p_upd)
    greatest = sp.Max(before, after) / (m * _gap**2) + _spread / (m * _gap) ** 2
    pair = (p_init >= 0, p_init <= 1, p_upd >= 0, p_upd <= 1, sp.Ne(p_init, p_upd))
    either = sp.Or(*(eq(error(sp.Integer(end)), greatest) for end in (0, 1)))
    return (
        *symbolic(le(error(present), greatest), given=(*pair, present <= 1)),
        *symbolic(either, given=pair),
    )


def _symmetric() -> Part:
    found = calibrated_estimate((p_init, 1 - p_init)).error(present).subs(_spread, noise_variance.subs(down, up))
    gap = 1 - 2 * p_init
    stated = p_init * (1 - p_init) / (m * gap**2) + 2 * up / (m * (1 - up) * gap) ** 2
    g = sp.Symbol("g", positive=True)
    return Part(
        Role.PUBLISHED,
        "a symmetric pair and symmetric noise",
        r"For $p_{\mathrm{upd}} = 1 - p_{\mathrm{init}}$ and $r = s$ the error depends neither on the stream nor "
        r"on the sample. With $g = 1 - 2p_{\mathrm{init}}$ it is $\frac{1}{4m}\left(\frac{1}{g^2} - 1\right) + "
        r"\frac{2r}{m^2 (1-r)^2 g^2}$.",
        (
            derived(
                "symmetric_error",
                r"Both kinds of bits have the same variance.",
                r"E[(\tilde{d} - d(\mathcal{S}_M))^2 \mid M]",
                found,
                stated,
            ),
            derived(
                "symmetric_gap",
                r"In terms of the gap $g$:",
                r"E[(\tilde{d} - d(\mathcal{S}_M))^2 \mid M]",
                found.subs(p_init, (1 - g) / 2),
                (1 - g**2) / (4 * m * g**2) + 2 * up / (m**2 * (1 - up) ** 2 * g**2),
            ),
        ),
        formal=symbolic(sp.Eq(mean_squared_error, stated)),
    )


def _uniform_sample() -> Part:
    added = density * (1 - density) / m * finite_population
    return Part(
        Role.PUBLISHED,
        "a uniform sample, about the density of the stream",
        r"Over a uniform sample without replacement $\tilde{d}$ is unbiased for $d = d(\mathcal{S})$, and its mean "
        r"squared error is that of the statement with $d(\mathcal{S})$ for $d(\mathcal{S}_M)$, plus "
        r"$\frac{d(1-d)}{m}\frac{U-m}{U-1}$.",
        (
            *sampled_density_steps(),
            derived(*over_samples(calibrated_estimate(), error(density) + added)),
        ),
        formal=symbolic(
            eq(sp.Symbol(r"E[d(\mathcal{S}_M)]"), density), sp.Eq(mean_squared_error, error(density) + added)
        ),
    )


def _flipped() -> Part:
    def flipped(parameter: sp.Expr) -> sp.Expr:
        changed = bernoulli(parameter).transformed(lambda bit: bernoulli(_flip) if bit == 0 else bernoulli(1 - _flip))
        return mean(changed)

    gap = sp.Symbol("g", real=True)
    shrunk = gap * (1 - 2 * _flip) ** _step
    return Part(
        Role.PUBLISHED,
        "after announced intrusions",
        r"If after an announced intrusion every bit is flipped with probability $f$, and later draws are from the pair "
        r"that has gone through the same flips, all of the above holds with that pair. After $k$ flips its gap is "
        r"$(1-2f)^k (p_{\mathrm{upd}} - p_{\mathrm{init}})$, and a symmetric pair stays symmetric. In the formulas "
        r"$g$ is the gap of the first pair.",
        (
            derived(
                "flip",
                r"A flipped $\operatorname{Bernoulli}(p)$ bit is a bit again, with the parameter $p'$ below. Bits "
                r"drawn before the flip and after it have the same two distributions, and they are still independent.",
                r"p'_{\mathrm{init}}",
                flipped(p_init),
                _flip + (1 - 2 * _flip) * p_init,
            ),
            derived(
                "flip_gap",
                r"The gap is multiplied by $1 - 2f$,",
                r"p'_{\mathrm{upd}} - p'_{\mathrm{init}}",
                flipped(p_upd) - flipped(p_init),
                (1 - 2 * _flip) * _gap,
            ),
            displayed(
                equal(
                    "flip_repeated",
                    r"By induction $k$ flips multiply it $k$ times,",
                    "",
                    shrunk * (1 - 2 * _flip),
                    shrunk.subs(_step, _step + 1),
                ),
                r"g (1-2f)^k \cdot (1-2f) &= g (1-2f)^{k+1}",
            ),
            derived(
                "flip_symmetric",
                r"The parameters still add up to $1$ if they did.",
                r"p'_{\mathrm{init}} + p'_{\mathrm{upd}}",
                flipped(p_init) + flipped(1 - p_init),
                sp.S.One,
            ),
        ),
        formal=symbolic(
            sp.Eq(sp.Symbol("gap_after_flip"), (1 - 2 * _flip) * _gap),
            eq(shrunk * (1 - 2 * _flip), shrunk.subs(_step, _step + 1)),
            eq(sp.Symbol(r"p'_{\mathrm{init}} + p'_{\mathrm{upd}}"), 1),
        ),
    )


CLAIMS = {"calibrated.error": calibrated_error}
