# USL: a user-schedulable language. `make help` lists the targets.

PYTHON ?= python3
JOBS   ?= auto
STEPS  ?= 1000
PROGRAMS ?= 1000
KIND ?= plain
CASES ?= 100
SEED   ?= 0
WHAT   ?= all

VENV     := .venv
PY       := $(VENV)/bin/python
STAMP    := $(VENV)/.installed
PEERS    := $(VENV)/.peers
ONEDNN   := .venv-onednn
ARRAYS   := .venv-soac
PROJECTS := pyproject.toml $(wildcard plugins/*/pyproject.toml)
PLUGINS  := $(patsubst %/pyproject.toml,%,$(wildcard plugins/*/pyproject.toml))
TYPED    := usl_core $(foreach plugin,$(PLUGINS),$(plugin)/usl_$(notdir $(plugin)))

# Hundreds of processes of the tests import the same modules: none should compile them again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo test test-bare check trusted new-kinds dist-test fuzz mutate bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  PYTHON=python3.12 chooses the interpreter for .venv; JOBS=2 the number of test processes."

setup: $(STAMP)  ## create .venv with every package of this repository, editable

$(STAMP): $(PROJECTS)
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) found: install Python 3.11 or newer, or run: make PYTHON=/path/to/python3 setup" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, but $(PYTHON) is `$(PYTHON) --version 2>&1`. Choose another: make PYTHON=python3.12 setup" >&2; exit 1; }
	@echo "setup [1/2]: Python environment in $(VENV)"
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "setup [2/2]: usl-core, $(words $(PLUGINS)) plugins, and what they need (the first time takes about a minute)"
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[test,bench]' $(addprefix -e ,$(PLUGINS))
	@touch $@
	@echo "setup: done"

demo: setup  ## SGEMM, three blurs, a histogram, an argmax, an option priced: to C, checked; three of them timed
	@$(PY) -m demo

test: setup  ## the tests of every package
	@$(PY) -m pytest -n $(JOBS) --maxprocesses 16 --dist worksteal tests $(addsuffix /tests,$(PLUGINS))

# What the tests can do without; see CONTRIBUTING.md.
HIDE := Python.h avx512 simde clang qemu cmake graphics scipy scipy_openblas32 mkl numba torch llvmlite java ocaml koka
CORE_TESTS := $(addprefix tests/,analysis corpus cursors frontend interp ir primitives)

test-bare: setup  ## the tests that could need more than a bare machine has, with all of that hidden
	@USL_HIDE='$(HIDE)' $(PY) -m pytest -n $(JOBS) --maxprocesses 16 --dist worksteal $(addprefix --ignore=,$(CORE_TESTS)) tests $(addsuffix /tests,$(PLUGINS))

check: setup  ## lint, format, strict types, layers, the budget of trusted code
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy $(TYPED)
	$(PY) -m pytest -q tests/test_layers.py
	@$(PY) tools/trusted.py

trusted: setup  ## print the lines of trusted code; fails when there are more than their budget
	@$(PY) tools/trusted.py

new-kinds: setup  ## what mypy names when there is a new kind of statement and of expression
	@$(PY) tools/new_kinds.py

dist-test: setup  ## build every wheel and sdist, install them into a clean environment, smoke test
	@$(PY) tools/dist_test.py

# What `make fuzz WHAT=…` runs. Counts of WHAT=all, the random steps, add up in .cache/fuzz.json.
CORES = $(if $(filter auto,$(JOBS)),$$(nproc),$(JOBS))
FUZZ_all         = -m tests.fuzz --steps $(STEPS) --jobs $(if $(filter auto,$(JOBS)),0,$(JOBS)) $(if $(FILE),--file $(FILE)) $(if $(FRESH),--fresh) $(if $(ANY_CODE),--any-code)
FUZZ_faults      = -m tests.fuzz.faults
FUZZ_junk        = -m tests.fuzz.junk
FUZZ_soac_sizes  = plugins/soac/tests/soac_sizes_fuzz.py --kind $(KIND) --programs $(PROGRAMS) --jobs $(CORES)
FUZZ_soac_nonsense = plugins/soac/tests/soac_nonsense.py --programs $(PROGRAMS) --jobs $(CORES)
FUZZ_soac_hard   = plugins/soac/tests/soac_sizes_fuzz.py --kind hard --programs $(PROGRAMS) --jobs $(CORES)
FUZZ_soac_c      = plugins/soac/tests/soac_compiled_fuzz.py --kind $(KIND) --programs $(PROGRAMS) --jobs $(CORES)
FUZZ_perceus     = plugins/perceus/tests/perceus_fuzz.py --programs $(PROGRAMS) --jobs $(CORES)
FUZZ_gemmini     = plugins/gemmini/tests/gemmini_fuzz.py --cases $(CASES) --jobs $(CORES)
FUZZ_functions   = plugins/avx512/tests/functions_fuzz.py --step $(or $(STEP),1)
FUZZ_halide      = plugins/halide_lib/tests/halide_fuzz.py --steps $(STEPS)
FUZZ_halide_lang = plugins/halide_lib/tests/halide_lang_fuzz.py --programs $(PROGRAMS)
FUZZ_halide_c    = plugins/halide_lib/tests/halide_c_fuzz.py --programs $(PROGRAMS)
FUZZ_halide_nonsense = plugins/halide_lib/tests/halide_nonsense.py --programs $(PROGRAMS)

