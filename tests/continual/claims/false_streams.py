"""False statements about streams of the turnstile model, each built as a true claim would be."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.continual.claims.composition import correlated
from pan_proofs.continual.claims.dyadic import digits_machine, most, number
from pan_proofs.continual.claims.gaussian_mechanism import common_noise, equicorrelated, independent
from pan_proofs.continual.claims.insertion_only import event_distance, first_insertions, first_ones
from pan_proofs.continual.claims.node_sensitivity import distance, tree
from pan_proofs.continual.dyadic_tree import decomposition, levels, squared_distance
from pan_proofs.continual.flippancy import emptied, flippancy, flips, rises, truncated
from pan_proofs.continual.formulas import (
    NEIGHBOUR,
    ONE_ENTRY,
    ONE_VECTOR,
    TWO_STREAMS,
    bits,
    counts,
    differing,
    fallen,
    flipped,
    in_turn,
    left_out,
    length,
    other_flipped,
    toggled,
)
from pan_proofs.continual.neighbour_examples import example, worst
from pan_proofs.continual.pair_machines import both, cost_of_node, truncated_pairs
from pan_proofs.continual.streams import NEIGHBOURS, changed_entries, existence, of_one_element, streams, toggle
from pan_proofs.continual.truncated_formulas import (
    ONE_CUT,
    TWO_CUTS,
    differing_leaves,
    kept_flips,
    one_vector,
    other_kept_flips,
    truncated_changes,
    truncated_flips,
    two_vectors_cut_after,
)
from pan_proofs.continual.truncation_steps import cut_machine, cut_well, kept, vectors
from pan_proofs.engines.gaussian_observations import gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.tree_sums import TreeSum, greatest_tree_sum
from pan_proofs.engines.walks import bounded_for_every_length
from pan_proofs.engines.word_sums import Definitions, Words, bounded_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_w, _r, _height, _found = sp.symbols("w r L F", nonnegative=True)
_alpha = sp.Symbol("alpha", positive=True)


def _claim(name: str, *steps: Step) -> Claim:
    part = Part(Role.PUBLISHED, name, name, steps, no_formula="the steps are tested")
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, (part,))


def _counter(name: str, step: Step) -> Claim:
    """A claim that rests on a counterexample, with a true statement beside it."""
    true = equal("true", "", "", (_w + 1) ** 2, _w**2 + 2 * _w + 1)
    parts = (
        Part(Role.COUNTEREXAMPLE, name, name, (step,), no_formula="the steps are tested"),
        Part(Role.AMENDED, "true", "true", (true,), no_formula="the steps are tested"),
    )
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, parts)


def summed(name: str, relation: sp.Basic, words: Words, definitions: Definitions, up_to: int = 5) -> Claim:
    """A relation between sums over streams of every length."""
    return _claim(name, lemma("s", "", bounded_sums("s", relation, words, by_definition=definitions, up_to=up_to)))


def as_many_flips_as_entries() -> Claim:
    return summed("flips_reach_T", sp.Ge(flipped, length, evaluate=False), bits(), ONE_VECTOR)


def twice_the_drops() -> Claim:
    return summed("twice_the_drops", sp.Le(flipped, 2 * fallen, evaluate=False), bits(), ONE_VECTOR)


def drops_are_flips() -> Claim:
    step = enumerated(
        "s",
        "",
        "streams: the flippancy is the number of falls to zero",
        [stream for length in range(1, 5) for stream in streams(length, 2)],
        lambda stream: flippancy(stream) == emptied(stream),
        mutant=lambda stream: flippancy(stream) == emptied(stream) + 1,
    )
    return _claim("drops_are_flips", step)


def counterexample_with_equal_numbers() -> Claim:
    stream = of_one_element((1, -1))
    step = counterexample(
        "s",
        "",
        sp.Eq(_w, _found, evaluate=False),
        {_w: lambda: flippancy(stream), _found: lambda: emptied(stream)},
    )
    return _counter("equal_numbers", step)


def twice_w_entries() -> Claim:
    step = enumerated(
        "s",
        "",
        "item-neighbours: at most 2 w entries differ",
        [(s, o) for length in range(1, 5) for s in streams(length, 1) for o in NEIGHBOURS["item"](s)],
        lambda pair: changed_entries(*pair) <= 2 * max(map(flippancy, pair)),
        mutant=lambda pair: changed_entries(*pair) <= max(map(flippancy, pair)),
    )
    return _claim("twice_w_entries", step)


def more_than_two_w_plus_one() -> Claim:
    one, other = worst(2)
    step = counterexample(
        "s",
        "",
        sp.Le(_found, 2 * _w + 1, evaluate=False),
        {_found: lambda: changed_entries(one, other), _w: lambda: max(flippancy(one), flippancy(other))},
    )
    return _counter("more_than_2w_plus_1", step)


def toggles_change_nothing() -> Claim:
    return summed("one_entry_of_items", sp.Le(differing, 1, evaluate=False), toggled(), TWO_STREAMS, 4)


def toggles_without_their_rule() -> Claim:
    words = counts(ONE_ENTRY, NEIGHBOUR, values=((0, 1, 2), (0, 1, 2)))
    return summed("one_entry_in_general", sp.Eq(differing, left_out, evaluate=False), words, TWO_STREAMS, 4)


def example_without_a_gain() -> Claim:
    relation = sp.Le(flipped - other_flipped, length - 2, evaluate=False)
    return summed("example_without_a_gain", relation, in_turn(), TWO_STREAMS)


def cut_without_a_flip() -> Claim:
    return summed("no_flip_of_the_cut", sp.Le(truncated_flips, kept_flips, evaluate=False), one_vector(), ONE_CUT)


def one_step_between_first_insertions() -> Claim:
    (steps,) = first_ones().sums
    steps_of = {steps: lambda *both: event_distance(*(first_insertions(of_one_element(one)) for one in both))}
    return summed("one_step", sp.Le(steps, 1, evaluate=False), first_ones(), steps_of)


def strict_example_is_the_printed_one() -> Claim:
    step = enumerated(
        "s",
        "",
        "the example: both streams toggle",
        range(1, 9),
        lambda length: all(map(toggle, example(length))),
        mutant=lambda length: changed_entries(*example(length)) == 0,
    )
    return _claim("example_toggles", step)


def log_intervals() -> Claim:
    step = enumerated(
        "s",
        "",
        "T from 1 to 64: at most log2 T intervals",
        range(1, 65),
        lambda latest: 2 ** most(latest) <= latest,
        mutant=lambda latest: most(latest) <= 1,
    )
    return _claim("log_intervals", step)


def one_more_than_digits() -> Claim:
    bound = bounded_for_every_length(
        "s",
        "intervals",
        digits_machine(),
        1,
        by_definition=lambda word: len(decomposition(number(word))) - len(word),
        allowed=lambda word: word[0] == 1,
        up_to=7,
    )
    return _claim("one_more_than_digits", lemma("s", "", bound))


def first_interval_is_smallest() -> Claim:
    step = enumerated(
        "s",
        "",
        "the intervals are nodes in ascending order of size",
        range(1, 65),
        lambda time: [b - a for a, b in decomposition(time)] == sorted(b - a for a, b in decomposition(time)),
        mutant=lambda time: len(decomposition(time)) == 0,
    )
    return _claim("ascending", step)


def truncated_by_design() -> Claim:
    step = enumerated(
        "s",
        "",
        "w = 1, 2, 3: the truncated vectors of 7 entries have at most w flips",
        [(bits, bound) for bits in vectors(7) for bound in (1, 2, 3)],
        lambda case: flips(truncated(*case)) <= case[1],
        mutant=lambda case: flips(truncated(*case)) < case[1],
    )
    return _claim("by_design", step)


def rises_without_the_first() -> Claim:
    bound = bounded_for_every_length(
        "s",
        "rises",
        cut_machine(lambda before, after, flip: 2 * (after > before) - flip),
        1,
        by_definition=lambda word: 2 * rises(kept(word)) - flips(kept(word)),
        allowed=cut_well,
        up_to=6,
    )
    return _claim("rises_without_the_first", lemma("s", "", bound))


def cut_at_the_first_entry() -> Claim:
    bound = bounded_for_every_length(
        "s",
        "rises",
        cut_machine(lambda before, after, flip: 2 * (after > before) - flip),
        2,
        by_definition=lambda word: 2 * rises(kept(word)) - flips(kept(word)),
        up_to=5,
    )
    return _claim("any_cut", lemma("s", "", bound))


def half_of_the_constant() -> Claim:
    step = at_most(
        "s",
        "",
        Inequality(
            "s",
            2 * _height + 4 * _w - 1,
            4 * _w * (_height + 1) - ((8 * _r - 2) * _height + 1),
            (sp.Ge(_r, 1), sp.Le(_r, _w)),
            touching={_r: 1, _w: 1, _height: 0},
        ),
    )
    return _claim("half_the_constant", step)


def sensitivity(stated: tuple[int, ...], bound: int, kind: str = "item", meant: int | None = None) -> Claim:
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
    return _claim(f"sensitivity_{stated}_{bound}_{kind}", lemma("s", "", made))


def untruncated() -> Claim:
    made = greatest_tree_sum(
        "s",
        "squares",
        TreeSum(truncated_pairs(1, events=False), cost_of_node),
        (1, 2, 9),
        by_definition=lambda word: squared_distance(*(existence(stream, 0) for stream in both(word))),
        up_to=2,
    )
    return _claim("untruncated", lemma("s", "", made))


def levels_that_are_attained() -> Claim:
    step = counterexample(
        "s",
        "",
        sp.Le(_found, 8 * _w * (_height + 1), evaluate=False),
        {_found: lambda: tree("item", 1).greatest(2), _w: sp.Integer(1), _height: lambda: len(levels(4)) - 1},
    )
    return _counter("lemma_fails", step)


def correlation_of_half() -> Claim:
    return _claim("correlation", lemma("s", "", gaussian_loss("s", correlated(sp.Rational(1, 2)), (1,), 1)))


def common_noise_hides() -> Claim:
    return _claim("common_noise", lemma("s", "", gaussian_loss("s", common_noise(), (1, 0), sp.Rational(1, 2))))


def twice_the_loss() -> Claim:
    return _claim("double", lemma("s", "", gaussian_loss("s", independent(3, 9), (1, 2, -2), 1)))


def correlation_without_range() -> Claim:
    r = sp.Symbol("r", real=True)
    found = gaussian_loss("s", equicorrelated(), (1, 0), 1 / (2 * (1 - r**2)))
    return _claim("correlation_without_range", lemma("s", "", found))


def square_with_a_wrong_sign() -> Claim:
    y, mu, nu = sp.symbols("y mu nu", real=True)
    step = equal(
        "s",
        "",
        "",
        _alpha * (y - mu) ** 2 + (1 - _alpha) * (y - nu) ** 2,
        (y - _alpha * mu - (1 - _alpha) * nu) ** 2 - _alpha * (1 - _alpha) * (mu - nu) ** 2,
    )
    return _claim("square", step)


def fewer_nodes_after_an_even_number_of_flips() -> Claim:
    return _cut_after(0, sp.Le(differing_leaves, kept_flips + other_kept_flips + 1, evaluate=False))


def fewer_changes_after_an_even_number_of_flips() -> Claim:
    return _cut_after(0, sp.Le(truncated_changes, kept_flips + 1, evaluate=False))


def _cut_after(parity: int, relation: sp.Basic) -> Claim:
    made = bounded_sums("s", relation, two_vectors_cut_after(parity), by_definition=TWO_CUTS, up_to=3)
    return _claim("cut_after", lemma("s", "", made))


FALSE = {
    "one node less if the cut is after an even number of flips": (
        "off by one",
        fewer_nodes_after_an_even_number_of_flips,
    ),
    "one change less if the cut is after an even number of flips": (
        "off by one",
        fewer_changes_after_an_even_number_of_flips,
    ),
    "flips reach T": ("off by one", as_many_flips_as_entries),
    "flips are at most twice the falls": ("off by one", twice_the_drops),
    "flips are falls to zero": ("wrong constant", drops_are_flips),
    "a counterexample with equal numbers": ("wrong constant", counterexample_with_equal_numbers),
    "a change of the input changes 2w entries": ("off by one", twice_w_entries),
    "a counterexample to 2w + 1": ("off by one", more_than_two_w_plus_one),
    "toggles: one entry for item-neighbours": ("missing case", toggles_change_nothing),
    "one entry without the rule of toggles": ("missing hypothesis", toggles_without_their_rule),
    "the example changes the flippancy by T - 2": ("off by one", example_without_a_gain),
    "the cut of a vector is no flip": ("off by one", cut_without_a_flip),
    "first insertions are one step apart": ("off by one", one_step_between_first_insertions),
    "the example toggles": ("missing hypothesis", strict_example_is_the_printed_one),
    "at most log T intervals": ("off by one", log_intervals),
    "one interval more than digits": ("off by one", one_more_than_digits),
    "intervals in ascending order": ("wrong sign", first_interval_is_smallest),
    "truncated vectors flip w times": ("off by one", truncated_by_design),
    "rises of truncated vectors without the first": ("off by one", rises_without_the_first),
    "cuts anywhere": ("missing case", cut_at_the_first_entry),
    "half of the constant of Lemma 3.5": ("wrong constant", half_of_the_constant),
    "the sensitivity for w = 2 is that for w = 3": ("wrong constant", lambda: sensitivity((1, 2, 5), 2)),
    "the sensitivity of eight leaves is one more": ("off by one", lambda: sensitivity((1, 2, 9, 15), 1)),
    "the sensitivity of events is that of items": ("wrong constant", lambda: sensitivity((1, 2, 9), 1, "event")),
    "the program for w = 1 serves w = 3": ("correct for one instance", lambda: sensitivity((1, 2, 9), 1, meant=3)),
    "the sensitivity of vectors that are not truncated": ("missing hypothesis", untruncated),
    "Lemma 3.5 fails for four leaves": ("wrong constant", levels_that_are_attained),
    "correlated noise composes": ("missing hypothesis", correlation_of_half),
    "common noise hides a coordinate": ("singular matrix", common_noise_hides),
    "twice the loss of a vector": ("wrong constant", twice_the_loss),
    "a correlation of any size": ("missing hypothesis", correlation_without_range),
    "the completed square with another sign": ("wrong sign", square_with_a_wrong_sign),
}
