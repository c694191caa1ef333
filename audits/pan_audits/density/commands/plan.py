"""``panproof plan``: sample sizes and error probabilities from the published bounds; memory of a distinct counter."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pan_audits.cli.names import one_of
from pan_audits.cli.options import Epsilon, Json, PromiseEpsilon
from pan_audits.cli.output import print_json
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import MOST_USERS, argument, option, probability, whole_option
from pan_audits.density.commands.count import Least, Most


class Bound(StrEnum):
    """The estimators whose error has a published bound, and the distinct counter, whose memory is searched."""

    DWORK = "dwork"
    OPTIMAL_BERNOULLI = "optimal-bernoulli"
    LAPLACE = "laplace"
    DISTINCT = "distinct"


@formerly(error="relative_error")
def plan(
    name: Annotated[
        str,
        argument(
            parse=one_of(Bound),
            help="The estimator of the bound: dwork, optimal-bernoulli or laplace; or distinct, for panproof count.",
        ),
    ],
    epsilon: Epsilon = None,
    promise_epsilon: PromiseEpsilon = None,
    alpha: Annotated[
        float | None, option("--alpha", parse=probability, help="Deviation of the density.", metavar="FLOAT")
    ] = None,
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
    relative_error: Annotated[
        float | None,
        option(
            "--relative-error",
            parse=probability,
            help="For distinct: largest relative standard error.",
            metavar="FLOAT",
        ),
    ] = None,
    least: Least = None,
    most: Most = None,
    as_json: Json = False,
) -> None:
    """The least sample for an accuracy, or the accuracy of a sample, by the published bound; memory of a counter.

    For distinct, it is the memory with which the planned standard error stays below --relative-error for all numbers
    of users from --from to --to. A numerical search finds it, up to 6%.

    Example: panproof plan optimal-bernoulli --promise-epsilon 1 --alpha 0.1 --beta 0.05, or -m 5000 for --beta.

    Example: panproof plan distinct --promise-epsilon 1 --relative-error 0.05 --from 1e4 --to 1e8
    """
    from pan_estimators.common.registry import one_epsilon, with_promised
    from pan_estimators.density.published import (
        dwork_bound,
        laplace_bound,
        least_sample_size,
        optimal_bernoulli_bound,
        tightest_beta,
    )
    from pan_promises.errors import InputError

    judged = "distinct-counter" if Bound(name) is Bound.DISTINCT else name
    if (promised := one_epsilon(epsilon, promise_epsilon)) is None:
        raise InputError("--promise-epsilon is missing (epsilon of the promise)")
    (parameter,) = with_promised(judged, {}, epsilon, promise_epsilon).values()
    if Bound(name) is Bound.DISTINCT:
        if not (alpha is beta is sample_size is None):
            raise InputError(
                "distinct takes --relative-error, --from and --to, and neither --alpha, --beta nor --sample-size"
            )
        _distinct(parameter, relative_error, 1e4 if least is None else least, 1e9 if most is None else most, as_json)
        return
    if not (relative_error is least is most is None):
        raise InputError(f"--relative-error, --from and --to are for distinct, not for {name}")
    if alpha is None:
        raise InputError("--alpha is missing (deviation of the density)")
    if (beta is None) == (sample_size is None):
        raise InputError("give either --beta, for the least sample, or --sample-size, for the tightest beta")
    bound = {
        Bound.DWORK: dwork_bound,
        Bound.OPTIMAL_BERNOULLI: optimal_bernoulli_bound,
        Bound.LAPLACE: laplace_bound,
    }[Bound(name)](parameter)
    if sample_size is not None:
        result = tightest_beta(bound, alpha=alpha, sample_size=sample_size)
    else:
        assert beta is not None
        result = least_sample_size(bound, alpha=alpha, beta=beta)
    if as_json:
        print_json(
            {
                "estimator": str(name),
                "epsilon": parameter,
                "promise_epsilon": promised,
                "claim": bound.claim,
                **vars(result),
            }
        )
        return
    if result.beta >= 1:
        print(f"{result.sample_size} sampled users: the bound of {bound.claim} says nothing for alpha {alpha:g}")
        return
    print(
        f"{result.sample_size} sampled users: abs(output - density) >= {alpha:g} with probability at most "
        f"{result.beta:.4g} ({bound.claim}, delta_1 {result.delta_1:.4f}, delta_2 {result.delta_2:.4f}); "
        f"promised epsilon {float(promised):.6g}"
    )


def _distinct(total: float, error: float | None, least: float, most: float, as_json: bool) -> None:
    from pan_audits.cli.progress import spinner
    from pan_estimators.density.distinct.presets import memory_for_error
    from pan_promises.errors import InputError

    if error is None:
        raise InputError("distinct needs the largest relative standard error: give --relative-error")
    with spinner("searching") as tell:
        found = memory_for_error(total, error, least, most, tell)
    if as_json:
        range_of = {"promise_epsilon": total, "error": error, "range": [least, most]}
        print_json({"counter": "distinct-counter", **range_of, "claim": "distinct.joint_privacy", **vars(found)})
        return
    print(
        f"{found.memory:,} bytes: standard error at most {found.worst_error:.2%} from "
        f"{least:,.0f} to {most:,.0f} users, "
        f"loss {total:g} (distinct.joint_privacy)"
    )
    print(f"panproof count --promise-epsilon {total:g} --memory {found.memory} --from {least:g} --to {most:g} FILE")
