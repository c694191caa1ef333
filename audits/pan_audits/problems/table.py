"""Tables: a mechanism is given all rows, and its last steps read them no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.choices.errors import TooLargeError
from pan_audits.problems.inputs.labelled import LabelledInputs, catalogue_of, releases_of
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.problems.inputs.tables.mutation import mutated_tables
from pan_audits.problems.inputs.tables.sampled import summary
from pan_audits.problems.inputs.tables.tables import JUDGED, audited_tables, from_text, look_in, small_tables, to_text
from pan_audits.problems.problem import NUMBERS, WholeInputs, labels_of
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Kind
from pan_promises.promise import OF_TABLE_MECHANISMS, Observed, Promise

_NEEDED = {
    Observed.MODEL: ("post_process",),
    Observed.SAMPLE: ("post_process", "sample"),
}


@dataclass(frozen=True)
class OfTables(WholeInputs):
    """Tables with given columns."""

    kind = Kind.TABLE
    noun = "table"
    makes_inputs = True
    mutates = True
    every_size = False
    adjacencies = JUDGED
    later = OF_TABLE_MECHANISMS[1:]
    example = "--promise epsilon=1,adjacency=replace-row,observed=output"
    nouns = ("rows", "")
    worst_of_kept = True

    def groups(self, promise: Promise, seed: int, lengths: Sequence[int] = ()) -> Sequence[LabelledInputs]:
        return audited_tables(
            self.stated,
            promise.adjacency,
            seed,
            outputs=releases_of(promise),
            observed=promise.observed,
            sizes=lengths,
        )

    def samples(self) -> Sequence[LabelledInputs]:
        return audited_tables(self.stated, Adjacency.REPLACE_ROW, 0)

    def mutated(
        self, promise: Promise, best: Sequence[Pair], count: int, seed: int, *, tried: Iterable[Pair] = ()
    ) -> Catalogue | None:
        found = mutated_tables(
            self.stated,
            promise.adjacency,
            labels_of(best),
            count,
            seed,
            tried=labels_of(tried),
            outputs=releases_of(promise),
            observed=promise.observed,
        )
        return catalogue_of(found) if found else None

    def sizes(self, most: int, longest: int) -> Iterator[tuple[int, int]]:
        yield from ((size, 1) for size in range(1, most + 1))

    def small(self, promise: Promise, size: int, length: int) -> LabelledInputs | None:
        return small_tables(
            self.stated, promise.adjacency, size, outputs=releases_of(promise), observed=promise.observed
        )

    def too_many(self, size: int, length: int) -> str:
        if size == 1:
            raise TooLargeError("there are too many tables of one row; give the columns fewer values")
        return f"there are too many tables of {size} rows"

    def read(self, label: str, given: Mapping[str, Any]) -> Any:
        return from_text(label)

    def seen(self, label: str, owner: Any, output: Callable[[], Any], randomness: Any) -> Any:
        released, observed = output(), look_in(label)
        if observed is Observed.OUTPUT:
            return released
        for method in _NEEDED[observed]:
            if not callable(getattr(owner, method, None)):
                raise InputError(
                    f"a promise with observed={observed} is about a mechanism with a method {method}, or about an "
                    "object with fit and sample or generate"
                )
        model = owner.post_process(released)
        if observed is Observed.MODEL:
            return model
        stated = self.stated
        return summary(owner.sample(model, stated.sampled or stated.rows, randomness), stated)

    def observed_in(self, label: str) -> Observed:
        return look_in(label)

    def as_observed(self, label: Any, promise: Promise) -> Any:
        return to_text(from_text(label), promise.observed)

    def left_open(self, promise: Promise) -> str:
        if promise.observed is not Observed.SAMPLE or self.stated.sampled:
            return ""
        return (
            f"the adversary saw as many sampled rows as a table has ({self.stated.rows}); with more of them "
            "(--sampled 500) the audit may find what these hide"
        )

    @property
    def columns(self) -> Mapping[str, str]:
        return {"users": "rows", "inputs": "tables"} | NUMBERS

    def covered(self, size: int, length: int) -> str:
        return f"tables of up to {size} row{'s' * (size != 1)}"

    def covered_briefly(self, size: int, length: int) -> str:
        return f"tables of up to {size} rows"
