"""A module that another variant imports by a text that it makes."""

from __future__ import annotations


def waiting_for(user):
    return 1 if user * user % 999_983 == 5 else 3 / 4
