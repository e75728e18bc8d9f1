"""The fuzzer: runs cases from a seed, each within its limits, and records failures with their seed."""

from __future__ import annotations

import faulthandler
import random
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

from model import Translator, VisionClassifier
from pages.history import networks
from server import memory_budget, result_cache, run_context
from tests.fuzz import addresses, checks, files, folders, texts
from tests.pages.conftest import go

SECONDS = 2.0  # of processor time that a case may take at a stretch
HANG_SECONDS = 900  # of wall time after which the whole campaign ends with the traceback of where it hangs
MAX_CHARACTERS = 20_000  # longer texts are refused before any of them is rendered
WARM_UP = 0.25  # share of the cases after which memory is expected to be stable


@dataclass(frozen=True)
class Case:
    """One case: a description, and a function that runs it and returns its outcome in a word."""

    description: str
    act: Callable[[], str]


@dataclass
class CampaignResult:
    """The result of a campaign.

    Attributes:
        outcomes: outcome -> number of cases.
        slowest: seconds of processor time at a stretch.
        grown: megabytes of memory between the warm-up and the end.
        failures: number of the case -> error.
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
    report: Callable[[int, str], None] = lambda number, reason: None,
    most_seconds: float = SECONDS,
) -> CampaignResult:
    """Run `count` cases. A failing one does not end the campaign; `report` is called with it immediately."""
    result = CampaignResult(name, seed)
    level = None
    for number in range(count):
        case = next(cases)
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        with record_pauses() as times:
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
            result.failures[number] += f"\n{case.description}"
            report(number, result.failures[number])
        result.slowest = max(result.slowest, seconds)
        result.outcomes[outcome] = result.outcomes.get(outcome, 0) + 1
        result.cases += 1
        if number == int(count * WARM_UP):
            level = resident_megabytes()
    result.grown = resident_megabytes() - (level or 0.0) if count > 1 else 0.0
    return result


@contextmanager
def record_pauses() -> Iterator[list[float]]:
    """Record the processor time at the start, at the end, and whenever a long computation yields its slot."""
    times, yield_slot = [time.process_time()], run_context.yield_slot

    def record() -> None:
        times.append(time.process_time())
        yield_slot()

    run_context.yield_slot = record
    try:
        yield times
    finally:
        run_context.yield_slot = yield_slot
        times.append(time.process_time())


def case_random(seed: int, name: str, number: int) -> random.Random:
    """The random generator of one case, independent of the cases before it."""
    return random.Random(f"{seed} {name} {number}")


def sentences(seed: int, translate_every: int = 20) -> Iterator[Case]:
    """Sentences that are escaped and tokenized, some of them also translated."""
    translator = Translator.load(device="cpu")
    number = 0
    while True:

        def act(number: int = number) -> str:
            text = texts.sentence(case_random(seed, "sentence", number))
            checks.check_text_is_escaped(text[:MAX_CHARACTERS])
            accepted = checks.check_sentence(translator, text, number % translate_every == 0)
            return "translated" if accepted and number % translate_every == 0 else "accepted" if accepted else "refused"

        yield Case(f"sentence {number} of seed {seed}", act)
        number += 1


def pictures(seed: int, classify_every: int = 10) -> Iterator[Case]:
    """Damaged files that are read as pictures, some of them also classified."""
    classifier = VisionClassifier.load(device="cpu")
    originals = files.original_pictures()
    number = 0
    while True:

        def act(number: int = number) -> str:
            picture = checks.check_file(files.damage(case_random(seed, "picture", number), originals))
            if picture is None:
                return "refused"
            if number % classify_every:
                return "read"
            assert abs(classifier.trace(picture.image).probabilities.sum() - 1) < 1e-4
            return "classified"

        yield Case(f"picture {number} of seed {seed}", act)
        number += 1


def checkpoints(seed: int) -> Iterator[Case]:
    """Hostile folders that are opened as models; those that open trace an input."""
    with tempfile.TemporaryDirectory() as root:
        saved = folders.originals(Path(root))
        number = 0
        while True:

            def act(number: int = number) -> str:
                chances = case_random(seed, "checkpoint", number)
                with tempfile.TemporaryDirectory() as folder:
                    damaged = folders.damage(chances, chances.choice(saved), Path(folder) / "damaged")
                    return folders.open_and_run(damaged)

            yield Case(f"checkpoint {number} of seed {seed}", act)
            number += 1


def pages(seed: int) -> Iterator[Case]:
    """Addresses of every page in rotation; some visits go on to another page, with the state of the first.

    The known parameters grow from case to case, so a case is identified by its address, not by its number.
    """
    networks.load_in_background().join()  # which *Before the Transformer* would load in the background
    explorer = addresses.Explorer()
    for page in addresses.PAGES:
        with explorer.listening(page):
            app = addresses.visit(page, "")
        checks.check_page(app)
        explorer.learn(page, app)
    number = 0
    while True:
        chances = case_random(seed, "page", number)
        page = addresses.PAGES[number % len(addresses.PAGES)]
        query = explorer.query(chances, page)
        next_page = chances.choice(addresses.PAGES) if chances.random() < 0.15 else ""

        def act(page: str = page, query: str = query, next_page: str = next_page) -> str:
            with explorer.listening(page):
                app = addresses.visit(page, query)
            checks.check_page(app)
            explorer.learn(page, app)
            if next_page:
                go(app, next_page).run()
                checks.check_page(app)
            refusals = [warning for warning in app.warning if "reads only English" not in warning.value]
            return "refused" if refusals else "shown"

        yield Case(f"{page}?{query[:2000]} {next_page}", act)
        number += 1


def resident_megabytes() -> float:
    """Memory of this process with cleared caches; 0 if the system does not report it."""
    result_cache.clear_all()
    memory_budget.free_memory()
    status = Path("/proc/self/statm")
    if not status.is_file():
        return 0.0
    return int(status.read_text(encoding="utf-8").split()[1]) * 4096 / 1e6
