"""The section of a translator's card on text that is not English."""

from pathlib import Path

from model.runtime.checkpoint import CheckpointError, read_json
from model.text.english import MEASURED, SENTENCE_WORDS, SIGNS

TABLE = """| sentences | number | warned of | 95 % interval | script | French | other |
| --- | --- | --- | --- | --- | --- | --- |
"""


def english_section(folder: Path, tokenizer_sha256: str) -> str:
    """Markdown from `english.json` in `folder`; empty where there is none for this tokenizer, or an earlier one."""
    try:
        counted = read_json(folder / MEASURED)
    except CheckpointError:
        return ""
    if counted.get("tokenizer_sha256") != tokenizer_sha256 or "nats" not in counted.get("thresholds", {}):
        return ""
    nats, words = counted["thresholds"]["nats"], counted["thresholds"]["words"]
    groups = {f"English, {name}": counts for name, counts in counted["english"].items()} | counted["foreign"]
    return f"""## Text that is not English

The app warns of it, and translates it all the same. There are two signs, explained in `model/text/english.py`: another
script; or words that resemble French or another language in Latin letters more than English, by more than {nats:g} nats
over at least {words} different words. Words and letters of English and French are counted over the training pairs; of
other languages only lists of frequent words are known (`training/frequent_words.py`).
Results on sentences of these data that were not counted:

{TABLE}{_lines(groups)}

{_written(counted["written"]) if "written" in counted else ""}"""


def _written(written: dict) -> str:
    choosing = written["choosing"]
    english, others = (choosing["sentences"][name] for name in ("english", "other"))
    best = f"{choosing['lowest']:.1f} and {choosing['highest']:.1f} nats"
    alarms, missed = choosing["false_alarms"], choosing["missed"]
    return f"""Results on sentences that were written for this measurement, in several kinds of English and in other
languages. The threshold was chosen on half of them, {english} English sentences without chat and {others} others of
{SENTENCE_WORDS} words or more: every threshold between {best} makes the fewest errors on them; the one above makes
{alarms} false alarms and misses {missed}. The results are those of the other half, on which nothing was chosen. Chat
has a row of its own, since its spelling differs from that of other English.

{TABLE}{_lines(written["reporting"])}

"""


def _lines(groups: dict[str, dict]) -> str:
    return "\n".join(_line(name, counts) for name, counts in groups.items())


def _line(name: str, counts: dict) -> str:
    warned = sum(counts[sign] for sign in SIGNS)
    share = f"{100 * warned / counts['sentences']:.2f} %" if counts["sentences"] else "none asked"
    low, high = (100 * bound for bound in counts["interval"])
    signs = " | ".join(str(counts[sign]) for sign in SIGNS)
    return f"| {name} | {counts['sentences']:,} | {share} | {low:.2f} to {high:.2f} % | {signs} |"
