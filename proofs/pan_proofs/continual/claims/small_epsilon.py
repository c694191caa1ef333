"""Theorem B.1: lower bounds for epsilon = 1 give lower bounds for smaller epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import sympy as sp

from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.streams import NEIGHBOURS, Entry, Stream, distinct_counts, of_one_element, streams
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.engines.word_sums import Words, bounded_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma

_copies, _length, _short = sp.symbols("m T n", positive=True)
_error, _bound = sp.symbols("alpha g", nonnegative=True)
_delta = sp.Symbol("delta", positive=True)
_y = sp.Symbol("y", positive=True)
_found, _flips = sp.Symbol("F_c"), sp.Symbol("F")

_SCALED = (sp.Ge(_error / _copies, _bound), sp.Eq(_copies * epsilon, 1))
_ROUNDED = (sp.Ge(_copies, 1), sp.Gt(_copies, 1 / epsilon - 1), sp.Le(epsilon, 1))


def copied(stream: Stream, copies: int) -> Stream:
    """The stream of the proof: each entry becomes one entry for each copy of its element."""
    entries: list[Entry] = []
    for entry in stream:
        entries += [None if entry is None else (entry[0] * copies + number, entry[1]) for number in range(copies)]
    return tuple(entries)


def chain(one: Stream, other: Stream, copies: int) -> Iterator[Stream]:
    """From the copied stream of one to that of the other, one copy after another."""
    first, last = copied(one, copies), copied(other, copies)
    for number in range(copies + 1):
        yield tuple(b if place % copies < number else a for place, (a, b) in enumerate(zip(first, last, strict=True)))


def small_epsilon() -> Claim:
    """The construction, the budget of a group, and what it does to the flippancy."""
    return Claim(
        id="turnstile.small_epsilon",
        title="Lower bounds for small epsilon",
        references=(Reference("turnstile", "Theorem B.1, appendix B", "the formulas are lost"),),
        statement=r"Let $g$ be increasing. If every $(1, \delta')$-item-level-differentially private mechanism for "
        r"streams of length $T'$ has an error of at least $g(T')$, for all $T'$, then every $(\varepsilon, "
        r"\delta)$-item-level-differentially private mechanism for streams of length $T$ has an error of at least $g("
        r"\lfloor \varepsilon T \rfloor) / \varepsilon$, where $\delta = \Theta(\varepsilon \delta')$. The same holds "
        r"for event-level privacy.",
        notation=(("$F$, $F_c$", "flippancies of the stream, and of the copied stream"),),
        hypotheses=(r"$0 < \varepsilon \le 1$ and $\varepsilon T \ge 1$",),
        silent=(
            r"$1/\varepsilon$ is a whole number $m$: the hypotheses are lost in the text",
            r"$\delta = \delta' (e^{\varepsilon} - 1) / (e - 1)$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the reduction",
                r"A mechanism with error $\alpha$ for streams of length $T$ gives one with error $\alpha / m$ for "
                r"streams of length $n = \lfloor \varepsilon T \rfloor$: run on $m$ copies of each item, its outputs "
                r"at the times $m t$ divided by $m$.",
                reduction(),
                formal=symbolic(ge(_error, _bound / epsilon), given=_SCALED),
            ),
            Part(
                Role.PUBLISHED,
                "a chain of neighbours",
                r"One change of the stream is $m$ changes of the copied stream, of an entry, or of all entries of an "
                r"element, each. In the formula $d_i = 1$ where the $i$-th entry, or element, is changed, and $D$ and "
                r"$C$ are the numbers of changes of the stream and of the copied stream.",
                (*chains(), _changes_of_copies()),
                formal=symbolic(
                    eq(_all, _copies * _changed),
                    where={
                        total: sum_over_entries(term, (_is_changed,), _number)
                        for total, term in ((_changed, _is_changed), (_all, _copies * _is_changed))
                    },
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the budget",
                r"By Lemma 2.3 the budget of $m$ changes is $m \varepsilon = 1$, with $\delta' = \delta \frac{e - "
                r"1}{e^{\varepsilon} - 1} \le \frac{e - 1}{\varepsilon} \delta$.",
                budget(),
                formal=symbolic(le(_delta * (sp.E - 1) / (sp.exp(epsilon) - 1), (sp.E - 1) * _delta / epsilon)),
            ),
            Part(
                Role.READING,
                "any epsilon",
                r"With $m = \lfloor 1/\varepsilon \rfloor$ copies the error is at least $m\, g(\lfloor \varepsilon T "
                r"\rfloor)$, which is at least half of the bound.",
                (any_epsilon(),),
                formal=symbolic(le(1 / (2 * epsilon), _copies), given=_ROUNDED),
            ),
            Part(
                Role.READING,
                "streams of bounded flippancy",
                r"Theorems 1.5 and 1.6 use the theorem for streams of flippancy at most $w$. The copied stream can "
                r"have the flippancy $w + 1$: an insertion at the first entry is no flip, and its copies stand later. "
                r"So the bound for $w$ follows from that for $w + 1$.",
                bounded_flippancy(),
                formal=(
                    *symbolic(eq(_found, 1), eq(_flips, 0)),
                    *about(_vectors(), *_BETWEEN),
                    *symbolic(eq(sp.Limit(_KEPT, _copies, sp.oo), 1)),
                ),
                holds=False,
                departs="for streams of length $T'$",
            ),
        ),
        uses=("turnstile.group_privacy", "turnstile.post_processing"),
        in_words=(
            (
                "counts",
                r"after each $m$ entries all copies of an item have the same count, for streams of every "
                r"length",
            ),
            (
                "chain_item",
                r"neighbours of the stream are joined by a chain of $m$ neighbours of the copied stream, for "
                r"streams of every length",
            ),
            ("errors", r"a mechanism with less error would contradict the bound for $\varepsilon = 1$"),
        ),
    )


def reduction() -> Steps:
    """Counts, lengths and errors."""
    return (
        enumerated(
            "counts",
            r"After each $m$ entries all copies of an item have the same count.",
            "streams of up to 4 entries over 2 elements, m = 2, 3: the distinct count at the time m t is m times that "
            "at t",
            ((stream, m) for length in range(1, 5) for stream in streams(length, 2) for m in (2, 3)),
            lambda case: (
                distinct_counts(copied(*case))[case[1] - 1 :: case[1]]
                == tuple(case[1] * count for count in distinct_counts(case[0]))
            ),
            mutant=lambda case: distinct_counts(copied(*case))[:: case[1]] == distinct_counts(case[0]),
        ),
        at_most(
            "length",
            r"The copied stream has $m n$ entries, $n \le \varepsilon T$ and $m \varepsilon = 1$.",
            Inequality(
                "small_epsilon.length",
                _copies * _short,
                _length,
                (sp.Le(_short, epsilon * _length), sp.Eq(_copies * epsilon, 1)),
            ),
        ),
        at_most(
            "errors",
            r"The error of the quotients is $\alpha/m \ge g$.",
            Inequality(
                "small_epsilon.errors",
                _bound / epsilon,
                _error,
                _SCALED,
            ),
            lines=r"\frac{g}{\varepsilon} = m g &\le \alpha",
        ),
    )


def chains() -> Steps:
    """Chains of neighbours."""
    return (
        *(
            enumerated(
                f"chain_{kind}",
                rf"{kind.capitalize()}-neighbours: each copy in turn.",
                f"{kind}-neighbours of up to 3 entries over 2 elements, m = 2, 3: the chain goes from copied stream to "
                f"copied stream, and each of its m steps joins {kind}-neighbours",
                (
                    (one, other, m)
                    for length in range(1, 4)
                    for one in streams(length, 2)
                    for other in NEIGHBOURS[kind](one)
                    for m in (2, 3)
                ),
                lambda case, kind=kind: _joined(case, kind),  # type: ignore[misc]
                mutant=lambda case, kind=kind: (
                    copied(case[1], case[2])
                    in set(  # type: ignore[misc]
                        NEIGHBOURS[kind](copied(case[0], case[2]))
                    )
                ),
            )
            for kind in NEIGHBOURS
        ),
    )


_all, _changed, _is_changed = sp.symbols("C D d", real=True)
_number = sp.Symbol("n", integer=True, nonnegative=True)


def _changes_of_copies() -> Step:
    """Each changed entry, or element, is as many changed ones as there are copies."""
    return for_every_length(
        "changes_of_copies",
        r"The copies of an entry are $m$ entries, and those of an element $m$ elements. They are changed if the "
        r"entry, or the element, is. For any number of entries, and of copies:",
        Induction(
            "small_epsilon.copies",
            eq(_all, _copies * _changed),
            _number,
            (_is_changed,),
            {_all: _all + _copies * _is_changed, _changed: _changed + _is_changed},
            ((1,), (0,), (1,)),
            {_copies: sp.Integer(3)},
        ),
        r"C &= m\, D",
    )


def budget() -> Steps:
    """The delta of a group."""
    return (
        equal_as(
            "group",
            r"For a group of $m = 1/\varepsilon$,",
            (
                lambda: sp.simplify(_delta * (sp.exp((1 / epsilon) * epsilon) - 1) / (sp.exp(epsilon) - 1)),
                _delta * (sp.E - 1) / (sp.exp(epsilon) - 1),
            ),
            r"\delta \frac{e^{m \varepsilon} - 1}{e^{\varepsilon} - 1} &= \delta \frac{e - 1}{e^{\varepsilon} - 1}",
        ),
        lemma(
            "order",
            r"With $y = e^{\varepsilon}$, $e^{\varepsilon} - 1 \ge \varepsilon$ for $\varepsilon > 0$:",
            Slopes(
                "small_epsilon.order",
                _y - 1 - sp.log(_y),
                _y,
                sp.Integer(1),
                {_y: sp.Rational(11, 10)},
                sp.Rational(1, 10),
            ).discharge(),
            lines=r"\log y &\le y - 1",
        ),
    )


def _joined(case: tuple[Stream, Stream, int], kind: str) -> bool:
    links = tuple(chain(*case))
    ends = links[0] == copied(case[0], case[2]) and links[-1] == copied(case[1], case[2])
    return ends and all(b in set(NEIGHBOURS[kind](a)) for a, b in pairwise(links))


def any_epsilon() -> Step:
    """Rounding down loses at most half."""
    return at_most(
        "rounded",
        r"The group has the budget $m \varepsilon \le 1$, and $m > 1/\varepsilon - 1$, $m \ge 1$.",
        Inequality(
            "small_epsilon.rounded",
            1 / (2 * epsilon),
            _copies,
            _ROUNDED,
        ),
        lines=r"\frac{1}{2 \varepsilon} &\le m",
    )


def bounded_flippancy() -> Steps:
    """One insertion at the first entry."""
    stream = of_one_element((1,))
    return (
        counterexample(
            "first_insertion",
            r"A stream of one insertion has flippancy $0$. Of two copies the second is inserted at the second entry.",
            le(_found, _flips),
            {_found: lambda: flippancy(copied(stream, 2)), _flips: lambda: flippancy(stream)},
        ),
        lemma(
            "at_most_one_more",
            r"The existence vector of the first copy has the flips of the element's own. That of another copy has them "
            r"and a flip more if the element is present after the first entry: its copy is inserted later.",
            [
                bounded_sums(
                    f"small_epsilon.flippancy.{number}",
                    relation,
                    _vectors(),
                    by_definition={_own: _flips_of, _copied: lambda bits: flippancy(copied(_toggled(bits), 3))},
                    up_to=6,
                )
                for number, relation in enumerate(_BETWEEN)
            ],
            r"w \le w' &\le w + 1",
        ),
        lemma(
            "order_kept",
            r"This changes no order of growth: the bounds for $w + 1$ and $w$ have the ratio",
            tends_to("small_epsilon.order_kept", _KEPT, _copies, sp.oo, sp.S.One),
            r"\lim_{w \to \infty} \sqrt{w/(w + 1)} &= 1",
        ),
    )


_place, _entries = sp.Symbol("i", integer=True), sp.Symbol("T", integer=True, positive=True)
_bit = sp.IndexedBase(sp.Symbol("x", integer=True))
_own, _copied = sp.symbols("w w_c", real=True)
_BETWEEN = (le(_copied, _own + 1), ge(_copied, _own))
_KEPT = sp.sqrt(_copies / (_copies + 1))


def _vectors() -> Words:
    """Existence vectors, with their flips, and their changes from 0 before the first entry on."""
    change = sp.Abs(_bit[_place] - _bit[_place - 1])
    own, all_changes = (sp.Sum(change, (_place, least, _entries)) for least in (2, 1))
    return Words(_entries, _place, (_bit,), {_own: own, _copied: all_changes}, {_bit: (0, 1)}, (), (0,))


def _toggled(bits: tuple[int, ...]) -> Stream:
    """A stream of one element with this existence vector."""
    return of_one_element(tuple(after - before for before, after in pairwise((0, *bits))))


def _flips_of(bits: tuple[int, ...]) -> int:
    return flippancy(_toggled(bits))


CLAIMS = {"turnstile.small_epsilon": small_epsilon}
