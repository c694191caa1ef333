"""``python -m experiments attack``: secret bits from the outputs of a counter of distinct elements."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated

from experiments.continual.attacks import Reduction, attack_inner_products, attack_marginals, counter_named
from pan_audits.cli.judged import parse_settings
from pan_audits.cli.names import one_of
from pan_audits.cli.options import Json, Seed, Settings
from pan_audits.cli.output import print_json
from pan_audits.cli.values import argument, option, real, whole_option
from pan_promises.errors import InputError

_WIDTH = 50
_ROW = 64
_FULL, _EMPTY = "#", "."
_MOST_BITS, _MOST_QUERIES, _MOST_STEPS = 1000, 10_000, 4_000_000


def attack(
    name: Annotated[str, argument(parse=lambda text, _: text, help="exact, noisy, or a shipped turnstile counter.")],
    by: Annotated[
        str,
        option(
            "--by",
            parse=one_of(Reduction),
            help="inner-products (event level) or marginals (item level).",
            metavar="WORD",
        ),
    ] = Reduction.INNER_PRODUCTS.value,
    bits: Annotated[
        int,
        whole_option("--bits", most=_MOST_BITS, help="Number of secret bits, 1 to 1000."),
    ] = 64,
    queries: Annotated[
        int | None,
        whole_option(
            "--queries", most=_MOST_QUERIES, help="Number of inner product queries; by default 4 for each bit."
        ),
    ] = None,
    records: Annotated[
        int,
        whole_option("--records", most=10_000, help="Number of equal rows for marginals."),
    ] = 1,
    noise: Annotated[
        float,
        option("--noise", parse=real(1e9), help="Standard deviation of the noise of noisy.", metavar="FLOAT"),
    ] = 1.0,
    settings: Settings = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Reconstruct secret bits from the outputs of a counter of distinct elements.

    The secret is uniform. Guesses that do not use the outputs recover half of it. The stream is that of the claims
    turnstile.inner_product_reduction (one bit is one entry) and turnstile.marginals_reduction (one record is one item).

    Example: python -m experiments attack noisy --noise 2 --bits 64 --seed 1
    """
    inner = Reduction(by) is Reduction.INNER_PRODUCTS
    asked = 4 * bits if queries is None else queries
    steps = (2 * asked + 1) * bits if inner else 2 * bits * records
    if steps > _MOST_STEPS:
        raise InputError(f"the stream may have at most {_MOST_STEPS:,} entries, and would have {steps:,}")
    counter = counter_named(
        name, steps=steps, elements=bits if inner else records, noise=noise, settings=parse_settings(settings or [])
    )
    used = secrets.randbits(64) if seed is None else seed
    found = (
        attack_inner_products(counter, bits, asked, used) if inner else attack_marginals(counter, bits, records, used)
    )
    if as_json:
        print_json({"counter": name, "seed": used, **found.to_dict()})
        return
    print(f"{name}: {found.steps:,} entries, flippancy at most {found.flippancy:,}, seed {used}")
    print(
        f"recovered {found.recovered} of {found.bits} bits ({found.share:.1%}); guessing recovers 50%, and as many "
        f"with probability {found.by_chance:.2g}"
    )
    print(picture(found.right))
    print(f"largest error of the counter {found.counter_error:.3g}, of the answers {found.answer_error:.3g}")


def picture(right: Sequence[bool]) -> str:
    """Two bars, and rows of marks: one for each secret bit, in order."""
    share = sum(right) / len(right)
    marks = "".join(_FULL if each else _EMPTY for each in right)
    rows = [marks[start : start + _ROW] for start in range(0, len(marks), _ROW)]
    bars = [f"{name} {_bar(part)} {part:.1%}" for name, part in (("recovered", share), ("guessing ", 0.5))]
    return "\n".join([*bars, f"the bits in order, {_FULL} recovered, {_EMPTY} not:", *rows])


def _bar(share: float) -> str:
    full = round(_WIDTH * share)
    return _FULL * full + _EMPTY * (_WIDTH - full)
