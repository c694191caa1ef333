"""The contributions of a family to the experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_audits.reproduction.setting import Setting


@dataclass(frozen=True)
class Contents:
    """The experiments of a family.

    Attributes
    ----------
    setting
        The sizes at which its sources made them; for figures only.
    figures
        Its figures by name: where each :class:`~pan_audits.reproduction.experiment.Experiment` is, as
        ``module:attribute``, imported on first use.
    others
        Other targets, as ``module:function``: the function takes a
        :class:`~pan_audits.reproduction.request.Request` and returns a
        :class:`~pan_audits.reproduction.request.Reproduction`.
    styles
        Marker and colour of each contender, by its label.
    left_open
        Parameters that its sources leave open, in sentences, for a setting.
    """

    setting: Callable[[], Setting] | None = None
    figures: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    styles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    left_open: Callable[[Any], str] = lambda setting: ""
