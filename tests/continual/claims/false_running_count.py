"""False statements about the running count of events, each built as a true claim would be."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.continual.running_counts import cases, changed, containing, levels, observation, summed_loss
from pan_proofs.engines.gaussian_observations import gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_b, _r, _rho, _n = sp.symbols("b r rho n", positive=True)
_m, _one, _loss = sp.symbols("m l D", nonnegative=True)
HALF = Fraction(1, 2)


def _claim(name: str, step: Step) -> Claim:
    part = Part(Role.PUBLISHED, name, name, (step,), no_formula="the steps are tested")
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, (part,))


def _counter(name: str, step: Step) -> Claim:
    true = equal("true", "", "", (_b + 1) ** 2, _b**2 + 2 * _b + 1)
    parts = (
        Part(Role.COUNTEREXAMPLE, name, name, (step,), no_formula="the steps are tested"),
        Part(Role.AMENDED, "true", "true", (true,), no_formula="the steps are tested"),
    )
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, parts)


def birth_for_one_level_less() -> Claim:
    given = (sp.Ge(_n, 2), sp.Le(_m, _n), sp.Le(_one, _rho / (_n - 1)))
    step = at_most("s", "", Inequality("s", _m * _one, _rho, given, touching={_m: 1, _n: 2, _one: 1, _rho: 1}))
    return _claim("birth_for_one_level_less", step)


def release_for_two_levels_less() -> Claim:
    step = enumerated(
        "s",
        "",
        "up to 32 steps: the loss is at most 1/2 with r = n - 2",
        [case for case in cases(32) if levels(case[0]) >= 3],
        lambda case: summed_loss(*case, Fraction(levels(case[0])), Fraction(levels(case[0]) - 2)) <= HALF,
        mutant=lambda case: False,
    )
    return _claim("release_for_two_levels_less", step)


def later_events_in_all_levels() -> Claim:
    step = enumerated(
        "s",
        "",
        "up to 32 steps: event 2 is in all n nodes",
        range(2, 33),
        lambda steps: len(containing(steps, 2)) == levels(steps),
        mutant=lambda steps: False,
    )
    return _claim("later_events_in_all_levels", step)


def moved_as_one() -> Claim:
    obligation = gaussian_loss("s", observation(4, 1, _b, _r), changed(4, e1=1, e2=-1), 3 / (2 * _b))
    return _claim("moved_as_one", lemma("s", "", obligation))


def moved_back_for_nothing() -> Claim:
    obligation = gaussian_loss("s", observation(4, 1, _b, _r), changed(4, e1=1, e2=-1), 3 / (2 * _b) - 1 / _r)
    return _claim("moved_back_for_nothing", lemma("s", "", obligation))


def birth_alone_is_finite() -> Claim:
    obligation = gaussian_loss("s", observation(2, 1, 3, 0), changed(2, e2=1), sp.Rational(1, 6))
    return _claim("birth_alone_is_finite", lemma("s", "", obligation))


def both_noises_are_refuted() -> Claim:
    loss = {_loss: lambda: observation(4, 1, 3, 2).loss(changed(4, e1=1)), _rho: sp.Rational(1, 2)}
    return _counter("both_noises_are_refuted", counterexample("s", "", sp.Le(_loss, _rho, evaluate=False), loss))


def no_harm_after_an_odd_event() -> Claim:
    inequality = Inequality(
        "s", (_n - 2) * _n + (_n - 1) + 2, _n * (_n - 1), (sp.Ge(_n, 2),), touching={_n: 2}, weaker=sp.Rational(1, 2)
    )
    return _claim("no_harm_after_an_odd_event", at_most("s", "", inequality))


FALSE = {
    "noise at birth for one level less": ("off by one", birth_for_one_level_less),
    "noise at release for two levels less": ("off by one", release_for_two_levels_less),
    "a later event is in all nodes": ("off by one", later_events_in_all_levels),
    "a moved event loses what one event loses": ("missing factor", moved_as_one),
    "the losses of a moved event cancel": ("wrong sign", moved_back_for_nothing),
    "noise at birth alone has a finite loss": ("missing case", birth_alone_is_finite),
    "both noises are too little": ("wrong constant", both_noises_are_refuted),
    "the sum after an odd event is less by 2": ("wrong constant", no_harm_after_an_odd_event),
}
