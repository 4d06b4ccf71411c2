#!/usr/bin/env python3
"""Opens a report in headless Chromium, without a network, on a phone and on a desk, in light and dark.

    python3 Tests/Tools/open_page.py PROMILLE [--pictures FOLDER] [--pages PAGE ...]

Writes the report of the study that ships, has Chromium lay it out, and checks that it shows what it
should: every figure, nothing that is loaded from anywhere, no page wider than the screen, no letters
below 11 pixels, no text of a chart that runs into another or out of the screen, and a print of four
pages at most. With --pictures the screenshots are kept, to be looked at. --pages has pages that are there
laid out and checked instead, without counting their figures and printed pages.
"""

import argparse
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STUDY = Path(__file__).parent.parent.parent / "datasets" / "nacar-2021"
FIGURES = 14
PAGES = 4
# What a page adds to say how it is laid out; it is not part of the report.
MEASURE = """<script>
const texts = [...document.querySelectorAll('body *')].filter(e =>
  [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) && e.tagName != 'SCRIPT'
  && e.getBoundingClientRect().width > 0 && getComputedStyle(e).visibility == 'visible');
const least = Math.min(...texts.map(e => parseFloat(getComputedStyle(e).fontSize)));
const problems = [];
for (const chart of document.querySelectorAll('svg.chart')) {
  const own = texts.filter(e => chart.contains(e));
  const boxes = own.map(e => e.getBoundingClientRect());
  boxes.forEach((a, i) => {
    if (a.left < 0 || a.right > innerWidth) problems.push('outside: ' + own[i].textContent);
    boxes.slice(i + 1).forEach((b, j) => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
        problems.push(own[i].textContent + ' runs into ' + own[i + 1 + j].textContent);
    });
  });
}
if (least < 11) problems.push('letters of ' + least + ' pixels');
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) problems.push('page of ' + root.scrollWidth + ' pixels');
if (!document.querySelectorAll('svg.chart').length) problems.push('no charts');
parent.postMessage(JSON.stringify({problems, least}), '*');
</script>"""
# A window cannot be as narrow as a phone; a frame can.
FRAME = """<body style="margin:0"><iframe src="{page}" style="border:0;width:{width}px;height:3000px">
</iframe><script>addEventListener('message', e => document.title = e.data)</script>"""
WIDTHS = (390, 768, 1280)


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
    usual = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--host-resolver-rules=MAP * ~NOTFOUND"]  # fmt: skip
    for page in arguments.pages or []:
        for problem in check_layout(page.resolve(), arguments.pictures, usual, folder):
            yield f"{page.name}: {problem}"
    if arguments.pages:
        return
    page = folder / "report.html"
    command = [arguments.promille, "report", STUDY, "--estimate", "ka,beta,r", "-o", page]
    subprocess.run(command, check=True)
    text = page.read_text(encoding="utf-8")
    for pattern in (r"<script", r"\bsrc=", r"<link", r"@import", r"href=\"http"):
        if re.search(pattern, text):
            yield f"the page has {pattern}"
    if text.count('<figure class="picture">') != FIGURES:
        yield f"{text.count('<figure class=')} of {FIGURES} figures"
    yield from check_layout(page, arguments.pictures, usual, folder)
    printed = folder / "report.pdf"
    run([*usual, f"--print-to-pdf={printed}", "--no-pdf-header-footer", page.as_uri()])
    count = max(map(int, re.findall(rb"/Count (\d+)", printed.read_bytes())), default=0)
    if not 0 < count <= PAGES:
        yield f"{count} printed pages, {PAGES} at most"


def check_layout(page: Path, pictures: Path | None, usual: list[str], folder: Path):
    """What is wrong with a page at three widths, in light and dark."""
    measured = folder / "measured.html"
    text = page.read_text(encoding="utf-8")
    measured.write_text(text.replace("</body>", MEASURE + "</body>"), encoding="utf-8")
    for width in WIDTHS:
        for theme in ("light", "dark"):
            screen = [*usual, f"--window-size={max(width, 500)},3000",
                      f"--blink-settings=preferredColorScheme={int(theme == 'light')}"]  # fmt: skip
            frame = folder / "frame.html"
            frame.write_text(FRAME.format(page=measured.as_uri(), width=width), encoding="utf-8")
            dom = run([*screen, "--virtual-time-budget=5000", "--dump-dom", frame.as_uri()])
            found = re.search(r"<title>(.*)</title>", dom)
            if not found:
                yield f"{width} {theme}: the page was not laid out"
                continue
            for problem in json.loads(html.unescape(found[1]))["problems"]:
                yield f"{width} {theme}: {problem}"
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                picture = pictures / f"{page.stem}-{width}-{theme}.png"
                run([*screen, f"--screenshot={picture}", frame.as_uri()])
                print(picture)


def run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command that writes the report")
    parser.add_argument("--pictures", type=Path, help="keep screenshots in this folder")
    parser.add_argument("--pages", type=Path, nargs="+", help="pages to lay out instead of a report")
    return parser.parse_args()


if __name__ == "__main__":
    main()
