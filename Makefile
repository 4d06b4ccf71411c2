# Promille: see `make help`.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PROMILLE := .build/release/promille
STUDY := datasets/nacar-2021
VENV := .venv
BENCHMARKS := Benchmarks/Package.swift Benchmarks/Benchmarks
# Studies that may not be shipped lie beside the checkout. Checks on them need them.
STUDIES := ../shared/data

TOOLS := case_monte_carlo correlated_scipy crps_scoringrules fit_statistics_scipy fit_summary interval_coverage make_nacar michaelis_menten_scipy nacar_sober numerics_mpmath prior_scipy profile_ends robust_errors_scipy routes_scipy statistics_scipy study_errors_scipy thesis_engine time_errors_scipy workbooks
ifneq ($(wildcard $(STUDIES)/wilkinson-1977-oral),)
TOOLS += compare_scipy derived_scipy elimination_line_scipy population_diagnostics posterior_numpy r_comparison wilkinson_scipy
endif

.PHONY: help
help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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
	swift build -c release --product promille

# Where `make install` puts things; DESTDIR goes before it and is not part of any path that is used.
PREFIX ?= /usr/local
DESTDIR ?=
ROOT = $(DESTDIR)$(PREFIX)
MANUAL := .build/manual/promille.1
INSTALLED = $(ROOT)/bin/promille $(ROOT)/share/man/man1/promille.1 \
  $(ROOT)/share/bash-completion/completions/promille \
  $(ROOT)/share/zsh/site-functions/_promille \
  $(ROOT)/share/fish/vendor_completions.d/promille.fish

.PHONY: manual
manual: build ## Generate the manual page from the help
	Packaging/build_manual.sh $(PROMILLE) $(dir $(MANUAL))

.PHONY: install
install: build manual ## Install command, manual page and completions below PREFIX (/usr/local), after DESTDIR
	install -d $(dir $(INSTALLED))
	install -m 755 $(PROMILLE) $(ROOT)/bin/promille
	install -m 644 $(MANUAL) $(ROOT)/share/man/man1/promille.1
	$(PROMILLE) --generate-completion-script bash >$(ROOT)/share/bash-completion/completions/promille
	$(PROMILLE) --generate-completion-script zsh >$(ROOT)/share/zsh/site-functions/_promille
	$(PROMILLE) --generate-completion-script fish >$(ROOT)/share/fish/vendor_completions.d/promille.fish

.PHONY: uninstall
uninstall: ## Remove what `make install` installed
	rm -f $(INSTALLED)

# What packages are made of: programs linked statically with the Swift runtime, their manual, completions and a study.
STATIC := .build/static
STAGE := .build/stage
PACKAGES := .build/packages
PROGRAMS := promille promille-serve

