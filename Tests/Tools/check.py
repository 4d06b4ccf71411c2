#!/usr/bin/env python3
"""Runs the checks that take minutes or need other programs than `make test` does.

    check.py NAME...      run these checks
    check.py all          run every check of `make test-all` that this machine can run

It builds what a check needs and installs the Python packages of Tests/Tools/requirements.txt into .venv. A check whose
programs or studies are not there is left out, and says so. Studies that may not be shipped are looked for in
../shared/data."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = "../shared/data"
PROMILLE = ".build/release/promille"
SERVE = ".build/release/promille-serve"
PYTHON = ".venv/bin/python"
T = "Tests/Tools/"
DAY = "StudyDay/Tests/Tools/"
FAST = "PROMILLE_OPTIMIZED_TESTS=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 "

EXPECTATIONS = """case_monte_carlo correlated_scipy crps_scoringrules fit_statistics_scipy fit_summary given_models
interval_coverage make_nacar michaelis_menten_scipy nacar_sober numerics_mpmath prior_scipy profile_ends
robust_errors_scipy routes_scipy statistics_scipy study_errors_scipy thesis_engine time_errors_scipy
workbooks""".split()
# These read studies beside the checkout.
EXPECTATIONS_OF_STUDIES = """compare_scipy derived_scipy elimination_line_scipy population_diagnostics posterior_numpy
r_comparison wilkinson_scipy""".split()

# Tests that are built and run again with sanitizers. Address: all but those of the command, which start it hundreds of
# times and give it little time. Thread: those of what does several things at once.
ADDRESS = """CGSLTests GSLTests StatisticsTests AlcoholKineticsTests StudyDataTests StudyFilesTests SpreadsheetsTests
StudyStoreTests EstimationTests PopulationTests CaseworkTests ValidationTests CertificationTests
ReportingTests""".split()
THREAD = """StatisticsTests StudyDataTests StudyFilesTests SpreadsheetsTests StudyStoreTests EstimationTests
PopulationTests ReportingTests""".split()
# Those of the study day, for both.
STUDY_DAY = "DayDatabaseTests HealthDataTests StudyServerTests".split()


def sanitize(kind, tests, environment):
    """Command lines that build and run tests with a sanitizer. Tests of the server start it as a program, too."""
    lines = []
    for package, names, products in ((".", tests, ["promillePackageTests"]),
                                     ("StudyDay", STUDY_DAY, ["promille-study-dayPackageTests", "promille-serve"])):
        variables = f"{FAST}PROMILLE_TESTS={','.join(names)} "
        options = f"--sanitize={kind} --package-path {package} --scratch-path .build/{kind}"
        lines += [f"{variables}swift build --product {product} {options}" for product in products]
        if kind == "thread":
            lines.append(f"clang -O2 -shared -fPIC -o .build/thread/lock.so {T}thread_sanitizer_lock.c")
        lines.append(f"{environment} {variables}swift test --skip-build {options}")
    return lines


def fuzzers():
    """Release builds with checks of bounds and overflow, as users have them, and with libFuzzer's counters."""
    return [f"PROMILLE_FUZZ=1 swift build -c release --sanitize=fuzzer --package-path {package} "
            f"--scratch-path .build/fuzz -Xswiftc -enable-testing --product {product}"
            for package, product in ((".", "StudyDataFuzz"), (".", "CaseworkFuzz"),
                                     ("StudyDay", "HealthDataFuzz"), ("StudyDay", "StudyServerFuzz"))]


class Check:
    """A check: what it says, its command lines, and what has to be there."""

    def __init__(self, summary, *lines, serve=False, programs=(), studies=False, linux=False, slow=True, build=True):
        self.summary = summary
        self.lines = lines
        self.serve = serve
        self.programs = programs
        self.studies = studies
        self.linux = linux
        self.slow = slow
        self.build = build

    def missing(self):
        """Why it cannot be run here, or nothing."""
        for program in self.programs:
            if not shutil.which(program):
                return f"{program} is not installed"
        if self.studies and not (ROOT / STUDIES).exists():
            return f"the studies of {STUDIES} are not there"
        if self.linux and sys.platform != "linux":
            return "it is for Linux"
        return None


