PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PARITY := .venv-parity

# PYTHON makes a new .venv
.PHONY: manifest web run check test nightly walk sweep test-slow test-deploy test-oldest messages texts docs lint types format audit fuzz bench
.PHONY: train-translator evaluate-translator agreement doubt train-recurrent evaluate-recurrent comparison forgetting raw-attention one-stack cache-times
.PHONY: positions-study formation
.PHONY: english train-convolution evaluate-convolution train-vision evaluate-vision read-vision after-vision unlike-vision head-statistics
.PHONY: clean run-environment dev-environment parity-causal

# with byte code in files, whatever the environment says: a run starts thirty programs, and each would compile all modules
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
# the tests of a file run in one process, those of the browser all in one, which starts the app and the browser once
PARALLEL := --numprocesses 3 --dist loadfile --no-loadscope-reorder

run: run-environment
	ATLAS_MODELS=$${ATLAS_MODELS-any} $(BIN)/python -m streamlit run app.py

# before every commit, under 2 minutes: style, types, rules of the layers and of the language, and tests of the model, the
# views and the server that open no page and no checkpoint of others, train no network and start no process for each case
check: dev-environment lint
	$(PYTEST) $(PARALLEL) tests/model tests/server tests/views tests/test_*.py \
		--ignore tests/training --ignore tests/model/study --ignore tests/test_environment.py \
		--ignore tests/model/hub

# what CI runs, at most 8 minutes on two cores: everything but what is marked `nightly` or `deploy`
test: dev-environment lint
	BIN=$(BIN) sh tests/browser/install.sh
	$(PYTEST) $(PARALLEL)

# what takes long: all views in every way, further parameters, whole programs, random inputs, replicas, oldest packages
nightly: test
	$(MAKE) walk
	$(MAKE) test-slow
	$(MAKE) fuzz
	$(MAKE) test-deploy
	$(MAKE) test-oldest
	$(MAKE) sweep

# every view of the app on both sizes of screen and in both themes, where `make test` opens the first of four pages
walk: dev-environment
	BIN=$(BIN) sh tests/browser/install.sh
	ATLAS_WALK=full $(PYTEST) --numprocesses 2 --dist load tests/browser/test_walk.py

# what is marked `nightly`, and longer random walks
test-slow: dev-environment
	BIN=$(BIN) sh tests/browser/install.sh
	sh tests/browser/install_others.sh
	$(PYTEST) $(PARALLEL) -m 'nightly and not deploy'
	WALKS=10 STEPS=20 $(PYTEST) -m nightly tests/browser/test_random_walks.py

# three replicas behind nginx, in real processes, and the visitors that the memory limits of compose.yaml hold; takes a
# quarter of an hour and 3 GB
test-deploy: dev-environment
	BIN=$(BIN) sh tests/browser/install.sh
	sh tests/deploy/install.sh
	$(PYTEST) -m deploy tests/deploy

# every page with the oldest packages that requirements.txt allows, and the package at both ends of its ranges and beside
# TransformerLens and captum, each in an environment of its own; downloads them; OPTIONS="oldest --share-torch" for one of
# them with this environment's PyTorch
test-oldest: dev-environment
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.dependency_ranges $(OPTIONS)

# write the catalogues of texts from the code, and the hashes of the blocks that are translated, for translators
messages: dev-environment
	$(BIN)/python -m tools.messages

# how much of each language is translated, and what is missing, stale, unused or wrong; OPTIONS=ko names all that is missing
texts: dev-environment
	$(BIN)/python -m tools.texts $(OPTIONS)

# the hashes of all files in assets, which the app compares when it reads one; after any change in assets
manifest: dev-environment
	$(BIN)/python -m tools.manifest

# the browser side: views/viewer/static from web/
web: dev-environment
	$(BIN)/python -m tools.npm ready
	$(BIN)/python -m tools.npm run build

# every type of model that transformers can build tiny, opened; some minutes; OPTIONS="bert llama" for some of them
sweep: dev-environment
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.model.hub.sweep $(OPTIONS)