.PHONY: stage
stage: deps
	@# `-z now` binds all functions at the start, after which nobody can redirect them.
	for program in $(PROGRAMS); do \
	  swift build -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now \
	    --scratch-path $(STATIC) --product $$program; \
	done
	rm -rf $(STAGE)
	install -d $(STAGE)/usr/bin $(STAGE)/usr/share/man/man1 $(STAGE)/usr/share/promille \
	  $(STAGE)/usr/share/bash-completion/completions $(STAGE)/usr/share/zsh/vendor-completions \
	  $(STAGE)/usr/share/fish/vendor_completions.d $(STAGE)/usr/share/doc/promille $(PACKAGES)
	install -m 755 $(PROGRAMS:%=$(STATIC)/release/%) $(STAGE)/usr/bin
	strip --strip-unneeded --remove-section=.comment --remove-section=.note $(PROGRAMS:%=$(STAGE)/usr/bin/%)
	cp -R datasets/made-up-24 $(STAGE)/usr/share/promille/
	install -m 644 Packaging/copyright $(STAGE)/usr/share/doc/promille
	cat $(STATIC)/checkouts/*/NOTICE.txt >$(STAGE)/usr/share/doc/promille/NOTICE
	for program in $(PROGRAMS); do \
	  Packaging/build_manual.sh $(STAGE)/usr/bin/$$program $(STAGE)/usr/share/man/man1; \
	  $(STAGE)/usr/bin/$$program --generate-completion-script bash | sed '1{/^#!/d;}' \
	    >$(STAGE)/usr/share/bash-completion/completions/$$program; \
	  $(STAGE)/usr/bin/$$program --generate-completion-script zsh \
	    >$(STAGE)/usr/share/zsh/vendor-completions/_$$program; \
	  $(STAGE)/usr/bin/$$program --generate-completion-script fish \
	    >$(STAGE)/usr/share/fish/vendor_completions.d/$$program.fish; \
	done

.PHONY: deb
deb: stage ## Build a Debian package that needs no Swift
	Packaging/build_deb.sh $(STAGE) $(PACKAGES)

.PHONY: tarball
tarball: stage ## Build an archive of the programs that needs no Swift
	Packaging/build_tarball.sh $(STAGE) $(PACKAGES)

.PHONY: check-deb
check-deb: ## Install package and archive in a fresh Debian, and use and remove them there (as root)
	Tests/Tools/check_deb.sh

.PHONY: release
release: ## Build everything of a release from the tag that is checked out, with checksums
	Packaging/build_release.sh $(PACKAGES)

.PHONY: check-install
check-install: ## Install into a temporary folder, use it and remove it again
	Tests/Tools/check_install.sh

# Tests mostly wait for fits, which take several times as long unoptimised. The modules that calculate
# are optimised for them; the rest, tests above all, is a debug build, which is made sooner.
# At most four tests run at once, so that one that waits for a command is not kept waiting behind fits.
FAST_TESTS := PROMILLE_OPTIMIZED_TESTS=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4

.PHONY: test
test: deps ## Build everything and run the tests
	$(FAST_TESTS) swift build --build-tests
	$(FAST_TESTS) swift test --skip-build
	@$(MAKE) --no-print-directory example

# What is left out of `make test` for the time it takes, or for the programs it needs.
SLOW := hashing docs expectations simulations streaming allocations page study-day schemas petab nonmem snippets notebooks \
  completions check-install check-deb serve-api serve-bridge engines sanitize
ifeq ($(shell uname),Linux)
SLOW += fuzz
endif
ifneq ($(wildcard $(STUDIES)),)
SLOW += cross-check left-out five-r-factors
endif

.PHONY: hashing
hashing: ## Run the tests with the same seed of hashing in every process, where `make test` draws one for each
	$(FAST_TESTS) swift build --build-tests
	$(FAST_TESTS) SWIFT_DETERMINISTIC_HASHING=1 swift test --skip-build

.PHONY: test-all
test-all: test calibration $(SLOW) ## Run the tests and the slow checks

# Release builds with checks of bounds and overflow, as users have them, and with libFuzzer's counters.
FUZZERS := StudyDataFuzz HealthDataFuzz CaseworkFuzz StudyServerFuzz
RUNS ?= 20000

.PHONY: build-fuzz
build-fuzz: deps
	for fuzzer in $(FUZZERS); do \
	  PROMILLE_FUZZ=1 swift build -c release --sanitize=fuzzer --scratch-path .build/fuzz \
	    -Xswiftc -enable-testing --product $$fuzzer; \
	done

.PHONY: fuzz
fuzz: build-fuzz ## Try all readers and the server with RUNS (20000) made-up inputs each (libFuzzer, Linux; the first build takes minutes)
	RUNS=$(RUNS) Fuzz/run.sh

# Tests that are built and run again with sanitizers. Address: all but those of the command, which start it hundreds of
# times and give it little time. Thread: those of what does several things at once.
ADDRESS := PROMILLE_TESTS=CGSLTests,GSLTests,AlcoholKineticsTests,StudyDataTests,StudyStoreTests,HealthDataTests,EstimationTests,PopulationTests,CaseworkTests,ValidationTests,CertificationTests,ReportingTests,StudyServerTests
THREAD := PROMILLE_TESTS=StudyDataTests,StudyStoreTests,EstimationTests,PopulationTests,ReportingTests,StudyServerTests
# Tests of the server start it as a program, too.
SANITIZED := promillePackageTests promille-serve
# What a sanitizer slows down is not measured.
TEST_SANITIZED = swift test --skip-build --skip aPersonIsFittedAgainWithinFiftyMilliseconds

.PHONY: sanitize
sanitize: sanitize-address $(if $(filter Linux,$(shell uname)),sanitize-thread) ## Run tests with the address and thread sanitizers (builds of their own; half an hour and more)

.PHONY: sanitize-address
sanitize-address: deps
	for product in $(SANITIZED); do \
	  $(FAST_TESTS) $(ADDRESS) swift build --product $$product --sanitize=address --scratch-path .build/address; \
	done
	@# Foundation on Linux leaks the errors of its XML parser; tests ask for more memory than there is.
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 $(FAST_TESTS) $(ADDRESS) \
	  $(TEST_SANITIZED) --sanitize=address --scratch-path .build/address

.PHONY: sanitize-thread
sanitize-thread: deps
	for product in $(SANITIZED); do \
	  $(FAST_TESTS) $(THREAD) swift build --product $$product --sanitize=thread --scratch-path .build/thread; \
	done
	clang -O2 -shared -fPIC -o .build/thread/lock.so Tests/Tools/thread_sanitizer_lock.c
	LD_PRELOAD=$(CURDIR)/.build/thread/lock.so $(FAST_TESTS) $(THREAD) \
	  $(TEST_SANITIZED) --sanitize=thread --scratch-path .build/thread

.PHONY: calibration
calibration: ## Simulation-based calibration of posteriors with 1,000 runs
	PROMILLE_OPTIMIZED_TESTS=1 PROMILLE_SLOW_TESTS=1 swift test --filter CalibrationTests

.PHONY: expectations
expectations: $(VENV)/ready ## Compute the expected numbers again with SciPy and mpmath
	@for tool in $(TOOLS); do \
	  echo "Tests/Tools/$$tool.py --check"; \
	  $(VENV)/bin/python Tests/Tools/$$tool.py --check; \
	done
	@if command -v Rscript >/dev/null; then \
	  Rscript Tests/Tools/profile_r.R --check; \
	  Rscript Tests/Tools/population_studies_r.R --check; \
	  if [ -e $(STUDIES)/population ]; then Rscript Tests/Tools/population_nlme.R --check; fi; \
	else echo "R is not installed: its checks are left out"; fi

.PHONY: simulations
simulations: build $(VENV)/ready ## Fit simulated cohorts: do intervals cover, do starts suffice, does anything make fits worse
	$(VENV)/bin/python Tests/Tools/starts.py $(PROMILLE) --check
	$(VENV)/bin/python Tests/Tools/coverage.py $(PROMILLE) --check
	$(VENV)/bin/python Tests/Tools/derived_coverage.py $(PROMILLE) --check
	$(VENV)/bin/python Tests/Tools/prediction_spread.py --promille $(CURDIR)/$(PROMILLE)
	$(VENV)/bin/python Tests/Tools/robust_losses.py $(PROMILLE) --check
	$(VENV)/bin/python Tests/Tools/never_worse.py $(PROMILLE)
	$(VENV)/bin/python Tests/Tools/fit_summary.py --cohorts $(PROMILLE)
	$(VENV)/bin/python Tests/Tools/time_errors_coverage.py $(PROMILLE) --studies 60 --check
	$(VENV)/bin/python Tests/Tools/population_coverage.py $(PROMILLE) --studies 60 --check
	$(VENV)/bin/python Tests/Tools/population_coverage.py $(PROMILLE) --ranking 20 --check
	$(VENV)/bin/python Tests/Tools/population_coverage.py $(PROMILLE) --nested 30 --check

.PHONY: streaming
streaming: build ## Check that memory does not grow with a study, and what is shown of progress
	python3 Tests/Tools/streaming.py $(PROMILLE)
	python3 Tests/Tools/progress.py $(PROMILLE)
	python3 Tests/Tools/health_memory.py $(PROMILLE)

.PHONY: completions
completions: build ## Ask bash, zsh and fish what they complete, as far as they are installed
	python3 Tests/Tools/completions.py $(PROMILLE)

.PHONY: allocations
allocations: build $(VENV)/ready ## Check that a fit asks for no memory while the solver is under way
	$(VENV)/bin/python Tests/Tools/allocations.py $(PROMILLE)

.PHONY: page
page: build $(VENV)/ready ## Open the report in headless Chromium
	$(VENV)/bin/python Tests/Tools/open_page.py $(PROMILLE)

.PHONY: study-day
study-day: $(VENV)/ready ## Do a whole study day in headless Chromium, and test the logic of its pages with node
	@if command -v node >/dev/null; then node Tests/Tools/page_logic.mjs; \
	else echo "node is not installed: the logic of the pages is tested in the browser alone"; fi
	$(FAST_TESTS) swift build --product promille-serve
	$(VENV)/bin/python Tests/Tools/serve_day.py .build/debug/promille-serve

.PHONY: schemas
schemas: build $(VENV)/ready ## Hold what the command prints as JSON to the schemas
	$(VENV)/bin/python Tests/Tools/schemas.py $(PROMILLE)

.PHONY: priors
priors: $(VENV)/ready ## Make the priors that ship from the studies beside the checkout
	$(VENV)/bin/python Tests/Tools/priors.py

.PHONY: left-out
left-out: build $(VENV)/ready ## Forecast each open study with priors made without it, and hold the scores to those written down
	$(VENV)/bin/python Tests/Tools/priors.py --check
	$(VENV)/bin/python Tests/Tools/forecast_left_out.py $(PROMILLE)

.PHONY: petab
petab: build $(VENV)/ready ## Hold exported PEtab problems to petablint, and their model to the command's curves
	$(VENV)/bin/python Tests/Tools/petab_tables.py $(PROMILLE)

.PHONY: nonmem
nonmem: build $(VENV)/ready ## Integrate what is exported for NONMEM and nlmixr2, and compare with the command's curves
	$(VENV)/bin/python Tests/Tools/nonmem_problem.py $(PROMILLE)

.PHONY: credibility
credibility: build ## Write the page on the credibility of the program from a run of its checks
	$(PROMILLE) regress --credibility datasets Tests/Golden --studies $(STUDIES) \
	  -o Sources/Certification/Documentation.docc/CredibilityOfPromille.md

.PHONY: snippets
snippets: deps ## Build and run the Swift code of the README and of the article on studies in memory
	python3 Tests/Tools/snippets.py

NOTEBOOK := notebooks-export/nacar-2021
NOTEBOOK_VENV := .venv-notebook

.PHONY: notebooks
notebooks: build $(NOTEBOOK_VENV)/ready ## Export and run the notebook of the study that ships, and compare its numbers
	$(NOTEBOOK_VENV)/bin/python Tests/Tools/notebook.py $(PROMILLE)

.PHONY: five-r-factors
five-r-factors: build $(VENV)/ready $(NOTEBOOK_VENV)/ready ## Compute again what five r factors are worth, and run its notebook
	OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python Tests/Tools/r_factor_worth.py $(PROMILLE) --data $(STUDIES) \
	  --notebook $(NOTEBOOK_VENV)/bin/python

$(NOTEBOOK_VENV)/ready: $(NOTEBOOK)/requirements.txt
	python3 -m venv $(NOTEBOOK_VENV)
	$(NOTEBOOK_VENV)/bin/pip install --quiet --requirement $<
	touch $@

ENGINES_VENV := .venv-engines

.PHONY: engines
engines: build $(ENGINES_VENV)/ready ## Hold Arrow to pyarrow, nanoarrow, DuckDB and Polars; run parts and, where installed, Slurm
	$(ENGINES_VENV)/bin/python Tests/Tools/arrow.py $(PROMILLE)
	$(ENGINES_VENV)/bin/python Tests/Tools/engines.py $(PROMILLE)
	python3 Tests/Tools/parts.py $(PROMILLE)
	@if command -v slurmctld >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  Tests/Tools/slurm.sh $(PROMILLE); \
	else echo "Slurm is not installed, or this is not root: it is left out"; fi

.PHONY: spark
spark: build $(ENGINES_VENV)/ready ## Run Examples/spark in local mode beside the command alone (needs Java 17)
	$(ENGINES_VENV)/bin/python Tests/Tools/spark_cohort.py $(PROMILLE)

.PHONY: engines-speed
engines-speed: build $(ENGINES_VENV)/ready ## Measure Arrow beside CSV, Spark beside the command alone, and the cost of a person
	$(ENGINES_VENV)/bin/python Tests/Tools/arrow.py $(PROMILLE) --speed
	@# 0.9 was aimed at, and is reached by an idle machine; this is what is held.
	$(ENGINES_VENV)/bin/python Tests/Tools/spark_cohort.py $(PROMILLE) --people 200000 --rounds 3 --at-least 0.8
	python3 Tests/Tools/cohort_cost.py $(PROMILLE)

$(ENGINES_VENV)/ready: Tests/Tools/requirements-engines.txt
	python3 -m venv $(ENGINES_VENV)
	$(ENGINES_VENV)/bin/pip install --quiet --requirement $<
	touch $@

.PHONY: cross-check
cross-check: build $(VENV)/ready ## Compare the command's own output with Python, row by row
	@# The tools have the constants of the thesis.
	$(PROMILLE) compare $(STUDIES)/scs-beta60 --blood-water 0.844 --format csv \
	  | $(VENV)/bin/python Tests/Tools/r_comparison.py --against -
	@for study in wilkinson-1977-oral hip-flask thierauf-emberger-2023; do \
	  echo "$(PROMILLE) compare $(STUDIES)/$$study"; \
	  $(PROMILLE) compare $(STUDIES)/$$study --preset nacar-2021 --threshold 0 --format csv --quiet \
	    | $(VENV)/bin/python Tests/Tools/compare_scipy.py --against - $(STUDIES)/$$study; \
	done
	$(VENV)/bin/python Tests/Tools/time_errors_scipy.py --against $(CURDIR)/$(PROMILLE)

.PHONY: cost
cost: build ## Measure what a fit of 10 to 100,000 subjects costs
	python3 Tests/Tools/cost.py $(PROMILLE)

.PHONY: bench-peers
bench-peers: build $(VENV)/ready ## Compare the speed with that of other programs, in one run
	@# What was aimed at, 2, 150, 5 and 0.4, are the scripts' own bars; these are what is held.
	python3 Tests/Tools/import_speed.py $(PROMILLE) --at-least 1.5
	$(VENV)/bin/python Tests/Tools/fit_speed_scipy.py $(PROMILLE) --at-least 10 --default-at-least 1.5
	python3 Tests/Tools/fit_speed_c.py $(PROMILLE) --at-least 0.17

.PHONY: bench-population
bench-population: build $(VENV)/ready ## Measure population fits beside R's nlme in one run, and their cost by the number of people
	$(VENV)/bin/python Tests/Tools/population_speed.py $(PROMILLE)

$(VENV)/ready: Tests/Tools/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement $<
	touch $@

.PHONY: example
example: deps ## Build and run the example of using the library from another package
	swift run --package-path Examples/FitOneSubject --scratch-path .build/example FitOneSubject \
	  $(CURDIR)/$(STUDY) | diff - Examples/FitOneSubject/output.txt

.PHONY: lint
lint: ## Check the format of the sources
	swift format lint --strict --recursive Package.swift Sources Tests Fuzz Examples $(BENCHMARKS)

.PHONY: format
format: ## Format the sources
	swift format --in-place --recursive Package.swift Sources Tests Fuzz Examples $(BENCHMARKS)

MADE_UP := datasets/made-up-24
FIT := --estimate ka,beta,r --error combined --blood-breath-ratio 2100

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
	@echo '$$ promille sober $(STUDY) --threshold 0 --predictions $(STUDY)/thesis-predictions.csv'
	@$(PROMILLE) sober $(STUDY) --threshold 0 --predictions $(STUDY)/thesis-predictions.csv --format table -q
	@echo; echo 'Its 11-30 % are against the first reading of zero, relative to the predicted time:'
	@$(PROMILLE) sober $(STUDY) --threshold 0 --predictions $(STUDY)/thesis-predictions.csv --format csv -q \
	  | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$$i] = i; next } \
	    { printf "subject %s: %.1f %%\n", $$1, $$at["error_pct_of_predicted_first_below"] }'

PICTURES := methods sobriety-errors

.PHONY: pictures
pictures: build ## Draw the README's pictures again, from the made-up study
	@$(PROMILLE) report $(MADE_UP) $(FIT) --food fasted --figures 0 --keep-plots .build/pictures \
	  -o .build/pictures.html -q
	cp $(PICTURES:%=.build/pictures/%.svg) Sources/Reporting/Documentation.docc/Resources
	@$(PROMILLE) plot $(MADE_UP) $(FIT) --food fasted --subject p01 -q \
	  -o Sources/Reporting/Documentation.docc/Resources/fit.svg

.PHONY: bench
bench: build ## Measure the engine beside its references, in a few seconds
	@$(PROMILLE) bench --format table

.PHONY: bench-c
bench-c: deps ## Measure the fit beside GSL in C (the first build takes minutes)
	cd Benchmarks && swift run -c release FitRatio

.PHONY: bench-dev
bench-dev: deps ## Measure the same works and C with the benchmark harness (slow to build)
	cd Benchmarks && swift package benchmark

SERVE := .build/release/promille-serve

.PHONY: build-serve
build-serve: build ## Build the study day's server in release mode (the first build takes minutes)
	swift build -c release --product promille-serve

.PHONY: serve-demo
serve-demo: build-serve ## Serve a made-up study day, four people in the middle of their session, and print the link
	rm -f .build/serve-demo.sqlite .build/serve-demo.sqlite-wal .build/serve-demo.sqlite-shm
	$(PROMILLE) serve .build/serve-demo.sqlite --demo

.PHONY: serve-api
serve-api: build-serve $(VENV)/ready ## Hold the study day's server to its OpenAPI document with schemathesis
	$(VENV)/bin/python Tests/Tools/serve_schemathesis.py $(SERVE)

.PHONY: serve-bridge
serve-bridge: build-serve ## Send readings through the breathalyser bridge, with the server stopped in between
	python3 Tests/Tools/serve_bridge.py $(SERVE)

MODULES := GSL AlcoholKinetics StudyData StudyStore HealthData Estimation Population Casework Validation Certification Reporting StudyServer
DOCS := .build/docs
ARCHIVES := $(MODULES:%=$(DOCS)/%.doccarchive)
CONVERT := docc convert --warnings-as-errors --enable-experimental-external-link-support

.PHONY: docs
docs: deps ## Build the documentation of every module as one site in .build/docs/site, without warnings
	rm -rf $(DOCS) .build/*/symbolgraph
	mkdir -p $(DOCS)
	@# It builds what it needs, and fails in the end for the tests' bundle, which it does not build.
	swift package dump-symbol-graph --minimum-access-level public >$(DOCS)/graphs.log 2>&1 \
	  || ! grep 'error:' $(DOCS)/graphs.log | grep -v "for 'promillePackage"
	@# Each may link to those before it.
	@before=; for module in $(MODULES); do \
	  graphs=$(DOCS)/graphs/$$module; \
	  mkdir -p "$$graphs"; \
	  find .build/*/symbolgraph -name "$$module.symbols.json" -o -name "$$module@*.symbols.json" \
	    | xargs -I {} cp {} "$$graphs"; \
	  $(CONVERT) Sources/$$module/Documentation.docc \
	    --fallback-display-name $$module --fallback-bundle-identifier promille.$$module \
	    --additional-symbol-graph-dir "$$graphs" $$before --output-dir $(DOCS)/$$module.doccarchive \
	    | sed '/^$$/d'; \
	  before="$$before --dependency $(DOCS)/$$module.doccarchive"; \
	  echo "$$module"; \
	done
	@# The first page links to all modules.
	$(CONVERT) Documentation/Promille.docc --fallback-display-name Promille --fallback-bundle-identifier promille \
	  $(ARCHIVES:%=--dependency %) --output-dir $(DOCS)/Promille.doccarchive
	@# Last, as pages take their navigation from the first entry of their module, which must not be a link to it.
	docc merge $(ARCHIVES) $(DOCS)/Promille.doccarchive --synthesized-landing-page-name Promille \
	  --synthesized-landing-page-topics-style list --output-path $(DOCS)/site
	echo '<!DOCTYPE html><title>Promille</title><meta http-equiv="refresh" content="0; url=documentation/promille/">' \
	  >$(DOCS)/site/index.html
	@echo "To look at it: python3 -m http.server --directory $(DOCS)/site"

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build Benchmarks/.build $(VENV) $(NOTEBOOK_VENV) $(ENGINES_VENV)
