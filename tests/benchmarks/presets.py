"""Write the presets of the distinct counter anew: ``python -m tests.benchmarks.presets``."""

from __future__ import annotations

import argparse
import itertools
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pan_estimators.density
from pan_estimators.density.distinct.presets import PRESET_KIB, PRESET_RANGES, PRESET_TOTALS, plan_within

FILE = Path(pan_estimators.density.__path__[0]) / "data" / "distinct-presets.json"


def rows_of(case):
    """The presets of all sizes for one loss and one range: parameters, levels, probabilities, greatest error."""
    total, (least, most) = case
    return [row_of(total, 2**13 * kib, least, most) for kib in PRESET_KIB]


def row_of(total, bits, least, most):
    plan = plan_within(total, bits, least, most)
    (pair,) = plan.calibration.pairs
    return {
        "promise_epsilon": total,
        "bits": bits,
        "least": least,
        "most": most,
        "worst_error": round(plan.worst_error, 6),
        "p_init": pair.p_init,
        "p_upd": pair.p_upd,
        "levels": plan.geometry.to_list(),
    }


def written(rows):
    """The text of the file, with a preset to a line."""
    lines = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    return f'{{"presets": [\n{lines}\n]}}\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as workers:
        cases = itertools.product(PRESET_TOTALS, PRESET_RANGES)
        rows = [row for found in workers.map(rows_of, cases) for row in found]
    given.out.write_text(written(rows))
    print(f"{given.out}: {len(rows)} presets")


if __name__ == "__main__":
    main()
