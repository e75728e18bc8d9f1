"""The languages that a network can write in: a token of the decoder's input, as of NLLB and mBART's kind."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from .errors import OpenError
from .library_version import Network, Reader

_CODE = re.compile(r"_*([a-z]{2,3}(?:_[A-Za-z]{2,4})?)_*")
NAMED = 3  # languages in a refusal

# The code follows the token that starts the decoder (NLLB, mBART-50, M2M100), or is that token (mBART, PLBART).
Place = Literal["after start", "start"]


@dataclass(frozen=True)
class TargetLanguages:
    """The codes of the languages of a decoder, and where they are in its input; without codes, there is no choice."""

    ids: dict[str, int] = field(default_factory=dict)  # code, as the tokenizer names it -> id of its token
    place: Place = "after start"  # where it is in the decoder's input
    default: str | None = None  # the code that configuration or tokenizer choose; None where they leave it open

    def code(self, chosen: str | None) -> str | None:
        """The code of the language to write; None for a network without a choice.

        Raises:
            OpenError: there is no such language, none is chosen, or there is no choice.
        """
        if not self.ids:
            if chosen is not None:
                raise OpenError("This model has no choice of target languages; leave `target_language` out.")
            return None
        code = self.default if chosen is None else chosen
        if code is None or code not in self.ids:
            known = ", ".join(list(self.ids)[:NAMED])
            if code is None:
                raise OpenError(
                    "This model writes in {count} languages; choose one by `target_language`, such as {known}.",
                    count=len(self.ids),
                    known=known,
                )
            raise OpenError(
                "This model has no target language {language}; choose one of its {count}, such as {known}.",
                language=code,
                count=len(self.ids),
                known=known,
            )
        return code

    def begin(self, start: int | None, code: str | None) -> tuple[int, ...]:
        """The first ids of the decoder's input: the start, and the language where there is one.

        Args:
            start: the id that starts the decoder of a network without languages in its place.
        """
        own = () if code is None else (self.ids[code],)
        return own if start is None or (own and self.place == "start") else (start, *own)

    def length(self, ids: Sequence[int]) -> int:
        """How many ids at the beginning of a decoder's input are given, not answered: the start, and the language."""
        return 2 if self.place == "after start" and len(ids) > 1 and ids[1] in self.ids.values() else 1

    def options(self, code: str | None) -> dict[str, int]:
        """The arguments of the library's `generate` that choose a language."""
        if code is None:
            return {}
        return {"forced_bos_token_id" if self.place == "after start" else "decoder_start_token_id": self.ids[code]}


def find_languages(network: Network, reader: Reader) -> TargetLanguages:
    """Find the languages that a decoder can write in, by the tokenizer's codes.

    Args:
        network: with encoder and decoder.
    """
    ids = _codes(reader)
    if len(ids) < 2:
        return TargetLanguages()
    by_id = {id_: code for code, id_ in ids.items()}
    settings = [network.config, getattr(network, "generation_config", None)]
    forced = next((by_id[id_] for part in settings if (id_ := _setting(part, "forced_bos_token_id")) in by_id), None)
    start = next((by_id[id_] for part in settings if (id_ := _setting(part, "decoder_start_token_id")) in by_id), None)
    own = getattr(reader, "tgt_lang", None)
    place: Place | None = "after start" if forced is not None else "start" if start is not None else None
    place = place or _place_of_target(reader, ids)
    default = next((code for code in (forced, start, own) if code in ids), None)
    return TargetLanguages() if place is None else TargetLanguages(ids, place, default)


def _codes(reader: Reader) -> dict[str, int]:
    named = getattr(reader, "lang_code_to_id", None)
    if isinstance(named, dict) and named:
        return {str(code): int(id_) for code, id_ in named.items()}
    special = [str(token) for token in getattr(reader, "extra_special_tokens", None) or ()]
    codes = {match[1]: token for token in special if (match := _CODE.fullmatch(token))}
    ids = {code: reader.convert_tokens_to_ids(token) for code, token in codes.items()}
    return {code: id_ for code, id_ in ids.items() if id_ is not None and id_ != reader.unk_token_id}


def _place_of_target(reader: Reader, ids: dict[str, int]) -> Place | None:
    """Where the tokenizer puts the code of a target, or None. It is set to read sources afterwards."""
    if not hasattr(reader, "set_tgt_lang_special_tokens"):
        return None
    code, id_ = next(iter(ids.items()))
    try:
        reader.set_tgt_lang_special_tokens(code)
        before, after = list(reader.prefix_tokens), list(reader.suffix_tokens)
    finally:
        reader.set_src_lang_special_tokens(reader.src_lang)
    if id_ in before:
        return "after start"
    return "start" if id_ in after else None


def _setting(part: object, name: str) -> int | None:
    value = getattr(part, name, None)
    return value if isinstance(value, int) else None
