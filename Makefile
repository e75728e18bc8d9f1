PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-deploy lint format audit fuzz bench train-translator evaluate-translator train-recurrent evaluate-recurrent agreement
.PHONY: train-vision evaluate-vision head-statistics clean

run: $(VENV)/.run-ready
	$(BIN)/streamlit run app.py

# by file, in the order of the folders: the browser's long files first, the short ones at the end fill both processes
test: $(VENV)/.dev-ready lint
	BIN=$(BIN) sh tests/browser/install.sh
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# three replicas behind nginx, in real processes; takes some minutes and 1.5 GB
test-deploy: $(VENV)/.dev-ready
	BIN=$(BIN) sh tests/browser/install.sh
	sh tests/deploy/install.sh
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m deploy tests/deploy

lint: $(VENV)/.dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# fails on a package with a known vulnerability; where the list cannot be reached it says so
audit: $(VENV)/.dev-ready
	$(BIN)/python -m tests.audit

# more than 10,000 strange sentences, damaged pictures and addresses; OPTIONS="--seed 1 --only page", ...
fuzz: $(VENV)/.dev-ready
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.fuzz $(OPTIONS)
	BIN=$(BIN) sh tests/browser/install.sh
	OMP_NUM_THREADS=1 ATLAS_ALL_PARTS=1 $(BIN)/python -m pytest tests/browser/test_hostile.py

bench: $(VENV)/.dev-ready
	BIN=$(BIN) sh tests/browser/install.sh
	$(BIN)/python -m benchmarks

# DATA is a .tsv, .txt, .tsv.gz or .zip of English TAB French lines; OPTIONS are passed on, such as --resume
train-translator: $(VENV)/.dev-ready
	$(BIN)/python -m model.training translator --data "$(DATA)" --out assets/translator $(OPTIONS)

evaluate-translator: $(VENV)/.dev-ready
	$(BIN)/python -m model.training evaluate --data "$(DATA)" --model assets/translator

train-recurrent: $(VENV)/.dev-ready
	$(BIN)/python -m model.training recurrent --kind "$(KIND)" --data "$(DATA)" --out "assets/recurrent/$(KIND)" $(OPTIONS)

evaluate-recurrent: $(VENV)/.dev-ready
	$(BIN)/python -m model.training evaluate --data "$(DATA)" --model "assets/recurrent/$(KIND)"

# which explanation of the translator agrees with erasing words, for the page "What it rests on"
agreement: $(VENV)/.dev-ready
	$(BIN)/python -m model.training agreement --data "$(DATA)" --model assets/translator

# DATA is a folder of parquet shards (train-*.parquet, validation-*.parquet) or of class folders (train/, val/)
train-vision: $(VENV)/.dev-ready
	$(BIN)/python -m model.training vision --data "$(DATA)" --out assets/vision $(OPTIONS)

evaluate-vision: $(VENV)/.dev-ready
	$(BIN)/python -m model.training evaluate-vision --data "$(DATA)" --model assets/vision

# what every head does over held-out sentences (DATA) or pictures (PICTURES), after any training; either may be left out
head-statistics: $(VENV)/.dev-ready
	@test -n "$(DATA)$(PICTURES)" || { echo "Give DATA=sentence-pairs, PICTURES=folder, or both." >&2; exit 2; }
	test -z "$(DATA)" || $(BIN)/python -m model.training heads --data "$(DATA)" --model assets/translator
	test -z "$(PICTURES)" || $(BIN)/python -m model.training heads-vision --data "$(PICTURES)" --model assets/vision

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run-ready: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/.dev-ready: requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@ $(VENV)/.run-ready

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
