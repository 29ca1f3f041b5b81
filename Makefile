# make chat       set up what is missing, fetch the embedded model that fits here, serve the page at http://127.0.0.1:7860
# make test       set up with requirements-dev.txt, lint, then every test that needs no paid service
# make fast       only the tests that take no seconds and need no model, simulator or browser
# make setup      the set-up alone, into .venv
# make setup-dev  the same with requirements-dev.txt: what tests, lint and docs need
# make lint       ruff and mypy
# make structure  files, lines, import circles, lengths of functions, the files that a turn walks through
# make texts      brings the catalogues of the page's languages up to date with its texts
# make docs       builds docs/ as a site, in site/
# make audit      looks for known faults in the code and in what is pinned
# make lock       writes requirements.lock anew
# make clean      takes away what was set up
#
# TORCH_INDEX=URL takes torch from there. Left out, a Linux without an NVIDIA driver takes the small build for CPUs,
# where its index can be reached: it keeps several GB of CUDA away.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
# Some packages build from source with cmake, which the virtual environment brings.
WITH_VENV := PATH="$(CURDIR)/$(BIN):$$PATH"
# What the real tests talk to: the smaller one takes half the time.
TEST_MODEL ?= embedded:0.5b
# On all cores, each file of tests on one of them: what a file's tests share is made once.
# What pytest makes of them is kept, also where nothing else is: it takes a fifth of the time to make. Their files need
# no disk: where there is a gigabyte of memory for them they are written there, and go with each test that passed.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 1000000 {print "/dev/shm"}')
PYTEST := PYTHONDONTWRITEBYTECODE= $(if $(MEMORY),PYTEST_DEBUG_TEMPROOT=$(MEMORY)) $(BIN)/python -m pytest -n auto \
  -o tmp_path_retention_policy=failed
FAST := $(PYTEST) --dist loadfile -m "not slow and not real and not browser"
SLOW := $(PYTEST) -m "slow and not real and not browser"
UNLOCKED := torch triton cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvrtc \
  nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand nvidia-cusolver nvidia-cusparse \
  nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx
CPU_TORCH := https://download.pytorch.org/whl/cpu
# Asked once, when torch is about to be installed.
INDEX = $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX),$(shell [ "$$(uname)" = Linux ] \
  && [ ! -e /proc/driver/nvidia/version ] && ! command -v nvidia-smi >/dev/null \
  && $(BIN)/python -c 'import urllib.request; urllib.request.urlopen("$(CPU_TORCH)/torch/", timeout=5)' 2>/dev/null \
  && echo --extra-index-url $(CPU_TORCH)))

.PHONY: help chat test setup setup-dev lock audit lint fast structure texts docs clean

help:
	@sed -n '/^# make /s/^# //p;/^$$/q' Makefile

chat: setup
	@$(BIN)/python main.py models fetch || echo "The page offers them again."
	@$(BIN)/python main.py serve

setup: $(VENV)/.installed

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Duet needs Python 3.11 or newer: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv is missing: apt install python3-venv (or what your system calls it), then make again."; exit 1; }

# requirements.lock names the SHA-256 of every file that may be installed. torch is left to its version: which file
# that is depends on the machine and on TORCH_INDEX, and what it brings for a GPU comes with it.
$(VENV)/.installed: requirements.lock | $(BIN)/python
	@echo "Setting up Duet in $(VENV), once: 3 GB on the disk, several more for a GPU; some minutes."
	$(PIP) install --quiet cmake==3.31.10
	$(WITH_VENV) $(PIP) install --no-deps --require-hashes -r requirements.lock
	$(PIP) install $(INDEX) "$$(grep '^torch==' requirements.txt)"
	@touch $@

setup-dev: setup $(VENV)/.installed-dev

$(VENV)/.installed-dev: requirements-dev.txt | $(VENV)/.installed
	$(WITH_VENV) $(PIP) install $(INDEX) -r requirements-dev.txt
	@touch $@

# Written anew after a change of requirements.txt.
lock: setup-dev
	$(BIN)/uv pip compile requirements.txt --universal --python-version 3.11 --generate-hashes --no-header --quiet \
	  $(addprefix --no-emit-package ,$(UNLOCKED)) -o requirements.lock

# Our own code by bandit; what is pinned by pip-audit, where its database can be reached.
audit: setup-dev
	$(BIN)/bandit -q -c pyproject.toml -r main.py chat minds tools memory prompts storage
	@$(BIN)/pip-audit --require-hashes --disable-pip -r requirements.lock --progress-spinner off >$(VENV)/audit.txt 2>&1 \
	  && ! grep -q "could not be audited" $(VENV)/audit.txt && echo "No known faults in what is pinned." \
	  || { grep -q "^Found .* known vulnerabilit" $(VENV)/audit.txt && cat $(VENV)/audit.txt && exit 1; \
	       echo "The database of known faults does not know, or could not be asked about, so many of what is pinned:" \
	         "$$(grep -c 'could not be audited' $(VENV)/audit.txt)."; }

structure: setup-dev
	@$(BIN)/python -m tests.structure

texts: setup-dev
	@$(BIN)/python -m tests.texts

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: setup-dev lint
	@$(BIN)/python main.py models fetch $(TEST_MODEL)
	$(FAST)
	$(SLOW)
	DUET_TEST_MODEL=$(TEST_MODEL) $(BIN)/python -m pytest -m "real and not browser"
	@DUET_TEST_MODEL=$(TEST_MODEL) sh tests/browser/run.sh $(BIN)/python

docs: setup-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "The docs are in site/index.html."

fast: setup-dev
	$(FAST)

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache
