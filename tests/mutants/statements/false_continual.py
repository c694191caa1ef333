"""Statements near those about streams, mechanisms and counters, and false; all are built like true ones."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.continual import streams
from pan_proofs.continual.claims.tree import distance, tree
from pan_proofs.continual.streams import Bits, Stream
from pan_proofs.engines.tree_sums import greatest_tree_sum
from pan_proofs.engines.word_sums import Definitions, Words, bounded_sums
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import lemma
from tests.mutants.statements.reading import named

NAMES = named(
    "continual.claims.calibrated_adaptive",
    "continual.claims.factored",
    "continual.claims.reductions",
    "continual.claims.adaptive",
    "continual.claims.changed_entries",
    "continual.claims.gaussian",
    "continual.claims.given_flippancy",
    "continual.claims.insertion_only",
    "continual.claims.lower_bounds",
    "continual.claims.notions",
    "continual.claims.recompute",
    "continual.claims.running_count",
    "continual.claims.sparse_vector",
    "continual.claims.tree",
    "continual.dyadic_tree",
    "continual.streams",
    "continual.formulas",
)

_a, _b, _c, _s = sp.symbols("a b c s", nonnegative=True)
_sum, _slack, _step = sp.symbols("X Q q", real=True)
_state, _gap = sp.symbols("y g", real=True)
_left = sp.Symbol("p", nonnegative=True)
_paid, _other, _limit, _rest, _rho = sp.symbols("E Eprime B r rho", nonnegative=True)


def a_run(factor: sp.Expr) -> tuple[sp.Expr, sp.Expr, tuple[Relational, ...], dict[sp.Symbol, int]]:
    potential = 2 * (_state - _gap) ** 2 - 2 * (_left * _state - _gap) ** 2
    given = (sp.Eq(_gap**2, 1), sp.Ge(_left, 0), sp.Le(_left, 1))
    larger = factor * (1 - _left) / (1 + _left) + potential
    return _state**2 * (1 - _left**2), larger, given, {_state: 2, _gap: 1, _left: 0}


_w, _rho_of_mechanisms = sp.symbols("w rho", positive=True)
_square, _found = sp.symbols("S F", nonnegative=True)
_height = sp.Symbol("L", real=True)
_y = sp.Symbol("y", positive=True)
_log = sp.Symbol("L", positive=True)
_share = sp.Symbol("s", positive=True)
ROOT = Fraction(1, 2)
_b_of_running_count, _r, _rho_of_running_count, _n = sp.symbols("b r rho n", positive=True)
_m, _one, _loss = sp.symbols("m l D", nonnegative=True)
HALF = Fraction(1, 2)
_w_of_streams, _r_of_streams, _height_of_streams, _found_of_streams = sp.symbols("w r L F", nonnegative=True)
_alpha = sp.Symbol("alpha", positive=True)


def summed(name: str, relation: sp.Basic, words: Words, definitions: Definitions, up_to: int = 5) -> Step:
    """A relation between sums over streams of every length."""
    return lemma("s", "", bounded_sums("s", relation, words, by_definition=definitions, up_to=up_to))


def sensitivity(stated: tuple[int, ...], bound: int, kind: str = "item", meant: int | None = None) -> Step:
    events = kind == "event"
    made = greatest_tree_sum(
        "s",
        "squares",
        tree(kind, bound),
        stated,
        by_definition=partial(distance, bound=bound if meant is None else meant),
        up_to=2,
        allowed=(lambda word: sum(a != b for a, b in word) <= 1) if events else lambda word: True,
    )
    return lemma("s", "", made)


def neighbours(length: int) -> list[tuple[Stream, Stream]]:
    return [(one, other) for one in streams.streams(length, 1) for other in streams.NEIGHBOURS["event"](one)]


def vectors(length: int) -> list[Bits]:
    return list(product((0, 1), repeat=length))


FALSE = {
    "wrong constant": {
        "one column for two changes": "at_most('s', '', Inequality('s', _a + _b - 2 * _c, _s, (_a <= _s, _b <= _s)))",
        "one column for w = 1": (
            "enumerated('s', '', '1 to 6 steps: vectors with one change are within S', range(1, 7), lambda "
            "steps: largest(steps, 1) <= 1, mutant=lambda steps: largest(steps, 1) <= 0)"
        ),
        "3 for a run": "at_most('s', '', Inequality('s', a_run(S(3))[0], a_run(S(3))[1], a_run(S(3))[2]))",
        "refusals are free": (
            "enumerated('s', '', 'alarms with a tenth of the noise stay within rho', (replace(EXAMPLES[0], "
            "alarm=100 * EXAMPLES[0].alarm),), lambda phases: largest_loss(phases) <= 1, mutant=lambda "
            "phases: largest_loss(phases) <= 0)"
        ),
        "a quarter of the variance": (
            "enumerated('s', '', 'half of the noise stays within rho', (replace(EXAMPLES[0], prices=(4 * "
            "EXAMPLES[0].prices[0],), limits=(4 * EXAMPLES[0].limits[0],)),), lambda phases: largest_loss("
            "phases) <= 1, mutant=lambda phases: largest_loss(phases) <= 0)"
        ),
        "half of the noise for a given flippancy": (
            "at_most('s', '', Inequality('s', _square / VARIANCE.subs({Symbol('L', real=True): _height}), "
            "_rho_of_mechanisms, (_height >= 0, _square <= 8 * _w * (_height + 1))))"
        ),
        "half of the noise of the queries": (
            "enumerated('s', '', '3 queries: the loss of half of the noise', (1,), lambda cutoff: "
            "largest_ratio(SparseVector(cutoff, ROOT**(2 * cutoff), ROOT**2), (-1, 0, 1), 3) <= ROOT**(-4 * "
            "cutoff), mutant=lambda cutoff: largest_ratio(printed(cutoff, ROOT), (-1, 0, 1), 3) <= 1)"
        ),
        "the printed noise of the queries fails": (
            "counterexample('s', '', _found <= 16, {_found: lambda: largest_ratio(printed(1, ROOT), (-1, 0, 1), 3)})"
        ),
        "half of the bound of Claim 3.9": (
            "enumerated('s', '', 'streams of 4 entries, rho = 1, error 1: the largest bound is at most w or 2 "
            "rho error^2', [stream for stream in streams.streams(4, 2) if streams.flippancy(stream) >= 1], "
            "lambda stream: Doubling(Fraction(1), Fraction(1)).largest(stream) <= "
            "max(streams.flippancy(stream), Fraction(1)), mutant=lambda stream: Doubling(Fraction(1), "
            "Fraction(1)).largest(stream) == 1)"
        ),
        "half of the logarithm is enough": (
            "lemma('s', '', Slopes('s', log(_y) / 4 - (_y - 1) / (_y + 1), _y, S(1), {_y: 11 / 10}, 1 / "
            "100).discharge())"
        ),
        "both noises are too little": (
            "counterexample('s', '', _loss <= _rho_of_running_count, {_loss: lambda: observation(4, 1, 3, "
            "2).loss(changed(4, e1=1)), _rho_of_running_count: 1 / 2})"
        ),
        "the sum after an odd event is less by 2": (
            "at_most('s', '', Inequality('s', (_n - 2) * _n + (_n - 1) + 2, _n * (_n - 1), (_n >= 2,), weaker=1 / 2))"
        ),
        "flips are falls to zero": (
            "enumerated('s', '', 'streams: the flippancy is the number of falls to zero', [stream for length "
            "in range(1, 5) for stream in streams.streams(length, 2)], lambda stream: "
            "streams.flippancy(stream) == emptied(stream), mutant=lambda stream: streams.flippancy(stream) "
            "== emptied(stream) + 1)"
        ),
        "a counterexample with equal numbers": (
            "counterexample('s', '', _w_of_streams == _found_of_streams, {_w_of_streams: lambda: "
            "streams.flippancy(of_one_element((1, -1))), _found_of_streams: lambda: "
            "emptied(of_one_element((1, -1)))})"
        ),
        "half of the constant of Lemma 3.5": (
            "at_most('s', '', Inequality('s', 2 * _height_of_streams + 4 * _w_of_streams - 1, 4 * _w_of_streams * "
            "(_height_of_streams + 1) - ((8 * _r_of_streams - 2) * _height_of_streams + 1), (_r_of_streams >= 1, "
            "_r_of_streams <= _w_of_streams)))"
        ),
        "the sensitivity for w = 2 is that for w = 3": "sensitivity((1, 2, 5), 2)",
        "the sensitivity of events is that of items": "sensitivity((1, 2, 9), 1, 'event')",
        "Lemma 3.5 fails for four leaves": (
            "counterexample('s', '', _found_of_streams <= 8 * _w_of_streams * (_height_of_streams + 1), "
            "{_found_of_streams: lambda: tree('item', 1).greatest(2), _w_of_streams: S(1), _height_of_streams: "
            "lambda: len(dyadic_tree.levels(4)) - 1})"
        ),
        "twice the loss of a vector": "lemma('s', '', gaussian_loss('s', independent(3, 9), (1, 2, -2), 1))",
    },
    "off by one": {
        "events change one step": (
            "enumerated('s', '', 'event-neighbours: the counts change apart in one step', neighbours(4), "
            "lambda pair: sum((one != 0 for one in moved(*pair))) <= 1, mutant=lambda pair: not "
            "any(moved(*pair)))"
        ),
        "less than 2 w changes of two vectors": (
            "enumerated('s', '', 'pairs of vectors with at most 2 changes: at most 3 changes together', [(one, "
            "other) for one in [one for one in vectors(5) if changes(one) <= 2] for other in [one for one in "
            "vectors(5) if changes(one) <= 2]], lambda pair: changes(pair[0]) + changes(pair[1]) <= 3, "
            "mutant=lambda pair: changes(pair[0]) + changes(pair[1]) == 0)"
        ),
        "less runs than half of the changes": (
            "enumerated('s', '', 'vectors of 4 entries: twice the runs are less than the changes of both', "
            "[(one, other) for one in vectors(4) for other in vectors(4) if one != other], lambda pair: 2 * "
            "len(factored.runs(*pair)) < units(*pair), mutant=lambda pair: not factored.runs(*pair))"
        ),
        "vectors of w + 1 flips are kept": (
            "enumerated('s', '', 'vectors of 6 entries, w = 1, 2: those with at most w + 1 flips are kept', "
            "[(bits, bound) for bits in vectors(6) for bound in (1, 2) if flips(bits) <= "
            "bound + 1], lambda case: truncated(*case) == case[0], mutant=lambda case: not "
            "any(truncated(*case)))"
        ),
        "the maximum flippancy changes by T": (
            "counterexample('s', '', _found <= 5, {_found: lambda: abs(streams.flippancy(streams.in_turn(6)[0]) - "
            "streams.flippancy(streams.in_turn(6)[1]))})"
        ),
        "a budget for log T copies": (
            "at_most('s', '', Inequality('s', (_height + 1) * Symbol('b', positive=True) + Symbol('bprime', "
            "positive=True), _rho_of_mechanisms, (_height >= 1, Symbol('b', positive=True) <= _rho_of_mechanisms / (2 "
            "* _height), Symbol('bprime', positive=True) <= _rho_of_mechanisms / 2)))"
        ),
        "a drift of less than r - 1": (
            "enumerated('s', '', 'streams of 4 entries, r = 3: the drift is at most 1', streams.streams(4, 2), "
            "lambda stream: drift(distinct_counts(stream), 3) <= 1, mutant=lambda stream: "
            "drift(distinct_counts(stream), 3) == 0)"
        ),
        "answers half a phase late": (
            "enumerated('s', '', 'data of 2 bits and a query: the answers from the counts of the previous "
            "phase', product(all_bits(2), all_bits(2)), lambda case: inner_products((0, 0, "
            "*distinct_counts(stream_of_queries(case[0], (case[1],)))), (case[1],))[0] == "
            "inner_product(*case), mutant=lambda case: inner_product(*case) == 0)"
        ),
        "marginals of one row less": (
            "enumerated('s', '', 'tables of 2 rows: the marginals of one row', [table for table in tables() if "
            "len(table) == 2], lambda table: marginals(distinct_counts(stream_of_records(table)), 2, "
            "len(table[0])) == averages(table[:1]), mutant=lambda table: not any(averages(table)))"
        ),
        "noise at birth for one level less": (
            "at_most('s', '', Inequality('s', _m * _one, _rho_of_running_count, (_n >= 2, _m <= _n, _one <= "
            "_rho_of_running_count / (_n - 1))))"
        ),
        "noise at release for two levels less": (
            "enumerated('s', '', 'up to 32 steps: the loss is at most 1/2 with r = n - 2', [case for case in "
            "running_count.cases(32) if levels(case[0]) >= 3], lambda case: summed_loss(*case, "
            "Fraction(levels(case[0])), Fraction(levels(case[0]) - 2)) <= HALF, mutant=lambda case: False)"
        ),
        "a later event is in all nodes": (
            "enumerated('s', '', 'up to 32 steps: event 2 is in all n nodes', range(2, 33), lambda steps: "
            "len(containing(steps, 2)) == levels(steps), mutant=lambda steps: False)"
        ),
        "flips reach T": "summed('flips_reach_T', flipped >= length, bits(), ONE_VECTOR)",
        "flips are at most twice the falls": "summed('twice_the_drops', flipped <= 2 * fallen, bits(), ONE_VECTOR)",
        "a change of the input changes 2w entries": (
            "enumerated('s', '', 'item-neighbours: at most 2 w entries differ', [(s, o) for length in range(1, "
            "5) for s in streams.streams(length, 1) for o in NEIGHBOURS['item'](s)], lambda pair: "
            "streams.changed_entries(*pair) <= 2 * max(map(streams.flippancy, pair)), mutant=lambda pair: "
            "streams.changed_entries(*pair) <= max(map(streams.flippancy, pair)))"
        ),
        "a counterexample to 2w + 1": (
            "counterexample('s', '', _found_of_streams <= 2 * _w_of_streams + 1, {_found_of_streams: lambda: "
            "streams.changed_entries(worst(2)[0], worst(2)[1]), _w_of_streams: lambda: "
            "max(streams.flippancy(worst(2)[0]), streams.flippancy(worst(2)[1]))})"
        ),
        "the example changes the flippancy by T - 2": (
            "summed('example_without_a_gain', flipped - other_flipped <= length - 2, formulas.in_turn(), TWO_STREAMS)"
        ),
        "first insertions are one step apart": (
            "summed('one_step', only(first_ones().sums) <= 1, first_ones(), {only(first_ones().sums): lambda "
            "*both: event_distance(*(first_insertions(of_one_element(one)) for one in both))})"
        ),
        "at most log T intervals": (
            "enumerated('s', '', 'T from 1 to 64: at most log2 T intervals', range(1, 65), lambda latest: "
            "2**most(latest) <= latest, mutant=lambda latest: most(latest) <= 1)"
        ),
        "truncated vectors flip w times": (
            "enumerated('s', '', 'w = 1, 2, 3: the truncated vectors of 7 entries have at most w flips', "
            "[(bits, bound) for bits in vectors(7) for bound in (1, 2, 3)], lambda case: "
            "flips(truncated(*case)) <= case[1], mutant=lambda case: flips(truncated(*case)) < case[1])"
        ),
        "the sensitivity of eight leaves is one more": "sensitivity((1, 2, 9, 15), 1)",
    },
    "missing factor": {
        "a column for each run": (
            "enumerated('s', '', 'vectors of 4 entries: each run costs at most what a single change costs', "
            "[(one, other) for one in vectors(4) for other in vectors(4) if one != other], lambda pair: "
            "distance_of(*pair, MIXTURES[1]) <= len(factored.runs(*pair)) * column(4, "
            "entries_of(MIXTURES[1], 4)), mutant=lambda pair: not factored.runs(*pair))"
        ),
        "the whole limit for each element": (
            "at_most('s', '', Inequality('s', _paid + _other + _rest, _rho, (_paid <= _limit, _other <= _limit, "
            "_limit + _rest <= _rho)))"
        ),
        "the deltas of a group add up": (
            "enumerated('s', '', 'groups of 1 to 3: the last probability is at most l delta', (1, 2, 3), "
            "lambda size: ladder(size, Fraction(2), Fraction(1, 100))[-1] <= Fraction(size, 100), "
            "mutant=lambda size: ladder(size, Fraction(2), Fraction(1, 100))[-1] == 0)"
        ),
        "a moved event loses what one event loses": (
            "lemma('s', '', gaussian_loss('s', observation(4, 1, _b_of_running_count, _r), changed(4, e1=1, "
            "e2=-1), 3 / (2 * _b_of_running_count)))"
        ),
    },
    "missing hypothesis": {
        "prices may rise": (
            "at_most('s', '', Inequality('s', _sum + _step * _b, (_slack + _step) * _b, (_sum <= _slack * _a, _slack "
            "<= 0), raised=1 / 1000))"
        ),
        "no limit": (
            "enumerated('s', '', 'an element without a limit stays within rho', (replace(EXAMPLES[0], "
            "limits=(Fraction(100),)),), lambda phases: largest_loss(phases) <= 1, mutant=lambda phases: "
            "largest_loss(phases) <= Fraction(1, 4))"
        ),
        "any epsilon with the constant for 1": (
            "at_most('s', '', Inequality('s', adaptive.epsilon**2 / (8 * adaptive._log), adaptive._rho, "
            "(adaptive._log >= 1, adaptive._CONVERTED)))"
        ),
        "the maximum flippancy has sensitivity 1 for events": (
            "enumerated('s', '', 'event-neighbours of the toggle and of other models: the flippancy changes by "
            "at most 1', [(one, other) for n in range(1, 5) for one in streams.streams(n, 1) for other in "
            "NEIGHBOURS['event'](one)], lambda pair: abs(streams.flippancy(pair[0]) - "
            "streams.flippancy(pair[1])) <= 1, mutant=lambda pair: streams.flippancy(pair[0]) == "
            "streams.flippancy(pair[1]))"
        ),
        "the streams of Algorithm 4 toggle": (
            "enumerated('s', '', 'data of 2 bits and a query: the stream of Algorithm 4 is of the toggle "
            "model', product(all_bits(2), all_bits(2)), lambda case: toggle(stream_of_queries(case[0], "
            "(case[1],))), mutant=lambda case: largest_count(stream_of_queries(case[0], (case[1],))) == 0)"
        ),
        "Algorithm 4 fits for every flippancy": (
            "at_most('s', '', Inequality('s', (2 * Symbol('k', positive=True) + 1) * Symbol('n', positive=True), "
            "Symbol('T', positive=True), (_w >= 1, Symbol('k', positive=True) == _w / 2, Symbol('c_1', positive=True) "
            "* Symbol('n', positive=True) == Symbol('k', positive=True))))"
        ),
        "one entry without the rule of toggles": (
            "summed('one_entry_in_general', formulas.differing == left_out, formulas.counts(ONE_ENTRY, "
            "NEIGHBOUR, values=((0, 1, 2), (0, 1, 2))), TWO_STREAMS, 4)"
        ),
        "the example toggles": (
            "enumerated('s', '', 'the example: both streams toggle', range(1, 9), lambda length: all(map(toggle, "
            "streams.in_turn(length))), mutant=lambda length: streams.changed_entries(*streams.in_turn(length)) "
            "== 0)"
        ),
        "the sensitivity of vectors that are not truncated": (
            "lemma('s', '', greatest_tree_sum('s', 'squares', tree('item', 1), (1, 2, 9), by_definition=lambda "
            "word: squared_distance(*(existence(stream, 0) for stream in both(word))), up_to=2))"
        ),
        "correlated noise composes": "lemma('s', '', gaussian_loss('s', correlated(1 / 2), (1,), 1))",
        "a correlation of any size": (
            "lemma('s', '', gaussian_loss('s', equicorrelated(), (1, 0), 1 / (2 * (1 - Symbol('r', real=True)**2))))"
        ),
    },
    "wrong sign": {
        "a power below one is convex": "power_is_convex(-_share)",
        "the delta of a group is too small": (
            "counterexample('s', '', _found <= Fraction(7, 100), {_found: lambda: "
            "ladder(3, Fraction(2), Fraction(1, 100))[-1]})"
        ),
        "the losses of a moved event cancel": (
            "lemma('s', '', gaussian_loss('s', observation(4, 1, _b_of_running_count, _r), changed(4, e1=1, "
            "e2=-1), 3 / (2 * _b_of_running_count) - 1 / _r))"
        ),
        "intervals in ascending order": (
            "enumerated('s', '', 'the intervals are nodes in ascending order of size', range(1, 65), lambda "
            "time: [b - a for a, b in decomposition(time)] == sorted((b - a for a, b in decomposition(time))), "
            "mutant=lambda time: len(decomposition(time)) == 0)"
        ),
        "the completed square with another sign": (
            "equal('s', '', '', _alpha * (Symbol('y', real=True) - Symbol('mu', real=True))**2 + (1 - _alpha) "
            "* (Symbol('y', real=True) - Symbol('nu', real=True))**2, (Symbol('y', real=True) - _alpha * "
            "Symbol('mu', real=True) - (1 - _alpha) * Symbol('nu', real=True))**2 - _alpha * (1 - _alpha) * "
            "(Symbol('mu', real=True) - Symbol('nu', real=True))**2)"
        ),
    },
    "wrong order": {
        "an error of order log T": (
            "lemma('s', '', Slopes('s', 64 * _height**2 - 8 * (_height + 1)**2 * (log(200) + _height * "
            "log(2)), _height, S(2), {_height: 21 / 10}, S(1000)).discharge())"
        ),
    },
    "correct for one instance": {
        "the lower bound is beaten for short streams": "counterexample('s', '', ERROR >= 2**(_log / 4), {_log: S(20)})",
        "the program for w = 1 serves w = 3": "sensitivity((1, 2, 9), 1, meant=3)",
    },
    "missing case": {
        "neighbouring tables give item-neighbours": (
            "enumerated('s', '', 'tables with one row replaced: the streams are item-neighbours', [(table, "
            "other) for table in tables() if len(table) == 1 for other in replaced_rows(table)], lambda pair: "
            "item_distance(*map(stream_of_records, pair)) <= 1, mutant=lambda pair: "
            "item_distance(*map(stream_of_records, pair)) == 0)"
        ),
        "copies keep the flippancy": (
            "enumerated('s', '', 'streams of 3 entries: the flippancy of two copies', streams.streams(3, 1), "
            "lambda stream: streams.flippancy(copied(stream, 2)) == streams.flippancy(stream), "
            "mutant=lambda stream: streams.flippancy(copied(stream, 2)) == 0)"
        ),
        "noise at birth alone has a finite loss": (
            "lemma('s', '', gaussian_loss('s', observation(2, 1, 3, 0), changed(2, e2=1), 1 / 6))"
        ),
        "toggles: one entry for item-neighbours": (
            "summed('one_entry_of_items', formulas.differing <= 1, toggled(), TWO_STREAMS, 4)"
        ),
    },
    "singular matrix": {
        "common noise hides a coordinate": "lemma('s', '', gaussian_loss('s', common_noise(), (1, 0), 1 / 2))",
    },
}
