# Two commands for newcomers: `make demo` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
# The tested versions, each with the hashes of its files, and then the project itself, built by what was just installed. pip
# installs uv, and uv the rest: it downloads, unpacks and compiles on every core.
UV = UV_PYTHON_DOWNLOADS=never $(BIN)/uv --quiet
INSTALL = $(UV) pip install --python $(VENV) --no-deps
SET_UP = $(INSTALL) --compile-bytecode --require-hashes --requirement requirements/$(1).txt \
	&& $(INSTALL) --no-build-isolation --editable . && $(BIN)/python -m compileall -qq -j 0 src
PINNED = --constraint requirements/dev.txt --build-constraint requirements/dev.txt

.PHONY: demo test test-lowest test-newest lint docs lists lock fuzz measure mutants bench clean

demo: $(VENV)/.demo
	@$(BIN)/petworks demo petworks-demo
	@echo "(petworks is in $(BIN); to type it as above, first: . $(BIN)/activate)"

# A third of the time tests wait, for browsers and other processes: three workers keep two cores busy.
WORKERS = $(shell $(PYTHON) -c 'import os; print(3 * (os.cpu_count() or 1) // 2)')
test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n $(WORKERS)

# Two more sets of versions, each in an environment of its own, for the tests of what our packages do: read, count, write, serve,
# sign, and compute the reference values. What is pure arithmetic, and what starts processes, `make test` tries.
VERSIONS = src tests/tables tests/golden tests/legacy tests/inspection tests/user tests/app/test_request_guard.py \
	$(addprefix --ignore=tests/,tables/spark tables/counting/test_real_processes.py tables/test_limits_of_files.py \
	tables/test_pipes.py golden/test_anonymized.py legacy/test_best_anonymization.py) -k 'not real_process and not outlives'

# The oldest that pyproject.toml allows, on the oldest Python; what only the tests need stays as it is.
test-lowest: $(VENV)/.dev
	@$(UV) venv --clear --python 3.11 $(VENV)-lowest
	@$(UV) pip install --python $(VENV)-lowest $(PINNED) --editable '.[test]'
	@$(UV) pip install --python $(VENV)-lowest --upgrade --resolution lowest-direct --editable '.[frames,app]'
	@$(UV) pip check --python $(VENV)-lowest
	@$(UV) pip freeze --python $(VENV)-lowest | paste -s -d ' '
	@$(VENV)-lowest/bin/python -m pytest -n auto $(VERSIONS)

# The newest Python, with the packages that requirements/dev.txt has for it.
test-newest: $(VENV)/.dev
	@python=$$(.ci/newest-python) && $(UV) venv --clear --python "$$python" $(VENV)-newest
	@$(UV) pip install --python $(VENV)-newest $(PINNED) --editable '.[test]'
	@$(UV) pip freeze --python $(VENV)-newest | paste -s -d ' '
	@$(VENV)-newest/bin/python -m pytest -n auto $(VERSIONS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The pages are in site: open site/index.html"

# What lists measures in files as text: typed exports, the README's table, the glossary.
lists: $(VENV)/.dev
	@$(BIN)/python tools/lists.py
	@$(BIN)/ruff format --quiet src/PETWorks/__init__.py

# A file to start a measure from: make measure NAME=p_sensitive_k_anonymity FAMILY=privacy
measure: $(VENV)/.dev
	@$(BIN)/python tools/new_measure.py $(FAMILY) $(NAME)

# Changes of the code that no test notices: make mutants MODULES="exact tables/counting/tally.py" TESTS="tests/exact tests/tables"
mutants: $(VENV)/.dev
	@$(BIN)/python tools/mutants.py $(MODULES) $(if $(TESTS),--tests $(TESTS))

# Renew the tested versions: all of them, or only what pyproject.toml made necessary with make lock UPGRADE=
UPGRADE = --upgrade
COMPILE = $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command 'make lock'
OURS = pyproject.toml requirements/build.in
lock: $(VENV)/.dev
	@$(COMPILE) $(UPGRADE) $(OURS) --extra dev --output-file requirements/dev.txt
	@$(COMPILE) $(UPGRADE) $(OURS) --extra docs --constraint requirements/dev.txt --output-file requirements/docs.txt
	@$(COMPILE) $(UPGRADE) $(OURS) --constraint requirements/dev.txt --output-file requirements/run.txt
	@echo uv | $(COMPILE) $(UPGRADE) - --constraint requirements/dev.txt --output-file requirements/uv.txt

# Random tables, CSV, Parquet and policies: make fuzz MINUTES=5 (for all together); python tools/fuzz --help says more
MINUTES = 5
fuzz: $(VENV)/.dev
	@nice -n 19 $(BIN)/python tools/fuzz --minutes $(MINUTES)

# All of it, or some: make bench SIZES="30162 1000000" CASES="classes pair"
bench: $(VENV)/.dev
	@$(BIN)/python bench/run.py $(if $(SIZES),--sizes $(SIZES)) $(if $(CASES),--cases $(CASES))
	@$(BIN)/python bench/starting.py

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-newest .newest-python .mypy_cache .pytest_cache .ruff_cache .hypothesis site

$(VENV)/.made: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit("PETWorks needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement requirements/uv.txt
	@touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml requirements/run.txt
	@echo "Setting up $(VENV), once …"
	@$(call SET_UP,run)
	@touch $@

$(VENV)/.docs: $(VENV)/.made pyproject.toml requirements/docs.txt
	@echo "Setting up $(VENV) with what the pages need, once …"
	@$(call SET_UP,docs)
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml requirements/dev.txt
	@echo "Setting up $(VENV) with what the tests need, once …"
	@$(call SET_UP,dev)
	@touch $@