fuzz: setup  ## random steps on random programs, on all cores: make fuzz STEPS=200000 SEED=0 (WHAT=faults: known bugs put back are found; WHAT=junk: junk as arguments; WHAT=perceus PROGRAMS=1000: functional programs; WHAT=functions STEP=61: functions in lanes on every 61st f32; WHAT=gemmini CASES=100: products and convolutions; WHAT=halide STEPS=100: schedules in Halide's words, so many of each directive; WHAT=halide_lang PROGRAMS=100: pipelines in Halide's language under schedules, counted by cells; WHAT=halide_c PROGRAMS=1000: such pairs in compiled C; WHAT=halide_nonsense PROGRAMS=20000: schedules that make no sense; WHAT=soac_sizes and soac_hard PROGRAMS=10000: array programs with their sizes after each pass; WHAT=soac_c PROGRAMS=200: array programs in compiled C, for both KIND=plain, hard, forms, loops, stages or corners; WHAT=soac_nonsense PROGRAMS=100000: texts that are no array programs)
	$(if $(FUZZ_$(WHAT)),,$(error make fuzz knows WHAT=all, functions, faults, junk, perceus, gemmini, halide, halide_lang, halide_c, halide_nonsense, soac_sizes, soac_hard, soac_c and soac_nonsense, but not $(WHAT)))
	@$(PY) $(FUZZ_$(WHAT)) --seed $(SEED)

mutate: setup  ## disable each condition of the kernel in turn, something must fail: make mutate ONLY=ID LIST=1
	@$(PY) -m tests.mutation --jobs $(if $(filter auto,$(JOBS)),0,$(JOBS)) $(if $(ONLY),--only $(ONLY)) $(if $(LIST),--list) $(if $(FRESH),--fresh)

bench: $(if $(filter soac,$(WHAT)),$(STAMP),$(PEERS)) $(if $(filter conv lowp,$(WHAT)),$(ONEDNN)/.installed) $(if $(filter soac,$(WHAT)),$(ARRAYS)/.installed)  ## benchmarks: make bench WHAT=sgemm
	@$(PY) -m bench $(WHAT)

$(PEERS): $(STAMP)
	@echo "bench: OpenBLAS and MKL to compare with (the first time only)"
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[bench-peers]' || echo "bench: could not install them; what needs them says so"
	@touch $@

# In an environment of its own: PyTorch is large and brings an OpenMP runtime. Only its requirements, not this package.
$(ONEDNN)/.installed: $(STAMP)
	@echo "bench: PyTorch, for oneDNN, in $(ONEDNN) (the first time only)"
	@$(PYTHON) -m venv --clear $(ONEDNN)
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench-onednn"], sep="\n")' > $(ONEDNN)/requirements.txt
	@$(ONEDNN)/bin/python -m pip install --quiet --disable-pip-version-check -r $(ONEDNN)/requirements.txt \
	  && touch $@ || echo "bench: could not install it; the rows say so"

# Numba and JAX want a NumPy of their own choice.
$(ARRAYS)/.installed: $(STAMP)
	@echo "bench: NumPy, Numba and JAX, in $(ARRAYS) (the first time only)"
	@$(PYTHON) -m venv --clear $(ARRAYS)
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench-soac"], sep="\n")' > $(ARRAYS)/requirements.txt
	@$(ARRAYS)/bin/python -m pip install --quiet --disable-pip-version-check -r $(ARRAYS)/requirements.txt \
	  && touch $@ || echo "bench: could not install them; the rows say so"

clean:  ## remove everything that setup, tests and builds made
	rm -rf $(VENV) $(ONEDNN) $(ARRAYS) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache
