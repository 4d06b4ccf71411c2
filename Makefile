# Promille: see `make help`. Checks that take long are in Tests/Tools/check.py.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PROMILLE := .build/release/promille
# With Swift's libraries inside, a command begins in 8 ms instead of 13; elsewhere than on Linux they are part of the system.
RELEASE := swift build -c release $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
STUDY := datasets/nacar-2021
MADE_UP := datasets/made-up-24
FIT := --estimate ka,beta,r --error combined --blood-breath-ratio 2100

.PHONY: help
help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  Tests/Tools/check.py --help: checks that take long or need other programs, one by one"

.PHONY: deps
deps: ## Install what is missing: GNU GSL, SQLite, zlib, expat, pkg-config and rsvg-convert (apt or brew)
	@command -v swift >/dev/null || { \
	  echo "Swift 6.2 or newer is needed: https://www.swift.org/install"; exit 1; }
	@if pkg-config --exists 'gsl >= 2.7' 'sqlite3 >= 3.37' zlib expat 2>/dev/null \
	  && command -v rsvg-convert >/dev/null; then exit 0; fi; \
	if command -v brew >/dev/null; then \
	  brew install gsl sqlite pkg-config librsvg; \
	elif command -v apt-get >/dev/null; then \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq; \
	  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    libgsl-dev libsqlite3-dev zlib1g-dev libexpat1-dev pkg-config librsvg2-bin; \
	else \
	  echo "Install GNU GSL 2.7 and SQLite 3.37 or newer, zlib and expat with their headers, pkg-config and rsvg-convert."; \
	  exit 1; \
	fi

.PHONY: build
build: deps ## Build the command in release mode
	$(RELEASE) --product promille

# Where `make install` puts things; DESTDIR goes before it and is not part of any path that is used.
PREFIX ?= /usr/local
DESTDIR ?=
ROOT = $(DESTDIR)$(PREFIX)
INSTALLED = $(ROOT)/bin/promille $(ROOT)/share/man/man1/promille.1 \
  $(ROOT)/share/bash-completion/completions/promille \
  $(ROOT)/share/zsh/site-functions/_promille \
  $(ROOT)/share/fish/vendor_completions.d/promille.fish

.PHONY: install
install: build ## Install command, manual page and completions below PREFIX (/usr/local), after DESTDIR
	install -d $(dir $(INSTALLED))
	install -m 755 $(PROMILLE) $(ROOT)/bin/promille
	Packaging/build_manual.sh $(PROMILLE) $(ROOT)/share/man/man1
	chmod 644 $(ROOT)/share/man/man1/promille.1
	$(PROMILLE) --generate-completion-script bash >$(ROOT)/share/bash-completion/completions/promille
	$(PROMILLE) --generate-completion-script zsh >$(ROOT)/share/zsh/site-functions/_promille
	$(PROMILLE) --generate-completion-script fish >$(ROOT)/share/fish/vendor_completions.d/promille.fish

.PHONY: uninstall
uninstall: ## Remove what `make install` installed
	rm -f $(INSTALLED)

STAGE := .build/stage
PACKAGES := .build/packages

.PHONY: packages
packages: deps ## Build a Debian package and an archive that need no Swift
	Packaging/build_stage.sh $(STAGE)
	mkdir -p $(PACKAGES)
	Packaging/build_deb.sh $(STAGE) $(PACKAGES)
	Packaging/build_tarball.sh $(STAGE) $(PACKAGES)

.PHONY: wheel
wheel: deps ## Build the wheels of the Python package, which holds the command, and of the study day
	Packaging/build_wheel.sh $(PACKAGES)

.PHONY: release
release: ## Build everything of a release from the tag that is checked out, with checksums
	Packaging/build_release.sh $(PACKAGES)

# Tests mostly wait for fits, which take several times as long unoptimised. The modules that calculate
# are optimised for them; the rest, tests above all, is a debug build, which is made sooner.
# At most four tests run at once, so that one that waits for a command is not kept waiting behind fits.
FAST_TESTS := PROMILLE_OPTIMIZED_TESTS=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4

# Does a step and adds its seconds to a file.
TIMES := .build/times.txt
timed = SECONDS=0; $(2); echo "$(1) $$SECONDS" >>$(TIMES)

