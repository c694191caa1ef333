"""The words of the errata of the sources on stream density."""

from __future__ import annotations

from pan_proofs.ledger.contents import Erratum
from pan_proofs.rendering.figures import Neighbours

_JOINTLY = r"""
The loss of state and output together can be bounded as a whole: an appearance after the intrusion redraws a bit
that was seen, and the output shows the change. With $A = p_1/p_0$, $B = q_0/q_1$, and noise whose probability
changes by a factor of at most $e^\eta$ from one count to the next, and by this factor in either direction somewhere,
the exact loss over all adjacent streams is $\log\max\{B\,(q_1 + p_1 e^\eta),\ A\,(p_1 + q_1 e^\eta)\}$, for every
number of users.
"""

_WHY = r"""
The proofs look at the state and at the output given the state, and add the two budgets. Composition is sound,
and cannot repair the second budget. The sensitivity $\frac1m$ is that of the density. What is released is the
mean of the bits, divided by the difference of two probabilities, so that one bit moves it by
$1/(m\,(p_{\mathrm{upd}} - p_{\mathrm{init}}))$: that is $\frac4\varepsilon$ times as much for $p_{\mathrm{upd}}
= \frac12 + \frac\varepsilon4$"""

_CALIBRATED = r"""
Keep the algorithm, and choose the pair of probabilities and the noise so that this expression is $e^T$ for the
promised loss $T$. Two-sided geometric noise on the number of ones attains it exactly (claim
\texttt{calibrated.joint\_privacy}, in code \texttt{calibrated\_bernoulli}). No printed budget, however small,
brings the published loss below $\log\frac{1 + e^2}{2} \approx 1.43$ for Algorithm 2, and $\log\frac{1 + e^4}{2}
\approx 3.3$ for Algorithm 1. The price of the calibrated noise is an error that is larger for small samples. For
large ones it is smaller: with $\varepsilon = 0.2$ and 5,000 sampled users the mean squared error is 0.38 of that of
Algorithm 2, and the loss is 0.4 in place of 1.71."""

ERRATA = {
    "paper": Erratum(
        summary=r"""
The privacy theorems 3.1, 4.1 and 5.1 are false for state and output together. The state alone is as private as
stated in the first two: the noise of the output is too small. Distinct sampling fails for its state already.

The variance formulas of the proofs have $d^2$ where $d$ belongs, so that they are too large; the bounds on the mean
squared error hold. The accuracy theorems use that bits are independent given the density of the sample. They are so
given the sample, and the theorems hold with this change and explicit constants.""",
        example=Neighbours(
            (
                (r"$S$", ("$v$", "$u$"), r"bit of $u$ seen as 0, output above 3"),
                (r"$S'$", ("$v$", ""), r"the same event: $\frac{160}{793}$ times as likely"),
            ),
            r"""
Algorithm 2 with $e^\varepsilon = \frac32$ and two users, both sampled. The user $u$ appears once, after the
intrusion, or never. Promised is a factor of at most $e^{2\varepsilon} = \frac94$; it is $\frac{793}{160} > 4.9$.
The section on Theorem 4.1 has the probabilities.""",
            seen_after=1,
        ),
        why=_WHY
        + r""" of Algorithm 1, and $1/\tanh\frac\varepsilon2$ times for the pair of Algorithm 2. Distinct sampling has
another fault: its level depends on the data. The level that is seen tells how many users the list holds, and
repeated appearances make the loss grow without bound.""",
        main=("density.dwork_privacy", "density.optbern_privacy", "density.ppds_privacy"),
        advice=_JOINTLY
        + _CALIBRATED
        + r"""

For distinct sampling draw the level before the data are seen, keep it, and scale the noise of the output to
$\frac{1}{nt\varepsilon}$ for $n$ users of this level, $t = \tanh\frac\varepsilon2$
(\texttt{distinct\_sampling.\allowbreak fixed\_level}). State and output together then lose less than
$2\varepsilon$, and the estimate is unbiased for the density of these users. With the printed noise its error
would be below the printed bound, but not the loss below the promise; the variance of the larger noise is
$\frac{1}{t^2}$ times as large. The sample can also be too large or too small for an unknown number of users; a
counter with shared cells on several levels has neither fault (\texttt{distinct.\allowbreak joint\_privacy}).""",
    ),
    "lecture": Erratum(
        summary=r"""
Theorem 5 is false for state and output together, for every $0 < \varepsilon < 2$. Its budget for the state is too
small, and so is the noise of the output. Theorem 6 holds with other constants.""",
        example=Neighbours(
            (
                (r"$\sigma$", ("$v$", "$u$"), r"bit of $u$ seen as 0, output above 2"),
                (r"$\sigma'$", ("$v$", ""), r"the same event: $\frac{1}{41}$ times as likely, or less"),
            ),
            r"""
At $\varepsilon = 1$, with two users, both sampled. Promised is a factor of at most $e^2 < 7.4$; it is $\frac14 +
\frac34 e^4 > 41$.""",
            seen_after=1,
        ),
        why=_WHY
        + r""" and $p_{\mathrm{init}} = \frac12$. For the state, the chain of ratios is written for the bit 1. The bit 0
has the ratio $1/(1 - \frac\varepsilon2)$, so that $e^{\varepsilon/2}$ is no guarantee.""",
        main=("lecture.privacy",),
        advice=_JOINTLY + _CALIBRATED,
    ),
    "thesis": Erratum(
        summary=r"""
This erratum is about chapters 2 and 4. Theorem 4.7, the privacy of the estimator with real-valued cells, is
false for state and output together: the loss has no bound. The state alone is private as stated. Lemma 4.3
lacks a factor 2, and so does what rests on it. The integrals of section 4.4.3 are a quarter of the levels; the
levels themselves and the probabilities of a bit are right. Theorems 4.1, 4.4 and others stand in the article
first and are false there as well; they are listed below.""",
        example=Neighbours(
            (
                (
                    r"$S$",
                    ("$u$", ""),
                    r"cell seen $k$ scales above its mean, output fits: density $\frac{1}{2s}$",
                ),
                (r"$S'$", ("$u$", "$u$"), r"the same: density $\frac{(k+1)\,e^{-k}}{4s}$"),
            ),
            r"""
Algorithm 4.3 with one sampled user, who appears once, or again after the intrusion. The ratio of the densities is
$\frac{2e^k}{k+1}$, and a seen cell lies more than $k$ scales above its mean with probability $\frac12 e^{-k}$, for
every $k$.""",
            seen_after=1,
        ),
        why=r"""
The proof scales the noise of the output to $\frac1m$, as if one user moved it by no more. But a cell can be any real
number. Drawing a cell afresh, after it was seen, moves the output as far as the seen value was from its mean, and a
seen value is far away with a positive probability.""",
        main=("thesis.laplace_privacy",),
        advice=r"""
Use one bit for each sampled user in place of a real number. The quantised cells of section 4.4.3 and the pair of
Algorithm 4.2 have less variance than real-valued cells, and a finite loss.
"""
        + _JOINTLY
        + _CALIBRATED
        + r"""
Real-valued cells can be used where the state alone is to be protected (\texttt{laplace\_cells.\allowbreak
state\_privacy}).""",
    ),
}
"""By the short names of the sources."""
