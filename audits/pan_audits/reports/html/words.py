"""The sentences of a report."""

from __future__ import annotations

from pan_audits.audit.settings import Settings
from pan_audits.audit.witness import Witness
from pan_audits.exact.result import CheckResult
from pan_audits.exact.witness import ExactWitness
from pan_audits.gate.gate import GateReport
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.reports.text import largest, scopes
from pan_promises.adjacency import OF_TABLES
from pan_promises.promise import Adjacency, Observed, Promise

_ADJACENT = {
    Adjacency.USER_LEVEL: "two streams that become equal when all updates of one user are taken out of both",
    Adjacency.USER_LEVEL_NESTED: "two streams of which one is the other with all or some updates of one user taken out",
    Adjacency.EVENT_LEVEL: "two streams of which one has a single update more than the other",
    Adjacency.ITEM_LEVEL: "two streams of which one has no-ops in place of some entries of one element",
    Adjacency.ADD_ROW: "two tables of which one has one row more than the other",
    Adjacency.REMOVE_ROW: "two tables of which one has one row less than the other",
    Adjacency.REPLACE_ROW: "two tables that differ in one row",
    Adjacency.SITE: "two tables that differ in the rows of one site",
    Adjacency.GIVEN: "two inputs that were given as neighbours",
}
SEEN_OF_TABLES = {
    Observed.TRANSCRIPT: "the transcript",
    Observed.MODEL: "the model",
    Observed.SAMPLE: "sampled rows",
}
"""The observations of a mechanism on tables, in words."""
_SEEN = {
    Observed.STATE: "{states}",
    Observed.OUTPUT: "{outputs}",
    Observed.STATE_AND_OUTPUT: "{states} together with {outputs}",
    **SEEN_OF_TABLES,
}


def input_word(promise: Promise) -> str:
    """The word for an input: a stream, a table, or an input that was given."""
    if promise.adjacency in OF_TABLES:
        return "table"
    return "input" if promise.adjacency is Adjacency.GIVEN else "stream"


def meaning(report: GateReport) -> str:
    """The meaning of the verdict."""
    if report.verdict is Verdict.CERTIFIED:
        return (
            "The promise is kept. A proof covers every size. The exact check of the code on every small stream "
            "agrees with the proof. The audit of the code at real size found no violation."
        )
    if report.verdict is Verdict.NOT_REFUTED:
        section = "Power" if notion_of(report.promise).bets else notion_of(report.promise).unit.capitalize()
        return (
            f"The audit found no violation. This is not a proof. The section “{section}” lists the violations that "
            "the audit would have found."
        )
    if report.verdict is Verdict.INCONCLUSIVE:
        return "There is no conclusion about the promise until the following is resolved."
    if privacy_is_refuted(report):
        if not shows_violation(report):
            return f"The promise is broken. No two {input_word(report.promise)}s alone show it: the reason says why."
        inputs = f"The promise is broken. The page shows two adjacent {input_word(report.promise)}s"
        if not notion_of(report.promise).bets:
            return f"{inputs}, whose observations differ by more than the promise allows."
        return f"{inputs}, and an observation that distinguishes them better than the promise allows."
    return "A statement about the accuracy is wrong. The audit found no violation of the privacy promise."


def privacy_is_refuted(report: GateReport) -> bool:
    """Whether the promise was refuted, and not a statement about the accuracy."""
    if report.certificate is not None and report.certificate.exceeded:
        return True
    return any(part is not None and part.verdict is Verdict.REFUTED for part in (report.exact, report.privacy))


def shows_violation(report: GateReport) -> bool:
    """Whether the page has two inputs and an observation that break the promise."""
    return report.violation is not None


def promise_sentence(promise: Promise) -> str:
    """The promise in full."""
    seen = _SEEN[promise.observed].format(states=_states(promise), outputs=_outputs(promise))
    return notion_of(promise).sentence(_ADJACENT[promise.adjacency], seen)


def _states(promise: Promise) -> str:
    parts = []
    if promise.announced:
        parts.append(f"{_counted(promise.announced, 'announced intrusion')}")
    if promise.intrusions:
        parts.append(f"{_counted(promise.intrusions, 'unannounced intrusion')}")
    one = promise.intrusions + promise.announced == 1
    return f"the state{'' if one else 's'} at {' and '.join(parts)} at any time{'' if one else 's'}"


