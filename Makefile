# Two commands: `make play` and `make test`. Each makes the virtual environment and installs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed
EXTRAS := $(VENV)/.extras

# The versions that the tests passed with, each file by its SHA-256. LOCK= takes the newest instead.
LOCK := locks/packages.txt
PIP := -m pip install --quiet --disable-pip-version-check

# Fetched packages are kept here for the next installation, which then needs no internet.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
ifneq ($(shell mkdir -p "$(CACHE)/blindplay" 2>/dev/null && test -w "$(CACHE)/blindplay" && echo yes),yes)
CACHE := $(abspath $(VENV))/.cache
export UV_CACHE_DIR := $(CACHE)/uv
export PIP_CACHE_DIR := $(CACHE)/pip
endif
KEPT_UV := $(CACHE)/blindplay/uv

# What installs: uv, which fetches in parallel, or pip where there is no wheel of uv or no way for it
# to the packages. Both take the same files.
WITH_UV := $(BIN)/uv pip install --no-config --python $(BIN)/python
WITH_PIP := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
INSTALL = $(1) --require-hashes -r locks/build.txt \
	&& $(1) --require-hashes --no-build-isolation -r $(LOCK) \
	&& $(1) --no-deps --no-build-isolation --editable .
# Tells how this goes while it works; fails if it fails.
SHOWN = { { { $(call INSTALL,$(1)) ; } 2>&1 && touch $(VENV)/.packages; } \
	| $(BIN)/python locks/progress.py; rm $(VENV)/.packages 2>/dev/null; }

# Wheels that not every system has. Without internet they come from the cache.
WHEELS = --quiet --only-binary :all: --require-hashes
FETCH = { $(WITH_UV) $(WHEELS) $(1) || $(WITH_UV) --offline $(WHEELS) $(1) \
	|| $(BIN)/python -m pip install $(WHEELS) --retries 1 $(1); } 2>/dev/null

