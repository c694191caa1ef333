"""``python -m experiments``: the commands of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pan_audits.cli.commands import LazyGroup, application
from pan_audits.cli.main import main

COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "reproduce": (
            "experiments.toolkit.command:reproduce",
            "Reproduce the experiments of the paper and of the thesis, and judge every sentence about them.",
        ),
        "compare": (
            "experiments.density.compare:compare",
            "Compare the estimators of the density of a stream of insertions at equal memory.",
        ),
        "losses": (
            "experiments.density.losses:losses",
            "Show what the published estimators promise for state and output jointly, and what they lose.",
        ),
        "attack": (
            "experiments.continual.attack:attack",
            "Reconstruct secret bits from the outputs of a counter of distinct elements.",
        ),
    }
)


class _Group(LazyGroup):
    """The commands of this package."""

    table = COMMANDS
    moved: Mapping[str, str] = MappingProxyType({})


PROGRAM = "python -m experiments"

app = application(
    _Group,
    PROGRAM,
    help="The experiments on the estimators.\n\nExit codes: 0 done, 2 usage or input error, 3 inconclusive.",
    epilog="Example: python -m experiments reproduce figure-4 --out figures",
)

if __name__ == "__main__":
    main(app, PROGRAM)
