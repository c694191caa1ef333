"""Definitions 3.3 and 3.4: the dyadic decomposition, and the nodes of the binary tree that it consists of."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.dyadic_tree import decomposition, levels
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma

_power, _place, _start, _bit = sp.symbols("p j s b", nonnegative=True)
_time, _largest, _next = sp.symbols("t P q", nonnegative=True)
_pieces, _allowed = sp.symbols("k L", integer=True)

LARGEST = 256
"""The greatest time in the enumerations."""


def dyadic() -> Claim:
    """The decomposition covers, its intervals are nodes of the tree, and their number is at most log T + 1."""
    return Claim(
        id="turnstile.dyadic",
        title="The dyadic decomposition",
        references=(
            Reference("turnstile", "Definition 3.3", r"the bound is lost and read as $\log_2 T + 1$"),
            Reference("turnstile", "Definition 3.4"),
        ),
        statement=r"The dyadic decomposition of $(0, t]$ has one interval for each power of $2$ in the binary "
        r"expansion of $t$, from the largest to the smallest, one after another. It is a set of at most $\log_2 T + 1$ "
        r"disjoint intervals whose union is $(0, t]$. They are nodes of the binary tree with $T$ leaves, which has "
        r"$\log_2 T + 1$ levels.",
        notation=(("$j$", "a whole number"),),
        hypotheses=(r"$1 \le t \le T$", r"for the tree, $T$ is a power of $2$"),
        parts=(
            Part(
                Role.PUBLISHED,
                "disjoint intervals that cover, all of them nodes",
                r"The intervals follow one another from $0$ to $t$, and they are nodes of the tree: the interval of "
                r"the power $p$ is $(S, S + p]$ for the sum $S$ of the larger powers $p_i$, each a multiple $2 p\, "
                r"r_i$ of $2 p$. So it starts at a multiple of $2 p$, and it ends at $t \le T$ or before.",
                (*covers()[1:], _starts()),
                formal=_stated_starts(),
            ),
            Part(
                Role.PUBLISHED,
                "the next interval",
                r"If the intervals of larger powers end at $2 j p$, the interval of the power $p$ is $(2 j p, (2 j "
                r"+ 1) p]$.",
                covers()[:1],
                formal=symbolic(eq(2 * _place * _power + _power, (2 * _place + 1) * _power)),
            ),
            Part(
                Role.PUBLISHED,
                "at most log T + 1 of them",
                r"Their number $k$ satisfies $2^k \le t + 1$, so that $k \le \log_2 (T + 1) \le \log_2 T + 1$. The "
                r"first bound is attained for $t = 2^k - 1$. In the formulas $P = 2^k$; one more binary digit $b$ of "
                r"$t$ makes $2 t + b$ of it, and $(1 + b) P$ of $P$.",
                counted(),
                formal=_stated_number(),
            ),
            Part(
                Role.READING,
                "the bound is attained for T a power of 2",
                r"For $T \ge 2$ a power of $2$ there are at most $\log_2 T$ intervals, one less: $k$ for the times $t "
                r"< T$ with $P = 2^k \le t + 1$, and one for $t = T$.",
                one_less(),
                formal=(
                    *symbolic(le(sp.log(_largest_power), sp.log(_leaves)), given=_BEFORE_THE_LAST),
                    *symbolic(le(sp.log(2), sp.log(_leaves)), given=(sp.Ge(_leaves, 2),)),
                ),
                holds=False,
                departs=r"at most $\log_2 T + 1$ disjoint intervals",
            ),
        ),
        in_words=(
            (
                "digits_and_size",
                r"the digits of $t$ are appended one by one, so that the implication holds by induction over "
                r"their number",
            ),
            ("powers_of_two", r"a time before $T = 2^n$ has at most $n$ digits, for every $n$"),
        ),
    )


def covers() -> Steps:
    """The part of t above a power is a multiple of twice the power."""

    def disjoint_cover(time: int) -> bool:
        intervals = decomposition(time)
        covered = [place for start, end in intervals for place in range(start + 1, end + 1)]
        return covered == list(range(1, time + 1))

    def nodes(leaves: int, latest: int) -> bool:
        of_tree = {node for level in levels(leaves) for node in level}
        return all(set(decomposition(time)) <= of_tree for time in range(1, latest + 1))

    return (
        equal_as(
            "next_interval",
            r"Before the interval of size $p$ the intervals of larger powers reach $s$, the sum of these powers. It is "
            r"a multiple $2 j p$ of $2p$, since each of them is one. So the interval starts at a multiple of $p$.",
            (lambda: _start.subs(_start, 2 * _place * _power) + _power, (2 * _place + 1) * _power),
            r"s + p = 2 j p + p &= (2 j + 1) p",
        ),
        enumerated(
            "covered",
            r"Each interval begins where the one before ends, and the sizes add up to $t$. "
            r"This is asked for small times.",
            f"times from 1 to {LARGEST}: the intervals contain each of 1 to t once, in order",
            range(1, LARGEST + 1),
            disjoint_cover,
            mutant=lambda time: decomposition(time) == ((0, time),),
        ),
        enumerated(
            "nodes_of_the_tree",
            r"The intervals are nodes of the tree, for all times up to $T$.",
            "T = 1, 2, 4, ..., 256: every interval of every decomposition is a node of the tree with T leaves",
            [2**height for height in range(9)],
            lambda leaves: nodes(leaves, leaves) and len(levels(leaves)) == leaves.bit_length(),
            mutant=lambda leaves: nodes(leaves, leaves + 1),
        ),
    )


_multiple = sp.Symbol("r", real=True)
_sum_of_larger, _multiples = sp.symbols("S J", real=True)
_count_of_larger = sp.Symbol("n", integer=True, nonnegative=True)
_power_here = sp.Symbol("p", positive=True)
_leaves, _largest_power, _at = sp.symbols("T P t", positive=True)
_BEFORE_THE_LAST = (sp.Le(_largest_power, _at + 1), sp.Le(_at, _leaves - 1))
_START = eq(_sum_of_larger, 2 * _power_here * _multiples)


def _starts() -> Step:
    """A sum of multiples of 2p is a multiple of 2p."""
    return for_every_length(
        "starts",
        r"For any number of larger powers their sum is the multiple $2 p J$ of $2 p$, with the sum $J$ of the $r_i$.",
        Induction(
            "dyadic.starts",
            _START,
            _count_of_larger,
            (_multiple,),
            {_sum_of_larger: _sum_of_larger + 2 * _power_here * _multiple, _multiples: _multiples + _multiple},
            ((2,), (1,)),
            {_power_here: sp.Integer(1)},
        ),
        r"S &= 2 p J",
    )


def _stated_starts() -> tuple[str, ...]:
    """The start of each interval, and that it ends within the tree, formally."""
    where = {
        total: sum_over_entries(one, (_multiple,), _count_of_larger)
        for total, one in ((_sum_of_larger, 2 * _power_here * _multiple), (_multiples, _multiple))
    }
    within = (sp.Le(_sum_of_larger + _power_here, _at), sp.Le(_at, _leaves))
    return (
        *symbolic(_START, where=where),
        *symbolic(le(_sum_of_larger + _power_here, _leaves), given=within),
    )


def _stated_number() -> tuple[str, ...]:
    """One more digit; the logarithms; and the numbers with the most intervals, formally."""
    digit = sp.Or(sp.Eq(_bit, 0), sp.Eq(_bit, 1))
    grown = (1 + _bit) * _largest - 1
    return (
        *symbolic(
            le(grown, 2 * _time + _bit),
            given=(sp.Ge(_largest, 1), sp.Le(_largest - 1, _time), digit),
        ),
        *symbolic(
            le(sp.log(_largest_power), sp.log(_leaves + 1)),
            given=(sp.Le(_largest_power, _at + 1), sp.Le(_at, _leaves)),
        ),
        *symbolic(le(sp.log(_leaves + 1), sp.log(2 * _leaves)), given=(sp.Ge(_leaves, 1),)),
        *symbolic(eq(grown, 2 * _time + _bit), given=(sp.Eq(_bit, 1), sp.Eq(_time + 1, _largest))),
    )


def digits_machine() -> Machine:
    """It reads a number in base 2 from its first digit, which is 1, and adds the number of zeros, negated."""

    def step(state: bool, digit: int) -> tuple[bool, int] | None:
        return None if not state and digit == 0 else (True, digit - 1)

    return Machine(False, (0, 1), step)


def number(word: Word) -> int:
    """The number with these digits in base 2."""
    return int("".join(map(str, word)), 2)


def counted() -> Steps:
    """By induction over the digits of t."""
    return (
        lemma(
            "no_more_than_digits",
            r"There are no more intervals than digits, and as many if all digits are $1$.",
            bounded_for_every_length(
                "dyadic.digits",
                "numbers in base 2: the intervals of the decomposition minus the digits are at most 0",
                digits_machine(),
                0,
                by_definition=lambda word: len(decomposition(number(word))) - len(word),
                allowed=lambda word: word[0] == 1,
                up_to=9,
            ),
        ),
        at_most(
            "digits_and_size",
            r"With $P = 2^{k}$ for the $k$ intervals of $t$: one more digit $b$ makes $t' = 2t + b$, and "
            r"$P' = (1 + b) P$. If $P - 1 \le t$, then $P' - 1 \le t'$, for $b = 0$ and $b = 1$. At the start, $t = 1$ "
            r"and $P = 2$.",
            Inequality(
                "dyadic.size",
                (1 + _bit) * _largest - 1,
                2 * _time + _bit,
                (sp.Ge(_largest, 1), sp.Le(_largest - 1, _time), sp.Or(sp.Eq(_bit, 0), sp.Eq(_bit, 1))),
            ),
            lines=r"P - 1 \le t &\implies (1 + b) P - 1 \le 2 t + b",
        ),
        at_most(
            "one_more_than_log",
            r"$t + 1 \le T + 1 \le 2 T$, that is $\log_2 (t + 1) \le \log_2 T + 1$.",
            Inequality(
                "dyadic.log",
                _time + 1,
                2 * _next,
                (sp.Le(_time, _next), sp.Ge(_next, 1)),
            ),
            lines=r"2^k \le t + 1 &\le 2 T",
        ),
        enumerated(
            "bound_and_attained",
            r"For small $T$: the most intervals of a time up to $T$ are $\lfloor \log_2 (T + 1) \rfloor$.",
            f"T from 1 to {LARGEST}: the most intervals of the times up to T",
            range(1, LARGEST + 1),
            lambda latest: most(latest) == (latest + 1).bit_length() - 1,
            mutant=lambda latest: most(latest) == latest.bit_length(),
        ),
    )


def most(latest: int) -> int:
    """The most intervals of the decompositions for the times up to one."""
    return max(len(decomposition(time)) for time in range(1, latest + 1))


def one_less() -> Steps:
    """A power of 2 has one interval, and smaller times have fewer digits."""
    return (
        counterexample(
            "two_leaves",
            r"For $T = 2$ the decompositions $(0, 1]$ and $(0, 2]$ have one interval each, and $\log_2 T + 1 = 2$.",
            ge(_pieces, _allowed),
            {_pieces: lambda: most(2), _allowed: lambda: len(levels(2))},
        ),
        enumerated(
            "powers_of_two",
            r"The time $T$ has one interval, and the times before it have $\log_2 T$ digits at most.",
            "T = 2, 4, ..., 256: the most intervals are log2 T",
            [2**height for height in range(1, 9)],
            lambda leaves: most(leaves) == len(levels(leaves)) - 1,
            mutant=lambda leaves: most(leaves) == len(levels(leaves)),
        ),
    )


CLAIMS = {"turnstile.dyadic": dyadic}
