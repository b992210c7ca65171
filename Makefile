# What people and CI type. `make run` serves, `make play` plays here, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
TESTS := $(VENV)/.tests

.PHONY: install run play test check bench clean screenshots browser

install: $(CORE)

$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	$(BIN)/perudo warm
	touch $@

$(TESTS): $(CORE)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lab,cluster,peers,postgres]'
	touch $@

run: install
	$(BIN)/perudo serve

play: install
	$(BIN)/perudo play --against observer,l-dumb,hmax-random

check: $(TESTS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The page is tested with the system's chromium. Without it those tests are skipped, in CI they fail.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	else echo "NO BROWSER: the tests of the page will be skipped; apt-get install chromium" >&2; fi

test: $(TESTS) browser check
	$(BIN)/perudo warm
	$(BIN)/pytest -n 2 -q

screenshots: $(TESTS) browser
	$(BIN)/python tests/web/screenshots.py

bench: $(TESTS)
	$(BIN)/perudo bench

clean:
	rm -rf $(VENV)
