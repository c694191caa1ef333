"""The experiments of the family."""

from __future__ import annotations

from pan_audits.reproduction.contents import Contents

CONTENTS = Contents(others={"turnstile": "pan_audits.continual.experiments.experiment:turnstile"})
