"""Training runs on the toy language that several tests share: by the whole program, and by the loop alone."""

import fcntl
import os
import shutil

import pytest
import torch

from model.data.corpus import Corpus
from model.networks.config import TransformerConfig
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import VARIANTS, RecurrentConfig
from model.networks.transformer import Transformer
from model.runtime.checkpoint import read_json, write_json
from model.runtime.processes import ProcessGroup
from model.text.word_alignment import learn_alignment
from model.translator import Translator
from tests.model import conftest as toy_language
from tests.training.programs import run_in_process, toy_training
from training import loop
from training.card import write_weights
from training.loop import METRICS, read_metrics, train
from training.optimizer import Recipe
from training.translation import TranslationTask

# fixtures of the toy language
data_file, corpus, tokenizer = toy_language.data_file, toy_language.corpus, toy_language.tokenizer
pair, network, trace = toy_language.pair, toy_language.network, toy_language.trace

EPOCHS = 2
ALONE = ProcessGroup(0, 1, torch.device("cpu"))
RECIPE = Recipe(
    epochs=2, batch_tokens=400, learning_rate=0.01, matrix_learning_rate=0.01, warmup_steps=8, average_decay=0.9
)


@pytest.fixture(scope="session")
def trained(data_file, tmp_path_factory):
    """The folder of a finished training run of two epochs. Tests that change it copy it first.

    Parallel test processes share one: the first trains, the others wait.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    out = folder / "trained"
    with (folder / "trained.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "card.md").exists():  # the last file that is written
            shutil.rmtree(out, ignore_errors=True)
            run_in_process(*toy_training(data_file, out, epochs=EPOCHS))
    return out


@pytest.fixture
def folders(trained, corpus, tmp_path):
    """The finished toy translator with its alignment, and four untrained recurrent networks."""
    transformer = shutil.copytree(trained, tmp_path / "transformer")
    card = read_json(transformer / "card.json")
    tokenizer = Translator.load(transformer, "cpu").tokenizer
    pairs = [(tokenizer.encode(english), tokenizer.encode(french)) for english, french in corpus.train]
    learn_alignment(pairs, len(tokenizer)).save(transformer, card["tokenizer_sha256"])
    for name in VARIANTS:
        folder = tmp_path / "recurrent" / name
        torch.manual_seed(0)
        config = RecurrentConfig.preset(name, vocabulary_size=len(tokenizer), d_model=16)
        write_json(folder / "config.json", config.to_dict())
        shutil.copy(transformer / "tokenizer.model", folder)
        facts = {"tokenizer_sha256": card["tokenizer_sha256"], "data": card["data"]}
        write_json(folder / "card.json", write_weights(folder, RecurrentNetwork(config)) | facts)
    return transformer, tmp_path / "recurrent"


@pytest.fixture(scope="module")
def every_step_is_logged():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "LOG_EVERY", 1)
        yield


@pytest.fixture(scope="module")
def make_task(corpus, tokenizer):
    """A function that builds a tiny network with its data, with equal weights at every call."""

    def make(recipe: Recipe = RECIPE, data: Corpus = corpus, **changes) -> TranslationTask:
        torch.manual_seed(5)
        config = TransformerConfig.preset("tiny", vocabulary_size=len(tokenizer), **changes)
        return TranslationTask(Transformer(config), tokenizer, data, recipe)

    return make


@pytest.fixture(scope="module")
def finished(make_task, every_step_is_logged, tmp_path_factory):
    """A run of `RECIPE`: its task, the averaged network and its folder. Tests that continue it copy the folder."""
    folder, task = tmp_path_factory.mktemp("finished"), make_task()
    return task, train(task, RECIPE, folder, ALONE), folder


def losses(folder) -> list[float]:
    return [row["loss"] for row in read_metrics(folder / METRICS) if row["event"] == "step"]
