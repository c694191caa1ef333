# Needs Python 3.11 or later with pip and venv; nothing else. Every target creates what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
# Many tests wait for processes that they start. One worker more than there are cores uses that time.
WORKERS ?= 3

# The commands and the tests start many processes. Without stored bytecode each of them compiles the packages again.
export PYTHONDONTWRITEBYTECODE :=
# The processes take the cores. Threads of libraries beside them only wait for each other.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.PHONY: audit ledger coq reproduce oracles test test-all test-first test-more test-both test-slow check benchmark peers sketches known packages presets distinct machines peers-tables diabetes clean
.DEFAULT_GOAL := audit

# The table of verdicts on every shipped estimator, with a row for each real stream.
audit: $(INSTALLED)
	@$(BIN)/panproof list --verdicts --stream online-retail --stream nycflights13 --jobs $(JOBS)

# Derive the ledger again, write its page, and print the verdicts.
ledger: $(INSTALLED)
	@$(BIN)/panproof claims --again --page proofs/LEDGER.md --jobs $(JOBS)

# Compile the Coq proofs, check them once more, and write proofs/coq/CHECKED.md and its tables, in about ten minutes.
coq:
	@$(PYTHON) proofs/coq/check_coq.py

# Reproduce the figures of the paper and of the thesis, and judge the sentences about them; see figures/index.html.
reproduce: $(INSTALLED)
	@$(BIN)/python -m experiments reproduce all --out figures --jobs $(JOBS)

# The ordinary tests, and the static checks.
test: $(INSTALLED)
	@$(MAKE) --no-print-directory --jobs 2 check test-first

# As `make test`, with the tests of `make test-more`: to collect all tests costs each worker half a minute.
test-all: $(INSTALLED)
	@$(MAKE) --no-print-directory --jobs 2 check test-both

test-first: MARKED = not slow and not more
# Fuzzers, power and other tests of distributions.
test-more: MARKED = more and not slow
test-both: MARKED = not slow
test-first test-more test-both: $(INSTALLED)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "$(MARKED)" --ignore=tests/benchmarks

# The slow tests: the rates of false refutations at full size, the power at the default budget, kills, and replays.
# ONLY selects some, as ONLY="-k Laplace". Their figures are written to tests/slow/RESULTS.md, beside the earlier ones.
test-slow: $(INSTALLED)
	$(BIN)/python -m pytest -q -n $(JOBS) -m slow --ignore=tests/benchmarks -p tests.figures \
		--record tests/slow/RESULTS.md $(ONLY)

# The answers of all commands that judge, against those that were frozen (tests/oracles.json); with --freeze anew.
oracles: $(INSTALLED)
	$(BIN)/python -m tests.oracles

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

benchmark: $(INSTALLED)
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-columns=min,median,rounds \
		--figures tests/benchmarks/FIGURES.md

# The page that compares with other libraries, anew.
peers: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.peers

# The page of synthesizers of tables, anew.
peers-tables: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.tables

# The shipped Diabetes records, anew. It needs dataset_diabetes.zip of the UCI repository.
diabetes: $(INSTALLED)
	$(BIN)/python -m pan_estimators.tables.diabetes $(DIABETES)

# The page that compares distinct counters of large universes, anew, in about two minutes.
sketches: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.sketches

# The bounds of known mechanisms beside the best possible ones, anew, in about five minutes.
known: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.learned_bounds --jobs $(JOBS) --out tests/benchmarks/KNOWN.md

# The searched parameters of distinct counters, anew, in about a minute. They are shipped as data.
presets: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.presets --jobs $(JOBS)

# The errors of the distinct counter, the coverage of its intervals, and unions, anew, in about 40 minutes.
distinct: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.distinct --jobs $(JOBS)

# The distinct count of 10^7 to 10^9 ids on two processes of Dask, anew, in about two minutes.
machines: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks.machines --jobs $(JOBS)

# The table of other people's packages, anew; each gets an environment of its own in .venv-packages. A command that was
# stopped goes on; `.venv/bin/python -m packages --help` shows how to judge some packages, or all again.
packages: $(INSTALLED)
	$(BIN)/python -m packages

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "panproof needs Python 3.11 or later; try make PYTHON=python3.11"; exit 2; }
	@echo "installing into $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) hatchling
	@$(PIP) --no-build-isolation --editable '.[suite,files,secure,accounting,dask,dev]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-packages build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
