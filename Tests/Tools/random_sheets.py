#!/usr/bin/env python3
"""Puts made-up sheets of known truth through `promille init --from`, and judges what the command made of them.

usage: random_sheets.py PROMILLE [--count N] [--first SEED] [--jobs N] [--show SEED] [--check]

Each sheet (`made_up_sheets.py`) is read, and the study that comes of it is compared with what the sheet means:
doses and their times, readings in g/kg of blood, limits of detection, weights, heights, sexes and ages. A sheet is

  right     everything is as it was meant;
  asked     the command asks what something is, and writes nothing; the question is then answered as somebody would
            who knows (the statement among those offered that is true), until it is right, wrong or refused;
  refused   an error without a question that can be answered;
  warned    something is wrong, and a warning is about it;
  silent    something is wrong, and no warning is about it.

--check fails if one is wrong without a word about it, or if fewer than seven of ten are right. --show writes one sheet
and everything about it. --verbose lists all that are not right; --keep FOLDER keeps these sheets.
"""

import argparse
import collections
import concurrent.futures
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import random

import made_up_sheets as made
import sheet_messes

LEAST_RIGHT = 0.70
# With messes: right at once or after the answers, and wrong without a word, as parts of all.
LEAST_SETTLED, MOST_SILENT = 0.75, 0.002
# What a warning has to be about, by what is wrong.
ABOUT = {
    "dose": "W_DOSE_REPEATED W_READING_SCALE W_VOLUME_LITRES W_ABV_FRACTION W_DUPLICATE_DRINK W_DOSE",
    "drink time": "W_TIME_CLOCKS W_TIME_ORDER W_TIME_GAP W_TIME_HOURS W_READING_EARLY W_TIME",
    "duration": "W_DURATION W_TIME_CLOCKS",
    "reading": "W_READING_SCALE W_READING_HIGH W_BREATH_AS_BLOOD W_SUMMARY_ROWS W_DUPLICATE_READING W_NO_READINGS W_SERIES_READINGS",
    "limit": "W_LOD",
    "reading time": "W_TIME_CLOCKS W_TIME_ORDER W_TIME_GAP W_TIME_HOURS W_READING_EARLY W_TIME",
    "weight": "W_WEIGHT_POUNDS W_BODY_MASS",
    "height": "W_BODY_MASS W_HEIGHT",
    "sex": "W_SEX",
    "age": "W_AGE",
    "people": "W_SUMMARY_ROWS W_SUBJECT_FILLED",
    "evenings": "W_TIME_GAP",
}


def read(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def number(text):
    return float(text) if text not in (None, "", "NA", ".") else None


def study(folder):
    """People and their evenings as the command wrote them."""
    people = {row["subject"]: {**row, "evenings": {}} for row in read(folder / "subjects.csv")}

    def evening(row):
        person = people.setdefault(row["subject"], {"evenings": {}})
        return person["evenings"].setdefault(row.get("occasion") or "", {"drinks": [], "readings": []})

    for row in read(folder / "drinks.csv"):
        person = people.get(row["subject"], {})
        grams = number(row.get("ethanol_g"))
        if grams is None and number(row.get("ethanol_g_per_kg")) is not None:
            weight = number(person.get("weight_kg"))
            grams = number(row["ethanol_g_per_kg"]) * weight if weight else -1
        if grams is None and number(row.get("volume_ml")) is not None:
            grams = number(row["volume_ml"]) * number(row["abv_percent"]) / 100 * 0.789
        evening(row)["drinks"].append((number(row["time_min"]), grams, number(row.get("duration_min")) or 0.0))
    for row in read(folder / "readings.csv"):
        if str(row.get("exclude", "")).lower() in ("1", "true", "yes"):
            continue
        for unit in made.BLOOD:
            if number(row.get(unit)) is not None:
                factor = made.BLOOD[unit]
                limit = number(row.get("lod"))
                value = number(row[unit])
                limit = None if limit is None else limit * factor
                is_below = limit is not None and value * factor < limit * 0.9999
                evening(row)["readings"].append((number(row["time_min"]), None if is_below else value * factor, limit))
    return people


def near(a, b, relative=0.006, absolute=0.0):
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), absolute)