# pages of the package's names, from their docstrings, into docs/api; no network
docs: dev-environment
	OMP_NUM_THREADS=1 $(BIN)/python -m pdoc --no-show-source --output-directory docs/api \
		attention_atlas attention_atlas.study attention_atlas.model attention_atlas.views.trace_frame

# causal methods of opened models beside TransformerLens: numbers and times, in an environment of its own, which it
# downloads; it shares PyTorch and transformers with .venv; OPTIONS="--layers 2 --rounds 0" for a quick one
parity-causal: dev-environment
	test -x $(PARITY)/bin/python || $(BIN)/python -m venv $(PARITY)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > "$$($(PARITY)/bin/python -c \
		"import sysconfig; print(sysconfig.get_path('purelib'))")/shared.pth"
	$(PARITY)/bin/python -m pip install --quiet "transformer-lens>=3.9,<4"
	$(PARITY)/bin/python -W ignore -m benchmarks.transformer_lens $(OPTIONS)

lint: dev-environment types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: dev-environment
	$(BIN)/mypy

format: dev-environment
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# fails on a package with a known vulnerability, and if nothing could be checked; OPTIONS=--may-be-offline
audit: dev-environment
	$(BIN)/python -m tests.audit $(OPTIONS)

# more than 20,000 random sentences, damaged pictures, addresses and messages; OPTIONS="--seed 1 --only page", ...
fuzz: dev-environment
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.fuzz $(OPTIONS)
	BIN=$(BIN) sh tests/browser/install.sh
	OMP_NUM_THREADS=1 ATLAS_ALL_PARTS=1 $(BIN)/python -m pytest -m nightly tests/browser/test_hostile.py

bench: dev-environment
	BIN=$(BIN) sh tests/browser/install.sh
	$(BIN)/python -m benchmarks

# DATA is a .tsv, .txt, .tsv.gz or .zip of English TAB French lines; OPTIONS are passed on, such as --resume
train-translator: dev-environment
	$(BIN)/python -m training translator --data "$(DATA)" --out assets/translator $(OPTIONS)
	$(BIN)/python -m tools.manifest

evaluate-translator: dev-environment
	$(BIN)/python -m training evaluate --data "$(DATA)" --model assets/translator

train-recurrent: dev-environment
	$(BIN)/python -m training recurrent --kind "$(KIND)" --data "$(DATA)" --out "assets/recurrent/$(KIND)" $(OPTIONS)
	$(BIN)/python -m tools.manifest

evaluate-recurrent: dev-environment
	$(BIN)/python -m training evaluate --data "$(DATA)" --model "assets/recurrent/$(KIND)"

# compare the recurrent networks with the translator, for the page "Before the Transformer"; after any training
comparison: dev-environment
	$(BIN)/python -m training comparison --data "$(DATA)" --model assets/translator --recurrent assets/recurrent

# the decoder-only network beside the translator, for the pages "Decoding" and "Before the Transformer"; after any training
one-stack: dev-environment
	$(BIN)/python -m training one-stack --data "$(DATA)" --model assets/language
	$(BIN)/python -m tools.manifest

# networks that differ in their positions, for the page "Positions"; MODELS: folders of all kinds and seeds; after any training
positions-study: dev-environment
	$(BIN)/python -m training positions-study --data "$(DATA)" --out assets/positions --models $(MODELS)
	$(BIN)/python -m tools.manifest

# heads that form, for the page "Loss"; MODELS: folders of all seeds with snapshots, assets/positions/sinusoidal first
formation: dev-environment
	$(BIN)/python -m training formation --data "$(DATA)" --models $(MODELS) --remove-others
	$(BIN)/python -m tools.manifest

# milliseconds of its next token with a key-value cache and without; after any training
cache-times: dev-environment
	$(BIN)/python -m benchmarks.cache_times
	$(BIN)/python -m tools.manifest

# attention without W^Q and W^K over held-out sentences, for the same page; after any training
raw-attention: dev-environment
	$(BIN)/python -m training raw-attention --data "$(DATA)" --model assets/translator

