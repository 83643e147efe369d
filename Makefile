# Two commands: `make play` and `make test`. Each makes the virtual environment and installs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed

.PHONY: play test test-long lint docs bench model model-graph clean

play: $(READY)
	@$(BIN)/blindplay play --or-demo

test: $(READY)
	$(BIN)/python -m pytest -n auto -m "not long"

test-long: $(READY)
	$(BIN)/python -m pytest -m long

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32
	$(BIN)/mypy --platform darwin

docs: $(READY)
	$(BIN)/python docs/articles.py

bench: $(READY)
	$(BIN)/blindplay bench

# The words of the built-in model, from blindplay/language/packs: make model-graph LANG=de
model-graph: LANG := $(if $(filter command line,$(origin LANG)),$(LANG),de)
model-graph: $(READY)
	$(BIN)/blindplay models adapt models/$(LANG) --language $(LANG) --output models/$(LANG)

# A built-in model, from synthesised voices to figures, in build/models: make model LANG=de
# See models/train/README.md: START=models/de begins with another, WITHOUT=joe leaves out voices.
TRAIN := models/train/.venv
model: LANG := $(if $(filter command line,$(origin LANG)),$(LANG),de)
model: $(TRAIN)/.installed
	$(TRAIN)/bin/python -m models.train $(LANG) $(if $(WITHOUT),--without $(WITHOUT)) $(if $(START),--start $(START)) $(ARGS)

$(TRAIN)/.installed: models/train/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check --editable . -r $<
	@touch $@

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "BlindPlay needs Python 3.11 or newer; set PYTHON=… to one.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

clean:
	rm -rf $(VENV) $(TRAIN) build dist .mypy_cache .ruff_cache .pytest_cache
