"""Usage errors of Typer as one sentence, and the former names of options."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from pan_promises.errors import shown, suggestion

Function = TypeVar("Function", bound=Callable[..., None])

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""All usage errors of Typer; it gives their class no public name."""


class Command(TyperCommand):
    """A command that prints the JSON Schema of its document, and takes the former names of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a call."""
        if "--json-schema" in args:
            from pan_audits.cli.output import schema_of

            print(json.dumps(schema_of(str(self.name), self.callback.__module__), indent=2, ensure_ascii=False))
            raise typer.Exit
        return super().parse_args(ctx, _renamed(args, getattr(self.callback, "former_options", {})))


def formerly(**names: str) -> Callable[[Function], Function]:
    """Let a command take former names of options: ``formerly(time="seconds")`` for ``--time``, now ``--seconds``."""

    def mark(function: Function) -> Function:
        former = {_dashed(old): _dashed(new) for old, new in names.items()}
        function.__dict__["former_options"] = function.__dict__.get("former_options", {}) | former
        return function

    return mark


def warn(old: str, new: str) -> None:
    """Say on standard error that a name will go."""
    print(f"panproof: {old} is {new} now; the old name goes with the next release", file=sys.stderr)


def _dashed(name: str) -> str:
    return ("-" if len(name) == 1 else "--") + name.replace("_", "-")


def _renamed(words: Sequence[str], former: Mapping[str, str]) -> list[str]:
    """The words of a call with the present names of options."""
    end = words.index("--") if "--" in words else len(words)
    found = list(words)
    for place, word in enumerate(words[:end]):
        name, equals, value = word.partition("=")
        if name in former:
            warn(name, former[name])
            found[place] = former[name] + equals + value
    return found


def sentence(problem: Exception) -> str:
    """A usage error of Typer in one sentence."""
    ctx, message = getattr(problem, "ctx", None), str(getattr(problem, "message", ""))
    option, parameter = getattr(problem, "option_name", None), getattr(problem, "param", None)
    overview = f"`{'panproof' if ctx is None else ctx.command_path} --help` shows all"
    if option is not None and ctx is not None and hasattr(problem, "possibilities"):
        known = [name for one in ctx.command.get_params(ctx) for name in (*one.opts, *one.secondary_opts)]
        long = [name for name in known if name.startswith("--")]
        return f"unknown option {shown(option)}; {suggestion(option, long, overview=overview)}"
    if option is not None:
        return f"{option} {'needs a value' if 'requires' in message else 'takes no value'}; {overview}"
    text = " ".join(message.split()).rstrip(".") or type(problem).__name__
    if parameter is None:
        return text[:1].lower() + text[1:]
    text = text.replace("Input should be", "the value should be")
    if parameter.param_type_name == "argument":
        name = f"the argument {str(parameter.name).upper()}"
    else:
        name = max(map(str, parameter.opts), key=len)
    if hasattr(problem, "param_type"):
        told = f" ({parameter.help.split('. ')[0].rstrip('.')})" if getattr(parameter, "help", None) else ""
        return f"{name} is missing{told}; {overview}"
    # Pydantic, which checks the values for Typer, keeps the value apart from its sentence.
    details: list[Any] = getattr(problem.__cause__, "errors", list)()
    got = f", got {shown(details[0]['input'])}" if details and not text.startswith("Value error, ") else ""
    return f"{name}: {text.removeprefix('Value error, ')}{got}"
