"""Distinct counters of large universes, beside each other. ``make sketches`` writes the whole page."""

from __future__ import annotations

import numpy as np

from pan_estimators import HashedUniverse
from tests.benchmarks import sketches
from tests.benchmarks.sketch_flip_merge import SketchFlipMerge


def test_errors_and_speeds_side_by_side(benchmark, figure, monkeypatch):
    monkeypatch.setattr(sketches, "KEYS", 30)
    taking_part = sketches.contenders()[:5]
    generator = np.random.default_rng(5)

    def measure():
        return [sketches.error(each.estimates(10**6, generator), 10**6) for each in taking_part]

    for contender, (found, deviation) in zip(taking_part, benchmark.pedantic(measure, rounds=1), strict=True):
        figure(f"1e6 users: {contender.name}, error in percent", 100 * found, "none", f"± {100 * deviation:.2f}")
        if "one level" not in contender.name and "1e3 to 1e5" not in contender.name:
            assert found < 0.06
    for contender, speed in zip(taking_part, sketches.speeds(taking_part), strict=True):
        figure(f"{contender.name}, million ids/s", speed, "none", "")


def test_sketch_flip_merge_with_its_own_hash_estimates_what_exact_draws_do(benchmark):
    sketch = SketchFlipMerge(256, 24, 1.0, HashedUniverse(2**62))
    generator = np.random.default_rng(6)
    ids = np.arange(20_000)

    def estimate():
        own = SketchFlipMerge(sketch.buckets, sketch.places, sketch.epsilon, HashedUniverse(2**62))
        bits = own.create()
        own.update(bits, np.concatenate([ids, ids[:500]]))
        return own.estimate(np.count_nonzero(own.flip(bits, generator), axis=1))

    found = benchmark.pedantic(lambda: np.array([estimate() for _ in range(60)]), rounds=1)
    shares = np.repeat(sketch.shares, sketch.buckets)
    drawn = [sketches.occupied(ids.size, shares, generator).reshape(sketch.places, sketch.buckets) for _ in range(60)]
    exact = np.array([sketch.estimate(np.count_nonzero(sketch.flip(bits, generator), axis=1)) for bits in drawn])
    error = np.sqrt(found.var() / 60 + exact.var() / 60)
    assert abs(found.mean() - exact.mean()) < 5 * error
    assert abs(found.mean() / ids.size - 1) < 0.1
