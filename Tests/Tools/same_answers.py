#!/usr/bin/env python3
"""Runs the same command lines with a build of the command, and compares what two builds answered.

    same_answers.py record PROMILLE FOLDER     run every command line, keep output, messages, exit codes and files
    same_answers.py compare FOLDER FOLDER      list the command lines whose answers differ; exit 1 if any does

Use it around a change that must not move a number: record with the build before, record with the build after,
compare. Answers are compared to the last bit, without times of day and durations."""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = (ROOT / "../shared/data").resolve()
SHEETS = (ROOT / "../shared/sheets").resolve()

# {made}, {nacar}: studies that ship; {studies}, {sheets}: those beside the checkout, left out where they are missing.
# Lines of one group run one after the other in one folder; a later line may use the files of an earlier one.
GROUPS = """
check {made}
check {made} --format json
check {nacar} --format csv
check {studies}/wilkinson-1977-oral
check {studies}/thierauf-emberger-2023 --format json
check {studies}/mumenthaler-2000-individual
check {studies}/hip-flask
fit {made}
fit {made} --format csv
fit {made} --format json --interval wald
fit {made} --summary
fit {made} --format table --details
fit {made} --starts 1 --interval none --format csv
fit {made} --estimate ka,beta,r --format csv
fit {made} --estimate ka,beta,r --format csv --engine gsl
fit {made} --estimate ka,beta,r,lag --format csv --interval none
fit {made} --estimate ka,beta,r --error proportional --format csv
fit {made} --estimate ka,beta,r --error combined --format csv
fit {made} --estimate ka,beta,r --error instrument --format csv
fit {made} --estimate ka,beta,r --correlation exponential --format csv
fit {made} --estimate ka,beta,r --loss huber --interval bootstrap --replicates 100 --format csv
fit {made} --estimate ka,beta,r --loss bisquare --interval none --format csv
fit {made} --estimate ka,beta,r --interval profile --format json
fit {made} --model michaelis-menten --residuals residuals.csv --format csv
fit {made} --model first-order --format csv --interval wald
fit {made} --model all --estimate ka,beta,r
fit {made} --model all --estimate ka,beta,r --format csv
fit {made} --prior fasted --format csv
fit {made} --estimate ka,beta,r --subjects-part 1/2 -o part-1.csv ;; fit {made} --estimate ka,beta,r --subjects-part 2/2 -o part-2.csv
fit {nacar}
fit {nacar} --estimate ka,beta,r --format json
fit {nacar} --fix ka=18 --estimate beta --error proportional --format csv
fit {nacar} --preset nacar-2021 --format csv
fit {studies}/wilkinson-1977-oral --estimate ka,beta,r --format csv
fit {studies}/wilkinson-1977-oral --estimate ka,beta,r --error combined --censor likelihood --format csv
fit {studies}/thierauf-emberger-2023 --estimate ka,beta,r --format csv
fit {studies}/mumenthaler-2000-individual --estimate ka,beta,r --format json
fit {studies}/hip-flask --estimate ka,beta,r --format csv
population {made}
population {made} --format json
population {made} --error combined --format csv
population {made} --r-factor all --format csv
population {studies}/wilkinson-1977-oral --format json
population {studies}/wilkinson-1977-oral --prior-out prior.json ;; forecast {studies}/hip-flask --prior prior.json --format json
forecast {made} --prior fasted
forecast {made} --prior fasted --format csv
forecast {made} --prior unknown --score --format csv
forecast {studies}/hip-flask --prior fed --format json
compare {made}
compare {made} --format table --details
compare {made} --format json
compare {made} --format csv
compare {made} --parameters fitted --format csv
compare {nacar} --format csv
compare {studies}/wilkinson-1977-oral --format json
sober {made}
sober {made} --blood-breath-ratio 2100 --summary
sober {made} --summary --format csv
sober {made} --summary --format json --within 30
sober {made} --format csv
sober {made} --parameters fitted --format csv
sober {nacar} --preset nacar-2021 --r-factor all --threshold 0 --format csv
sober {nacar} --threshold 0
sober {studies}/wilkinson-1977-oral --format json
case back --sex male --measured 95 --measured-sd 2 --unit bac_mg_per_100ml --measured-at 180 --at 60 --drinking-ended 0
case back --sex male --age 30 --height 180 --weight 80 --measured 0.8 --unit bac_g_per_kg --measured-at 01:30 --at 23:10 --drinking-ended 21:00
case back --sex male --age 30 --height 180 --weight 80 --measured 0.8 --unit bac_g_per_kg --measured-at 01:30 --at 23:10 --drinking-ended 21:00 --format json
case back --sex female --age 30 --height 165 --weight 60 --measured 0.8 --unit bac_g_per_kg --measured-at 01:30 --at 23:10 --drinking-ended 21:00 --format csv
case forward --sex female --age 30 --height 165 --weight 60 --drink 21:00=500ml@5% --drink 22:00..22:30=200ml@12% --at 23:30
case forward --sex female --age 30 --height 165 --weight 60 --drink 21:00=500ml@5% --drink 22:00..22:30=200ml@12% --at 23:30 --format json
case drinks --sex male --age 40 --height 180 --weight 80 --measured 0.8 --unit bac_g_per_kg --measured-at 22:30 --drinking-ended 21:00
case sober --sex male --age 40 --height 180 --weight 80 --measured 0.8 --unit bac_g_per_kg --measured-at 22:30 --drinking-ended 20:00
case sober --sex male --age 40 --height 180 --weight 80 --measured 0.8 --unit bac_g_per_kg --measured-at 22:30 --drinking-ended 20:00 --mode monte-carlo --statement s.html
case later --sex male --age 40 --height 180 --weight 80 --measured 1.2 --unit bac_g_per_kg --measured-at 23:30 --at 21:00 --drink 22:00=40ml@40% --statement s.html
simulate {made} -o curves.csv
simulate {nacar} --preset nacar-2021 -o curves.csv
simulate --cohort 30 --seed 7 -o cohort ;; fit cohort --estimate ka,beta,r --format csv ;; population cohort --format json ;; compare cohort --format csv ;; sober cohort --format csv
simulate --cohort 12 --seed 9 --error proportional -o cohort
report {made} --estimate ka,beta,r -o report.html
report {made} --estimate ka,beta,r --appendix -o report.html
report {nacar} -o report.html
report {studies}/wilkinson-1977-oral --estimate ka,beta,r -o report.html
plot {made} --subject S01 -o plot.svg
plot {nacar} --subject S2 -o plot.svg
import {made} --into study.sqlite ;; import {nacar} --into study.sqlite ;; check study.sqlite --format json ;; fit study.sqlite --format csv ;; compare study.sqlite --format json ;; export study.sqlite --to csv -o out ;; audit study.sqlite --format csv
export {made} --to events -o events.csv ;; fit events.csv --format csv ;; check events.csv --format json ;; fit events.csv --format arrow -o fits.arrow
export {made} --to csv -o out ;; export {made} --to nonmem -o numbers.csv
export {nacar} --notebook -o results
init fresh ;; check fresh
init from-lims --from {sheets}/LIMS_export.csv ;; check from-lims
init from-xlsx --from {sheets}/trinkversuch.xlsx ;; check from-xlsx
check {sheets}/LIMS_export.csv --format json
check {sheets}/trinkversuch.xlsx --format json
check "{sheets}/Party March.csv" --format json
check "{sheets}/Form Responses 1.csv" --format json
regress datasets Tests/Golden
regress datasets Tests/Golden --studies {studies} --format json
regress --nist --format csv
regress datasets Tests/Golden --report qualification.html
drinks
drinks --format csv
explain E_DOSE_MISSING
explain map
explain ka_per_h
explain E_MEASURE_MISSING W_AT_BOUND
explain W_ABOVE_DOSE
fit no-such-study
check {made} --format nonsense
fit {made} --estimate nonsense
fit {made} --fix ka=-1
case back --measured 95
population {nacar} --estimate ka,beta,r,lag
vitals {made}
runs {made}
"""

