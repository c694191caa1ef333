"""The gate: an exact check of small instances, hygiene, accuracy, privacy, and one verdict on all of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from pan_audits.accuracy import AccuracyResult, audit_accuracy
from pan_audits.audit.journal import Journal
from pan_audits.audit.privacy import audit_privacy
from pan_audits.audit.privacy_result import PrivacyResult
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.settings import Settings
from pan_audits.audit.witness import Witness
from pan_audits.conduct import Finding, check_conduct
from pan_audits.conduct.complete_state import compared_forms
from pan_audits.conduct.finding import defect, findings_of_floating_point, findings_of_unconfirmed, note
from pan_audits.conduct.many_runs import compared_batches, compared_many_runs
from pan_audits.conduct.memory import Surveyed, survey
from pan_audits.conduct.output_streams import PRINTING, compared_printing
from pan_audits.conduct.randomness import OF_SYSTEM, RANDOMNESS
from pan_audits.exact.check import not_judged
from pan_audits.exact.instances import SmallInstances, check_in_worker
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.exact.witness import ExactWitness
from pan_audits.gate.certificate import Certificate, certify
from pan_audits.judging.documents import document
from pan_audits.judging.randomness import RandomnessLevel
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation.conduct import Conduct
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_audits.subject.isolation.orders import courses_of
from pan_audits.subject.isolation.printed import DIFFER
from pan_audits.subject.isolation.sandbox import IN_ONE_PROCESS, Isolation
from pan_audits.subject.running.runner import EstimatorRunner
from pan_audits.workers.engines import Engine, Processes, open_engine, run_in_workers
from pan_audits.workers.limits import MechanismError, one_thread
from pan_promises.extras import require_extra
from pan_promises.promise import Promise
from pan_promises.workers import start_workers

_SMALL = CheckSettings(users=3, length=3, appearances=5, runs=4_000)
"""The scope of the exact check of a gate; ``panproof check`` covers more."""


@dataclass(frozen=True)
class GateReport:
    """The outcome of a gate.

    Attributes
    ----------
    name
        The estimator, as it was asked for.
    configuration
        Its parameters.
    promise
        The promise that was audited.
    verdict
        The verdict of the whole gate: refuted if the promise or a statement about accuracy is refuted; inconclusive
        if the estimator failed or its conduct prevents a conclusion; otherwise the verdict on the promise.
    reason
        The verdict in a sentence.
    findings, accuracy, privacy
        The three parts of the audit, as far as they were reached.
    seed, error
        Entropy and error budget of the run.
    seconds
        Wall-clock time.
    exact
        The exact check of small instances, if there was one.
    certificate
        The closed form of the loss, if a proof has one for this estimator.
    stream
        The real stream whose edits were audited, if any.
    isolation
        The isolation of the estimator's code.
    settings
        Effort, error budget and limits, to show the command that makes the same gate again.
    resumed
        The work that was read from a journal and not run here, in a sentence; empty if there was none.
    conduct
        Acts of the code beside computing, and its lines that never ran; ``None`` if they were not followed.
    ids
        The forms of the ids that were fed, in words; empty for inputs of another kind, and for trusted code.
    """

    name: str
    configuration: Mapping[str, Any]
    promise: Promise
    verdict: Verdict
    reason: str
    seed: int
    error: float
    findings: tuple[Finding, ...] = ()
    accuracy: tuple[AccuracyResult, ...] = ()
    privacy: PrivacyResult | None = None
    seconds: float = 0.0
    exact: CheckResult | None = None
    certificate: Certificate | None = None
    stream: str | None = None
    isolation: Isolation = IN_ONE_PROCESS
    settings: Settings | None = None
    resumed: str = ""
    conduct: Conduct | None = None
    ids: str = ""

    @property
    def refuted_exactly(self) -> bool:
        """Whether the exact check refutes the promise, so that the gate made no runs."""
        return self.exact is not None and self.exact.refuted

    @property
    def randomness(self) -> RandomnessLevel | None:
        """How far the judge owned the random choices; ``None`` if no test of it was made, or it found a defect."""
        if any(finding.check == OF_SYSTEM for finding in self.findings):
            return RandomnessLevel.SYSTEM
        if self.exact is not None and self.exact.randomness is not None:
            return self.exact.randomness
        tested = self.privacy is not None and self.settings is not None and self.settings.hygiene
        return RandomnessLevel.SEEDED if tested else None

    @property
    def violation(self) -> ExactWitness | Witness | None:
        """Two inputs and what is seen of them, which break the promise; the exact ones first."""
        exact, privacy = self.exact, self.privacy
        return (exact and exact.minimal) or (privacy and privacy.witness) or None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = document(self, "name configuration promise verdict reason findings accuracy randomness")
        described["exact"] = self.exact and self.exact.to_dict(timed=False)
        described |= document(self, "certificate privacy seed error stream isolation resumed conduct ids")
        return {"panproof": 1, **described, "seconds": round(self.seconds, 3)}


@one_thread()
def run_gate(
    mechanism: Mechanism, settings: Settings, *, journal: Journal | None = None, progress: Any = None
) -> GateReport:
    """Judge an estimator.

    Parameters
    ----------
    mechanism
        The estimator with its promise, from :func:`pan_audits.find_mechanism`.
    settings
        Effort, error budget and seed.
    journal
        It records finished work. An interrupted gate continues from it and gives the same result.
    progress
        Called with the number of newly finished runs.

    Returns
    -------
    A report for every estimator. If the estimator raises, hangs or takes too much memory, the verdict is
    inconclusive, with the results so far. If it keeps data outside its state or uses randomness of its own, the
    verdict is inconclusive too, and the gate makes no further runs.
    """
    require_extra("a gate", "suite")
    began = time.perf_counter()
    report = GateReport(
        name=mechanism.name,
        configuration=mechanism.configuration,
        promise=mechanism.promise,
        verdict=Verdict.INCONCLUSIVE,
        reason=judged(mechanism.problem).why_not_judged(mechanism.promise),
        seed=settings.seed or 0,
        error=settings.error,
        isolation=mechanism.isolation,
        settings=settings,
    )
    if report.reason:
        return report
    # Read first: an estimand with an unknown name is bad input.
    states_accuracy = settings.accuracy_runs > 0 and hasattr(mechanism.estimator, "statements")
    entropy = settings.seed if settings.seed is not None else secrets.randbits(64)
    if journal is not None:
        entropy = int(journal.fact("seed", entropy))
    seed = entropy % 2**32
    budget = ErrorBudget(settings.error, "gate").split({"privacy": 8, "accuracy": 1, "hygiene": 1})
    share_of_conduct = budget["hygiene"].split({"others": 2, "many runs": 2, "forms": 1, "printing": 1})
    findings: list[Finding] = []
    accuracy: list[AccuracyResult] = []
    privacy: PrivacyResult | None = None
    exact: CheckResult | None = None
    seen = Surveyed()
    failure = ""
    try:
        with open_engine(
            settings.engine, workers=settings.workers, limits=settings.limits, scheduler=settings.scheduler
        ) as engine:
            if settings.exact and not settings.doubles:
                exact = _exact_check(mechanism, settings, journal)
                findings += [note("time", f"exact check: {exact.timed}")] * bool(exact.timed)
            refuted = exact is not None and exact.refuted
            if settings.hygiene and not refuted:
                # They wait for processes most of the time.
                with ThreadPoolExecutor(max_workers=3) as beside:
                    waiting = beside.submit(survey, mechanism, seed=seed, limits=settings.limits)
                    beside.submit(_prepare, engine, mechanism.estimator)
                    # The search needs it, and its import takes a fifth of a second.
                    beside.submit(import_module, "scipy.special")
                    try:
                        share = share_of_conduct["others"].error
                        findings += check_conduct(mechanism, error=share, limits=settings.limits, seed=seed)
                    finally:
                        # If both fail, the report names the failure of the survey.
                        seen = waiting.result()
                findings += seen.findings
            if isinstance(mechanism.estimator, IsolatedEstimator) and not refuted:
                mechanism.estimator.require_answers(courses_of(mechanism.estimator, mechanism.population))
            sampler = Sampler(
                EstimatorRunner(mechanism.estimator, mechanism.promise),
                settings.workers,
                settings.limits,
                journal,
                progress,
                engine=engine,
            )
            independent = not refuted and not any(_correlates_runs(finding) for finding in findings)
            if settings.hygiene and independent and (exact is None or exact.verdict is not Verdict.NOT_REFUTED):
                findings += compared_forms(mechanism, error=share_of_conduct["forms"].error, seed=seed)
            # Draws that no seed repeats cannot be compared.
            if settings.hygiene and independent and not any(one.check == OF_SYSTEM for one in findings):
                findings += _compare(sampler, mechanism, settings, share_of_conduct["many runs"].error, entropy)
            if independent and states_accuracy:
                accuracy = audit_accuracy(
                    mechanism.estimator,
                    replace(sampler),
                    budget["accuracy"],
                    entropy=entropy,
                    runs=settings.accuracy_runs,
                    problem=mechanism.problem,
                )
            if independent:
                privacy = audit_privacy(
                    mechanism.estimator,
                    mechanism.promise,
                    mechanism.population,
                    budget["privacy"],
                    settings,
                    entropy=entropy,
                    configuration=mechanism.configuration,
                    sampler=sampler,
                    problem=mechanism.problem,
                    mined=seen.mined,
                )
                findings += findings_of_unconfirmed(privacy.unconfirmed)
                if sampler.runs and not (sampler.varied or any(one.check == RANDOMNESS for one in findings)):
                    findings.append(note(RANDOMNESS, f"all runs on one input showed the same, in {privacy.runs} runs"))
                if privacy.printed and privacy.verdict is not Verdict.REFUTED and not _leaks(exact):
                    findings += _about_printing(mechanism, privacy, share_of_conduct["printing"].error, entropy, seen)
                findings += findings_of_floating_point(privacy.doubles, mechanism.promise)
                if privacy.explored:
                    findings.append(note("space of data", privacy.explored))
                if privacy.timed:
                    findings.append(note("time", privacy.timed))
                # A shipped mechanism has no number of sampled rows to choose.
                if privacy.verdict is not Verdict.REFUTED and isinstance(mechanism.estimator, IsolatedEstimator):
                    left = judged(mechanism.problem).left_open(mechanism.promise)
                    findings += [note("sampled rows", left)] * bool(left)
    except MechanismError as problem:
        failure = f"{mechanism.name} failed during the audit: {problem}"
    if exact is not None and _leaks(exact):
        findings.append(defect(PRINTING, exact.printing))
    certificate = certify(mechanism, exact) if exact is not None else None
    verdict, reason = _overall(failure, findings, accuracy, privacy, exact, certificate)
    return replace(
        report,
        verdict=verdict,
        reason=reason,
        findings=tuple(findings),
        accuracy=tuple(accuracy),
        privacy=privacy,
        seed=entropy,
        seconds=time.perf_counter() - began,
        exact=exact,
        certificate=certificate,
        stream=settings.stream,
        resumed=journal.taken_over if journal is not None else "",
        conduct=_both(seen.conduct, exact),
        ids=_ids_in_words(mechanism) if seen.conduct is not None and not judged(mechanism.problem).whole else "",
    )


def _ids_in_words(mechanism: Mechanism) -> str:
    """The forms of the ids that the runs feed."""
    ends = (mechanism.population[place] for place in (0, len(mechanism.population) - 1))
    first, last = (one.item() if hasattr(one, "item") else one for one in ends)
    kind = "whole numbers" if isinstance(first, int) else "texts" if isinstance(first, str) else "pairs"
    fed = f"{kind} from {first!r} to {last!r}, in arrays of numpy"
    return f"{fed}; beside constants of the code, no other form of an id was tried"


def _both(conduct: Conduct | None, exact: CheckResult | None) -> Conduct | None:
    """The conduct in the survey; a line that ran in the exact check did run."""
    if conduct is None or exact is None or exact.conduct is None:
        return conduct
    return conduct.and_also(exact.conduct)


def _prepare(engine: Engine, estimator: Any) -> None:
    """Start the processes of the runs while others wait. An error is told where they are needed."""
    if isinstance(engine, Processes):
        start_workers(engine.workers)
        if isinstance(estimator, IsolatedEstimator):
            run_in_workers([estimator.make] * engine.workers, engine.workers, engine.limits)


def _compare(sampler: Sampler, mechanism: Mechanism, settings: Settings, error: float, entropy: int) -> list[Finding]:
    """Compare runs that are made at once with single runs; afterwards the sampler makes what is to be used."""
    findings: list[Finding] = []
    if not judged(mechanism.problem).whole:
        sampler.runner, findings = compared_many_runs(sampler, mechanism.population, error=error, entropy=entropy)
    elif getattr(mechanism.estimator, "makes_batches", False):
        pairs = mechanism.pairs(entropy % 2**32)
        sampler.runner, findings = compared_batches(sampler, pairs, runs=settings.runs, error=error, entropy=entropy)
    return findings


def _exact_check(mechanism: Mechanism, settings: Settings, journal: Journal | None) -> CheckResult:
    """The check of small instances. It takes some time, so that it is made once."""
    if why := notion_of(mechanism.promise).why_not_checked(judged(mechanism.problem)):
        return not_judged(mechanism, _SMALL, why)
    kept = journal.result("exact check", CheckResult) if journal is not None else None
    if kept is not None and (kept.name, kept.promise, kept.settings) == (mechanism.name, mechanism.promise, _SMALL):
        return kept
    exact = check_in_worker(SmallInstances.of(mechanism, settings.limits), _SMALL, settings.limits)
    if journal is not None:
        journal.keep("exact check", exact)
    return exact


def _correlates_runs(finding: Finding) -> bool:
    """Whether the runs are not independent draws. Then a refutation would mean nothing."""
    return finding.is_defect and finding.check in {"hidden state", "randomness"}


def _leaks(exact: CheckResult | None) -> bool:
    """Whether the exact check shows that printed bytes break the promise."""
    return exact is not None and DIFFER in exact.printing


def _about_printing(
    mechanism: Mechanism, privacy: PrivacyResult, error: float, entropy: int, seen: Surveyed
) -> list[Finding]:
    """The finding about the bytes that the code printed."""
    if not isinstance(mechanism.estimator, IsolatedEstimator):
        return []
    pairs = mechanism.pairs(entropy % 2**32, seen.mined)
    return compared_printing(mechanism, pairs, privacy.printed, runs=privacy.runs, error=error, entropy=entropy)


def _overall(
    failure: str,
    findings: list[Finding],
    accuracy: list[AccuracyResult],
    privacy: PrivacyResult | None,
    exact: CheckResult | None,
    certificate: Certificate | None,
) -> tuple[Verdict, str]:
    if exact is not None and exact.refuted:
        return Verdict.REFUTED, "the privacy promise does not hold: " + exact.reason
    if certificate is not None and certificate.exceeded:
        return Verdict.REFUTED, "the privacy promise does not hold: " + certificate.describe_excess()
    if privacy is not None and privacy.verdict is Verdict.REFUTED:
        return Verdict.REFUTED, "the privacy promise does not hold: " + privacy.describe()
    wrong = [result for result in accuracy if result.verdict is Verdict.REFUTED]
    if failure:
        return Verdict.INCONCLUSIVE, failure
    if wrong:
        return Verdict.REFUTED, "a statement about the accuracy does not hold: " + wrong[0].describe()
    defects = [finding for finding in findings if finding.is_defect]
    if defects:
        return Verdict.INCONCLUSIVE, "there is no conclusion, because " + defects[0].sentence
    assert privacy is not None
    if certificate is not None and certificate.agrees and exact is not None and privacy.verdict is exact.verdict:
        return Verdict.CERTIFIED, certificate.describe()
    why_not = f". It is {certificate.why_not}" if certificate is not None and certificate.why_not else ""
    return privacy.verdict, privacy.describe() + why_not
