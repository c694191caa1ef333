"""Section 1.1: the models of streams in which the lower bounds are said to hold."""

from __future__ import annotations

from itertools import product

import sympy as sp

from pan_proofs.continual.dyadic_tree import padded_length, squared_distance
from pan_proofs.continual.pair_machines import PAIRS, both, one_at_most
from pan_proofs.continual.reductions import (
    all_bits,
    largest_count,
    last_operation,
    stream_of_queries,
    stream_of_records,
)
from pan_proofs.continual.streams import Bits, counts, differences, elements, existence, streams, strict, toggle
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma

_count = sp.Symbol("C")
_height = sp.Symbol("L", positive=True)
_least = sp.Symbol("c", positive=True)
_square, _variance, _rho, _nodes = sp.symbols("S v rho N", positive=True)

ERROR = sp.sqrt(2 * (_height + 1) ** 2 * 4 * (2 * _height * sp.log(2) + 1) * (sp.log(200) + _height * sp.log(2)))
"""A bound on the error of the mechanism for the toggle model, for epsilon = 1 and delta = T^-2, T = 2^L."""
_ORDERED, _OVER_BOUND = ERROR / _height**2, ERROR / 2 ** (_height / 4)
_flips, _times = sp.symbols("w T", positive=True)
_NOISE = (sp.Le(_square, 2 * (_height + 1)), sp.Ge(_variance, (_height + 1) / _rho))


def legal_models() -> Claim:
    """The streams of both reductions, and a mechanism with a small error in the toggle model."""
    return Claim(
        id="turnstile.legal_models",
        title="The models in which the lower bounds hold",
        references=(Reference("turnstile", "section 1.1, after Theorem 1.6"),),
        statement=r"All lower bounds also hold in the strict model, where no count is negative, and in the toggle "
        r"model, where an element is inserted only when absent and deleted only when present. They hold for "
        r"mechanisms that get the whole stream before they put out anything.",
        notation=(("$c$", "factor of the bound in the comparison"),),
        hypotheses=("those of Theorems 1.5 and 1.6",),
        silent=(
            r"Algorithms 4 and 5 are read as in turnstile.inner_product_reduction and turnstile.marginals_reduction",
            "a lower bound holds in a model if it holds for mechanisms that are accurate on the streams of that model",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "the event-level lower bound in the toggle model",
                r"Algorithm 4 inserts elements that are present. In the toggle model there is an event-level private "
                r"mechanism whose error is of order $\log^2 T$ for $\varepsilon = 1$ and $\delta = T^{-2}$, on all "
                r"streams of the model. The bound of Theorem 1.5 is of order $T^{1/4}$ for $w \ge \sqrt T$.",
                event_level(),
                formal=(
                    *symbolic(gt(_count, 1)),
                    *symbolic(
                        eq(sp.Limit(_ORDERED, _height, sp.oo), 4 * sp.log(2)),
                        eq(sp.Limit(_OVER_BOUND, _height, sp.oo), 0),
                    ),
                    *symbolic(
                        sp.Eq(
                            sp.Min(_flips ** sp.Rational(1, 2), _times ** sp.Rational(1, 4)),
                            _times ** sp.Rational(1, 4),
                        ),
                        given=(sp.Ge(_flips, sp.sqrt(_times)),),
                    ),
                ),
            ),
            Part(
                Role.AMENDED,
                "which streams the reductions make",
                r"The streams of Algorithm 4 are of the strict model, and those of Algorithm 5 of the toggle model. "
                r"So the event-level bound holds in the strict model, and the item-level bound in both. The "
                r"reductions know the whole stream before they start. In the formulas $y$ is the bit of an element in "
                r"the data, $a_j$ and $b_j$ tell whether it was inserted and deleted for the query, or attribute, "
                r"$j$, and $C$ is the sum of their differences; the last attribute has the bits $a$ and $b$.",
                (*streams_of_reductions(), *_counts_of_elements()),
                formal=_stated_counts(),
            ),
            Part(
                Role.AMENDED,
                "the mechanism for the toggle model",
                r"Let an element be present from an insertion on and absent from a deletion on. In the toggle model "
                r"this is its existence vector. For event-neighbours of the general model two entries of its changes "
                r"differ at most, by $1$ in opposite directions. So the tree with noise of variance $(\log_2 T + "
                r"1)/\rho$ at each node is $\rho$-event-level-zCDP for all streams, and accurate for those of the "
                r"toggle model.",
                mechanism(),
                formal=symbolic(le(_square / (2 * _variance), _rho), given=_NOISE),
            ),
        ),
        uses=(
            "turnstile.changed_entries",
            "turnstile.gaussian_mechanism",
            "turnstile.gaussian_max",
            "turnstile.dyadic",
            "turnstile.zcdp_conversion",
        ),
    )


