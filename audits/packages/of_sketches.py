"""A filter whose state is read by a method of its own."""

from __future__ import annotations

import rbloom


class Rbloom:
    """rbloom writes its bits only with a hash function that is the same in every process."""

    def __init__(self):
        self.filter = rbloom.Bloom(16, 0.1, lambda user: int(user) * 2654435761 % 2**64)

    def add(self, user):
        self.filter.add(user)

    def serialize(self):
        return self.filter.save_bytes()
