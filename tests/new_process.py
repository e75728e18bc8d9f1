"""A process that has made nothing yet, for tests."""

from __future__ import annotations

import sys

from server.prefetch import ahead
from server.singleton import ProcessWide


def clear_all() -> None:
    """Forget everything that lives as long as the process: what is asked for next is made anew."""
    ahead().finish()
    for name, module in list(sys.modules.items()):
        for kept in list(vars(module).values()) if name.startswith(("pages.", "server.")) else ():
            if isinstance(kept, ProcessWide):
                kept._results.clear()
