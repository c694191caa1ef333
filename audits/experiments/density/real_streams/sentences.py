"""The verdicts of the page: computed from the exact distribution, and put into words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from experiments.density.real_streams.distribution import Floats, Pattern, Visible, certainty
from experiments.density.real_streams.study import CONTINUAL, DISTINCT, EXACT, PAIRS, SHOWN, Study
from experiments.toolkit.conditions import Effect
from experiments.toolkit.sentence import Judgement, Sentence

NAME = "real-streams"
"""Name of the experiment, as in ``python -m experiments reproduce real-streams``."""


@dataclass(frozen=True)
class Balance:
    """The promise and the loss of one estimator of a study, for state and output jointly.

    Attributes
    ----------
    promised
        The promise in nats; ``None`` if there is none.
    loss
        The largest loss about the target on this stream, in nats.
    keeps
        Whether the promise is kept; decided in balls or in fractions, not in floats.
    """

    promised: float | None
    loss: float
    keeps: bool


def balance(study: Study, name: str) -> Balance:
    """The exact worst case over all pairs of the target's patterns."""
    worst = study.worst_losses(name)
    if name == EXACT:
        return Balance(None, worst[Visible.BOTH], False)
    if name == DISTINCT:
        return Balance(study.promised, worst[Visible.STATE], False)
    if name == CONTINUAL:
        # Its calibration was verified in fractions when the estimator was made.
        return Balance(study.promised, worst[Visible.BOTH], worst[Visible.BOTH] <= study.promised)
    return Balance(study.promised, worst[Visible.BOTH], not study.learned[name].distribution.exceeds(study.promised))


def title(study: Study, name: str) -> str:
    """The verdict on one estimator in a line."""
    found = balance(study, name)
    if found.promised is None:
        return f"{name} promises nothing: an adversary who sees its state knows which users came"
    bound = at_most(certainty(found.promised))
    if found.keeps:
        return f"{name} keeps its promise: the adversary is never more than {bound} sure"
    if name == DISTINCT:
        sure = at_least(certainty(found.loss))
        return f"{name} does not keep its promise: the adversary can be {sure} sure, when it is one short of full"
    return f"{name} does not keep its promise: the adversary can be {at_least(certainty(found.loss))} sure, not {bound}"


def judged_sentences(study: Study) -> tuple[Judgement, ...]:
    """The published and the calibrated promises, tried on the stream of a study."""
    found = {name: balance(study, name) for name in SHOWN}
    return tuple(_judgement(study, name, one) for name, one in found.items() if one.promised is not None)


def _judgement(study: Study, name: str, found: Balance) -> Judgement:
    story = study.story
    assert found.promised is not None
    sentence = Sentence(
        id=f"{NAME}.{story.name}.{name}",
        source=str(study.estimators[name].promise.claim),
        states=f"An adversary who sees {_what(name)} learns at most {found.promised:.4g} nats about {story.label}: "
        f"from 50:50, never more than {at_most(certainty(found.promised))} sure.",
        meaning="the exact worst loss over all patterns of the user's appearances is at most the promised one",
        measured=False,
    )
    return Judgement.of(sentence, [found.keeps], _effect(study, name, found))


def share_beyond(losses: Floats, bound: float) -> float:
    """The part of the runs whose loss exceeds a bound in either direction, rounding aside."""
    return float(np.mean(np.abs(losses) > bound + 1e-9))


def at_most(part: float) -> str:
    """A percentage, rounded up."""
    return f"{math.ceil(round(part * 1000, 6)) / 10:.1f} %"


def at_least(part: float) -> str:
    """A percentage, rounded down."""
    thousandths = math.floor(round(part * 1000, 6))
    return f"{(thousandths if part == 1 else min(thousandths, 999)) / 10:.1f} %"


def _what(name: str) -> str:
    return "the state once and all outputs" if name == CONTINUAL else "the state once and then the output"


def _effect(study: Study, name: str, found: Balance) -> Effect:
    story = study.story
    if name == DISTINCT:
        updates = study.telling_updates
        return Effect(
            f"with {updates} updates of {story.label} put just before the intrusion, a state that lacks "
            f"one member to be full, and {story.label} not among them, loses {found.loss:.4g} nats, exactly so at "
            f"level 0; more updates lose more, without bound; a sample one short of full is rare: "
            f"{study.publications[name].nearly_full} of {study.publications[name].released.size:,} looks along the "
            "stream found one",
            f"{found.loss:.4g} nats, {at_least(certainty(found.loss))} sure: {updates} updates before the intrusion, "
            "of a user who is not in a sample that is one short of full",
        )
    if name == CONTINUAL:
        checked = "attained; checked in fractions when the noise was calibrated"
        return Effect(f"at most {found.loss:.6f} nats, {checked}", f"{found.loss:.4g} nats, state and all outputs")
    distribution = study.learned[name].distribution
    worst = [(distribution.worst_loss(x, y, Visible.BOTH), x, y) for x, y in PAIRS]
    # Rounding must not choose among equal losses.
    loss, truth, other = max(worst, key=lambda entry: round(entry[0], 9))
    runs = study.learned[name].losses(story, truth, other, 0)[Visible.BOTH]
    beyond = share_beyond(runs, study.promised)
    removed = distribution.worst_loss(Pattern.AFTER, Pattern.NEVER, Visible.BOTH)
    sure = at_most(certainty(loss)) if found.keeps else at_least(certainty(loss))
    gap = story.moments[0] - story.intrusion
    return Effect(
        f"at most {loss:.6g} nats, {sure}, and as much as that: pattern {truth!s} against {other!s}; of a release "
        f"{gap} update{'s' * (gap > 1)} after the intrusion {beyond:.0%} of {len(runs)} runs exceed the promise; that "
        f"{story.label} came after the intrusion, against never: at most {removed:.4g} nats",
        f"{loss:.4g} nats, {sure} sure: pattern {truth!s} against {other!s}",
    )
