"""One page with all verdicts and figures, which needs no other file."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

from pan_audits.experiments.experiment import Experiment
from pan_audits.experiments.sentence import Judgement, Verdict
from pan_audits.experiments.setting import Setting


def write_page(
    folder: Path,
    experiments: Sequence[Experiment],
    judgements: Mapping[str, Sequence[Judgement]],
    seed: int,
    error: float,
    setting: Setting,
) -> Path:
    """Write ``index.html``; the figures have been drawn into the same folder.

    Parameters
    ----------
    folder
        Where the figures are, and the page goes.
    experiments
        In their order.
    judgements
        Of each experiment, by its name.
    seed, error, setting
        Of the reproduction.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pan_audits.experiments"), undefined=StrictUndefined, autoescape=True, trim_blocks=True
    )
    every = [judgement for one in experiments for judgement in judgements[one.name]]
    text = environment.get_template("reproduction.html.j2").render(
        experiments=experiments,
        judgements=judgements,
        counts={str(verdict): sum(one.verdict is verdict for one in every) for verdict in Verdict},
        images={one.name: _embedded(folder / f"{one.name}.png") for one in experiments},
        seed=seed,
        error=error,
        setting=setting,
    )
    path = folder / "index.html"
    path.write_text(text)
    return path


def _embedded(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