def _outputs(promise: Promise) -> str:
    if promise.outputs == "every":
        return "every output"
    return "the output" if promise.outputs == 1 else f"{promise.outputs} outputs"


def _counted(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def witness_heading(report: GateReport) -> str:
    """The heading of the two inputs that are shown."""
    if privacy_is_refuted(report) and shows_violation(report):
        return "The witness"
    return f"The pair of {input_word(report.promise)}s that loses most"


def event_sentence(witness: Witness | ExactWitness) -> str:
    """The event, in a sentence."""
    if isinstance(witness, ExactWitness):
        return f"The adversary sees {witness.observation}."
    return f"The adversary looks for this: {witness.event.describe()}."


def where_sentence(witness: Witness | ExactWitness) -> str:
    """The instance of the estimator to which the streams belong."""
    if witness.whole:
        return ""
    if isinstance(witness, ExactWitness):
        users = len(witness.ids)
        return f"On an instance for {users} user{'s' * (users != 1)}, checked exactly."
    family = witness.pair.family
    left, right = (len(side) for side in witness.pair.sides)
    lengths = f"{left:,} and {right:,} updates" if left != right else f"{left:,} updates each"
    return f"On the estimator as configured; the streams have {lengths} ({family.name})."


def settings_rows(report: GateReport, settings: Settings) -> list[tuple[str, str]]:
    """Effort and limits, as labelled values."""
    privacy = report.privacy
    measured = report.accuracy[0].label.key if report.accuracy else "input"
    audited = input_word(report.promise)
    return [
        ("entropy (seed)", str(report.seed)),
        ("error budget", f"{report.error:.3g}: greatest probability that a true statement is refuted"),
        ("exact check", "made first" if settings.exact else "left out"),
        (f"{audited}s", settings.stream or "synthetic catalogue"),
        ("runs of the search", f"{privacy.search_runs:,} at most" if privacy else "none"),
        (
            f"runs on each {audited} for the bound",
            f"{privacy.confirmation_runs:,}" if privacy else "none",
        ),
        (f"runs for each {measured}", f"{settings.accuracy_runs:,}" if report.accuracy else "none"),
        ("limits", f"{settings.limits.seconds:g} s a task, {settings.limits.memory_bytes / 2**30:.3g} GiB"),
        ("workers", f"{settings.workers} ({settings.engine})"),
    ]


def delta_sentence(report: GateReport) -> str:
    """The measured delta, for a promise with a delta."""
    found = None if report.exact is None else report.exact.least_delta
    if not report.promise.delta or found is None:
        return ""
    word = "more than" if found > report.promise.delta else "within"
    noun = input_word(report.promise)
    return (
        f"At the promised epsilon of {float(report.promise.epsilon):.6g} the delta of small {noun}s is {found:.6g}, "
        f"{word} the promised {report.promise.delta:.6g}."
    )


def bound_sentence(report: GateReport) -> str:
    """The bound on the promised number and the conversion; empty for a notion that bets refute."""
    notion, privacy = notion_of(report.promise), report.privacy
    shown = [] if privacy is None else [*notion.not_refuted(privacy.bound, privacy.detectable_bound, digits=4)]
    if privacy is not None and privacy.witness is not None and privacy.witness.evidence is not None:
        shown.insert(1, f"The bound comes from {privacy.witness.evidence.describe()}")
    return " ".join(sentence(one) for one in (*shown, notion.implied[1]) if one)


def covered(exact: CheckResult) -> str:
    """The largest covered scope, in a sentence; the scope of the settings may be larger."""
    rows = scopes(exact.coverage)
    if not rows:
        return ""
    last = largest(rows)
    pairs = sum(row.pairs for row in exact.coverage)
    scope = judged(exact.problem).covered(last.users, last.length)
    ended = "; it stopped there at an unbounded loss" if exact.loss is not None and exact.loss.unbounded else ""
    return f"The exact check covered {scope} ({pairs:,} pairs in all){ended}."


def sentence(text: str) -> str:
    """Text as a sentence of its own."""
    return text[:1].upper() + text[1:] + "." * (not text.endswith("."))


def seconds(value: float) -> str:
    """A time for a reader."""
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s" if value < 120 else f"{value / 60:.1f} min"
