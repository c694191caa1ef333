"""The words of the erratum of the thesis's chapter on private Bayesian networks."""

from __future__ import annotations

from pan_proofs.ledger.contents import Erratum
from pan_proofs.rendering.figures import Neighbours

ERRATA = {
    "networks": Erratum(
        summary=r"""
This erratum is about chapter 3. The structure that Algorithm 3.2 draws, and the votes of Algorithm 3.4, have no
bound on their loss as they are printed: Theorems 3.2, 3.1 and 3.7 are false. With other weights they hold. In
the proof of Theorem 3.5 the noise is half of what Theorem 3.4 needs. The printed sensitivities of the scores
are upper bounds. That of $R$ is larger than the true one for every $n$, and that of $\hat I$ for even $n$ if no
variable is binary. Theorem 3.6, on the error of the entropy of noisy frequencies, is false for the uniform
distribution and lacks the number of values in its condition. Distributions that do not agree do change the
final result, and empty rows need a rule.""",
        example=Neighbours(
            (
                (r"$D$", (r"000", r"111"), r"$P = \frac12$ for the structure $A \to B$ first"),
                (r"$D'$", (r"000", r"101"), r"$P' = 0$"),
            ),
            r"""
Two tables of two records over the binary attributes $A$, $B$, $C$ that differ in one record. With $A$ first and one
parent, the candidate $(B, \{A\})$ has a positive score for $D$ and the score $0$ for $D'$.""",
        ),
        why=r"""
Line 12 of Algorithm 3.2 draws a candidate with a weight proportional to its score, where the proof uses the
exponential mechanism, whose weights are exponential in the score. A score can be $0$ for one table and positive
for an adjacent one. For the error of the entropy, the proof of Theorem 3.6 bounds the variance $\sigma^2$ from
above where its step needs a bound from below, and neither proof says what a negative noisy count stands for.""",
        main=(
            "bayesnet.privbayes_privacy",
            "bayesnet.entropy_mse",
        ),
        advice=r"""
Draw a candidate with a weight proportional to $\exp\frac{\hat I\,\varepsilon_1}{2(N-1)\Delta\hat I}$: the
exponential mechanism, as the text says. The structure then keeps $\varepsilon_1$, and the price is a structure that
is nearly random where $n$ is small against $\Delta\hat I$. Scale the noise of $K$ sets of counts to
$2K/\varepsilon$ everywhere. Replace an empty row by any fixed distribution, and divide noisy counts by their own
sum; both are post-processing and cost no privacy.""",
    ),
}
"""By the short name of the source."""
