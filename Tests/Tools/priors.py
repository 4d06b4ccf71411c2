#!/usr/bin/env python3
"""Makes the priors that ship, datasets/priors/*.json and their copy in the library, from measured people.

    priors.py PROMILLE [--check]

The studies lie in ../shared/data and may not be redistributed; the figures of a population may. With --check
nothing is written: the files that ship are compared with new ones, to 1e-3 relatively, since the search for the
maximum stops a little elsewhere on other machines.
"""

import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
PRIORS = {
    "fasted": (
        "wilkinson-1977-oral",
        "Fasted men: 4 men, 4 doses each (Wilkinson et al. 1977)",
        ["--random", "r", "--occasional", "ka,beta,r,lag", "--covariance", "full"],
    ),
    "fed": (
        "thierauf-emberger-2023",
        "After a meal: 5 men and 5 women (Thierauf-Emberger et al. 2023)",
        ["--random", "ka,beta,r,lag", "--covariate", "beta=sex"],
    ),
}


def rounded(x, digits=4):
    return 0.0 if x == 0 else round(x, digits - 1 - math.floor(math.log10(abs(x))))


def covariances(rows):
    return {
        row["parameter"] if row["parameter"] == row["other"] else f'{row["parameter"]},{row["other"]}': rounded(
            row["covariance"]
        )
        for row in rows
    }


def prior(promille, name):
    study, title, options = PRIORS[name]
    run = subprocess.run(
        [promille, "population", str(DATA / study), *options, "--error", "additive", "--format", "json", "-q"],
        check=True, capture_output=True, text=True,
    )
    fit = json.loads(run.stdout)
    head = fit["population"][0]
    names = {row["parameter"]: row for row in fit["typical"]}
    return {
        "title": title,
        "model": head["model"],
        "people": head["people"],
        "series": head["series"],
        "readings": head["readings"],
        "made_by": "promille population STUDY " + " ".join(options) + " --error additive",
        "typical": {k: rounded(v["value"]) for k, v in names.items()},
        "typical_se": {k: rounded(v["rse_pct"] / 100) for k, v in names.items() if v["rse_pct"] is not None},
        "between": covariances(fit["between"]),
        "within": covariances(fit["within"]),
        "covariates": {
            f'{row["parameter"]},{row["covariate"]}': {
                "coefficient": rounded(row["coefficient"]), "form": row["form"], "center": row["center"],
            }
            for row in fit["covariates"]
        },
        "residual": {row["error"]: rounded(row["value"]) for row in fit["residual"]},
    }


def near(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-3 * max(abs(a), abs(b)) + 1e-6
    return a == b


def swift(priors):
    cases = "".join(
        f'    case "{name}":\n      #"""\n'
        + "".join(f"      {line}\n" for line in text.splitlines())
        + '      """#\n'
        for name, text in priors.items()
    )
    names = ", ".join(f'"{name}"' for name in priors)
    return f'''extension PopulationPrior {{
  /// The names of the priors that ship.
  public static let shippedNames = [{names}]

  /// What a prior that ships is as a file: what stands in `datasets/priors`, so that nobody needs that folder; nil
  /// if there is none of that name. Written by `make priors`.
  public static func shippedText(_ name: String) -> String? {{
    switch name {{
{cases}    default: nil
    }}
  }}
}}
'''


def main():
    promille = sys.argv[1]
    texts = {}
    for name in PRIORS:
        made = prior(promille, name)
        path = ROOT / "datasets" / "priors" / f"{name}.json"
        if "--check" in sys.argv:
            if not near(made, json.loads(path.read_text())):
                sys.exit(f"{path} is not what the study gives now; run make priors and look at the difference")
        else:
            texts[name] = json.dumps(made, indent=2)
            path.write_text(texts[name] + "\n")
    if texts:
        (ROOT / "Sources" / "Population" / "PopulationPrior+Shipped.swift").write_text(swift(texts))


main()