CHECKS = {
    "hashing": Check(
        "the tests with the same seed of hashing in every process",
        FAST + "swift build --build-tests", FAST + "SWIFT_DETERMINISTIC_HASHING=1 swift test --skip-build", build=False),
    "example": Check(
        "the example as a package of its own, which depends on this one",
        f"swift run --package-path Examples/FitOneSubject --scratch-path .build/example FitOneSubject "
        f"{ROOT}/datasets/nacar-2021 | diff - Examples/FitOneSubject/output.txt", build=False),
    "calibration": Check(
        "simulation-based calibration of posteriors with 1,000 runs",
        "PROMILLE_OPTIMIZED_TESTS=1 PROMILLE_SLOW_TESTS=1 swift test --filter CalibrationTests", build=False),
    "metamorphic": Check(
        "three hundred studies in other units, on other clocks, in other orders: every command says the same",
        FAST + "PROMILLE_TOLD_STUDIES=300 swift test --filter MetamorphicTests", build=False),
    "expectations": Check(
        "the expected numbers, computed again with SciPy, mpmath and R",
        *[f"{PYTHON} {T}{tool}.py --check" for tool in EXPECTATIONS],
        *[f"test ! -e {STUDIES}/wilkinson-1977-oral || {PYTHON} {T}{tool}.py --check"
          for tool in EXPECTATIONS_OF_STUDIES],
        f"command -v Rscript >/dev/null || {{ echo 'R is not installed: its checks are left out'; exit 0; }}; "
        f"Rscript {T}profile_r.R --check && Rscript {T}population_studies_r.R --check && "
        f"{{ test ! -e {STUDIES}/population || Rscript {T}population_nlme.R --check; }}", build=False),
    "simulations": Check(
        "simulated cohorts: do intervals cover, do starts suffice, does anything make fits worse",
        f"{PYTHON} {T}starts.py {PROMILLE} --check",
        f"{PYTHON} {T}coverage.py {PROMILLE} --check",
        f"{PYTHON} {T}runs_coverage.py {PROMILLE} --check",
        f"{PYTHON} {T}derived_coverage.py {PROMILLE} --check",
        f"{PYTHON} {T}design_errors.py {PROMILLE} --check",
        f"{PYTHON} {T}design_people.py {PROMILLE}",
        f"{PYTHON} {T}prediction_spread.py --promille {ROOT}/{PROMILLE}",
        f"{PYTHON} {T}robust_losses.py {PROMILLE} --check",
        f"{PYTHON} {T}never_worse.py {PROMILLE}",
        f"{PYTHON} {T}fit_summary.py --cohorts {PROMILLE}",
        f"{PYTHON} {T}time_errors_coverage.py {PROMILLE} --studies 60 --check",
        f"{PYTHON} {T}population_coverage.py {PROMILLE} --studies 60 --check",
        f"{PYTHON} {T}population_coverage.py {PROMILLE} --ranking 20 --check",
        f"{PYTHON} {T}population_coverage.py {PROMILLE} --nested 30 --check"),
    "sheets": Check(
        "made-up sheets of known truth: none wrong without a word, seven of ten right",
        f"{PYTHON} {T}random_sheets.py {PROMILLE} --first 200001 --count 600 --check",
        f"{PYTHON} {T}random_sheets.py {PROMILLE} --first 300001 --count 600 --messes --check"),
    "streaming": Check(
        "memory does not grow with a study; what is shown of progress",
        f"{PYTHON} {T}streaming.py {PROMILLE}", f"{PYTHON} {T}progress.py {PROMILLE}",
        f"{PYTHON} {DAY}health_memory.py {SERVE}", serve=True),
    "allocations": Check(
        "a fit asks for no memory while the solver is under way",
        f"{PYTHON} {T}allocations.py {PROMILLE}", linux=True),
    "page": Check(
        "the report in headless Chromium", f"{PYTHON} {T}open_page.py {PROMILLE}", programs=("chromium",)),
    "study-day": Check(
        "a whole study day in headless Chromium, and the logic of its pages with node",
        f"command -v node >/dev/null || {{ echo 'node is not installed: the logic of the pages is tested in the "
        f"browser alone'; exit 0; }}; node {DAY}page_logic.mjs",
        FAST + "swift build --package-path StudyDay --scratch-path .build --product promille-serve",
        f"{PYTHON} {DAY}serve_day.py .build/debug/promille-serve", programs=("chromium",), build=False),
    "serve-api": Check(
        "the study day's server, held to its OpenAPI document with schemathesis",
        f"{PYTHON} {DAY}serve_schemathesis.py {SERVE}", serve=True),
    "serve-convergence": Check(
        "ten devices, lost replies and kills come to one study day, and planted bugs are found",
        f"{PYTHON} {DAY}serve_convergence.py --planted --runs 2 --program {SERVE}", serve=True),
    "serve-bridge": Check(
        "readings through the breathalyser bridge, with the server stopped in between",
        f"{PYTHON} {DAY}serve_bridge.py {SERVE}", serve=True),
    "schemas": Check(
        "studies in JSON and case files, held to their schemas", f"{PYTHON} {T}schemas.py {PROMILLE}"),
    "snippets": Check(
        "what the README says of the command, R and Swift, in an empty environment; the article on studies in memory",
        f"{PYTHON} {T}snippets.py {PROMILLE}"),
    "notebooks": Check(
        "the notebook of the study that ships: exported, run, its numbers compared",
        f"{PYTHON} {T}notebook.py {PROMILLE}"),
    "r": Check(
        "the R package: R CMD check with its tests, which hold its numbers to the command's",
        f"folder=$(mktemp -d); trap 'rm -rf $folder' EXIT; cd $folder; R CMD build {ROOT}/r; "
        f"PROMILLE_COMMAND={ROOT}/{PROMILLE} PROMILLE_DATASETS={ROOT}/datasets _R_CHECK_FORCE_SUGGESTS_=false "
        f"R CMD check --no-manual promille_*.tar.gz; ! grep -E '(ERROR|WARNING)$' promille.Rcheck/00check.log",
        programs=("R",)),
    "completions": Check(
        "what bash, zsh and fish complete, as far as they are installed", f"{PYTHON} {T}completions.py {PROMILLE}"),
    "install": Check(
        "install into a temporary folder, use it and remove it again", f"{T}check_install.sh"),
    "deb": Check(
        "package and archive in a fresh Debian, installed, used and removed (as root)", f"{T}check_deb.sh",
        linux=True, build=False),
    "python": Check(
        "the Python package: lint, types, docstrings, and its tests with the wheels in a clean environment without Swift",
        f"{PYTHON} -m ruff format --check python && {PYTHON} -m ruff check python",
        f"cd python && ../{PYTHON} -m mypy",
        f"cd python/src/promille && {ROOT}/.venv/bin/numpydoc lint __init__.py case.py _people.py _results.py _study.py",
        "make --no-print-directory wheel", f"{T}check_wheel.sh .build/packages", linux=True, build=False),
    "engines": Check(
        "Arrow, held to pyarrow, nanoarrow, DuckDB and Polars; and Slurm, where it is installed",
        f"{PYTHON} {T}arrow.py {PROMILLE}", f"{PYTHON} {T}engines.py {PROMILLE}",
        f"if command -v slurmctld >/dev/null && [ $(id -u) = 0 ]; then {T}slurm.sh {PROMILLE}; "
        f"else echo 'Slurm is not installed, or this is not root: it is left out'; fi"),
    "sanitize-address": Check(
        "tests with the address sanitizer (a build of its own; a quarter of an hour and more)",
        # Foundation on Linux leaks the errors of its XML parser; tests ask for more memory than there is.
        *sanitize("address", ADDRESS, "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1"), build=False),
    "sanitize-thread": Check(
        "tests with the thread sanitizer (a build of its own; a quarter of an hour and more)",
        *sanitize("thread", THREAD, f"LD_PRELOAD={ROOT}/.build/thread/lock.so"), linux=True, build=False),
    "fuzz": Check(
        "all readers and the server with RUNS (20000) made-up inputs each (libFuzzer; the first build takes minutes)",
        *fuzzers(), "Fuzz/run.sh", linux=True, build=False),
    "cross-check": Check(
        "the command's own output, compared with Python row by row",
        # The tools have the constants of the thesis.
        f"{PROMILLE} compare {STUDIES}/scs-beta60 --blood-water 0.844 --format csv "
        f"| {PYTHON} {T}r_comparison.py --against -",
        *[f"{PROMILLE} compare {STUDIES}/{study} --preset nacar-2021 --threshold 0 --format csv --quiet "
          f"| {PYTHON} {T}compare_scipy.py --against - {STUDIES}/{study}"
          for study in ("wilkinson-1977-oral", "hip-flask", "thierauf-emberger-2023")],
        f"{PYTHON} {T}time_errors_scipy.py --against {ROOT}/{PROMILLE}",
        f"{PYTHON} {T}given_models.py --against {ROOT}/{PROMILLE}", studies=True),
    "left-out": Check(
        "forecasts of each open study with priors made without it, held to the scores written down",
        f"{PYTHON} {T}priors.py --check", f"{PYTHON} {T}forecast_left_out.py {PROMILLE}",
        f"{PYTHON} {T}food_on_absorption.py {PROMILLE} --check", studies=True),
    "kinetics": Check(
        "kinetics beyond first-order absorption on studies left out, held to the table of what was tried",
        f"{PYTHON} {T}kinetics_integrated.py", f"{PYTHON} {T}kinetics_tried.py --check", studies=True, build=False),
    "five-r-factors": Check(
        "what five r factors are worth, computed again, and its notebook",
        f"OPENBLAS_NUM_THREADS=1 {PYTHON} {T}r_factor_worth.py {PROMILLE} --data {STUDIES} --notebook {PYTHON}",
        studies=True),
    # Not part of all: what writes files of the project, and what measures speed.
    "priors": Check(
        "makes the priors that ship from the studies beside the checkout", f"{PYTHON} {T}priors.py", studies=True,
        slow=False, build=False),
    "pictures": Check(
        "draws the README's pictures again, from the made-up study",
        f"{PROMILLE} report datasets/made-up-24 --estimate ka,beta,r --error combined --blood-breath-ratio 2100 "
        "--food fasted --figures 0 --keep-plots .build/pictures -o .build/pictures.html -q",
        "cp .build/pictures/methods.svg .build/pictures/sobriety-errors.svg Sources/Reporting/Documentation.docc/Resources",
        f"{PROMILLE} plot datasets/made-up-24 --estimate ka,beta,r --error combined --blood-breath-ratio 2100 "
        "--food fasted --subject p01 -q -o Sources/Reporting/Documentation.docc/Resources/fit.svg", slow=False),
    "speed": Check(
        "the speed beside that of other programs, in one run",
        # What was aimed at, 2, is the script's own bar; this is what is held.
        f"{PYTHON} {T}import_speed.py {PROMILLE} --at-least 1.5",
        "make --no-print-directory bench-peers", slow=False),
    "speed-harness": Check(
        "the same works and C with the benchmark harness (slow to build)",
        "cd Benchmarks && swift package benchmark", slow=False, build=False),
    "speed-engines": Check(
        "Arrow beside CSV, Spark beside the command alone, and the cost of a person",
        f"{PYTHON} {T}arrow.py {PROMILLE} --speed",
        # 0.9 was aimed at, and is reached by an idle machine; this is what is held.
        f"{PYTHON} {T}spark_cohort.py {PROMILLE} --people 200000 --rounds 3 --at-least 0.8",
        f"{PYTHON} {T}cohort_cost.py {PROMILLE}", slow=False),
    "speed-population": Check(
        "population fits beside R's nlme in one run, and their cost by the number of people",
        f"{PYTHON} {T}population_speed.py {PROMILLE}", slow=False),
    "cost": Check(
        "what a fit of 10 to 100,000 subjects costs", f"{PYTHON} {T}cost.py {PROMILLE}", slow=False),
    "spark": Check(
        "Examples/spark in local mode beside the command alone (needs Java 17)",
        f"{PYTHON} {T}spark_cohort.py {PROMILLE}", programs=("java",), slow=False),
}


