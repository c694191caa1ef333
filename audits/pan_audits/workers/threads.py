"""Threads of libraries: one, since the processes of an audit take the cores already.

With two threads on two busy cores, learning took up to five times the processor time of one thread: the threads wait
for each other by spinning.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries that are loaded by now use one thread inside; without ``threadpoolctl``, as many as before."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(1):
        yield
