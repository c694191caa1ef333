"""Sections of the page of the distinct counter: the certified limit, the coverage of intervals, and unions."""

from __future__ import annotations

import math

import numpy as np

from pan_proofs.density.lemmas.sharing.range_floor import RANGE_LIMITS
from tests.benchmarks.distinct_coverage import USERS, CoverCase, counter_of
from tests.benchmarks.distinct_unions import numbers_of, union_of_case

BITS = 2**16
RANGES = {1: 1e6, 3: 1e5, 5: 1e4}
"""The least number of users of the shipped range with so many decades."""
MOSTLY = 0.9
"""Coverage is judged where so large a part of the outputs is reliable."""


def limit_section():
    """The shipped counters beside the limit that the claim distinct.floor certifies."""
    lines = [
        "## The limit",
        "",
        "The claim `distinct.floor` certifies a limit: with a private bit or any other private cell for each place,",
        "one cell a user and any geometry, the relative standard deviation is at least this at some number of users",
        "of the range. *shipped*: the greatest predicted standard deviation of the shipped counter on the range, with",
        "its noise on the output. Both are for a random (Poisson) number of users: 1/n is part of the variance.",
        "",
        "| loss | KiB | range | limit, % | shipped, % | ratio |",
        "|---:|---:|---|---:|---:|---:|",
    ]
    for limit in RANGE_LIMITS:
        least = RANGES[limit.decades]
        most = least * 10**limit.decades
        distribution = counter_of(CoverCase(float(limit.total), BITS // 8, least, most)).distribution
        users = np.geomspace(least, most, 401)
        worst = math.sqrt((distribution.relative_variance(users) + 1 / users).max())
        floor = float(limit.error) / math.sqrt(BITS)
        lines.append(
            f"| {float(limit.total):g} | {BITS // 2**13} | {least:.0e} .. {most:.0e} | {100 * floor:.2f} | "
            f"{100 * worst:.2f} | {worst / floor:.2f} |"
        )
    return "\n".join([*lines, ""])


def coverage_section(found, seconds):
    """The coverage of all intervals, and of those of reliable outputs."""
    shown = [n for n in USERS if math.log10(n).is_integer()]
    keys = next(iter(found.values())).shape[2]
    lines = [
        "## Intervals",
        "",
        f"The coverage of the 95% intervals in percent, under {keys:,} keys with the exact distribution of the "
        f"touched cells",
        f"({seconds:.0f} s).",
        f"Its standard error is {100 * math.sqrt(0.95 * 0.05 / keys):.2f}. In brackets the part of the outputs that",
        "are reliable, where it is below 99.5. Numbers in the planned range are bold.",
        "",
        "| loss | bytes | planned for | " + " | ".join(f"{n:.0e}" for n in shown) + " |",
        "|---:|---:|---|" + "---:|" * len(shown),
    ]
    judged = []
    for case, rows in found.items():
        texts = []
        for n, (inside, reliable) in zip(USERS, rows, strict=True):
            planned = case.least <= n <= case.most
            if planned and reliable.mean() >= MOSTLY:
                judged.append((inside.mean(), inside[reliable].mean(), case, n))
            text = f"{100 * inside.mean():.1f}"
            text = f"**{text}**" if planned else text
            if n in shown:
                texts.append(text if reliable.mean() >= 0.995 else f"{text} ({100 * reliable.mean():.0f})")
        lines.append(f"| {case.text} | {' | '.join(texts)} |")
    places = f"In the {len(judged)} places of the planned ranges with at least {MOSTLY:.0%} reliable outputs"
    every, told = (np.array([one[place] for one in judged]) for place in (0, 1))
    lines += [
        "",
        f"{places},",
        "by powers of ten and the numbers in the middle between them, the coverage is "
        f"{100 * every.min():.1f} to {100 * every.max():.1f}, on average {100 * every.mean():.2f}.",
        f"Of the reliable outputs alone it is {100 * told.min():.1f} to {100 * told.max():.1f}: more where intervals",
        "that miss the truth are mostly reported as not reliable.",
        "",
        "For numbers of users beyond three times the planned range, intervals cover as shown. The few outputs that",
        "are reliable there are those with the largest errors. No rule that looks at the output can avoid this.",
    ]
    return "\n".join([*lines, ""])


def union_section(found, keys, seconds):
    """The measured errors of unions, and the coverage of their intervals."""
    lines = [
        "## Unions",
        "",
        f"Two counters of 8 KiB for unions of 1e4 to 1e9 users, {keys} keys ({seconds:.0f} s).",
        "*shared*: the part of the users of the union whom both counters saw; the others are divided evenly. Errors",
        "are root mean squares in percent of the union, with the predicted ones in brackets. If nobody or nearly",
        "everybody is shared, the real errors are smaller, as an estimate is a possible one. *covered*: the coverage",
        f"of both 95% intervals, with a standard error of {100 * math.sqrt(0.95 * 0.05 / keys):.1f}.",
        "",
        "| loss | states seen | union | shared | error of the union | of the intersection | covered |",
        "|---:|---:|---:|---:|---:|---:|---|",
    ]
    for (case, users, shared), rows in found.items():
        both, first, second = numbers_of(users, shared)
        expected = union_of_case(case).expected_errors(both + first, both + second, users)
        texts, covered = [], []
        for truth, error, place in ((users, expected[0], 0), (both, expected[1], 3)):
            deviations = (rows[:, place] - truth) / users
            squares = deviations**2
            root = math.sqrt(squares.mean())
            texts.append(
                f"{100 * root:.2f} ± {100 * squares.std(ddof=1) / math.sqrt(keys) / (2 * root):.2f} "
                f"({100 * error / users:.2f})"
            )
            inside = (rows[:, place + 1] <= truth) & (truth <= rows[:, place + 2])
            covered.append(f"{100 * inside.mean():.1f}")
        lines.append(
            f"| {case.loss:g} | {case.looks} | {users:.0e} | {shared:.0%} | {texts[0]} | {texts[1]} | "
            f"{' and '.join(covered)} |"
        )
    lines += [
        "",
        "Where both states are seen, a loss of 2 is a loss of 1 for each. With a loss of 1 for both together the claim",
        "`distinct.union` bounds the error of every release from below.",
    ]
    return "\n".join([*lines, ""])
