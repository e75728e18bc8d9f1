"""The ten classes of the networks that read pictures, in the user's language.

Their names in `config.json` are ids: programs and saved arrays contain them. Names of other networks are data.
"""

from collections.abc import Iterable

from .catalogue import Message

_MESSAGES = (
    Message("class.tench", "tench"),
    Message("class.english-springer", "English springer"),
    Message("class.cassette-player", "cassette player"),
    Message("class.chain-saw", "chain saw"),
    Message("class.church", "church"),
    Message("class.french-horn", "French horn"),
    Message("class.garbage-truck", "garbage truck"),
    Message("class.gas-pump", "gas pump"),
    Message("class.golf-ball", "golf ball"),
    Message("class.parachute", "parachute"),
)
_BY_NAME = {message.english: message for message in _MESSAGES}


def class_name(name: str) -> str:
    """The name of a class in the user's language, if it is one of the ten."""
    return _BY_NAME[name]() if name in _BY_NAME else name


def class_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names of classes in the user's language."""
    return tuple(map(class_name, names))
