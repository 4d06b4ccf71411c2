#!/usr/bin/env python3
"""Opens a report in headless Chromium, without a network, on a phone and on a desk, in light and dark.

    python3 Tests/Tools/open_page.py PROMILLE [--pictures FOLDER]

Writes the report of the study that ships, has Chromium lay it out, and checks that it shows what it
should: every section and every figure, nothing that is loaded from anywhere, and no page wider than
the screen. With --pictures the screenshots are kept, to be looked at.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STUDY = Path(__file__).parent.parent.parent / "datasets" / "nacar-2021"
FIGURES = 13
# What a page adds to say how wide it is; it is not part of the report.
MEASURE = (
    "<script>document.title = 'width ' + document.documentElement.scrollWidth + ' of ' "
    "+ document.documentElement.clientWidth;</script>"
)
SCREENS = {"desk": (1200, 0), "phone": (500, 0), "phone-dark": (500, 1)}


def main() -> None:
    arguments = parsed_arguments()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        print("Chromium is not installed (Debian: chromium): the page is not opened")
        return
    with tempfile.TemporaryDirectory() as folder:
        problems = list(check(arguments, browser, Path(folder)))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def check(arguments: argparse.Namespace, browser: str, folder: Path):
    page = folder / "report.html"
    command = [arguments.promille, "report", STUDY, "--estimate", "ka,beta,r", "-o", page]
    subprocess.run(command, check=True)
    text = page.read_text(encoding="utf-8")
    for pattern in (r"<script", r"\bsrc=", r"<link", r"@import", r"href=\"http"):
        if re.search(pattern, text):
            yield f"the page has {pattern}"
    measured = folder / "measured.html"
    measured.write_text(text.replace("</body>", MEASURE + "</body>"), encoding="utf-8")
    for name, (width, is_dark) in SCREENS.items():
        screen = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                  "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={width},2000",
                  f"--blink-settings=preferredColorScheme={0 if is_dark else 1}"]  # fmt: skip
        dom = run([*screen, "--dump-dom", measured.as_uri()])
        if dom.count("<svg ") != FIGURES:
            yield f"{name}: {dom.count('<svg ')} of {FIGURES} figures"
        found = re.search(r"<title>width (\d+) of (\d+)", dom)
        if not found or int(found[1]) > int(found[2]):
            yield f"{name}: the page is wider than the screen: {found and found[0]}"
        if arguments.pictures:
            arguments.pictures.mkdir(parents=True, exist_ok=True)
            picture = arguments.pictures / f"report-{name}.png"
            run([*screen, f"--screenshot={picture}", page.as_uri()])
            print(picture)


def run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command that writes the report")
    parser.add_argument("--pictures", type=Path, help="keep screenshots in this folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