# What an installation compiles; here it follows changes of the catalogues.
COMPILED := $(patsubst %.po,%.mo,$(wildcard blindplay/translations/*.po))

.PHONY: play test test-long quick steady lint docs site messages pages bench fuzz lock dist release-check audit model model-graph clean

play: $(READY) $(COMPILED)
	@$(BIN)/blindplay play --or-demo

$(COMPILED): %.mo: %.po | $(READY)
	@$(BIN)/python docs/development/messages.py compile

test: $(EXTRAS)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not long"

test-long: $(EXTRAS)
	EXAMPLES=all $(BIN)/python -m pytest -m "long or hypothesis" -o faulthandler_timeout=0

# Every test again and again, idle and beside other work; ARGS="--idle 2 --loaded 0" for less.
steady: $(EXTRAS)
	$(BIN)/python -m tests.steady $(ARGS)

# The tests that the changes since BASE touch, the nearest first, for half a minute.
quick: BASE := HEAD
quick: $(EXTRAS)
	$(BIN)/python -m tests.quick --base $(BASE)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32
	$(BIN)/mypy --platform darwin

docs: $(READY)
	$(BIN)/python docs/development/articles.py
	$(BIN)/python docs/development/licences.py

# The site of the documents, in build/site, and what a browser finds wrong with it: docs/site
site: $(VENV)/.site
	rm -rf build/site
	$(BIN)/sphinx-build --quiet --keep-going --fail-on-warning --fresh-env --jobs auto \
		-d build/site-parsed -b html -c docs/site . build/site
	$(BIN)/python -m pytest --quiet -p tests.conftest -n auto $(ARGS) docs/site/test_site.py
	@echo "The site is built: build/site/index.html"

$(VENV)/.site: $(EXTRAS) locks/site.txt
	@$(call FETCH,-r locks/site.txt) || { echo "The packages for the site cannot be fetched." \
		"Connect this computer to the internet, and repeat the command."; exit 1; }
	@touch $@

# Brings the catalogues of messages up to date with the source: docs/development/languages.md
messages: $(READY)
	$(BIN)/python docs/development/messages.py

# The pictures of docs/pages; ARGS="--all --language de --folder build/pages" for many more.
pages: $(READY)
	$(BIN)/python -m tests.console.pictures $(ARGS)
	$(BIN)/python -m tests.hall.pictures $(ARGS)

# Figures of this machine; ARGS="voice --language en" for others, ARGS=--help for all.
bench: $(READY)
	$(BIN)/python -m benchmarks $(ARGS)

# Garbage for every parser, so long each; ARGS="peg --inputs 10000000 --seed 3" for one.
fuzz: MINUTES := 2
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(ARGS)

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

$(READY): pyproject.toml $(wildcard locks/*.txt)
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "BlindPlay needs Python 3.11 or newer; set PYTHON=… to one.")'
	@echo "BlindPlay is being installed into the folder $(VENV). That is done once."
	@echo "Step 1 of 3: an environment for Python."
	@$(PYTHON) -m venv $(VENV)
ifeq ($(LOCK),)
	@echo "Step 2 of 3: the newest packages. This takes a few minutes."
	@$(BIN)/python $(PIP) --editable ".[test]"
else
	@echo "Step 2 of 3: the program that fetches packages."
	@{ $(BIN)/python $(PIP) -qq --retries 1 --only-binary :all: --require-hashes -r locks/uv.txt \
		&& mkdir -p $(dir $(KEPT_UV)) && cp $(BIN)/uv $(KEPT_UV); } 2>/dev/null \
		|| cp $(KEPT_UV) $(BIN)/uv 2>/dev/null \
		|| echo "It cannot be fetched: there is no internet, or no package of it for this system."
	@echo "Step 3 of 3: the packages, each checked by its SHA-256."
	@$(call SHOWN,$(WITH_UV)) || $(call SHOWN,$(WITH_UV) --offline) \
		|| { echo "Now with pip, which takes a few minutes."; $(call SHOWN,$(WITH_PIP)); } \
		|| { echo "BlindPlay is not installed: its packages cannot be fetched." \
		"Connect this computer to the internet, and repeat the command."; exit 1; }
	@$(call FETCH,--no-deps -r locks/reader.txt) \
		|| echo "Screen readers cannot be reached from this system."
endif
	@touch $@
	@echo "BlindPlay is installed."

$(EXTRAS): $(READY) locks/extras.txt
	@$(call FETCH,-r locks/extras.txt) \
		|| echo "Some features lack their packages on this system; their tests are skipped."
	@touch $@

# Renews the locks: the newest versions that pyproject.toml lets in. Run the tests before you commit.
TOOLS := build/tools
UV := $(TOOLS)/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 --upgrade \
	--generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock"
lock: $(TOOLS)/.installed
	$(UV) --output-file locks/build.txt locks/build.in
	$(UV) --output-file locks/uv.txt locks/uv.in
	$(UV) --output-file locks/reader.txt --no-deps locks/reader.in
	$(UV) --output-file locks/extras.txt locks/extras.in
	$(UV) --output-file locks/release.txt locks/release.in
	$(UV) --output-file locks/packages.txt --extra test pyproject.toml
	$(UV) --output-file locks/site.txt --constraint locks/packages.txt locks/site.in

# The wheel and the sources, built twice, compared and checked, with a list of the packages that the
# wheel was tested with: all in dist.
RELEASE := build/release
dist: export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 1580601600)
dist: $(RELEASE)/.installed
	rm -rf dist build/again
	$(RELEASE)/bin/python -m build --no-isolation --outdir dist
	$(RELEASE)/bin/python -m build --no-isolation --outdir build/again
	cd dist && for file in *; do cmp "$$file" "../build/again/$$file" || exit 1; done
	$(RELEASE)/bin/twine check --strict dist/*
	$(RELEASE)/bin/check-wheel-contents dist/*.whl
	$(RELEASE)/bin/cyclonedx-py requirements --output-reproducible --output-file dist/packages.cdx.json $(LOCK)
	cd dist && ls -l && sha256sum *

$(RELEASE)/.installed: locks/build.txt locks/release.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python $(PIP) --require-hashes -r locks/build.txt
	$(RELEASE)/bin/python $(PIP) --require-hashes -r locks/release.txt
	@touch $@

# Everything that a release needs, from a fresh clone in an empty home, with one line for each item;
# ARGS="--quick" for fewer tests, ARGS="menu pages" for these items.
release-check:
	@$(PYTHON) -m tests.release_check $(ARGS)

# Asks the internet for flaws that have become known in the locked versions.
audit: $(TOOLS)/.installed
	$(TOOLS)/bin/pip-audit --strict --disable-pip --require-hashes -r locks/packages.txt -r locks/build.txt -r locks/uv.txt -r locks/reader.txt -r locks/extras.txt

$(TOOLS)/.installed:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python $(PIP) uv pip-audit
	@touch $@

clean:
	rm -rf $(VENV) $(TRAIN) build dist .mypy_cache .ruff_cache .pytest_cache
