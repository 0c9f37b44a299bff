# Two commands for newcomers: `make demo` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint docs lists measure bench clean

demo: $(VENV)/.demo
	@$(BIN)/petworks demo petworks-demo

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n auto --dist loadgroup

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The pages are in site: open site/index.html"

# What lists measures in files as text: typed exports, the README's table, the glossary.
lists: $(VENV)/.dev
	@$(BIN)/python tools/lists.py
	@$(BIN)/ruff format --quiet src/PETWorks/__init__.py

# A file to start a measure from: make measure NAME=p_sensitive_k_anonymity FAMILY=privacy
measure: $(VENV)/.dev
	@$(BIN)/python tools/new_measure.py $(FAMILY) $(NAME)

# All of it, or some: make bench SIZES="30162 1000000" CASES="classes pair"
bench: $(VENV)/.dev
	@$(BIN)/python bench/run.py $(if $(SIZES),--sizes $(SIZES)) $(if $(CASES),--cases $(CASES))
	@$(BIN)/python bench/starting.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis site

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("PETWorks needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Setting up $(VENV), once …"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Setting up $(VENV) with what the tests need, once …"
	@$(PIP) --editable '.[dev]'
	@touch $@
