"""The judged statements of the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panproof.results import ClaimTable


def claims(*identifiers: str, jobs: int = 2) -> ClaimTable:
    """The claims of the ledger with their verdicts. They are derived now, unless the same code has derived them before.

    Parameters
    ----------
    identifiers
        Ids of claims; all by default.
    jobs
        Worker processes, 1 to 256.

    Returns
    -------
    The claims by id.

    Raises
    ------
    InputError
        For an id that the ledger does not have, with the ids that look alike, and for a wrong number of processes.
    """
    from pan_audits.judging.ranges import MOST_JOBS
    from pan_promises.errors import require_count
    from pan_proofs.ledger import default_store, derive, modules, resolve
    from panproof.results import ClaimTable

    require_count("jobs", jobs, most=MOST_JOBS)
    wanted = [resolve(one) for one in identifiers] or list(modules())
    return ClaimTable(derive(wanted, store=default_store(), jobs=jobs))
