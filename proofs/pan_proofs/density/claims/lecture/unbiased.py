"""The expectations in the proof of Theorem 6 of the lecture."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.errors.error_steps import derived, sampled_density_steps
from pan_proofs.density.lemmas.errors.estimate_errors import averaged, dwork, half, sampled_density
from pan_proofs.foundations.distributions import mean
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import density, epsilon, present


def lecture_unbiased() -> Claim:
    """Both expectations as printed, and on average over the sample."""
    estimate = dwork()
    average = half + epsilon * present / 4
    return Claim(
        id="lecture.unbiased",
        title="The lecture's estimate is unbiased",
        references=(Reference("lecture", "proof of Theorem 6"),),
        statement=r"$E[\theta] = \frac12 + \frac{\varepsilon\, d(M)}{4}$ and $E[\hat\theta] = d(M)$, where $d(M)$ is "
        r"the density within the sample, $\theta$ the mean of its bits and $\hat\theta$ the output.",
        notation=(("$b_x$", "bit of the user $x$"),),
        silent=(
            r"the sample $M$ is fixed: the expectations are over the bits and the noise",
            r"$\varepsilon \le 2$, so that $\frac12 + \frac{\varepsilon}{4}$ is a probability",
            r"$m$ is an integer, at most the number of users",
        ),
        uses=("general_error.two_kinds",),
        parts=(
            Part(
                Role.PUBLISHED,
                "for every stream and every sample",
                r"$E[\theta] = \frac12 + \frac{\varepsilon\, d(M)}{4}$ and $E[\hat\theta] = d(M)$, with "
                r"$d(M) = d(\mathcal{S}_M)$.",
                (
                    derived(
                        "absent",
                        r"The bit of a user who has not appeared has the mean",
                        r"E[b_x]",
                        lambda: mean(estimate.initial),
                        half,
                    ),
                    derived(
                        "appeared",
                        r"The bit of a user who has appeared, however often, has the mean",
                        r"E[b_x]",
                        lambda: mean(estimate.updated),
                        half + epsilon / 4,
                    ),
                    derived(
                        "mean_of_bits",
                        r"$m\,d(\mathcal{S}_M)$ of the $m$ bits are of the second kind.",
                        r"E[\theta]",
                        estimate.mean_of_cells,
                        average,
                    ),
                    derived(
                        "output",
                        r"The output is $\frac{4}{\varepsilon}(\theta - \frac12)$ plus noise, whose density is even.",
                        r"E[\hat\theta]",
                        estimate.expectation,
                        present,
                    ),
                ),
                formal=symbolic(sp.Eq(sp.Symbol("E_theta"), average), sp.Eq(sp.Symbol("E_theta_hat"), present)),
            ),
            Part(
                Role.READING,
                "over a uniform sample",
                r"Over the sample, the bits and the noise together $E[\hat\theta] = d(\sigma)$, the density of the "
                r"stream, and $E[\theta] = \frac12 + \frac{\varepsilon\, d(\sigma)}{4}$.",
                (
                    *sampled_density_steps()[:2],
                    derived(
                        "mean_over_samples",
                        r"Averaging, with $d = d(\sigma)$,",
                        r"E[\theta]",
                        lambda: averaged(estimate.mean_of_cells(), sampled_density()),
                        half + epsilon * density / 4,
                    ),
                    derived(
                        "output_over_samples",
                        r"The output has the mean",
                        r"E[\hat\theta]",
                        lambda: averaged(estimate.expectation(), sampled_density()),
                        density,
                    ),
                ),
                formal=symbolic(
                    sp.Eq(sp.Symbol("E_theta"), half + epsilon * density / 4), sp.Eq(sp.Symbol("E_theta_hat"), density)
                ),
            ),
        ),
    )


CLAIMS = {"lecture.unbiased": lecture_unbiased}
