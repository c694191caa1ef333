"""``panproof losses``: what the published estimators promise, and what they lose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from pan_audits.command_line.options import Budget, Json, print_json

if TYPE_CHECKING:
    from pan_proofs.density.lemmas.losses.published_losses import PublishedLoss


def losses(
    epsilon: Budget = 0.1,
    as_json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also say which step of each argument fails.")
    ] = False,
) -> None:
    """Show what the published estimators promise for state and output jointly, and what they lose.

    The losses are formulas in epsilon, proved for every number of users and every stream; ``panproof
    check`` finds the same numbers by running the code.

    Example: panproof losses --epsilon 0.5 --verbose
    """
    from pan_promises.extras import require_extra

    require_extra("panproof losses", "proofs")
    from rich.table import Table
    from rich.text import Text

    from pan_audits.density.published_losses import losses_of_published, without_parameters
    from pan_audits.reports.text import console
    from pan_estimators.density.published_promise import STATED_UP_TO

    rows, missing = losses_of_published(epsilon), without_parameters(epsilon)
    if as_json:
        print_json({"estimators": [row.to_dict() for row in rows], "without_parameters": missing})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("estimator", "promised", "loss", "promise holds", "witness"):
        table.add_column(heading, no_wrap=heading != "witness")
    for row in rows:
        table.add_row(
            row.entry.name,
            f"{row.promised:.4g}",
            "infinite" if math.isinf(row.loss) else f"{row.loss:.4g}",
            "never" if row.holds_from is None else f"from {row.holds_from:.4g} on",
            Text(row.entry.witness),
        )
    screen = console()
    screen.print(table)
    for name, below in missing.items():
        screen.print(Text(f"{name} is not shown: its probabilities exist for epsilon below {below:.4g} only."))
    if epsilon > STATED_UP_TO:
        stated = f"The theorems are stated for epsilon up to {STATED_UP_TO:g}. Beyond it the promise is their formula."
        screen.print(Text(stated))
    screen.print(
        Text(
            "\nFor bits with probabilities p0 before and p1 after an appearance, and an output whose noise changes by "
            "at most a factor exp(eta) from one count to the next, the joint loss is log max{B (q1 + p1 exp(eta)), "
            "A (p1 + q1 exp(eta))} with A = p1/p0, B = q0/q1; with p0 + p1 >= 1 the first. Patterns: the last update "
            "of the user in each stretch between two looks.",
            style="dim",
        )
    )
    if verbose:
        for row in rows:
            screen.print(Text(_explained(row.entry)))


def _explained(entry: PublishedLoss) -> str:
    """Formula and failing step, in words."""
    pair = "" if entry.before is None else f" p0 = {entry.before}, p1 = {entry.after}, eta = {entry.eta};"
    return f"\n{entry.name} [{entry.claim}]:{pair} loss = {entry.loss}. {entry.failing_step}"