def compared(found, sheet):
    """What is wrong with a study: (kind, text)."""
    wrong = []
    people = {key.strip(): value for key, value in found.items()}
    for person in sheet.people:
        got = people.pop(person.id, None) or people.pop(person.id.lstrip("0"), None)
        if got is None:
            wrong.append(("people", f"{person.id} is missing"))
            continue
        for name, key, true in (("weight", "weight_kg", person.weight), ("height", "height_cm", person.height)):
            value = number(got.get(key))
            if true is not None and (value is None or not near(value, true)):
                wrong.append((name, f"{person.id}: {value}, not {true:.4g}"))
        age = number(got.get("age_y"))
        if person.age is not None and (age is None or abs(age - person.age) > (1.01 if sheet.ages_by_birth else 0.01)):
            wrong.append(("age", f"{person.id}: {age}, not {person.age}"))
        sex = got.get("sex", "")
        if sheet.has_sex and sex != ("male" if person.is_male else "female"):
            wrong.append(("sex", f"{person.id}: {sex!r}"))
        evenings = list(got["evenings"].values())
        if len(evenings) != len(person.evenings):
            wrong.append(("evenings", f"{person.id}: {len(evenings)}, not {len(person.evenings)}"))
            continue
        for got_evening, true in zip(evenings, person.evenings):
            wrong += compared_evening(person, got_evening, true, sheet)
    wrong += [("people", f"{name!r} is nobody") for name in people]
    return wrong


def compared_evening(person, got, true, sheet):
    wrong = []
    drinks = sorted((d.time, d.grams, d.duration) for d in true.drinks)
    found = sorted(got["drinks"])
    readings = sorted(r.truth(sheet.limit) for r in true.readings if not r.is_missing)
    # A dose of zero is a placebo, and its time says nothing.
    if all(d[1] == 0 for d in drinks) and all(d[1] == 0 for d in found):
        shift = 0.0
    else:
        shift = (min(d[0] for d in found) if found else 0.0) - drinks[0][0]
    if not near(sum(d[1] for d in found), sum(d[1] for d in drinks), 0.006, 0.11):
        wrong.append(("dose", f"{person.id}: {sum(d[1] for d in found):.1f} g in {len(found)}, not {sum(d[1] for d in drinks):.1f} in {len(drinks)}"))
    else:
        times = sorted({(round(d[0] - shift), round(d[2])) for d in found if d[1] or not sum(x[1] for x in drinks)})
        wanted = sorted({(round(d[0]), round(d[2])) for d in drinks})
        if sum(d[1] for d in drinks):
            if [t for t, _ in times] != [t for t, _ in wanted]:
                wrong.append(("drink time", f"{person.id}: {times}, not {wanted}"))
            elif times != wanted:
                wrong.append(("duration", f"{person.id}: {times}, not {wanted}"))
    measured = [(t - shift, v, limit) for t, v, limit in got["readings"]]
    if not any(d[1] for d in drinks) and measured and readings:
        later = min(r[0] for r in measured) - readings[0][0]
        measured = [(t - later, v, limit) for t, v, limit in measured]
    measured.sort(key=lambda r: (r[0], r[1] or 0))
    if len(measured) != len(readings):
        times = sorted({round(r[0]) for r in measured})
        if times != sorted({round(r[0]) for r in readings}) or len(measured) > len(readings):
            wrong.append(("reading", f"{person.id}: {len(measured)} readings, not {len(readings)}"))
        return wrong
    readings.sort(key=lambda r: (r[0], r[1] or 0))
    for got_one, wanted in zip(measured, readings):
        if abs(got_one[0] - wanted[0]) > 0.51:
            wrong.append(("reading time", f"{person.id}: at {got_one[0]:g} min, not {wanted[0]:g}"))
            break
        value, true_value = got_one[1], wanted[1]
        if (value is None) != (true_value is None):
            wrong.append(("limit", f"{person.id}: {got_one}, not {wanted}"))
            break
        if value is not None and not near(value, true_value, 0.006, 1e-9):
            wrong.append(("reading", f"{person.id}: {value:.4f} g/kg at {wanted[0]:g} min, not {true_value:.4f}"))
            break
        if value is None and wanted[2] is not None and not near(got_one[2], wanted[2]):
            wrong.append(("limit", f"{person.id}: below {got_one[2]:.4f}, not {wanted[2]:.4f}"))
            break
    return wrong


STATEMENT = re.compile(r'--map "((?:[^"]|"(?=[^ ,;]*=))*?=[A-Za-z_0-9.]+)"')


