"""What one server does at once, and what one visitor's browser may ask of it at most: every such number stands here."""

from dataclasses import astuple, dataclass

THREADS = 1  # of PyTorch a computation: a second one saves little time here, and costs much beside other work
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


@dataclass(frozen=True)
class SocketLimits:
    """How much comes in over the sockets.

    Attributes:
        at_once: messages of one socket that are taken without a pause.
        a_second: messages of one socket that are taken in each further second; more have to wait.
        patience: messages that had to wait, after which a socket is closed. They are counted until it has been quiet
            for so long that it may send `at_once` again.
        operations: downloads of one socket that are made without a pause, and `operations_a_second` in each further
            second. More are not made: they are drawn in a few threads, in which everybody's downloads wait.
        message_bytes: the largest message. Files and pasted pictures come by HTTP.
        items: that a message may list, such as the states of a page's controls; each takes many times the memory of
            the two bytes that it takes in the message, for as long as the socket is open.
        files: for which one message may ask a place; a message of the largest size could ask for half a million places,
            and the answer would hold the server for seconds.
        an_address: sockets that one address may have open; a class behind one router shares one.
    """

    at_once: int = 60
    a_second: float = 20.0
    patience: int = 200
    operations: int = 30
    operations_a_second: float = 2.0
    message_bytes: int = 2**20
    items: int = 2000
    files: int = 10
    an_address: int = 500

    def __post_init__(self) -> None:
        if min(astuple(self)) <= 0:
            raise ValueError("Every limit must be greater than 0: a limit of 0 would let nobody in.")
