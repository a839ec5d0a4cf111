# Two commands do everything on a fresh machine: `make demo` and `make test`.
ifeq ($(OS),Windows_NT)
PYTHON ?= py -3
VENV := .venv/Scripts/python.exe
else
PYTHON ?= python3
VENV := .venv/bin/python
endif

.PHONY: demo test check bench docs conformance clean

demo: ## Run a recorded agent session with real tools under rules.toml.
	$(PYTHON) scripts/venv.py demo
	$(VENV) demo/run.py

test: ## Run all tests.
	$(PYTHON) scripts/venv.py test
	$(PYTHON) scripts/venv.py frameworks
	$(VENV) -m pytest -n auto --dist worksteal $(ARGS)

conformance: ## Run the conformance suite with every adapter, and write its table again.
	$(PYTHON) scripts/venv.py test
	$(PYTHON) scripts/venv.py frameworks
	TIDEGATE_UPDATE_CONFORMANCE=1 $(VENV) -m pytest -q tests/conformance
	$(VENV) scripts/generate.py

check: ## Lint, types, import layers, stale generated files, the shipped rules.
	$(PYTHON) scripts/venv.py check
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	$(VENV) -m mypy
	$(VENV) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"
	$(VENV) scripts/generate.py --check
	$(VENV) -m tidegate check --examples rules.toml
	$(VENV) -m tidegate check --examples tests/every_pack.toml

docs: ## Write the generated files again.
	$(PYTHON) scripts/venv.py check
	$(VENV) scripts/generate.py

bench: ## Print the benchmarks as ratios of one run.
	$(PYTHON) scripts/venv.py bench
	$(VENV) tests/bench/run.py $(ARGS)

clean: ## Remove the environment and all caches.
	$(PYTHON) -c "import shutil; [shutil.rmtree(p, True) for p in ('.venv', '.venv-frameworks', '.demo', '.mypy_cache', '.ruff_cache', '.pytest_cache', '.hypothesis')]"
