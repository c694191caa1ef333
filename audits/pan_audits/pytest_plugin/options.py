"""The options of the plugin, and their former names."""

from __future__ import annotations

from typing import Any

import pytest

_PREFIX = "--panproof-"

_OPTIONS: dict[str, tuple[str | None, dict[str, Any]]] = {
    "estimator": (
        "--estimator",
        {"action": "append", "help": "estimator to judge: a name, module:Class or file.py:Class; may be repeated"},
    ),
    "epsilon": ("--epsilon", {"help": "the epsilon of its promise, in nats: a number, or a text such as log(3/2)"}),
    "promise-epsilon": (None, {"help": "the same, also for an estimator that promises a multiple of its parameter"}),
    "universe": ("--universe", {"type": int, "help": "its number of users"}),
    "sample-size": ("--sample-size", {"type": int, "help": "its number of sampled users"}),
    "promise": ("--promise", {"help": "the promise to judge, e.g. epsilon=1,adjacency=user-level"}),
    "neighbours": (
        "--panproof-inputs",
        {"help": "for a function of its whole input: pairs of neighbours, as module:name"},
    ),
    "runs": ("--audit-runs", {"type": int, "help": "runs of the search for a violation"}),
    "seed": ("--audit-seed", {"type": int, "help": "entropy; fresh by default"}),
    "error": (
        "--audit-error",
        {"type": float, "help": "probability that any true statement is refuted; 1e-6 by default"},
    ),
}
"""Each option without its prefix, with its old name and its arguments for argparse."""

DEFAULT_ERROR = 1e-6


def add_options(parser: pytest.Parser) -> None:
    """Add the options, all with the prefix."""
    group = parser.getgroup("panproof", "privacy promises (panproof)")
    for name, (old, attributes) in _OPTIONS.items():
        also = f" (also {old}, unless another plugin has an option of this name)" if old else ""
        group.addoption(_PREFIX + name, **{**attributes, "help": attributes["help"] + also})


def take_old_names(parser: pytest.Parser, arguments: list[str]) -> None:
    """Replace the old name of an option by its new one, unless another plugin has an option of the old name.

    The old names are not options of the parser: a conftest that is loaded later can still claim them.
    """
    new_names = {old: _PREFIX + name for name, (old, _) in _OPTIONS.items() if old}
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for place, argument in enumerate(arguments[:end]):
        name, equals, value = argument.partition("=")
        if name in new_names and not _is_claimed(parser, name):
            arguments[place] = new_names[name] + equals + value


def option_of(config: pytest.Config, name: str) -> Any:
    """The value of an option; ``None`` if it was not given."""
    return config.getoption(_PREFIX + name)


def estimators_of(config: pytest.Config) -> tuple[str, ...]:
    """The estimators to judge, each once, in the order of the command line."""
    return tuple(dict.fromkeys(option_of(config, "estimator") or ()))


def refusal(problem: Exception) -> BaseException:
    """The error that a test raises on bad input: its text is the sentence, without a traceback."""
    return pytest.fail.Exception(f"panproof: {problem}", pytrace=False)


def _is_claimed(parser: pytest.Parser, name: str) -> bool:
    """Whether a plugin or a conftest has an option of this name."""
    try:
        _, unknown = parser.parse_known_and_unknown_args([name])
    except (pytest.UsageError, SystemExit):  # It is known, and needs a value.
        return True
    return name not in unknown
