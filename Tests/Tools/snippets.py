#!/usr/bin/env python3
"""Runs what the README says of the command, of R and of Swift, as it is printed, and the article on studies in memory.

    python3 Tests/Tools/snippets.py PROMILLE

The command and R have an empty environment, in which the command is on the path. (check_wheel.sh does so with Python.)

Swift code stands in a package of its own, which names a folder of any name as Promille's, as the README says
it: here a link called `a checkout 2`. It must build without warnings and print results, and resolve nothing of the study
day. Numbers without a unit, where the article says that they do not compile, must not.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARTICLE = ROOT / "Sources/Estimation/Documentation.docc/AStudyOfValues.md"
MISTAKES = [
    "Reading(0.4, .bloodGramsPerKilogram, at: 30)", "Drink(.grams(20), at: 0)",
    'Subject("ann", height: 168)', 'Subject("ann", weight: 60)',
]  # fmt: skip
MOST_LINES = 15
"""What a study in memory and its fit may take, imports left out."""


def section(heading):
    """What the README has below a heading, down to the next."""
    return re.split(r"^##", (ROOT / "README.md").read_text().split(f"### {heading}\n")[1], flags=re.MULTILINE)[0]


def code(text, language="swift"):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def clean(folder, command, text=""):
    """What a program prints to lines of text, with no environment but programs of the folder on the path."""
    environment = {"HOME": str(folder), "LANG": "C.UTF-8", "PATH": f"{folder}/bin:/usr/bin:/bin", "R_LIBS": str(folder)}
    result = subprocess.run(command, cwd=folder, env=environment, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{command[0]} does not run the README:\n{text}{result.stdout}{result.stderr}")
    return result.stdout


def command_and_r(promille):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/promille").symlink_to(promille.resolve())
        lines = "".join(re.findall(r"^    (promille .*\n)", section("The command"), re.MULTILINE))
        printed = clean(folder, ["bash", "-e"], lines)
        assert lines.count("\n") == 5 and "ka_per_h" in printed and "sober_predicted_min" in printed, printed
        assert (folder / "report.html").stat().st_size > 10_000
        if not shutil.which("Rscript"):
            print("R is not installed: its lines are left out")
            return
        (folder / "datasets").symlink_to(ROOT / "datasets")
        clean(folder, ["R", "CMD", "INSTALL", f"--library={folder}", ROOT / "r"])
        printed = clean(folder, ["R", "--vanilla", "--quiet"], code(section("R"), "r")[0])
        assert "beta_g_per_kg_h" in printed and "p01" in printed, printed


def manifest(dependency, products):
    targets = "".join(
        f'.executableTarget(name: "{name}", dependencies: [{products}]), ' for name in ("Readme", "Values", "Mistake"))
    return (
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        'let package = Package(name: "Mine", platforms: [.macOS(.v15)], '
        f"dependencies: [{dependency}], targets: [{targets}])\n"
    )


def build(package, target):
    command = [
        "swift", "build", "--package-path", package, "--scratch-path", ROOT / ".build/snippets", "--target", target,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True)


def run(package, target):
    made = build(package, target)
    if made.returncode or re.search(r"main\.swift.*warning:", made.stdout):
        sys.exit(f"{target} does not build:\n{made.stdout}{made.stderr}")
    command = ["swift", "run", "--package-path", package, "--scratch-path", ROOT / ".build/snippets", target]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if result.returncode:
        sys.exit(f"{target} does not run: {result.stderr}")
    return result.stdout


def main():
    command_and_r(Path(sys.argv[1]))
    packaging, example = code(section("Swift"))
    values = code(ARTICLE.read_text())
    lines = [line for line in values[0].splitlines() if line and not line.startswith("import ")]
    assert len(lines) <= MOST_LINES, f"{ARTICLE.name} needs {len(lines)} lines"
    with tempfile.TemporaryDirectory() as folder:
        package, link = Path(folder) / "mine", Path(folder) / "a checkout 2"
        link.symlink_to(ROOT)
        dependency = re.search(r"\.package\(.*\)", packaging).group(0)
        products = re.search(r"^\.product\(.*\)", packaging, re.MULTILINE).group(0)
        (package / "Sources").mkdir(parents=True)
        path = re.sub(r'path: "[^"]*"', f'path: "{link}"', dependency)
        (package / "Package.swift").write_text(manifest(path, products))
        imports = "import AlcoholKinetics\nimport StudyData\nimport StudyFiles\nimport Spreadsheets\n"
        mains = {"Readme": example, "Values": "\n".join(values), "Mistake": imports}
        for name, text in mains.items():
            (package / "Sources" / name).mkdir()
            (package / "Sources" / name / "main.swift").write_text(text)
        printed = run(package, "Readme")
        assert len(re.findall(r"^\S+ implausible [0-9.]+$", printed, re.MULTILINE)) == 4, printed
        resolved = [pin["identity"] for pin in json.loads((package / "Package.resolved").read_text())["pins"]]
        assert sorted(resolved) == ["grdb.swift", "swift-argument-parser", "swift-numerics"], resolved
        printed = run(package, "Values")
        assert printed.startswith("ann ok\n") and "E_RANGE" in printed, printed
        for mistake in MISTAKES:
            (package / "Sources/Mistake/main.swift").write_text(f"{imports}_ = {mistake}\n")
            made = build(package, "Mistake")
            assert made.returncode and "cannot convert value of type 'Int'" in made.stdout, (
                f"{mistake}:\n{made.stdout}{made.stderr}")
    print(f"README and {ARTICLE.name}: built and run, {len(MISTAKES)} mistakes refused")


if __name__ == "__main__":
    main()
