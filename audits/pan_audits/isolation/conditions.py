"""In the judged process: conditions and values inside lines of the judged code that were the same in all runs.

A line that ran may hold a leak for one id that no run met: ``told = user if user == 4242 else None``. Lines that never
ran do not show it, but the condition was always false.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence, Set
from types import CodeType
from typing import Any, NamedTuple

from pan_audits.choices.definitions import compiled, definition_of, nested, with_objects
from pan_audits.isolation.own_code import OwnCode, is_made_by_a_decorator
from pan_audits.isolation.probes import probed
from pan_audits.isolation.recorder import EMPTY, Recorder
from pan_audits.isolation.sites import NO_SOURCE, Kind, Site

_MOST_FUNCTIONS = 256
_LONGEST = 40


class Constant(NamedTuple):
    """A part of a line that was the same in all runs, or a function whose parts were not followed.

    Attributes
    ----------
    file, function, line
        The place.
    words
        The part and its value.
    """

    file: str
    function: str
    line: int
    words: str


class Conditions:
    """Follows the parts of the lines of one judged code.

    Parameters
    ----------
    own
        The code.
    """

    def __init__(self, own: OwnCode) -> None:
        self._names = {code: function.__qualname__ for code, function in own.functions.items()}
        self._functions, self._known = own.all_functions, own.known
        self._made: dict[CodeType, CodeType] = {}
        self._unknown: list[CodeType] = []
        self._code_of: list[CodeType] = []
        self._recorder = Recorder(lambda function: function.__code__ in self._followed)
        compiled_by_others = own.compiled
        for code in list(own.functions)[:_MOST_FUNCTIONS]:
            if not is_made_by_a_decorator(code) and code not in compiled_by_others:
                self._prepare(code)
        self._followed = {*self._made, *self._made.values()}

    def _prepare(self, code: CodeType) -> None:
        sites, start = self._recorder.sites, len(self._recorder.sites)
        definition = definition_of(code)
        made = None if definition is None else compiled(probed(definition, sites), code)
        if made is None:
            del sites[start:]
            self._unknown.append(code)
            return
        self._code_of += [code] * (len(sites) - start)
        self._made[code] = with_objects(made, self._recorder.put)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Follow the calls inside."""
        before = [(function, function.__code__) for function in self._functions if function.__code__ in self._made]
        try:
            for function, code in before:
                function.__code__ = self._made[code]
            yield
        finally:
            for function, code in before:
                function.__code__ = code

    @property
    def looks(self) -> list[str]:
        """Numbers of this process that the code asked for, in words."""
        return sorted(self._recorder.looks)

    def constant(self, ran: set[tuple[str, int]], entered: Set[CodeType], in_calls: Set[CodeType]) -> list[Constant]:
        """The parts that were the same in all runs, by place.

        Parameters
        ----------
        ran
            Lines that ran: file and number. A part of any other line is not told here.
        entered
            The code objects that ran.
        in_calls
            Those that did not run at the import.
        """
        recorder = self._recorder
        values = recorder.constant()
        found = set()
        # A function that ran at the import alone, as one that yields the inputs, has no part that a run could reach.
        beside = {code for code in self._made if any(part in entered for part in nested(code))} - {
            self._code_of[number] for number in recorder.reached_sites()
        }
        for number, value in values.items():
            site, code = recorder.sites[number], self._code_of[number]
            place = (code.co_filename, site.line)
            if code not in beside and place in ran and not _is_told(recorder.sites, number, values):
                told = "never ran" if site.kind is Kind.PLACE else f"was always {_in_words(value)}"
                found.add(Constant(code.co_filename, self._names[code], site.line, f"{site.text} {told}"))
        ran_unknown = [code for code in self._unknown if any(part in entered for part in nested(code))]
        without_function = [code for code in in_calls if code not in self._known and not is_made_by_a_decorator(code)]
        for code in (*ran_unknown, *without_function):
            name = self._names.get(code, code.co_qualname)
            found.add(Constant(code.co_filename, name, code.co_firstlineno, NO_SOURCE))
        return sorted(found)


def _is_told(sites: Sequence[Site], number: int, values: Mapping[int, Any]) -> bool:
    """Whether a constant part needs no words: another line never ran, or a larger part was constant too."""
    site = sites[number]
    return values[number] in site.told or (site.above in values)


def _in_words(value: Any) -> str:
    return str(value if value is EMPTY else getattr(value, "__name__", None) or repr(value))[:_LONGEST]
