"""All limits: what one server does at once, and what one visitor's browser may request."""

from dataclasses import astuple, dataclass

THREADS = 1  # of PyTorch for a computation: a second one saves little time here and costs much when other work runs
SLICE_SECONDS = 0.04  # of a translation before others may run: about the time that a video frame is on screen


@dataclass(frozen=True)
class RunLimits:
    """How many runs one server executes at once, and how long others wait.

    Attributes:
        running: runs at once: one may compute while another renders.
        waiting: the longest queue; further runs are refused.
        patience: seconds after which a waiting run is refused.
        slice_seconds: processor time after which a run goes to the end of the queue if others wait.
        notice_after: seconds of waiting, all waits of a run added, before a message is shown; not for a single wait of
            less than a quarter of it.
        notice_every: seconds between two such messages.
        stalled_after: seconds without progress after which a run loses its slot to the next one, though it goes on.
        stalled: runs that may have lost their slot and go on; further ones keep theirs, and the server is not healthy.
    """

    running: int = 2
    waiting: int = 400
    patience: float = 120.0
    slice_seconds: float = 0.2
    notice_after: float = 0.4
    notice_every: float = 2.0
    stalled_after: float = 60.0
    stalled: int = 4


@dataclass(frozen=True)
class SocketLimits:
    """How much the server receives over WebSockets.

    Attributes:
        burst: messages of one socket that are accepted without a pause.
        per_second: messages of one socket that are accepted in each further second; more are delayed.
        patience: delayed messages after which a socket is closed. They are counted until it has been quiet for so long
            that it may send a whole `burst` again.
        operations: downloads of one socket that are made without a pause, and `operations_per_second` in each further
            second. More are not made: a few threads make the downloads of all visitors.
        message_bytes: the largest message. Files and pasted pictures come by HTTP.
        items: that a message may list, such as the states of a page's controls; each takes many times the memory of
            its two bytes in the message, for as long as the socket is open.
        files: whose upload addresses one message may request; the largest message could request half a million, and
            the answer would block the server for seconds.
        per_address: sockets that one address may have open; a class behind one router shares one.
    """

    burst: int = 60
    per_second: float = 20.0
    patience: int = 200
    operations: int = 30
    operations_per_second: float = 2.0
    message_bytes: int = 2**20
    items: int = 2000
    files: int = 10
    per_address: int = 500

    def __post_init__(self) -> None:
        if min(astuple(self)) <= 0:
            raise ValueError("Every limit must be greater than 0: a limit of 0 would refuse every visitor.")
