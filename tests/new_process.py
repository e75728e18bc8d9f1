"""Reset the process's shared objects, for tests of a cold start."""

from __future__ import annotations

import sys

from server.prefetch import prefetcher
from server.singleton import Singleton


def clear_all() -> None:
    """Clear the results of all singletons, so that they are created again."""
    prefetcher().join()
    for name, module in list(sys.modules.items()):
        for value in list(vars(module).values()) if name.startswith(("pages.", "server.")) else ():
            if isinstance(value, Singleton):
                value._results.clear()
