"""The sentences of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pan_audits.exact.numbers import as_float
from pan_audits.exact.result import CheckResult, Coverage
from pan_audits.exact.witness import ExactWitness
from pan_audits.gate import GateReport
from pan_audits.pairs.side import Step
from pan_audits.settings import Settings
from pan_audits.verdict import Verdict
from pan_audits.witness import Witness
from pan_estimators import Adjacency, Observed, Promise

_ADJACENT = {
    Adjacency.USER_LEVEL: "two streams that become equal when all updates of one user are taken out of both",
    Adjacency.USER_LEVEL_NESTED: "two streams of which one is the other with all or some updates of one user taken out",
    Adjacency.EVENT_LEVEL: "two streams of which one has a single update more than the other",
}
_SEEN = {
    Observed.STATE: "{states}",
    Observed.OUTPUT: "{outputs}",
    Observed.STATE_AND_OUTPUT: "{states} together with {outputs}",
}


def meaning(report: GateReport) -> str:
    """What the verdict means, in one sentence."""
    if report.verdict is Verdict.CERTIFIED:
        return (
            "The promise is kept: by a proof for every size, by an exact check of the code on every small stream "
            "that agrees with the proof, and the audit of the code at real size found nothing against it."
        )
    if report.verdict is Verdict.NOT_REFUTED:
        return (
            "No violation was found, which is no proof that there is none: what would have been caught stands "
            "under “Power”."
        )
    if report.verdict is Verdict.INCONCLUSIVE:
        return "Neither for nor against the promise can anything be said, until what is missing is mended."
    if privacy_is_refuted(report):
        return (
            "The promise is broken: below are two adjacent streams, and something an intruder may see, that tells "
            "them apart better than was promised."
        )
    return "A statement about the accuracy is wrong; against the privacy promise itself nothing was found."


def privacy_is_refuted(report: GateReport) -> bool:
    """Whether it is the promise that was refuted, rather than a statement about the accuracy."""
    return any(part is not None and part.verdict is Verdict.REFUTED for part in (report.exact, report.privacy))


def promise_sentence(promise: Promise) -> str:
    """The promise in full."""
    epsilon = float(promise.epsilon)
    factor = f"{math.exp(epsilon):.4g}" if epsilon < 20 else "an enormous number of"
    odds = f"at most {factor} times (e to the {epsilon:.6g}) as likely on the one as on the other"
    if promise.delta:
        odds += f", up to a probability of {promise.delta:.3g}"
    seen = _SEEN[promise.observed].format(states=_states(promise), outputs=_outputs(promise))
    return f"For any {_ADJACENT[promise.adjacency]}: whatever an intruder sees of {seen} is {odds}."


def _states(promise: Promise) -> str:
    parts = []
    if promise.announced:
        parts.append(f"{_counted(promise.announced, 'announced intrusion')}")
    if promise.intrusions:
        parts.append(f"{_counted(promise.intrusions, 'unannounced intrusion')}")
    one = promise.intrusions + promise.announced == 1
    return f"the state{'' if one else 's'} at {' and '.join(parts)} at any time{'' if one else 's'}"


def _outputs(promise: Promise) -> str:
    return "the output" if promise.outputs == 1 else f"{promise.outputs} outputs"


def _counted(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def witness_heading(report: GateReport) -> str:
    """What the two streams that are drawn are."""
    if privacy_is_refuted(report):
        return "The witness"
    return "The pair of streams that loses most"


def event_sentence(witness: Witness | ExactWitness) -> str:
    """What the intruder looks for."""
    if isinstance(witness, ExactWitness):
        return f"The intruder sees {witness.observation}."
    return f"The intruder looks for this: {witness.event.describe()}."


def where_sentence(witness: Witness | ExactWitness) -> str:
    """On which instance of the estimator the streams are."""
    if isinstance(witness, ExactWitness):
        users = len(witness.ids)
        return f"On an instance for {users} user{'s' * (users != 1)}, checked exactly."
    family = witness.pair.family
    left, right = (len(side) for side in witness.pair.sides)
    lengths = f"{left:,} and {right:,} updates" if left != right else f"{left:,} updates each"
    return f"On the estimator as configured; the streams have {lengths} ({family.name})."


def marks_of(witness: Witness | ExactWitness) -> tuple[bool, bool]:
    """Whether states, and whether outputs are seen on these streams."""
    if isinstance(witness, ExactWitness):
        steps = [item for item in witness.left if isinstance(item, Step)]
    else:
        steps = list(witness.pair.family.schedule)
    return any(step is not Step.RELEASE for step in steps), Step.RELEASE in steps


def settings_rows(report: GateReport, settings: Settings) -> list[tuple[str, str]]:
    """Effort and limits, as labelled values."""
    privacy = report.privacy
    return [
        ("entropy (seed)", str(report.seed)),
        ("error budget", f"{report.error:.3g}: the probability, at most, that anything true is refuted here"),
        ("exact check", "made first" if settings.exact else "left out"),
        ("streams", settings.stream or "synthetic catalogue"),
        ("runs of the search", f"{privacy.search_runs:,} at most" if privacy else "none"),
        ("runs on each stream for the bound", f"{privacy.confirmation_runs:,}" if privacy else "none"),
        ("runs for each density", f"{settings.accuracy_runs:,}" if report.accuracy else "none"),
        ("limits", f"{settings.limits.seconds:g} s a task, {settings.limits.memory_bytes / 2**30:.3g} GiB"),
        ("workers", f"{settings.workers} ({settings.engine})"),
    ]


def delta_sentence(report: GateReport) -> str:
    """For a promise with a delta, the delta that was found."""
    witness = report.exact.witness if report.exact is not None else None
    if not report.promise.delta or witness is None or witness.delta is None:
        return ""
    found = as_float(witness.delta)
    word = "more than" if found > report.promise.delta else "within"
    return (
        f"At the promised epsilon of {float(report.promise.epsilon):.6g} the delta of small streams is {found:.6g}, "
        f"{word} the promised {report.promise.delta:.6g}."
    )


def covered(exact: CheckResult) -> str:
    """The largest scope that was covered, in a sentence; nothing that was only asked for."""
    rows = scopes(exact.coverage)
    if not rows:
        return ""
    last = max(rows, key=lambda row: (row.users, row.length))
    pairs = sum(row.pairs for row in exact.coverage)
    users = f"{last.users} user{'s' * (last.users != 1)}"
    updates = f"{last.length} update{'s' * (last.length != 1)}"
    ended = ", where a loss without bound ended it" if exact.loss is not None and exact.loss.unbounded else ""
    return f"The exact check went as far as every stream of up to {updates} by {users} ({pairs:,} pairs in all){ended}."


def sentence(text: str) -> str:
    """Text as a sentence of its own."""
    return text[:1].upper() + text[1:] + "." * (not text.endswith("."))


def scopes(coverage: Sequence[Coverage]) -> list[Coverage]:
    """What was covered: all lengths for the most users, the largest for fewer."""
    most = max((row.users for row in coverage), default=0)
    following = [row.users for row in coverage[1:]] + [0]
    return [row for row, users in zip(coverage, following, strict=True) if row.users == most or users != row.users]


def seconds(value: float) -> str:
    """A time that can be read."""
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s" if value < 120 else f"{value / 60:.1f} min"