def offers(line):
    """The statements that an error offers, as pairs of a header and a name."""
    names = re.search(r'=NAME".*?where NAME is (.*)', line)
    for offered in STATEMENT.findall(line):
        header, _, target = offered.rpartition("=")
        if target == "NAME" and names:
            yield from ((header, name) for name in re.findall(r"\b([a-z][a-z_0-9]*) \(", names[1]))
        else:
            yield header, target


def answers(text, sheet):
    """The statements among those offered that are true."""
    chosen = []
    for line in text.splitlines():
        if " error " not in line:
            continue
        for header, target in offers(line):
            if header == "COLUMN":
                # Whoever knows says which column it is.
                known = [
                    f"{name}={target}"
                    for name, targets in sheet.answers.items()
                    if target in targets or target in made.BLOOD and any(t in made.BLOOD for t in targets)
                ]
                chosen += [known[0].rpartition("=")[0] + f"={next(iter(sorted(sheet.answers[known[0].rpartition('=')[0]])))}"] if known else []
                break
            if target in sheet.answers.get(" ".join(header.split()).lower(), ()):
                chosen.append(f"{header}={target}")
                break
    return list(dict.fromkeys(chosen))


def run(promille, path, folder, statements):
    command = [promille, "init", str(folder), "--from", str(path)]
    for statement in statements:
        command += ["--map", statement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.returncode, done.stderr, done.stdout
    except subprocess.TimeoutExpired:
        return -1, "hangs", ""


def is_about(kind, text):
    """Whether a warning is about what is wrong."""
    for line in text.splitlines():
        found = re.search(r"warning (W_[A-Z_]+)", line)
        if not found:
            continue
        if found[1] in ABOUT[kind].split():
            return True
        if found[1] == "W_COLUMN_MISSING" and re.search(rf"no column[^;]*\b{kind}", line):
            return True
    return False


def judged(code, text, folder, sheet):
    if code == 0:
        wrong = compared(study(folder), sheet)
        if getattr(sheet, "must_refuse", False):
            wrong = wrong or [("dose", "a dose that is not known was read")]
        if not wrong:
            return "right", []
        kinds = {kind for kind, _ in wrong}
        about = all(is_about(kind, text) for kind in kinds)
        return ("warned" if about else "silent"), wrong
    if code not in (1, 64, 65, 66):
        return "crash", [("crash", f"exit {code}")]
    codes = [("error", c) for c in re.findall(r"error (E_[A-Z_]+)", text)]
    return ("asked" if "--map" in text and answers(text, sheet) else "refused"), codes


def sheet_of(seed, has_mess):
    sheet = made.made_up(seed)
    if has_mess:
        sheet_messes.messed(sheet, random.Random(seed))
    return sheet


def tried(promille, seed, keep=None, has_mess=False):
    sheet = sheet_of(seed, has_mess)
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        path = sheet.write(temporary)
        said, rounds, texts = [], 0, []
        first = None
        while True:
            folder = temporary / f"out{rounds}"
            code, text, out = run(promille, path, folder, said)
            texts.append((list(said), code, text, out))
            outcome, details = judged(code, text, folder, sheet)
            first = first or (outcome, details)
            more = [s for s in answers(text, sheet) if s not in said] if outcome == "asked" else []
            if not more or rounds >= 4:
                if outcome == "asked":
                    outcome = "refused"
                break
            said += more
            rounds += 1
        if keep and first[0] != "right":
            target = pathlib.Path(keep) / f"{first[0]}-{seed}"
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            (shutil.copytree if path.is_dir() else shutil.copy)(path, target / path.name)
    return {
        "seed": seed, "first": first[0], "details": first[1], "last": outcome, "last details": details, "rounds": rounds, "said": said,
        "features": sheet.features, "ambiguous": sheet.ambiguous, "texts": texts,
    }  # fmt: skip


def show(promille, seed, has_mess=False):
    sheet = sheet_of(seed, has_mess)
    with tempfile.TemporaryDirectory() as temporary:
        path = sheet.write(temporary)
        for table in sheet.tables:
            print(f"== {table.name}")
            for row in table.rows[:40]:
                print(sheet.separator.join(sheet.shown(c) for c in row))
    result = tried(promille, seed, None, has_mess)
    print("features:", "; ".join(sheet.features))
    print("ambiguous:", "; ".join(sheet.ambiguous))
    for said, code, text, out in result["texts"]:
        print(f"-- init {' '.join(map(repr, said))}: exit {code}")
        print(out, text, sep="\n")
    print(result["first"], result["details"][:12], "->", result["last"], result["last details"][:12])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("promille")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--messes", action="store_true", help="do something more to every sheet (sheet_messes.py)")
    options = parser.parse_args()
    promille = str(pathlib.Path(options.promille).resolve())
    if options.show is not None:
        return show(promille, options.show, options.messes)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda seed: tried(promille, seed, options.keep, options.messes), range(options.first, options.first + options.count)))
    report(results, options.verbose)
    if options.messes:
        return report_messes(results, options.check)
    if options.check:
        silent = [r for r in results if "silent" in (r["first"], r["last"]) or "crash" in (r["first"], r["last"])]
        right = sum(r["first"] == "right" for r in results)
        if silent:
            sys.exit(f"wrong without a word: {' '.join(str(r['seed']) for r in silent)}")
        if right < LEAST_RIGHT * len(results):
            sys.exit(f"only {right} of {len(results)} are right without a question")


