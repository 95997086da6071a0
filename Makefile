# kep-workbench: `make help` lists what there is. Two commands need no set-up before them:
# `make run` does the main job, `make test` passes the tests.

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV ?= .venv
# The first Python of at least 3.11; PYTHON=/path/to/python3 overrides.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && { command -v $$p; break; }; done)
# uv is used when it is there; UV= forces pip.
UV ?= $(shell command -v uv 2>/dev/null)
BIN := $(VENV)/bin
READY := $(VENV)/.ready
KEP ?= kep/
K8S_VERSION ?= 1.34
BATCH ?= default
OUT ?= out
# What is handed on to pytest, such as ARGS="-k taints -x".
ARGS ?=
# The property tests that test-slow repeats with many more examples.
PROPERTIES := tests/prototype/test_properties.py tests/prototype/test_victims.py \
	tests/workbench/test_splice_text.py tests/validator/test_robust_input.py

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "; print "Targets:"} \
	/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo 'Variables: PYTHON, VENV, UV (empty: pip), KEP, K8S_VERSION, BATCH, ARGS (for pytest)'

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { \
	echo 'error: no Python of at least 3.11 found; install one or say make PYTHON=/path/to/python3' >&2; \
	exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo 'error: $(PYTHON) is older than Python 3.11; say make PYTHON=/path/to/python3' >&2; exit 2; }
# uv trusts what the system trusts, so that it works behind a company's proxy.
ifneq ($(UV),)
	@echo 'Creating $(VENV) with uv ($(PYTHON))'
	@$(UV) venv --quiet --allow-existing --python "$(PYTHON)" $(VENV)
	@VIRTUAL_ENV=$(VENV) UV_SYSTEM_CERTS=true $(UV) pip install --quiet --compile-bytecode -c constraints.txt -e '.[dev]'
else
	@echo 'Creating $(VENV) with pip ($(PYTHON)); this takes a minute or two'
	@$(PYTHON) -m venv $(VENV) || { \
	echo 'error: this Python cannot make environments; on Debian and Ubuntu: apt-get install python3-venv' >&2; \
	exit 2; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
endif
	@$(BIN)/python -m compileall -q validator prototype notebooks
	@touch $@

.PHONY: print-python
print-python:
	@test -n "$(PYTHON)" && echo "$(PYTHON)"

.PHONY: setup
setup: $(READY) ## Create the environment

.PHONY: run
run: $(READY) ## The main job: validate the KEP, run the benchmark, write the evidence
	@mkdir -p $(OUT)
	@echo '1/4 Validating $(KEP) against the guidelines of Kubernetes $(K8S_VERSION)'
	@$(BIN)/kepler validate $(KEP) --k8s-version $(K8S_VERSION) --output json > $(OUT)/kep-validation.json \
	|| { status=$$?; $(BIN)/kepler validate $(KEP) --k8s-version $(K8S_VERSION); exit $$status; }
	@$(BIN)/kepler validate $(KEP) --k8s-version $(K8S_VERSION)
	@echo '2/4 Running the batch $(BATCH) of notebooks through papermill'
	@$(BIN)/kepler run $(BATCH)
	@echo '3/4 Writing the results into the evidence section'
	@$(BIN)/kepler evidence update --kep $(KEP) --batch $(BATCH)
	@echo '4/4 Checking the evidence'
	@$(BIN)/kepler evidence check --kep $(KEP)
	@echo
	@echo 'Done. Look at:'
	@echo '  $(KEP)README.md             the KEP, its evidence section just measured on this machine'
	@echo '  $(OUT)/kep-validation.json   the validation report'
	@echo '  $(OUT)/$(BATCH)/             the executed notebooks and their results'
	@echo 'Next: make lab (the workbench in JupyterLab), make help (everything else).'

.PHONY: test
test: $(READY) ## The tests (a few minutes)
	$(BIN)/python -m pytest -n 2 -m 'not slow' $(ARGS)
	$(BIN)/kepler evidence check --kep kep/

.PHONY: test-slow
test-slow: $(READY) ## The slow tests: corpora, all recorded cases, set-up, notebooks
	$(BIN)/python -m pytest -n 2 --timeout 1800 -m slow $(ARGS)
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n 2 --timeout 900 $(PROPERTIES)
	$(MAKE) test-notebooks

.PHONY: test-notebooks
test-notebooks: $(READY) ## The executed reference notebooks, with nbval
	$(BIN)/python -m pytest -p nbval --nbval-lax --nbval-cell-timeout 300 --nbval-current-env notebooks/reference

.PHONY: lint
lint: $(READY) ## Format, style, types and import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: $(READY) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: validate
validate: $(READY) ## Validate a KEP: make validate KEP=path/to/kep
	$(BIN)/kepler validate $(KEP) --k8s-version $(K8S_VERSION)

.PHONY: bench
bench: $(READY) ## Benchmark lines for benchstat, in benchmark-results.txt
	$(BIN)/kepler bench --count 10 --benchmem --output benchmark-results.txt

.PHONY: evidence
evidence: $(READY) ## Run the batch and write its results into the KEP
	$(BIN)/kepler run $(BATCH)
	$(BIN)/kepler evidence update --kep $(KEP) --batch $(BATCH)

.PHONY: evidence-check
evidence-check: $(READY) ## Fail when the KEP's evidence is stale or edited
	$(BIN)/kepler evidence check --kep $(KEP)

.PHONY: docs
docs: $(READY) ## Generate validator/RULES.md
	$(BIN)/python -m kep_validator.rules_doc

.PHONY: lab
lab: $(READY) ## Open JupyterLab on the workbench
	$(BIN)/kepler lab

.PHONY: clean
clean: ## Remove the environment, caches and outputs
	rm -rf $(VENV) $(OUT) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
