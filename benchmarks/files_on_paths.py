"""How many files of the program three paths run through, by a profile of one run each.

python -m benchmarks.files_on_paths            # counts
python -m benchmarks.files_on_paths --names    # and the files
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ("app.py", "model", "pages", "server", "views")
TYPED = "The dog sleeps on the old chair."


@contextmanager
def files_run():
    """Collect the program's files whose functions are called meanwhile, in all threads that start then."""
    names: set[str] = set()

    def note(frame, event, _) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            names.add(frame.f_code.co_filename)

    found: list[str] = []
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        own = (Path(name) for name in names if name.startswith(f"{ROOT}/") and "/.venv/" not in name)
        paths = sorted(str(path.relative_to(ROOT)) for path in own)
        found += [path for path in paths if path.split("/")[0] in PROGRAM]


def of_a_typed_sentence() -> list[str]:
    """A sentence typed on *Attention* until its maps are sent: one rerun of the page."""
    from tests.pages.conftest import visit

    app = visit("attention")
    app.text_input(key="text").set_value(TYPED)
    with files_run() as found:
        app.run()
    return found


def of_a_file() -> list[str]:
    """The CSV of a map of *Attention*, once it is asked for."""
    from pages.shared import files
    from tests.pages.conftest import visit

    makers: dict[str, Callable[[], bytes]] = {}
    with patch.object(files, "download", lambda label, make, name: makers.update({name: make})):
        visit("attention", kind="cross", layer="4", head="1")
    name = next(name for name in makers if name.endswith(".csv"))
    with files_run() as found:
        makers[name]()
    return found


def of_a_pull() -> list[str]:
    """A pull on the stage of the home page: one rerun, with its answer."""
    from tests.pages.conftest import visit
    from tests.pages.translate.test_stage import SWEEP, answers_of, header_of

    app = visit("translate")
    before = answers_of(app)
    known = {"state": before["state"], "pulls": before["pulls"], "text": header_of(app)["sentence"]}
    changed = {**vars(SWEEP), **known, "serial": 1, "action": "pull", "weight": 1.0}
    app.session_state["stage_ask"] = type(SWEEP)(**changed)
    with files_run() as found:
        app.run()
    return found


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files_on_paths", description=__doc__.split("\n\n")[0])
    parser.add_argument("--names", action="store_true", help="list the files")
    options = parser.parse_args()
    for label, run in (
        ("a typed sentence", of_a_typed_sentence),
        ("the CSV of a map", of_a_file),
        ("a pull", of_a_pull),
    ):
        found = run()
        print(f"{label}: {len(found)} files")
        if options.names:
            print("  " + "\n  ".join(found))


if __name__ == "__main__":
    main()
