"""The exact counter makes no promise; held against one, it is the audit's positive control."""


def test_promise_of_the_others_is_refuted(audit):
    """Held against the 2 epsilon of the others, the exact counter is refuted within a few runs.

    Its state lists who appeared, and its output is the exact density. Every event that mentions the
    user has probability 0 or 1. The loss has no bound.
    """
    report = audit("exact-counter")
    assert report.privacy.runs < 100_000