VOLATILE = [
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?Z|[+-]\d\d:?\d\d)?"), b"TIME"),
    (re.compile(rb"(?<= in )\d+(\.\d+)? (s|ms)\b"), b"DURATION"),
]


def lines():
    values = {
        "made": ROOT / "datasets/made-up-24",
        "nacar": ROOT / "datasets/nacar-2021",
        "studies": STUDIES,
        "sheets": SHEETS,
    }
    for number, group in enumerate(GROUPS.strip().splitlines()):
        if ("{studies}" in group and not STUDIES.exists()) or ("{sheets}" in group and not SHEETS.exists()):
            continue
        yield number, [part.strip().format(**values) for part in group.split(";;")]


def run(binary, folder, number, commands):
    target = folder / f"{number:03}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "TZ": "UTC"}
    with tempfile.TemporaryDirectory() as work:
        for path in ("datasets", "Tests"):
            os.symlink(ROOT / path, pathlib.Path(work) / path)
        for step, command in enumerate(commands):
            result = subprocess.run(
                [binary, *shlex.split(command)], cwd=work, env=environment, capture_output=True, timeout=900)
            stem = target / f"{step}"
            stem.with_suffix(".command").write_text(command + f"\nexit {result.returncode}\n")
            stem.with_suffix(".out").write_bytes(result.stdout)
            stem.with_suffix(".err").write_bytes(result.stderr)
        for path in sorted(pathlib.Path(work).rglob("*")):
            inner = path.relative_to(work)
            if inner.parts[0] in ("datasets", "Tests") or not path.is_file() or path.suffix.startswith(".sqlite"):
                continue
            kept = target / "files" / inner
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, kept)


def steady(data):
    for pattern, replacement in VOLATILE:
        data = pattern.sub(replacement, data)
    return data


def compare(before, after):
    differing = 0
    for group in sorted(set(os.listdir(before)) | set(os.listdir(after))):
        names = {
            path.relative_to(side / group)
            for side in (before, after)
            for path in (side / group).rglob("*")
            if path.is_file()
        }
        for name in sorted(names):
            texts = [
                steady((side / group / name).read_bytes()) if (side / group / name).exists() else b""
                for side in (before, after)
            ]
            if texts[0] == texts[1]:
                continue
            differing += 1
            print(f"== {group}/{name}: " + " ;; ".join(
                path.read_text().splitlines()[0] for path in sorted((before / group).glob("*.command"))))
            shown = difflib.unified_diff(
                *[text.decode("utf-8", "replace").splitlines() for text in texts], lineterm="", n=0)
            for count, line in enumerate(shown):
                if count >= 12:
                    print("   ...")
                    break
                print("   " + line[:300])
    print(f"{differing} answers differ.")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("first", type=pathlib.Path)
    parser.add_argument("second", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.action == "compare":
        sys.exit(compare(options.first, options.second))
    binary = options.first.resolve()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(run, binary, options.second, number, commands) for number, commands in lines()]
        for future in futures:
            future.result()
    print(f"{len(futures)} groups of command lines recorded in {options.second}.")


if __name__ == "__main__":
    main()
