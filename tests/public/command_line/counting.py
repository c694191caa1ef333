"""Calls of ``panproof count`` in tests."""

from __future__ import annotations

import json

COUNT = "count --promise-epsilon 2 --from 1e2 --to 1e5 --memory 1KiB"


def found(panproof, words, stdin=None):
    """The document of a call that ends well."""
    outcome = panproof(words, "--json", stdin=stdin)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def text_of(ids):
    """Ids, one to a line."""
    return "".join(f"{one}\n" for one in ids)
