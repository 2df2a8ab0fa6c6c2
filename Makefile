# Flipside: `make run` for the dashboard, `make test` before a pull request, `make test-all` for what CI checks. `make help` lists the rest.
SHELL := /bin/bash
PY := .venv/bin/python
PORT ?= 8501
# Recipes of backend/bundled/train (recipes.py says what each leaves behind and what it starts from).
MODELS := clip captioner relational matcher lm sentence unlearned blind plain eqsim svlc
THREADS ?= 1
STEPS ?= 100

.DEFAULT_GOAL := help
THINGS := family benchmark perturbation metric verb page kind protocol
.PHONY: help setup setup-dev chromium run test test-all check format models repeated $(MODELS:%=model-%) results bench screenshots fidelity gallery golden importers card planted teach-study clean $(THINGS:%=new-%)

help: ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: ## make .venv with the pinned packages (does nothing when it is up to date)
	@scripts/setup.sh runtime

setup-dev:
	@scripts/setup.sh dev

chromium:
	@scripts/chromium.sh

run: setup ## start the dashboard on localhost (another port: make run PORT=8600)
	@scripts/run.sh "$(PORT)"

test: setup-dev chromium ## format, lint, types, the quicker tests and one journey through each page in a real browser
	@scripts/check.sh usual

check: setup-dev ## the same without the browser
	@scripts/check.sh fast

test-all: setup-dev chromium ## everything, the slow tests and the whole browser included; CI runs one third of these two
	@scripts/check.sh all

format: setup-dev ## put every file into the house's format
	@.venv/bin/ruff format . && .venv/bin/ruff check --fix .

models: setup ## train all bundled models from scratch and put them in place (resumable; 85 minutes on 2 cores beside other work)
	$(PY) -m backend.bundled.train all --threads $(THREADS)
	$(PY) -m backend.bundled.train.publish

$(MODELS:%=model-%): model-%: setup
	$(PY) -m backend.bundled.train $* --threads $(THREADS)

repeated: setup ## run the first 100 steps of every recipe twice: are the weights the same? (fewer: make repeated STEPS=20)
	$(PY) -m backend.bundled.train.repeated --steps $(STEPS) --threads $(THREADS)

results: setup ## score the bundled models on the bundled world again
	@scripts/results.sh

bench: setup-dev chromium ## measure everything that is promised in numbers: docs/measured.md (ONLY=starts,waits for some of it; whole sizes: FULL=1)
	$(PY) -m scripts.bench $(if $(ONLY),--only $(ONLY)) $(if $(FULL),--full)

screenshots: setup-dev chromium ## take docs/screenshots/ anew in a real browser
	$(PY) -m scripts.screenshots

fidelity: setup-dev ## hold every model family against its reference library: docs/fidelity.md
	$(PY) -m scripts.fidelity

gallery: setup-dev ## write the gallery of docs/perturbations.md: before and after for every perturbation
	$(PY) -m scripts.gallery

golden: setup-dev ## write the kept values of tests/golden anew, and what was appended to the kept shapes (look at git diff)
	FLIPSIDE_GOLDEN=renew $(PY) -m pytest -q tests/golden

importers: setup-dev ## write the tables of docs/benchmarks.md from what the importers find
	$(PY) -m scripts.importers

planted: setup ## plant causes and see whether the reasons of docs/reasons.md are found (a study; resumable)
	$(PY) -m scripts.planted_reasons

teach-study: setup-dev ## every recipe of `flipside teach` over seeds on the bundled world (a study; resumable)
	$(PY) -m scripts.teach_study

card: setup ## write docs/models.md from the models' cards and the shipped results, and what docs/reasons.md says of them
	$(PY) -m scripts.model_card
	$(PY) -m scripts.bundled_reasons

# `make new-page mine` is `make new-page NAME=mine`: the second word is no target then.
ifneq (,$(filter new-%,$(firstword $(MAKECMDGOALS))))
NAME ?= $(word 2,$(MAKECMDGOALS))
ifneq (,$(word 2,$(MAKECMDGOALS)))
$(eval $(word 2,$(MAKECMDGOALS)):;@:)
endif
endif

new-family: setup ## the files of a new model family: make new-family NAME=mine (CONTRIBUTING.md)
	@$(PY) -m scripts.scaffold family "$(NAME)"

new-benchmark: setup ## of a new benchmark
	@$(PY) -m scripts.scaffold benchmark "$(NAME)"

new-perturbation: setup ## of a new perturbation
	@$(PY) -m scripts.scaffold perturbation "$(NAME)"

new-metric: setup ## of a new metric
	@$(PY) -m scripts.scaffold metric "$(NAME)"

new-verb: setup ## of a new verb
	@$(PY) -m scripts.scaffold verb "$(NAME)"

new-page: setup ## of a new page
	@$(PY) -m scripts.scaffold page "$(NAME)"

new-kind: setup ## of a new score kind
	@$(PY) -m scripts.scaffold kind "$(NAME)"

new-protocol: setup ## of a new protocol
	@$(PY) -m scripts.scaffold protocol "$(NAME)"

clean: ## remove what the tools left; the environment, models and cache stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .make .out build ./*.egg-info
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
