"""The verdicts on the sentences of the sources about their experiments, one line for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from experiments.toolkit.request import Reproduction
from experiments.toolkit.sentence import Judgement, ReproductionVerdict, how_certain, worst_first

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
