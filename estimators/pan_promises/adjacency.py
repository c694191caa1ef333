"""Adjacency: the relation between two inputs that a promise must make hard to tell apart."""

from __future__ import annotations

from enum import StrEnum


class Adjacency(StrEnum):
    """The relation between two inputs that must be hard to tell apart.

    Of streams:

    ``USER_LEVEL``
        All *or some* occurrences of one user differ: the streams are equal once that user is
        deleted from both (lecture, Definition 2; paper, Definition 2.5).
    ``USER_LEVEL_NESTED``
        The narrower reading: one stream is the other with all or some occurrences of one user
        removed (paper, Section 2.2.1, first interpretation; thesis, Definition 4.1).
    ``EVENT_LEVEL``
        One single occurrence is added or removed (paper, Definition 2.4).
    ``ITEM_LEVEL``
        Some entries of one element become no-ops. Time goes on, so that the streams have the same length.

    Of turnstile streams, which have no-ops and equal lengths, ``USER_LEVEL`` means that the streams are equal once the
    entries of one element are no-ops in both, ``EVENT_LEVEL`` that one entry becomes a no-op, and ``ITEM_LEVEL`` is as
    above. Both streams obey the model of the problem.

    Of tables:

    ``ADD_ROW``
        The second table has one more row than the first. A promise bounds both directions of the loss.
    ``REMOVE_ROW``
        The second table has one row less than the first.
    ``REPLACE_ROW``
        One row has other values. The number of rows is public.
    ``SITE``
        All rows of one site differ.

    Of any inputs:

    ``GIVEN``
        The pairs that are given with the inputs, and no others.
    """

    USER_LEVEL = "user-level"
    USER_LEVEL_NESTED = "user-level-nested"
    EVENT_LEVEL = "event-level"
    ITEM_LEVEL = "item-level"
    ADD_ROW = "add-row"
    REMOVE_ROW = "remove-row"
    REPLACE_ROW = "replace-row"
    SITE = "site"
    GIVEN = "given"


OF_STREAMS = (Adjacency.USER_LEVEL, Adjacency.USER_LEVEL_NESTED, Adjacency.EVENT_LEVEL, Adjacency.ITEM_LEVEL)
"""The adjacencies of streams."""

OF_TURNSTILE_STREAMS = (Adjacency.ITEM_LEVEL, Adjacency.EVENT_LEVEL, Adjacency.USER_LEVEL)
"""The adjacencies of turnstile streams."""

OF_TABLES = (Adjacency.ADD_ROW, Adjacency.REMOVE_ROW, Adjacency.REPLACE_ROW, Adjacency.SITE)
"""The adjacencies of tables."""
