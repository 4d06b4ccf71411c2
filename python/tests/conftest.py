"""Where the studies are, and the command beside which every number is held."""

import os
import pathlib
import shutil
import subprocess
import threading

import pyarrow as pa
import pyarrow.csv
import pytest

import promille as pm

ROOT = pathlib.Path(__file__).parents[2]
DATASETS = ROOT / "datasets"
OTHERS = pathlib.Path(os.environ.get("PROMILLE_TEST_DATA", ROOT / "../shared/data"))


def checked_by_threads(study):
    """What eight threads find that check a study at once."""
    results = []
    threads = [threading.Thread(target=lambda: results.append(study.check().arrow())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture(scope="session")
def made_up():
    return pm.read_study(DATASETS / "made-up-24")


@pytest.fixture(scope="session")
def frames():
    """The made-up study as three frames of pandas."""
    return read_frames(DATASETS / "made-up-24")


def read_frames(folder):
    names = ("subjects", "drinks", "readings")
    return {name: read_table(folder / f"{name}.csv") for name in names}


def read_table(source):
    """A table of pandas, whose numbers are read to the last bit."""
    words = pa.csv.ConvertOptions(column_types={"subject": pa.string(), "occasion": pa.string()})
    return pa.csv.read_csv(source, convert_options=words).to_pandas()


def told(*arguments):
    """What the command writes to standard output."""
    done = subprocess.run([pm.command(), *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode in (0, 1, 65), done.stderr.decode()
    return done.stdout


def pytest_configure():
    """Without the command there is nothing to test."""
    if not os.environ.get("PROMILLE_COMMAND") and shutil.which("promille") is None:
        pm.command()