.PHONY: test
test: deps ## Build the toolkit, run its tests and the example (the study day: make -C StudyDay test)
	@mkdir -p .build; rm -f $(TIMES)
	$(call timed,build,$(FAST_TESTS) swift build --build-tests)
	$(call timed,tests,$(FAST_TESTS) swift test --skip-build 2>&1 | tee .build/tests.log || { \
	  echo "What failed:"; grep -a '✘' .build/tests.log; exit 1; })
	$(call timed,example,.build/debug/FitOneSubject $(STUDY) | diff - Examples/FitOneSubject/output.txt)
	@cat $(TIMES)

.PHONY: test-all
test-all: test docs ## Run the tests of both packages and every check that this machine can run (hours)
	@$(MAKE) --no-print-directory -C StudyDay test
	Tests/Tools/check.py all

.venv/ready: Tests/Tools/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --requirement $<
	touch $@

SOURCES := Package.swift Plugins Sources Tests Fuzz Examples Benchmarks/Package.swift Benchmarks/Benchmarks \
  StudyDay/Package.swift StudyDay/Sources StudyDay/Tests StudyDay/Fuzz

.PHONY: lint
lint: ## Check the format of the sources
	swift format lint --strict --recursive $(SOURCES)

.PHONY: format
format: ## Format the sources
	swift format --in-place --recursive $(SOURCES)

.PHONY: demo
demo: build ## Fit, compare and report on a made-up study, hold it against its truth; then the thesis in four lines
	@echo; echo '$$ promille fit $(MADE_UP) $(FIT)'
	@$(PROMILLE) fit $(MADE_UP) $(FIT) --format table
	@echo; echo '$$ promille compare $(MADE_UP) --food fasted --blood-breath-ratio 2100 --summary'
	@$(PROMILLE) compare $(MADE_UP) --food fasted --blood-breath-ratio 2100 --summary --format table
	@echo; echo '$$ promille report $(MADE_UP) $(FIT) -o made-up-24.html'
	@$(PROMILLE) report $(MADE_UP) $(FIT) -o .build/made-up-24.html
	@echo 'written to .build/made-up-24.html'
	@echo; echo 'The study is made up, so its truth is known. How often 95 % intervals hold it:'
	@awk -F, 'NR == 1 || $$5 > 0 { printf "%-16s %9s %8s\n", $$1, $$5, $$6 }' $(MADE_UP)/golden/recovery.csv
	@echo 'So few evenings leave much to chance: of 816 people made in the same way 94 to 95 % of the intervals hold it.'
	@echo 'Two people are planted, whom no fit here can describe: p17 had a drink that nobody wrote down, p22 absorbs late.'
	@awk -F, 'NR > 1 && $$5 > 0 { printf "%-16s %9s %8s\n", $$1, $$5, $$6 }' $(MADE_UP)/golden/recovery-planted.csv
	@echo; echo "The thesis' predictions against the middle of the two readings:"
	@echo '$$ promille sober $(STUDY) --threshold 0 --predictions thesis=$(STUDY)/thesis-predictions.csv'
	@$(PROMILLE) sober $(STUDY) --threshold 0 --predictions thesis=$(STUDY)/thesis-predictions.csv --format table -q
	@echo; echo 'Its 11-30 % are against the first reading of zero, relative to the predicted time:'
	@$(PROMILLE) sober $(STUDY) --threshold 0 --predictions thesis=$(STUDY)/thesis-predictions.csv --format csv -q \
	  | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$$i] = i; next } \
	    $$at["method"] == "thesis" { printf "subject %s: %.1f %%\n", $$1, $$at["error_pct_of_predicted_first_below"] }'

.PHONY: bench
bench: build ## Measure the engine beside its references, in a few seconds
	@$(PROMILLE) bench --format table

.PHONY: bench-peers
bench-peers: build ## Measure fits beside C with GSL, SciPy, lmfit, Polars with Numba and R (PEERS=--help)
	Benchmarks/Peers/bench_peers.py $(PROMILLE) $(PEERS)

.PHONY: serve-demo
serve-demo: ## Serve a made-up study day and print the link
	@$(MAKE) --no-print-directory -C StudyDay serve-demo

.PHONY: docs
docs: deps .venv/ready ## Build the documentation of every module and of the Python package as one site, without warnings
	Documentation/build.sh

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build Benchmarks/.build .venv
