# What people and CI type. `make run` plays, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
TESTS := $(VENV)/.tests

.PHONY: install run play test check bench clean

install: $(CORE)

$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	$(BIN)/perudo warm
	touch $@

$(TESTS): $(CORE)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lab,cluster,peers]'
	touch $@

run play: install
	$(BIN)/perudo play --against observer,l-dumb,hmax-random

check: $(TESTS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(TESTS) check
	$(BIN)/perudo warm
	$(BIN)/pytest -n 2 -q

bench: $(TESTS)
	$(BIN)/perudo bench

clean:
	rm -rf $(VENV)
