"""The fuzzer: cases from a seed, one after the other, each within its limits; what fails is kept with its seed."""

from __future__ import annotations

import faulthandler
import random
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

from model import Translator, VisionClassifier
from pages.history import networks
from server import housekeeping, result_cache, run_context
from tests.fuzz import addresses, checks, files, texts
from tests.pages.conftest import go

SECONDS = 2.0  # of processor time that a case may take at a stretch
HANGS = 900  # seconds on the wall after which the whole campaign ends with the place where it hangs
WRITTEN = 20_000  # characters; a text that is longer is refused before any of it is written on a page
WARM_UP = 0.25  # share of the cases after which memory is expected to have found its level


@dataclass(frozen=True)
class Case:
    """One case: what it tries, for people, and a function that runs it and says in a word how it ended."""

    what: str
    act: Callable[[], str]


@dataclass
class Result:
    """What a campaign found.

    Attributes:
        outcomes: how many cases ended how.
        slowest: seconds of processor time at a stretch.
        grown: megabytes of memory between the warm-up and the end.
        failures: number of the case -> what went wrong.
    """

    name: str
    seed: int
    cases: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    slowest: float = 0.0
    grown: float = 0.0
    failures: dict[int, str] = field(default_factory=dict)

    def to_dict(self) -> dict:
        """All fields, for JSON."""
        return asdict(self)


def run(
    name: str,
    cases: Iterator[Case],
    seed: int,
    count: int,
    found: Callable[[int, str], None] = lambda number, reason: None,
    most_seconds: float = SECONDS,
) -> Result:
    """Take `count` cases. A failing one does not end the campaign; `found` hears of it at once."""
    result = Result(name, seed)
    level = None
    for number in range(count):
        case = next(cases)
        faulthandler.dump_traceback_later(HANGS, exit=True)
        with pauses() as times:
            try:
                outcome = case.act()
            except Exception:
                outcome = "failed"
                result.failures[number] = traceback.format_exc(limit=-6)
        seconds = max(after - before for before, after in pairwise(times))
        faulthandler.cancel_dump_traceback_later()
        if seconds > most_seconds:
            result.failures.setdefault(number, f"took {seconds:.1f} s at a stretch")
        if number in result.failures:
            result.failures[number] += f"\n{case.what}"
            found(number, result.failures[number])
        result.slowest = max(result.slowest, seconds)
        result.outcomes[outcome] = result.outcomes.get(outcome, 0) + 1
        result.cases += 1
        if number == int(count * WARM_UP):
            level = resident_megabytes()
    result.grown = resident_megabytes() - (level or 0.0) if count > 1 else 0.0
    return result


@contextmanager
def pauses() -> Iterator[list[float]]:
    """Processor time at the beginning, at the end, and whenever long work lets others go first meanwhile."""
    times, rotate = [time.process_time()], run_context.yield_slot

    def noted() -> None:
        times.append(time.process_time())
        rotate()

    run_context.yield_slot = noted
    try:
        yield times
    finally:
        run_context.yield_slot = rotate
        times.append(time.process_time())


def drawn(seed: int, name: str, number: int) -> random.Random:
    """The chances of one case: it does not depend on the cases before it."""
    return random.Random(f"{seed} {name} {number}")


def sentences(seed: int, translate_every: int = 20) -> Iterator[Case]:
    """Sentences through the escapes, the tokenizer, and for some the whole model."""
    translator = Translator.load(device="cpu")
    number = 0
    while True:

        def act(number: int = number) -> str:
            text = texts.sentence(drawn(seed, "sentence", number))
            checks.text_is_only_text(text[:WRITTEN])
            taken = checks.sentence_is_taken_or_explained(translator, text, number % translate_every == 0)
            return "translated" if taken and number % translate_every == 0 else "accepted" if taken else "refused"

        yield Case(f"sentence {number} of seed {seed}", act)
        number += 1


def pictures(seed: int, classify_every: int = 10) -> Iterator[Case]:
    """Damaged files through the reader, and for some of those that are still pictures the classifier."""
    classifier = VisionClassifier.load(device="cpu")
    originals = files.seeds()
    number = 0
    while True:

        def act(number: int = number) -> str:
            picture = checks.file_is_a_picture_or_explained(files.damaged(drawn(seed, "picture", number), originals))
            if picture is None:
                return "refused"
            if number % classify_every:
                return "read"
            assert abs(classifier.trace(picture.image).probabilities.sum() - 1) < 1e-4
            return "classified"

        yield Case(f"picture {number} of seed {seed}", act)
        number += 1


def pages(seed: int) -> Iterator[Case]:
    """Addresses through every page in turn; some visits go on to another page, which finds what was left.

    What is known of the parameters grows from case to case, so a case is known by its address, not by its number.
    """
    networks.load_in_background().join()  # which *Before the Transformer* would load meanwhile
    explorer = addresses.Explorer()
    for page in addresses.PAGES:
        with explorer.listening(page):
            app = addresses.visit(page, "")
        checks.page_is_whole(app)
        explorer.learn(page, app)
    number = 0
    while True:
        chances = drawn(seed, "page", number)
        page = addresses.PAGES[number % len(addresses.PAGES)]
        query = explorer.query(chances, page)
        then = chances.choice(addresses.PAGES) if chances.random() < 0.15 else ""

        def act(page: str = page, query: str = query, then: str = then) -> str:
            with explorer.listening(page):
                app = addresses.visit(page, query)
            checks.page_is_whole(app)
            explorer.learn(page, app)
            if then:
                go(app, then).run()
                checks.page_is_whole(app)
            refusals = [warning for warning in app.warning if "reads only English" not in warning.value]
            return "refused" if refusals else "shown"

        yield Case(f"{page}?{query[:2000]} {then}", act)
        number += 1


def resident_megabytes() -> float:
    """Memory that this process holds when it has let go of recent results; 0 where the system does not say."""
    result_cache.clear_all()
    housekeeping.free_memory()
    status = Path("/proc/self/statm")
    if not status.is_file():
        return 0.0
    return int(status.read_text().split()[1]) * 4096 / 1e6
