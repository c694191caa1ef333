"""``panproof plan``: sample sizes and error probabilities from the published bounds."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pan_audits.command_line.names import one_of
from pan_audits.command_line.options import Budget, Json, print_json
from pan_audits.command_line.values import MOST_USERS, argument, option, probability, whole_option


class Bound(StrEnum):
    """The estimators whose error has a published bound."""

    DWORK = "dwork"
    OPTIMAL_BERNOULLI = "optimal-bernoulli"
    LAPLACE = "laplace"


def plan(
    name: Annotated[
        str, argument(parse=one_of(Bound), help="The estimator of the bound: dwork, optimal-bernoulli or laplace.")
    ],
    epsilon: Budget,
    alpha: Annotated[float, option("--alpha", parse=probability, help="Deviation of the density.", metavar="FLOAT")],
    beta: Annotated[
        float | None,
        option(
            "--beta",
            parse=probability,
            help="Probability of a larger deviation; for the least sample.",
            metavar="FLOAT",
        ),
    ] = None,
    sample_size: Annotated[
        int | None,
        whole_option("--sample-size", "-m", most=MOST_USERS, help="Number of sampled users; for the tightest beta."),
    ] = None,
    as_json: Json = False,
) -> None:
    """The least sample for an accuracy, or the accuracy of a sample, by the published bound.

    Example: panproof plan optimal-bernoulli -e 0.5 --alpha 0.1 --beta 0.05, or with -m 5000 instead of --beta.
    """
    from pan_estimators.density.planning import (
        dwork_bound,
        laplace_bound,
        least_sample_size,
        optimal_bernoulli_bound,
        tightest_beta,
    )
    from pan_promises.errors import InputError

    if (beta is None) == (sample_size is None):
        raise InputError("give either --beta, for the least sample, or --sample-size, for the tightest beta")
    bound = {
        Bound.DWORK: dwork_bound,
        Bound.OPTIMAL_BERNOULLI: optimal_bernoulli_bound,
        Bound.LAPLACE: laplace_bound,
    }[Bound(name)](epsilon)
    if sample_size is not None:
        result = tightest_beta(bound, alpha=alpha, sample_size=sample_size)
    else:
        assert beta is not None
        result = least_sample_size(bound, alpha=alpha, beta=beta)
    if as_json:
        print_json({"estimator": str(name), "epsilon": epsilon, "claim": bound.claim, **vars(result)})
        return
    if result.beta >= 1:
        print(f"{result.sample_size} sampled users: the bound of {bound.claim} says nothing for alpha {alpha:g}")
        return
    print(
        f"{result.sample_size} sampled users: abs(output - density) >= {alpha:g} with probability at most "
        f"{result.beta:.4g} ({bound.claim}, delta_1 {result.delta_1:.4f}, delta_2 {result.delta_2:.4f})"
    )
