"""Results: a few lines in a terminal, a table in a notebook, a plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from pan_promises.errors import printable

if TYPE_CHECKING:
    from pan_audits.exact.result import CheckResult as ExactResult
    from pan_audits.exact.result import Coverage
    from pan_audits.gate.gate import GateReport
    from pan_audits.judging.verdict import Verdict
    from pan_promises.problem import Problem
    from pan_promises.promise import Promise

_COLOURS = {"REFUTED": "#D55E00", "CERTIFIED": "#009E73", "NOT_REFUTED": "#0072B2"}
_OTHER = "#777777"
_LOSS = "privacy loss in nats"


def _bars(
    title: str,
    bars: list[tuple[str, float]],
    promised: float,
    axis_label: str = _LOSS,
    *,
    detectable: Sequence[tuple[str, float]] = (),
) -> Any:
    """A figure with one bar for each loss or delta, or the losses that would have been found, and the promise."""
    from pan_audits.reports.pages import new_figure, plotting_style

    with plotting_style({}):
        rows = [(each, _COLOURS["REFUTED" if each[1] > promised else "NOT_REFUTED"]) for each in bars]
        rows += [(each, _OTHER) for each in detectable]
        figure = new_figure(6, 0.8 + 0.45 * max(len(rows), 2), dpi=120)
        axis = figure.subplots()
        for place, ((label, loss), colour) in enumerate(rows):
            shown = loss if loss != float("inf") else 2 * promised
            axis.barh(place, shown, color=colour)
            axis.text(shown, place, f" {label}: {loss:.4g}", va="center", fontsize=8)
        if not rows:
            axis.text(0.5, 0.5, "nothing was measured", transform=axis.transAxes, ha="center", fontsize=8)
        axis.axvline(promised, color="black", linestyle="--", linewidth=1)
        axis.set_yticks([])
        axis.set_xlabel(f"{axis_label}; dashed: the promise")
        axis.set_title(printable(title).replace("$", r"\$"), fontsize=10)
        axis.margins(x=0.35)
        figure.tight_layout()
    return figure


def _scope_in_words(problem: Problem, row: Coverage) -> str:
    """The scope of one row of an exact check."""
    from pan_audits.problems import judged

    size, length = judged(problem).nouns
    return f"{row.users} {size}" + (f", {row.length} {length}" if length else "")


def _delta_bar(title: str, delta: float, promise: Promise) -> Any:
    """A figure with the delta of the worst pair, and a line for the promised delta."""
    return _bars(title, [("worst pair", delta)], promise.delta, f"delta at epsilon {float(promise.epsilon):.6g}")


@dataclass(frozen=True, repr=False)
class CheckResult:
    """The outcome of an exact check.

    Attributes
    ----------
    report
        All results.
    """

    report: ExactResult

    @property
    def verdict(self) -> Verdict:
        """REFUTED, NOT_REFUTED in the whole scope, or INCONCLUSIVE."""
        return self.report.verdict

    @property
    def loss(self) -> float | None:
        """The largest loss, in nats; infinite if there is no bound, ``None`` if no scope was covered."""
        return None if self.report.loss is None else self.report.loss.nats

    @property
    def witness(self) -> Any:
        """Two inputs and an observation that break the promise, or ``None``."""
        return self.report.minimal

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return self.report.to_dict()

    def plot(self) -> Any:
        """A matplotlib figure: the loss of each scope, or the delta of the worst pair, beside the promise."""
        if self.report.least_delta is not None:
            return _delta_bar(f"{self.verdict}: {self.report.name}", self.report.least_delta, self.report.promise)
        from pan_audits.notions import notion_of

        title, notion = f"{self.verdict}: {self.report.name}", notion_of(self.report.promise)
        known = () if self.report.knows_no_loss else self.report.coverage
        rows = [(_scope_in_words(self.report.problem, row), row.loss.nats) for row in known]
        return _bars(
            title,
            rows,
            notion.promised,
            notion.quantity,
        )

    def _rows(self) -> list[tuple[str, str]]:
        from pan_audits.reports.text import in_brief, loss_in_brief

        raised = "" if self.witness is None else self.witness.remark
        return in_brief(self.report, loss_in_brief(self.report), ("because", f"it {raised}" if raised else ""))

    def __repr__(self) -> str:
        from pan_audits.reports.text import as_text

        return as_text(self._rows())

    def _repr_html_(self) -> str:
        from pan_audits.reports.text import as_table

        witness = [] if self.witness is None else [("witness", self.witness.describe())]
        return as_table(self.verdict, self._rows() + witness)


@dataclass(frozen=True, repr=False)
class AuditResult:
    """The outcome of an audit or a gate.

    Attributes
    ----------
    report
        All results.
    """

    report: GateReport

    @property
    def verdict(self) -> Verdict:
        """CERTIFIED, REFUTED, NOT_REFUTED or INCONCLUSIVE."""
        return self.report.verdict

    @property
    def loss(self) -> float | None:
        """A lower bound on the loss, in nats, if the promise is refuted; ``None`` otherwise."""
        exact, privacy = self.report.exact, self.report.privacy
        if exact is not None and exact.minimal is not None:
            return exact.minimal.loss.nats
        return None if privacy is None else privacy.loss

    @property
    def rho(self) -> float | None:
        """For a promise of a rho: a lower bound on rho, also if the promise is not refuted."""
        return None if self.report.privacy is None else self.report.privacy.bound

    @property
    def witness(self) -> Any:
        """Two inputs and an event that break the promise, or ``None``."""
        return self.report.violation

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return self.report.to_dict()

    def plot(self) -> Any:
        """A matplotlib figure: the measured losses beside the promise, or rho beside the promised rho.

        For a promise with a delta: the loss that the audit measured for this delta; if it measured none, the delta of
        the exact check at the promised epsilon. Without a violation, the losses that the audit would have found are
        shown in grey.
        """
        from pan_audits.notions import notion_of

        title, promise, exact = f"{self.verdict}: {self.report.name}", self.report.promise, self.report.exact
        if not (notion := notion_of(promise)).bets:
            shown = [] if self.rho is None else [("audit, at least", self.rho)]
            return _bars(title, shown, notion.promised, notion.quantity)
        measured = None if self.report.privacy is None else self.report.privacy.loss
        delta = None if exact is None else exact.least_delta
        if delta is not None and measured is None:
            return _delta_bar(title, delta, promise)
        found = []
        # With a delta, the largest loss of an event says nothing: the event may be as rare as the delta.
        if exact is not None and exact.loss is not None and not promise.delta:
            found.append(("exact, small inputs", exact.loss.nats))
        if measured is not None:
            found.append(("audit, at least", measured))
        label = f"{_LOSS} at delta {promise.delta:.6g}" if promise.delta else _LOSS
        return _bars(
            title, found, float(promise.epsilon), label, detectable=[] if measured is not None else self._detectable()
        )

    def _detectable(self) -> list[tuple[str, float]]:
        """The losses that the audit would have found."""
        known = {} if self.report.privacy is None else self.report.privacy.detectable
        return [
            (f"an event of probability {mass:g} would be found from", every)
            for mass, (every, _) in known.items()
            if every != float("inf")
        ]

    def _rows(self) -> list[tuple[str, str]]:
        from pan_audits.reports.text import in_brief

        warnings = [(str(one.severity), one.sentence) for one in self.report.findings if one.severity == "warning"]
        return in_brief(self.report, ("because", self.report.reason), *warnings)

    def __repr__(self) -> str:
        from pan_audits.reports.text import as_text

        return as_text(self._rows())

    def _repr_html_(self) -> str:
        from pan_audits.reports.commands import again
        from pan_audits.reports.text import as_table
        from pan_estimators.common.registry import ships

        # No command names an object of this session.
        named = ":" in self.report.name or ships(self.report.name)
        return as_table(self.verdict, [*self._rows(), *([("again", again(self.report))] if named else [])])


@dataclass(frozen=True, repr=False)
class ClaimTable(Mapping[str, Any]):
    """The judged statements of the sources, by id.

    Attributes
    ----------
    entries
        Each with its claim, its verdict and the reason.
    """

    entries: Mapping[str, Any]

    def __getitem__(self, identifier: str) -> Any:
        return self.entries[identifier]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def plot(self) -> Any:
        """A matplotlib figure: the number of claims with each verdict."""
        from pan_audits.reports.pages import new_figure, plotting_style

        counted = self._counted()
        with plotting_style({}):
            figure = new_figure(6, 0.6 + 0.4 * len(counted), dpi=120)
            axis = figure.subplots()
            axis.barh(list(counted), list(counted.values()), color="#0072B2")
            axis.set_xlabel("claims")
            figure.tight_layout()
        return figure

    def _counted(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for entry in self.entries.values():
            found[str(entry.verdict)] = found.get(str(entry.verdict), 0) + 1
        return found

    def __repr__(self) -> str:
        return f"{len(self)} claims: " + ", ".join(f"{count} {verdict}" for verdict, count in self._counted().items())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(str(entry.verdict))}</td><td>{escape(identifier)}</td>"
            f"<td>{escape(entry.claim.title)}</td></tr>"
            for identifier, entry in self.entries.items()
        )
        return f"<table><tr><th>verdict</th><th>claim</th><th>title</th></tr>{rows}</table>"
