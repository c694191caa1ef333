"""Usage errors in one style: one line for each bad word of a call, all together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from pan_promises.errors import InputError, Problems, shown, suggestion

Command = TypeVar("Command", bound=Callable[..., None])

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""All usage errors of Typer; it gives their class no public name."""


class StrictCommand(TyperCommand):
    """A command that reads all of its options before it reports those that are bad.

    Typer reports the first one only. The function of the command is not called if any is bad, so that no error is only
    the consequence of another one.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a call."""
        problems = Problems()
        values, rest, order, unknown = self._split(ctx, list(args), problems)
        for one in sorted(self.get_params(ctx), key=lambda one: _rank(one, order)):
            # The parser takes the value of an unknown option for an argument.
            if unknown and one.param_type_name == "argument":
                continue
            with problems.collected():
                try:
                    one.handle_parse_result(ctx, values, rest)
                except USAGE_ERROR as problem:
                    raise InputError(sentence(problem, ctx)) from None
        for check in getattr(self.callback, "relations", ()):
            with problems.collected():
                check(ctx.params)
        if rest and not unknown:
            problems.add(f"unexpected argument {shown(rest[0])}; {_help(ctx)}")
        problems.raise_any()
        ctx.args = rest
        return rest

    def _split(self, ctx: Any, words: list[str], problems: Problems) -> tuple[dict[str, Any], list[str], Any, bool]:
        """Values by option, other words, the order of the options, and whether an option was unknown."""
        unknown = False
        while True:
            try:
                values, rest, order = self.make_parser(ctx).parse_args(args=list(words))
            except USAGE_ERROR as problem:
                problems.add(sentence(problem, ctx))
                unknown = True
                left = _without(words, getattr(problem, "option_name", ""))
                if left == words:
                    problems.raise_any()
                words = left
            else:
                return values, rest, order, unknown


def related(*names: str, check: Callable[..., None]) -> Callable[[Command], Command]:
    """Let a command check parameters that depend on one another, once each of them has been read without an error."""

    def checked(parameters: Mapping[str, Any]) -> None:
        if all(name in parameters for name in names):
            check(*(parameters[name] for name in names))

    def mark(function: Command) -> Command:
        function.__dict__["relations"] = (*function.__dict__.get("relations", ()), checked)
        return function

    return mark


def sentence(problem: Exception, ctx: Any = None) -> str:
    """A usage error of Typer in one sentence."""
    ctx = ctx or getattr(problem, "ctx", None)
    message = str(getattr(problem, "message", ""))
    option, parameter = getattr(problem, "option_name", None), getattr(problem, "param", None)
    if option is not None and hasattr(problem, "possibilities"):
        known = [name for one in ctx.command.get_params(ctx) for name in (*one.opts, *one.secondary_opts)]
        long = [name for name in known if name.startswith("--")]
        return f"unknown option {shown(option)}; {suggestion(option, long, overview=_help(ctx))}"
    if option is not None:
        return f"{option} {'needs a value' if 'requires' in message else 'takes no value'}; {_help(ctx)}"
    if parameter is not None and hasattr(problem, "param_type"):
        told = f" ({parameter.help.split('. ')[0].rstrip('.')})" if getattr(parameter, "help", None) else ""
        return f"{_name(parameter)} is missing{told}; {_help(ctx)}"
    text = " ".join(message.split()).rstrip(".") or type(problem).__name__
    return f"{_name(parameter)}: {text}" if parameter is not None else text[:1].lower() + text[1:]


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"the argument {str(parameter.name).upper()}"
    return max(map(str, parameter.opts), key=len)


def _help(ctx: Any) -> str:
    """The sentence that says where all options are shown."""
    return f"`{'panproof' if ctx is None else ctx.command_path} --help` shows all"


def _rank(parameter: Any, order: list[Any]) -> tuple[bool, float]:
    """The options that act immediately, such as ``--help``; then all others in the order of the call."""
    return not parameter.is_eager, order.index(parameter) if parameter in order else float("inf")


def _without(words: list[str], option: str) -> list[str]:
    """The words of a call without the first one that contains an option."""
    for place, word in enumerate(words):
        bundled = len(option) == 2 and word[:1] == "-" != word[1:2] and option[1] in word
        if word == option or word.startswith(f"{option}=") or bundled:
            return words[:place] + words[place + 1 :]
    return words
