"""What one server does at once and what it asks of those who wait: every such number stands here.

What may come in over a socket is limited in `server.limits`.
"""

from __future__ import annotations

from dataclasses import dataclass

THREADS = 1  # of PyTorch a computation; see `pages.shared.housekeeping.settle_threads`
SLICE_SECONDS = 0.04  # of a translation between two looks at who else waits: as long as a picture stays on the screen


@dataclass(frozen=True)
class Limits:
    """What one server does at once and what it asks of those who wait.

    Attributes:
        running: runs that go on at once: one may compute while another draws.
        waiting: the longest queue; whoever comes then is asked to come again.
        patience: seconds that a visitor waits at most before being asked to come again.
        share: seconds of processor time after which a run goes to the end of the queue if others wait.
        silence: seconds of waiting before a visitor is told so, all waits of a run together; a single wait of less
            than a quarter of it is never worth a word.
        repeat: seconds between two such messages.
    """

    running: int = 2
    waiting: int = 400
    patience: float = 120.0
    share: float = 0.2
    silence: float = 0.4
    repeat: float = 2.0
