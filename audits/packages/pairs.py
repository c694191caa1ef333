"""Pairs of neighbouring inputs, as data: the names of rows that need no more than a pair."""

from __future__ import annotations

import numpy as np

# Two values of one person, or two results of a query at a distance of 1.
numbers = [(0.0, 1.0)]
counts = [(0, 1)]
five_counts = [(5, 6)]
ends_of_four = [(0, 3)]
two_users = [("alice", "bob")]
categories = [(0, 1), (2, 5)]

# One row of a list has another value. The number of rows is public.
bits = [([0, 0, 0], [0, 0, 1])]
floats = [([0.0, 0.0, 0.0], [0.0, 0.0, 1.0])]
"""Without the row all values are equal."""
one_float = [([0.0], [1.0])]
two_floats = [([0.0, 0.0], [0.0, 1.0])]
out_of_range = [([0.0, 0.0], [0.0, 1000.0])]
one_of_ten = [([0.0] * 10, [1.0] + [0.0] * 9)]
half_of_ten = [([0] * 5 + [10] * 5, [0] * 4 + [10] * 6)]
odd_floats = [([0.0, 0.0, 1.0], [0.0, 1.0, 1.0])]
beyond = [([0.5, 0.5, 0.0], [0.5, 0.5, -1000.0])]
words = [(["a", "b", "c"], ["a", "b", "a"])]
"""The third word occurs once."""
words_that_occur = [(["a", "b", "c", "a"], ["a", "b", "c", "b"])]
two_words = [(["a", "b", "a"], ["a", "b", "b"])]
points = [(np.array([[0.0, 0.0]]), np.array([[1.0, 0.0]]))]
places = [((0.0, 0.0), (1.0, 0.0))]

# One row more. The number of rows is not public.
one_more = [([1.0], [1.0, 1.0])]
one_of_many = [([0] * 50 + [1] * 50, [0] * 50 + [1] * 51)]
one_more_bit = [([1, 1], [1, 1, 1])]

# The same as arrays.
thirds = [(np.array([0] * 3 + [5] * 5 + [10] * 2), np.array([0] * 2 + [5] * 5 + [10] * 3))]
"""A row goes from below to above all others: some counts come nearer to the half, and others go away from it."""

# Rows, records and streams of some packages.
two_counts = [([5, 5], [5, 6])]
one_of_three = [(["a"], ["b"])]
trips = [((10, 10), (9, 11))]
thousand_trips = [((2000, 2000), (1000, 3000))]
streams_of_four = [
    ([0, 0, 0, 0], [1, 0, 0, 0]),
    ([0, 0, 0, 0], [0, 1, 0, 0]),
    ([0, 0, 0, 0], [0, 0, 1, 0]),
    ([0, 0, 0, 0], [0, 0, 0, 1]),
]