def report_messes(results, is_checked):
    """What became of each mess; a dose that is not known is settled if it is refused."""
    kinds = collections.defaultdict(collections.Counter)
    for r in results:
        kind = next((f for f in r["features"] if f.startswith("mess ")), "none")
        silent = "silent" in (r["first"], r["last"]) or "crash" in (r["first"], r["last"])
        settled = r["first"] in ("right", "asked") or kind == "mess unknown_dose" and r["first"] == "refused"
        kinds[kind]["silent" if silent else "settled" if settled else r["first"]] += 1
    for kind, found in sorted(kinds.items()):
        print(f"{kind}: " + ", ".join(f"{n} {k}" for k, n in found.most_common()))
    all_of = sum(kinds.values(), collections.Counter())
    settled, silent = all_of["settled"] / len(results), all_of["silent"] / len(results)
    print(f"right or asked {settled:.1%}, refused {all_of['refused'] / len(results):.1%}, warned {all_of['warned'] / len(results):.1%}, wrong without a word {silent:.1%}")
    if is_checked and (settled < LEAST_SETTLED or silent > MOST_SILENT):
        sys.exit("too few are settled, or too many wrong without a word")


def report(results, verbose):
    n = len(results)
    if verbose:
        for r in results:
            if r["first"] != "right":
                details = collections.Counter(f"{k} {t}" if k != "error" else t for k, t in r["details"])
                some = ", ".join(list(details)[:3])
                print(f"{r['seed']:5} {r['first']:8} -> {r['last']:8} rounds {r['rounds']} [{'; '.join(r['ambiguous'])}] {some}")
        print()
    first = collections.Counter(r["first"] for r in results)
    print(f"{n} sheets: " + ", ".join(f"{first[k]} {k}" for k in ("right", "asked", "refused", "warned", "silent", "crash")))
    asked = [r for r in results if r["first"] in ("asked", "refused")]
    print(f"of the {len(asked)} asked or refused, {sum(bool(r['ambiguous']) for r in asked)} can be read in two ways")
    after = collections.Counter((r["last"], r["rounds"]) for r in results if r["first"] == "asked")
    print("asked, and after the answers: " + ", ".join(f"{count} {last} (rounds: {rounds})" for (last, rounds), count in after.most_common()))
    codes = collections.Counter(t for r in asked if not r["ambiguous"] for t in {t for k, t in r["details"]})
    print("asked or refused though it can be read in one way: " + ", ".join(f"{c} {k}" for k, c in codes.most_common(12)))
    kinds = collections.Counter((r["first"] if r["first"] in ("warned", "silent") else r["last"], k) for r in results if {r["first"], r["last"]} & {"warned", "silent"} for k in {k for k, _ in (r["details"] if r["first"] in ("warned", "silent") else r["last details"])})
    print("wrong: " + ", ".join(f"{c} {o} {k}" for (o, k), c in kinds.most_common()))
    for outcome in ("silent", "warned", "asked", "refused"):
        bad = [r for r in results if outcome in (r["first"], r["last"])]
        if not bad:
            continue
        every, some = collections.Counter(f for r in results for f in r["features"]), collections.Counter(f for r in bad for f in r["features"])
        rates = sorted(((some[f] / every[f] / (len(bad) / n), f) for f in some if some[f] >= 2), reverse=True)
        print(f"{outcome}, by feature: " + "; ".join(f"{f} {some[f]}/{every[f]}" for ratio, f in rates[:14] if ratio > 1.3))


if __name__ == "__main__":
    main()
