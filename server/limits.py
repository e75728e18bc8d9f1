"""All limits: what one server does at once, and what one visitor's browser may request."""

from dataclasses import astuple, dataclass

THREADS = 1  # of PyTorch for a computation: a second one saves little time here and costs much when other work runs
RESULT_BYTES = 200_000_000  # of all results that this process retains, and of what open pages refer to
# of the whole process, above which fewer results are retained, and how many at least: what runs need at the moment, and
# what the libraries of a machine take, are not results
RESIDENT_BYTES, LEAST_RESULT_BYTES = 900_000_000, 100_000_000
IDLE_SECONDS = 600.0  # without a request, after which a network of single parts is released
SLICE_SECONDS = 0.04  # of a translation before others may run: about the time that a video frame is on screen


@dataclass(frozen=True)
class RunLimits:
    """How many runs one server executes at once, and how long others wait."""

    running: int = 2  # runs at once: one may compute while another renders
    # runs that have begun, of which those that are not running wait for another slice of time; each refers to what it
    # has computed so far, up to twenty megabytes
    begun: int = 3
    waiting: int = 400  # the longest queue; further runs are refused
    patience: float = 120.0  # seconds after which a waiting run is refused
    slice_seconds: float = 0.2  # processor time after which a run goes to the end of the queue if others wait
    # seconds of waiting, all waits of a run added, before a message is shown; not for a single wait of less than a
    # quarter of it
    notice_after: float = 0.4
    notice_every: float = 2.0  # seconds between two such messages
    # seconds without progress after which a run loses its slot to the next one, though it goes on
    stalled_after: float = 60.0
    # runs that may have lost their slot and go on; further ones keep theirs, and the server is not healthy
    stalled: int = 4


@dataclass(frozen=True)
class SocketLimits:
    """How much the server receives over WebSockets."""

    burst: int = 60  # messages of one socket that are accepted without a pause
    per_second: float = 20.0  # messages of one socket that are accepted in each further second; more are delayed
    # delayed messages after which a socket is closed. They are counted until it has been quiet for so long that it may
    # send a whole `burst` again.
    patience: int = 200
    # downloads of one socket that are made without a pause, and `operations_per_second` in each further second. More
    # are not made: a few threads make the downloads of all visitors.
    operations: int = 30
    operations_per_second: float = 2.0
    message_bytes: int = 2**20  # the largest message. Files and pasted pictures come by HTTP.
    # that a message may list, such as the states of a page's controls; each takes many times the memory of its two
    # bytes in the message, for as long as the socket is open
    items: int = 2000
    # whose upload addresses one message may request; the largest message could request half a million, and the answer
    # would block the server for seconds
    files: int = 10
    per_address: int = 500  # sockets that one address may have open; a class behind one router shares one
    # pings and pongs of one socket that are accepted at once, and `control_per_second` in each further second; more
    # close it. A browser sends only answers to the server's pings, one in 30 s.
    control_frames: int = 60
    control_per_second: float = 1.0
    fragments: int = 100  # frames of which one message may consist; browsers send one, or one for each 64 kB and more
    messages_at_once: int = 300  # messages that may arrive in one read of the connection, which are parsed at a stretch
    unsent_hold: int = 2**20  # bytes not yet read by the browser above which further messages of the socket wait
    unsent_bytes: int = 32 * 2**20  # bytes not yet read by the browser above which the socket is closed
    unsent_total: int = 200 * 2**20  # the same for all sockets together; the one with the most bytes is closed
    stalled_seconds: float = 60.0  # after which a socket is closed whose browser reads nothing of what waits for it
    closing_seconds: float = 10.0  # after which a closed socket is dropped whose browser does not read the end

    def __post_init__(self) -> None:
        if min(astuple(self)) <= 0:
            raise ValueError("Every limit must be greater than 0: a limit of 0 would refuse every visitor.")


@dataclass(frozen=True)
class HttpLimits:
    """How much of a request the server receives before the app sees it, and how long it waits for a client.

    None of the times applies to an open WebSocket.
    """

    head_bytes: int = 2**16  # of the request line and the headers together, and of a body's trailers
    head_fields: int = 200  # headers of one request
    head_seconds: float = 10.0  # from the first byte of a head, or from the connection on, until the head is complete
    pause_seconds: float = 30.0  # between two parts of a body that arrives, or of an answer that the client reads
    body_seconds: float = 600.0  # for a whole body: the largest upload takes them at 14 kB/s
    pipelined: int = 16  # requests that a client may send before the first of them is answered; browsers send none
