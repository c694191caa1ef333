"""A small setting, in which everything takes a second."""

from __future__ import annotations

from experiments.density.contenders import Setting

SMALL = Setting(
    users=4000,
    length=4000,
    epsilons=(0.25, 0.5),
    probability_size=400,
    error_sizes=(100, 200),
    sweep_sizes=(40, 200, 1000, 2000, 4000),
    probability_repetitions=40,
    error_repetitions=30,
    first_runs=256,
    rounds=10,
)
