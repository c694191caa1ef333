"""The listing of distinct sampling, one user at a time, and wrong readings of it that a simulator might have."""

from __future__ import annotations

import numpy as np

LISTING = "the listing"
MISREADINGS = {
    "evicts when a member is drawn again": {"outsiders_only": False},
    "evicts only when a user was added": {"added_only": True},
    "evicts only when a qualifying user was drawn": {"qualifying_only": True},
    "evicts until there is room": {"once": False},
    "a redrawn member can only leave": {"members_only_leave": True},
    "independent levels instead of a linear hash": {"independent": True},
    "forgets that users appear again": {"first_appearances": True},
}

NEARLY_ALIKE = ("evicts when a member is drawn again", "evicts until there is room")
"""Readings that differ only until a sample that stays full has room: exact distributions tell them apart, a few runs do
not.
"""


def trailing_zeros(number, bits):
    return bits if number == 0 else (number & -number).bit_length() - 1


def follow(
    universe,
    ids,
    sample_size,
    p_init,
    p_upd,
    source,
    *,
    outsiders_only=True,
    added_only=False,
    qualifying_only=False,
    once=True,
    members_only_leave=False,
    independent=False,
    first_appearances=False,
):
    """One run: level, members, users that qualify, and those of them that appear."""
    bits = (universe - 1).bit_length()
    if independent:
        levels = [trailing_zeros(source.getrandbits(bits) if bits else 0, bits) for _ in range(universe)]
    else:
        odd = 2 * source.randrange(max(1, 2**bits // 2)) + 1
        increment = source.randrange(2**bits)
        levels = [trailing_zeros((odd * user + increment) % 2**bits, bits) for user in range(universe)]
    level, members = 0, set()
    stream = list(dict.fromkeys(ids)) if first_appearances else ids
    for probability, users in ((p_init, range(universe)), (p_upd, stream)):
        for user in users:
            if levels[user] < level and qualifying_only:
                continue
            member, inside = user in members, levels[user] >= level and source.random() < probability
            if inside and not (member and members_only_leave and source.random() < 0.5):
                members.add(user)
            else:
                members.discard(user)
            attempt = (inside and not member) if added_only else (not member or not outsiders_only)
            while attempt and len(members) >= sample_size:
                members = {other for other in members if levels[other] > level}
                level += 1
                if once:
                    break
    qualifying = [user for user in range(universe) if levels[user] >= level]
    return level, len(members), len(qualifying), len(set(qualifying) & set(ids))


def follow_many(universe, ids, sample_size, cells, runs, source, **reading):
    """Such runs, shape ``(4, runs)``."""
    ids = [int(user) for user in ids]
    found = [follow(universe, ids, sample_size, cells.p_init, cells.p_upd, source, **reading) for _ in range(runs)]
    return np.array(found).T
