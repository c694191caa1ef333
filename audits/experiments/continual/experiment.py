"""The experiment ``turnstile``: the errors of the counters, the attacks, and counts of real streams over time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from experiments.continual.sentences import NAME, judged
from experiments.continual.study import WHOLE, Errors, Scale, Series, Study, by_counter, make_study
from experiments.toolkit.figures import Drawing, in_svg
from experiments.toolkit.results import Reproduction, Request, write_page
from pan_audits.reports.pages import new_figure, plotting_style, require_figures
from pan_estimators.streams.real import load_turnstile_stream

_INK, _QUIET = "#1a1a1a", "#6b6b6b"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00", "#56b4e9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "x")


def style() -> AbstractContextManager[None]:
    """Draw within it."""
    return plotting_style({"svg.fonttype": "path", "font.size": 10, "legend.fontsize": 9})


def draw_all(study: Study) -> tuple[Drawing, ...]:
    """All figures: errors, counts over time, and attacks."""
    return (_errors(study), *(_over_time(one, number) for number, one in enumerate(study.series)), _attacks(study))


def _styles(names: list[str]) -> dict[str, dict[str, Any]]:
    return {
        name: {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKERS[place % len(_MARKERS)]}
        for place, name in enumerate(names)
    }


def _errors(study: Study) -> Drawing:
    """The error against w for the longest streams, one panel for each rho."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    scale, longest = study.scale, max(study.scale.lengths)
    names = sorted({one.counter for one in study.synthetic})
    styles = _styles(names)
    figure = new_figure(14, 4.6)
    panels = figure.subplots(1, len(scale.budgets), sharey=True, squeeze=False)[0]
    for axes, rho in zip(panels, scale.budgets, strict=True):
        for name in names:
            points: list[Errors] = [
                found[name]
                for changes in scale.flippancies
                if name
                in (found := by_counter(study.synthetic, steps=longest, rho=rho, stream=_name(longest, changes)))
            ]
            axes.plot([one.changes for one in points], [one.rmse for one in points], label=name, **styles[name])
        axes.axvline(rho ** (1 / 3) * longest ** (2 / 3), color=_QUIET, linestyle="--", linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(scale.flippancies, [str(one) for one in scale.flippancies])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.3g}"))
        axes.set_title(f"rho = {rho:g}", loc="left")
        axes.set_xlabel("w: changes of existence of an element")
    panels[0].set_ylabel("RMSE of the count")
    panels[-1].legend(loc="lower right")
    figure.subplots_adjust(left=0.06, right=0.985, top=0.9, bottom=0.13, wspace=0.06)
    title = f"The error at T = {longest:,}; the dashed line is the printed crossover rho^(1/3) T^(2/3)"
    return _drawn("errors", title, figure)


def _name(length: int, changes: int) -> str:
    return f"T = {length:,}, w = {changes}"


def _over_time(series: Series, number: int) -> Drawing:
    names = list(series.published)
    figure = new_figure(14, 2.3 * ((len(names) + 1) // 2) + 0.7)
    panels = figure.subplots((len(names) + 1) // 2, 2, sharex=True, squeeze=False).ravel()
    for axes, name, colour in zip(panels, names, _COLOURS * 4, strict=False):
        axes.plot(series.steps, series.published[name], color=colour, linewidth=0.9, label="published")
        axes.plot(series.steps, series.counts, color=_INK, linewidth=1.3, label="true")
        axes.set_title(name, loc="left", fontsize=10)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    panels[0].legend(loc="best")
    figure.supxlabel("step", fontsize=10)
    figure.subplots_adjust(left=0.06, right=0.985, top=0.9, bottom=0.16, wspace=0.12, hspace=0.35)
    return _drawn(f"counts-{number}", f"True and published counts: {series.name}", figure)


def _attacks(study: Study) -> Drawing:
    """The share of the secret bits that each attack recovers."""
    figure = new_figure(14, 0.36 * len(study.attacks) + 1.2)
    axes = figure.subplots()
    labels = [f"{one.counter}, {one.attack.bits} bits, {one.attack.reduction}" for one in study.attacks]
    places = list(range(len(labels)))[::-1]
    colours = [_COLOURS[0] if one.promised is not None else _COLOURS[1] for one in study.attacks]
    axes.barh(places, [one.attack.share for one in study.attacks], color=colours)
    axes.axvline(0.5, color=_INK, linestyle="--", linewidth=1.2)
    axes.set_yticks(places, labels)
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the secret bits that the attack recovers; guessing recovers one half")
    figure.subplots_adjust(left=0.32, right=0.985, top=0.97, bottom=0.9 / (0.36 * len(labels) + 1.2))
    return _drawn("attacks", "Bits that an attacker recovers, without a promise (orange) and with one (blue)", figure)


def _drawn(name: str, title: str, figure: Any) -> Drawing:
    return in_svg(name, title, figure, title)


_ERRORS = (
    *("counter", "stream", "adjacency", "steps", "changes", "rho", "rmse", "largest", "stated", "stated_largest"),
    *("always_zero", "runs"),
)
_ATTACKS = ("counter", "promised_rho", "reduction", "bits", "recovered", "steps", "counter_error", "by_chance")


def turnstile(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Measure the counters, attack them, judge the sentences, and write a page."""
    require_figures("drawing figures")
    study = make_study(scale, request.seed, request.jobs, request.progress)
    found = judged(study, request.error)
    with style():
        drawn = draw_all(study)
    errors = (*study.synthetic, *study.real)
    attacked = [one.attack.to_dict() | {"counter": one.counter, "promised_rho": one.promised} for one in study.attacks]
    title = "Counts of present elements, continually"
    files = write_page(
        request,
        NAME,
        title,
        "experiments.continual",
        drawn,
        {
            "errors": (_ERRORS, ([getattr(one, column) for column in _ERRORS] for one in errors)),
            "attacks": (_ATTACKS, ([one[column] for column in _ATTACKS] for one in attacked)),
        },
        found,
        figures=drawn,
        errors=[one for one in errors if one.rho == scale.budget],
        attacks=study.attacks,
        budget=scale.budget,
        error=request.error,
        attributions=[
            load_turnstile_stream(name).attribution
            for name in sorted({work.name.partition(" by ")[0] for work in study.workloads})
        ],
    )
    budgets = (f"rho {scale.budgets[0]:g} to {scale.budgets[-1]:g} for counters",)
    return request.done(title, found, files, budgets)
