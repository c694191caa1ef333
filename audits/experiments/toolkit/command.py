"""``python -m experiments reproduce``: reproduce the experiments of the sources."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from experiments.toolkit.reproduction import reproduce as make
from experiments.toolkit.reproduction import resolve
from experiments.toolkit.results import Reproduction, Request
from experiments.toolkit.runs import DEFAULT_SEED
from experiments.toolkit.sentence import Judgement, ReproductionVerdict, how_certain, worst_first
from pan_audits.cli.options import Jobs, Json
from pan_audits.cli.output import print_json
from pan_audits.cli.progress import spinner
from pan_audits.cli.values import argument, option, probability, seed_option
from pan_audits.reports.text import console
from pan_audits.statistics import DEFAULT_ERROR

STYLES = {
    ReproductionVerdict.REPRODUCED: "bold green",
    ReproductionVerdict.NOT_REPRODUCED: "bold red",
    ReproductionVerdict.UNDECIDED: "yellow",
}
_WIDTH = max(map(len, ReproductionVerdict))


def print_reproduction(
    screen: Console, found: Reproduction, *, folder: Path, seconds: float, verbose: bool = False
) -> None:
    """Print the number of sentences with each verdict, a line for each sentence, and the place of the files.

    Failed and open sentences come first, with the point that shows it. On a terminal a sentence is cut at the end of
    the line.
    """
    counts = (Text(f"{found.count(verdict)} {verdict}", style=style) for verdict, style in STYLES.items())
    screen.print(Text(", ").join(counts))
    screen.print()
    for judgement in worst_first(found.judgements):
        line = Text.assemble(
            (f"{judgement.verdict:{_WIDTH}}", STYLES[judgement.verdict]),
            f"  {judgement.sentence.id}: {judgement.sentence.states}",
        )
        screen.print(line, no_wrap=screen.is_terminal, overflow="ellipsis" if screen.is_terminal else None)
        for text in _details(judgement) if verbose else _worst(judgement):
            screen.print(Text(text), style="dim" if verbose else "")
    screen.print(Text(f"\n{_legend(found, folder, seconds)}", style="dim"))


def _worst(judgement: Judgement) -> Iterator[str]:
    if judgement.verdict is not ReproductionVerdict.REPRODUCED:
        yield f"{'':{_WIDTH}}  {judgement.effect.worst}"


def _details(judgement: Judgement) -> Iterator[str]:
    yield f"    tested: {judgement.sentence.meaning}"
    yield f"    found: {judgement.effect.text}"
    how = f"{judgement.runs:,} fresh runs, wrong with probability at most {judgement.error:.2g}"
    yield f"    {how if judgement.runs else 'computed'}" + (
        f"; assumed: {judgement.assumes}" if judgement.assumes else ""
    )


def _legend(found: Reproduction, folder: Path, seconds: float) -> str:
    """The common information, and the place of the files."""
    words = [how_certain(found.judgements, found.error)]
    assumed = sorted({judgement.assumes.partition(";")[0] for judgement in found.judgements if judgement.assumes})
    if assumed:
        words.append(f"Assumed: {'; '.join(assumed)}.")
    known = "; ".join((*found.budgets, f"seed {found.seed}", f"{seconds:.0f} s"))
    words.append(f"{known[0].upper()}{known[1:]}.")
    where = f"the page {found.page}" if found.page else str(folder)
    words.append(f"Figures, data, and the test of each sentence: {where}; {len(found.files)} files.")
    return " ".join(words)


UNDECIDED = 3
"""Exit code if a sentence could not be decided."""


def _experiment(text: str, _: str) -> str:
    """An experiment, a claim that one is about, or ``all``."""
    resolve(text)
    return text


def reproduce(
    targets: Annotated[
        list[str],
        argument(
            parse=_experiment,
            metavar="TARGET...",
            help="figure-1 to figure-7 (paper), thesis-3.4 to thesis-3.9, thesis-4.1 to thesis-4.11, a claim of the "
            "ledger such as density.figure_4, real-streams, turnstile, or all.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for data, figures and verdicts.")],
    seed: Annotated[
        int,
        seed_option("Entropy of the streams and of all runs."),
    ] = DEFAULT_SEED,
    jobs: Jobs = 2,
    error: Annotated[
        float, option("--error", parse=probability, help="Probability that any verdict is wrong.", metavar="FLOAT")
    ] = DEFAULT_ERROR,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show for every sentence the test and its result.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Reproduce the experiments of the paper and of the thesis, and judge every sentence about them.

    Each figure is run at its published size and drawn with confidence bands and the theoretical curves;
    its data, figure and verdicts are written to a folder, for several with a page that holds all. A verdict is about
    the true error or probability, from fresh runs, many more than the plots show. The target real-streams shows the
    estimates on two real streams and the knowledge of an adversary, and tests the promises there. The target turnstile
    measures counters of present elements, attacks them, and shows their counts over time. The exit code is 0 if every
    sentence is decided, 3 if one is not, and 2 for bad input.

    Example: python -m experiments reproduce figure-4 --out figures
    """
    began = time.perf_counter()
    with spinner("reproduce") as progress:
        request = Request(
            names=tuple(dict.fromkeys(name for target in targets for name in resolve(target))),
            folder=out,
            seed=seed,
            jobs=jobs,
            error=error,
            progress=progress,
        )
        found = make(request)
    if as_json:
        print_json(found.to_dict())
    else:
        print_reproduction(console(), found, folder=out, seconds=time.perf_counter() - began, verbose=verbose)
    if not found.decided:
        raise typer.Exit(UNDECIDED)
