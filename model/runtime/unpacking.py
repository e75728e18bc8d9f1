"""Unpack compressed files within a limit: a few megabytes of zeros unpack to many gigabytes."""

from typing import Protocol

LARGEST_UNPACKED = 256_000_000  # bytes
PART = 1_000_000  # bytes that are unpacked at a time


class UnpackedSizeError(ValueError):
    """A compressed file unpacks to more than is read; the message states what to do."""


class ByteStream(Protocol):
    """What can be read in parts, such as a file in an archive."""

    def read(self, size: int, /) -> bytes: ...


def unpack_within_limit(stream: ByteStream, name: object) -> bytes:
    """The whole content of a compressed stream.

    Args:
        name: of the file, for the message.

    Raises:
        UnpackedSizeError: it is larger than `LARGEST_UNPACKED`; no more than that was unpacked.
    """
    content = bytearray()
    while part := stream.read(PART):
        content += part
        if len(content) > LARGEST_UNPACKED:
            raise UnpackedSizeError(
                f"{name} unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB; unpack it yourself, and give the "
                f"unpacked file."
            )
    return bytes(content)