def event_level() -> Steps:
    """A stream of Algorithm 4, and the error of the mechanism against the bound."""
    return (
        counterexample(
            "inserted_twice",
            r"For the data $1$ and the query $1$ the stream inserts its element twice: the count is $2$.",
            le(_count, 1),
            {_count: lambda: sp.Integer(largest_count(stream_of_queries((1,), ((1,),))))},
        ),
        counterexample(
            "less_than_the_bound",
            r"The mechanism below has the error $\sqrt{2 (L + 1)^2 \cdot 4 (2 L \log 2 + 1) (\log 200 + L \log 2)}$ "
            r"with probability $0.99$, $T = 2^L$. For $L = 200$ this is less than a thousandth of $T^{1/4}$.",
            ge(ERROR, _least * 2 ** (_height / 4)),
            {_height: sp.Integer(200), _least: sp.Rational(1, 1000)},
        ),
        lemma(
            "every_constant",
            r"For any constant it is so from some $T$ on: the error over $L^2$ has a limit, and over $T^{1/4}$ it "
            r"tends to $0$.",
            (
                tends_to("legal_models.order", _ORDERED, _height, sp.oo, 4 * sp.log(2)),
                tends_to("legal_models.below", _OVER_BOUND, _height, sp.oo, sp.S.Zero),
            ),
        ),
    )


def streams_of_reductions() -> Steps:
    """All data and queries of small sizes."""
    return (
        enumerated(
            "queries",
            r"Each count is a bit of the data, and $1$ more while an element of a query is present.",
            "data of 1 to 3 bits and 1 or 2 queries: the stream of Algorithm 4 is strict",
            (
                (data, queries)
                for size in (1, 2, 3)
                for number in (1, 2)
                for data in all_bits(size)
                for queries in product(all_bits(size), repeat=number)
            ),
            lambda case: strict(stream_of_queries(*case)),
            mutant=lambda case: toggle(stream_of_queries(*case)),
        ),
        enumerated(
            "records",
            r"Each record's element is inserted and deleted in turn.",
            "1 to 3 records of 1 to 3 bits: the stream of Algorithm 5 is of the toggle model",
            (
                records
                for size in (1, 2, 3)
                for number in (1, 2, 3)
                for records in product(all_bits(size), repeat=number)
            ),
            lambda records: toggle(stream_of_records(records)),
            mutant=lambda records: not any(counts(stream_of_records(records), 0)),
        ),
    )


_sum, _in, _out, _bit, _now, _gone = sp.symbols("C a b y a_0 b_0", real=True)
_number = sp.Symbol("n", integer=True, nonnegative=True)
_running = {_sum: _sum + _in - _out}
_STRICT, _TOGGLE = ge(_sum, 0), le(_sum, 0)
_KINDS = {
    "strict": (_STRICT, le(_out, _in), ((1, 1), (1, 0))),
    "toggle": (_TOGGLE, le(_in, _out), ((1, 1), (0, 0))),
}


def _counts_of_elements() -> Steps:
    """The counts of one element, for any number of queries or attributes."""
    texts = {
        "strict": r"In Algorithm 4 the count of an element is its bit $y$ and what is inserted and not yet deleted for "
        r"the queries so far: nothing is deleted that was not inserted for the same query. So no count is negative.",
        "toggle": r"In Algorithm 5 all that was inserted for the attributes before is deleted again, so that they add "
        r"no more than $0$ either. So the count is that of the present attribute, $0$ or $1$.",
    }
    return tuple(
        for_every_length(
            f"counts_{kind}",
            texts[kind],
            Induction(
                f"legal_models.{kind}",
                relation,
                _number,
                (_in, _out),
                _running,
                witness,
                conditions=(rule,),
                raised=sp.Integer(2),
            ),
            (r"C &\ge 0" if kind == "strict" else r"C &\le 0",),
        )
        for kind, (relation, rule, witness) in _KINDS.items()
    )