# how far back the networks with one vector remember, for the same page; after any training of theirs
forgetting: dev-environment
	$(BIN)/python -m training forgetting --data "$(DATA)" --recurrent assets/recurrent

# which attribution method of the translator agrees with leave-one-out, for the page "Attribution"
agreement: dev-environment
	$(BIN)/python -m training agreement --data "$(DATA)" --model assets/translator

# which probabilities of the translator count as low, chosen on validation sentences; again after any training
doubt: dev-environment
	$(BIN)/python -m training doubt --data "$(DATA)" --model assets/translator

# measure the recognition of English, after any training; OTHER="Korean=kor-eng.zip" measures a further language
WRITTEN = tests/model/text/language_sentences.tsv
english: dev-environment
	$(BIN)/python -m training english --data "$(DATA)" --model assets/translator --written $(WRITTEN) $(if $(OTHER),--other "$(OTHER)")

# DATA is a folder of parquet shards (train-*.parquet, validation-*.parquet) or of class folders (train/, val/)
train-vision: dev-environment
	$(BIN)/python -m training vision --data "$(DATA)" --out assets/vision $(OPTIONS)
	$(BIN)/python -m tools.manifest

evaluate-vision: dev-environment
	$(BIN)/python -m training evaluate-vision --data "$(DATA)" --model assets/vision

# select the input size of a trained Vision Transformer, once; then after-vision
read-vision: dev-environment
	$(BIN)/python -m training read-vision --data "$(DATA)" --model assets/vision

# all measurements of the Vision Transformer, after any training of it: scores, faithfulness, agreement with leave-one-out,
# statistics of its heads and maps; OPTIONS="--before FOLDER" adds those of an earlier network
after-vision: evaluate-vision
	$(BIN)/python -m training heads-vision --data "$(DATA)" --model assets/vision
	$(BIN)/python -m training agreement-vision --data "$(DATA)" --model assets/vision
	drawn=$$(mktemp -d) && $(BIN)/python -m tools.samples --variants 12 --out "$$drawn/centred" && \
	$(BIN)/python -m tools.samples --variants 12 --off-centre --out "$$drawn/aside" && $(BIN)/python -m \
	training maps-vision --data "$(DATA)" --model assets/vision --drawn "$$drawn/centred" \
	--off-centre "$$drawn/aside" $(OPTIONS) && rm -r "$$drawn"

# how to tell pictures unlike the training pictures; OPTIONS="--choose NAME=FOLDER --report NAME=FOLDER" has pictures of
# other things, by which scores are compared and on which the result is reported
unlike-vision: dev-environment
	$(BIN)/python -m training unlike-vision --data "$(DATA)" --model assets/vision $(OPTIONS)

# a convolutional network on the same pictures; OPTIONS="--teacher assets/convolution" lets train-vision learn from it
train-convolution: dev-environment
	$(BIN)/python -m training convolution --data "$(DATA)" --out assets/convolution $(OPTIONS)
	$(BIN)/python -m tools.manifest

evaluate-convolution: dev-environment
	$(BIN)/python -m training evaluate-vision --data "$(DATA)" --model assets/convolution

# statistics of every head over held-out sentences (DATA) or pictures (PICTURES), after any training; either is optional
head-statistics: dev-environment
	@test -n "$(DATA)$(PICTURES)" || { echo "Give DATA=sentence-pairs, PICTURES=folder, or both." >&2; exit 2; }
	test -z "$(DATA)" || $(BIN)/python -m training heads --data "$(DATA)" --model assets/translator
	test -z "$(PICTURES)" || $(BIN)/python -m training heads-vision --data "$(PICTURES)" --model assets/vision

# a broken .venv, or one with a Python that is too old, is created again
run-environment:
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh environment.sh run

dev-environment:
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh environment.sh dev

clean:
	rm -rf $(VENV) $(PARITY) .pytest_cache .ruff_cache .mypy_cache .hypothesis
