"""The experiments of the family."""

from __future__ import annotations

from pan_audits.reproduction.contents import Contents
from pan_audits.reproduction.setting import Setting


def _no_figures() -> Setting:
    raise NotImplementedError("the family has no figure, and needs no sizes")


CONTENTS = Contents(
    setting=_no_figures,
    others={"turnstile": "pan_audits.continual.experiments.experiment:turnstile"},
)
