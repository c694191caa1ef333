"""Attacks on exact counts, on counts with little noise, and on the counters, at the sizes of the lower bounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from experiments.continual.attack_counters import ExactCounter, NoisyCounter
from experiments.continual.attack_results import Attack, attack_inner_products, attack_marginals
from experiments.continual.setting import Scale
from pan_audits.continual.overview import counters_with
from pan_estimators.continual.members import create_counter


@dataclass(frozen=True)
class Attacked:
    """One attack.

    Attributes
    ----------
    counter
        The attacked counter, in words.
    promised
        The rho that it promises for one element; ``None`` for none.
    attack
        The outcome.
    """

    counter: str
    promised: float | None
    attack: Attack


def attacks(scale: Scale, seed: int) -> list[Attacked]:
    """The attacks by inner products, for all sizes, and by marginals of one record."""
    found = []
    for bits in scale.bits:
        queries = scale.queries * bits
        steps = (2 * queries + 1) * bits
        contenders: list[tuple[str, float | None, object]] = [
            ("exact counts", None, ExactCounter()),
            # Theorem 4.5 is about an error below a constant times the square root of n.
            (f"noise of deviation {sqrt(bits) / 4:.3g}", None, NoisyCounter(sqrt(bits) / 4)),
        ]
        given = {"steps": steps, "rho": scale.budget, "flippancy": 2 * queries + 1}
        for name, values in counters_with(given).items():
            counter = create_counter(name, values)
            if not counter.promise.sees_state:
                contenders.append((name, counter.promise.rho, counter))
        for label, promised, attacked in contenders:
            found.append(Attacked(label, promised, attack_inner_products(attacked, bits, queries, seed)))  # type: ignore[arg-type]
        found.append(Attacked("exact counts", None, attack_marginals(ExactCounter(), bits, 1, seed)))
        rows = {"steps": 2 * bits, "rho": scale.budget, "flippancy": 2 * bits}
        for name, values in counters_with(rows).items():
            counter = create_counter(name, values)
            if not counter.promise.sees_state:
                found.append(Attacked(name, counter.promise.rho, attack_marginals(counter, bits, 1, seed)))
    return found