def shell(line):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=ROOT).returncode


def prepare(checks):
    lines = ["make --no-print-directory " + ("build" if any(check.build for check in checks) else "deps")]
    if any(check.serve for check in checks):
        lines.append("make --no-print-directory -C StudyDay build")
    if any(PYTHON in line for check in checks for line in check.lines):
        lines.append("make --no-print-directory .venv/ready")
    return all(shell(line) == 0 for line in lines)


def main():
    listed = "\n".join(f"  {name:18} {check.summary}{'' if check.slow else ' *'}" for name, check in CHECKS.items())
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"checks:\n{listed}\n\n* measures speed or writes files; not part of all")
    parser.add_argument("names", nargs="+", metavar="NAME")
    names = parser.parse_args().names
    if names == ["all"]:
        names = [name for name, check in CHECKS.items() if check.slow]
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        parser.error(f"there is no check {', '.join(unknown)}; see --help")
    here = [name for name in names if not CHECKS[name].missing()]
    if not prepare([CHECKS[name] for name in here]):
        sys.exit(1)
    failed = []
    for name in names:
        if name not in here:
            print(f"{name}: left out: {CHECKS[name].missing()}", flush=True)
            continue
        for line in CHECKS[name].lines:
            print(f"{name}: {line}", flush=True)
            if shell(line) != 0:
                failed.append(name)
                break
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
