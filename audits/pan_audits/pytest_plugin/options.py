"""The options of the plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pan_audits.audit.settings import Settings

_PREFIX = "--panproof-"

_OPTIONS: dict[str, dict[str, Any]] = {
    "estimator": {
        "action": "append",
        "help": "estimator to judge: a name, module:Class or file.py:Class; may be repeated",
    },
    "epsilon": {"help": "the epsilon of its promise, in nats: a number, or a text such as log(3/2)"},
    "promise-epsilon": {"help": "the same, also for an estimator that promises a multiple of its parameter"},
    "universe": {"type": int, "help": "its number of users"},
    "sample-size": {"type": int, "help": "its number of sampled users"},
    "promise": {"help": "the promise to judge, e.g. epsilon=1,adjacency=user-level"},
    "neighbours": {"help": "for a function of its whole input: pairs of neighbours, as module:name"},
    "runs": {"type": int, "help": "runs of the search for a violation"},
    "seed": {"type": int, "help": "entropy; fresh by default"},
    "error": {"type": float, "help": "probability that any true statement is refuted; 1e-6 by default"},
}
"""Each option without its prefix, with its arguments for argparse."""

DEFAULT_ERROR = 1e-6


def add_options(parser: pytest.Parser) -> None:
    """Add the options, all with the prefix."""
    group = parser.getgroup("panproof", "privacy promises (panproof)")
    for name, attributes in _OPTIONS.items():
        group.addoption(_PREFIX + name, **attributes)


def option_of(config: pytest.Config, name: str) -> Any:
    """The value of an option; ``None`` if it was not given."""
    return config.getoption(_PREFIX + name)


def effort_of(config: pytest.Config) -> dict[str, Any]:
    """The settings that the command line gives."""
    given = {key: option_of(config, key) for key in ("runs", "seed", "error")}
    return {key: value for key, value in given.items() if value is not None}


def settings_of(config: pytest.Config, **given: Any) -> Settings:
    """The settings: those that are given, then those of the command line."""
    from pan_audits.audit.settings import Settings

    effort = {"error": DEFAULT_ERROR} | effort_of(config) | given
    if "jobs" in effort:
        effort["workers"] = effort.pop("jobs")
    return Settings(**effort)


def estimators_of(config: pytest.Config) -> tuple[str, ...]:
    """The estimators to judge, each once, in the order of the command line."""
    return tuple(dict.fromkeys(option_of(config, "estimator") or ()))


def refusal(problem: Exception) -> BaseException:
    """The error that a test raises on bad input: its text is the sentence, without a traceback."""
    return pytest.fail.Exception(f"panproof: {problem}", pytrace=False)
