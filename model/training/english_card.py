"""The section of the translator's model card on text that is not English."""

from pathlib import Path

from model.runtime.checkpoint import CheckpointError, read_json
from model.text.english import MEASURED, SIGNS


def english_section(folder: Path, tokenizer_sha256: str) -> str:
    """Markdown from `english.json` in `folder`; empty where there is none for this tokenizer."""
    try:
        found = read_json(folder / MEASURED)
    except CheckpointError:
        return ""
    if found.get("tokenizer_sha256") != tokenizer_sha256:
        return ""
    odds, letters = (found["thresholds"][name] for name in ("log_odds", "spelling"))
    rows = "\n".join(
        [_row(f"English, {name}", counts) for name, counts in found["english"].items()]
        + [_row(name, counts) for name, counts in found["foreign"].items()]
    )
    return f"""## Text that is not English

The app warns of it, and translates it all the same. Three signs, explained in `model/text/english.py`: another script,
tokens of the French side (log-odds below {odds:g} nats), and spelling (median word below {letters:g} nats a letter).
Asked about sentences that nothing was counted on:

| sentences | number | warned of | script | French tokens | spelling |
| --- | --- | --- | --- | --- | --- |
{rows}

"""


def _row(name: str, counts: dict[str, int]) -> str:
    warned = sum(counts[sign] for sign in SIGNS)
    share = f"{100 * warned / counts['sentences']:.2f} %" if counts["sentences"] else "none asked"
    return f"| {name} | {counts['sentences']:,} | {share} | " + " | ".join(str(counts[sign]) for sign in SIGNS) + " |"