def _stated_counts() -> tuple[str, ...]:
    """That no count is negative, and that counts are 0 or 1, formally."""
    where = {_sum: sum_over_entries(_in - _out, (_in, _out), _number)}
    (_, strict_rule, _), (_, toggle_rule, _) = _KINDS.values()
    now = (sp.Ge(_gone, 0), sp.Le(_gone, _now), sp.Le(_now, 1))
    return (
        *symbolic(ge(_bit + _sum, 0), given=(strict_rule, sp.Ge(_bit, 0), sp.Ge(_number, 0)), where=where),
        *symbolic(
            ge(_now - _gone + _sum, 0),
            le(_now - _gone + _sum, 1),
            given=(strict_rule, toggle_rule, *now, sp.Ge(_number, 0)),
            where=where,
        ),
    )


def mechanism() -> Steps:
    """The last operation of each element, and the tree over its changes."""
    return (
        enumerated(
            "existence",
            r"In the toggle model an element is present exactly if its last entry is an insertion.",
            "streams of the toggle model of up to 5 entries over 2 elements: the vectors are the existence vectors",
            (stream for length in range(1, 6) for stream in filter(toggle, streams(length, 2))),
            lambda stream: all(last_operation(stream, one) == existence(stream, one) for one in elements(stream)),
            mutant=lambda stream: all(not any(last_operation(stream, one)) for one in elements(stream)),
        ),
        lemma(
            "two_entries",
            r"If one entry is left out, the element's vector differs from there to its next entry, after which it is "
            r"the same.",
            bounded_for_every_length(
                "legal_models.last_operation",
                "event-neighbours of the general model: the squared differences of the changes of the vectors",
                _operations(),
                2,
                by_definition=lambda word: sum(one**2 for one in _moved(word)),
                allowed=one_at_most,
                up_to=5,
            ),
        ),
        enumerated(
            "nodes",
            r"The two differences are opposite. They change one node of each level each, by $1$, or none where they "
            r"meet. So the squared distance of the nodes is at most $2 (L + 1)$.",
            "event-neighbours of up to 5 entries: the squared distance of the nodes, and the differences add up to 1 "
            "at most",
            [word for length in range(1, 6) for word in product(PAIRS, repeat=length) if one_at_most(word)],
            lambda word: (
                squared_distance(*_vectors(word)) <= 2 * padded_length(len(word)).bit_length()
                and abs(sum(_moved(word))) <= 1
            ),
            mutant=lambda word: squared_distance(*_vectors(word)) <= padded_length(len(word)).bit_length(),
        ),
        at_most(
            "noise",
            r"With noise of variance $v \ge (L + 1)/\rho$ at each node the loss is $S/(2 v)$.",
            Inequality(
                "legal_models.noise",
                _square / (2 * _variance),
                _rho,
                _NOISE,
            ),
            lines=r"\frac{S}{2 v} &\le \rho",
        ),
        at_most(
            "variance",
            r"An output is a sum of $N \le L + 1$ nodes. By Lemma A.2 the $T$ errors exceed the root of $2 (L + 1)^2 "
            r"\log(200 T) / \rho$ with probability at most $0.01$. For $\varepsilon = 1$ and $\delta = T^{-2}$ the "
            r"budget is $\rho \ge 1 / (4 (2 \log T + 1))$: this is the error above.",
            Inequality(
                "legal_models.variance",
                _nodes * (_height + 1) / _rho,
                (_height + 1) ** 2 / _rho,
                (sp.Le(_nodes, _height + 1),),
            ),
            lines=r"N \frac{L + 1}{\rho} &\le \frac{(L + 1)^2}{\rho}",
        ),
    )


def _operations() -> Machine:
    """Two event-neighbours: the bits after the last entry of each, and whether an entry differed."""

    def step(state: tuple[int, int, bool], letter: tuple[int, int]) -> tuple[tuple[int, int, bool], int] | None:
        one, other, differed = state
        differs = letter[0] != letter[1]
        if differs and differed:
            return None
        after, after_other = (int(sign == 1) if sign else bit for bit, sign in zip(state[:2], letter, strict=True))
        added = ((after - one) - (after_other - other)) ** 2
        return (after, after_other, differed or differs), added

    return Machine((0, 0, False), PAIRS, step)


def _vectors(word: Word) -> tuple[Bits, Bits]:
    one, other = both(word)
    return last_operation(one, 0), last_operation(other, 0)


def _moved(word: Word) -> tuple[int, ...]:
    one, other = map(differences, _vectors(word))
    return tuple(a - b for a, b in zip(one, other, strict=True))


CLAIMS = {"turnstile.legal_models": legal_models}
