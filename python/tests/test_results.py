"""Results, exceptions, warnings, and what happens to the process."""

import csv
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import matplotlib as mpl
import pandas as pd
import pytest
from conftest import DATASETS, checked_by_threads, told

import promille as pm
from promille._errors import Finding, warn

mpl.use("Agg")
STATED = {"blood_breath_ratio": 2100}


@pytest.fixture(scope="module")
def fits(made_up):
    return made_up.fit(interval="wald", **STATED)


def test_a_result_says_where_it_comes_from(fits):
    assert fits.provenance["options"]["interval"] == "wald"
    assert len(json.loads(fits.json)["provenance"]["inputs"]) == 4
    assert isinstance(fits.frame, pd.DataFrame)
    assert list(fits.tables) == fits.tables.keys() ^ set() or "starts" in fits.tables
    assert pm.__version__ in ("0", fits.provenance["version"])
    with pytest.raises(KeyError, match="there is no table 'nothing'; choose from fits"):
        fits["nothing"]


def test_details_are_further_columns(made_up, fits):
    whole = made_up.fit(interval="wald", details=True, **STATED)
    assert [name for name in whole.frame.columns if name in fits.frame.columns] == list(fits.frame.columns)
    assert {"lag_min", "shapiro_p", "iterations"} <= set(whole.frame.columns) - set(fits.frame.columns)
    assert whole.arrow("fits").equals(whole.arrow())
    assert whole.figures()


def test_tables_without_rows_have_their_columns(fits):
    assert len(fits["derived"]) == 0
    assert "quantity" in fits["derived"].columns


def test_findings_are_warned_of_once_per_code(made_up):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = made_up.fit(interval="wald")
    texts = [str(warning.message) for warning in caught]
    codes = [text.split(": ")[0] for text in texts]
    assert len(codes) == len(set(codes))
    assert "W_BREATH_RATIO_ASSUMED" in codes
    assert {finding.code for finding in result.warnings} == set(codes)
    # At the line that called.
    assert {warning.filename for warning in caught} == {__file__}
    assert any("W_KA_RANGE: k_a is outside" in text and "[p22/1]" in text for text in texts)


def test_errors_of_one_code_are_told_apart():
    errors = [Finding("error", "E_RANGE", "no", remedy) for remedy in ("give 0", "give the age", "give 0")]
    doubts = [Finding("warning", "W_KA_RANGE", "no", remedy) for remedy in ("a", "b")]
    with pytest.warns(pm.PromilleWarning) as caught:
        warn(errors + doubts)
    assert [str(each.message) for each in caught] == [
        "E_RANGE: 2 like this; the first: no; give 0",
        "E_RANGE: no; give the age",
        "W_KA_RANGE: 2 like this; the first: no; a",
    ]


def test_an_option_that_does_not_exist_is_named(made_up):
    with pytest.raises(pm.OptionError, match="--nonsense") as caught:
        made_up.fit(nonsense=3)
    assert caught.value.code == "E_OPTION"
    with pytest.raises(pm.OptionError, match="there is no parameter 'kax'"):
        made_up.fit(estimate="kax")
    with pytest.raises(pm.OptionError, match="decided by the package"):
        made_up.fit(format="csv")
    with pytest.raises(TypeError):
        made_up.forecast()


@pytest.mark.parametrize("value", ["; rm -rf /", "--help", "-o", "$(id)", "\n", "a" * 100_000])
def test_values_are_not_options(made_up, value):
    with pytest.raises(pm.PromilleError):
        made_up.fit(prior=value)


def test_zero_is_a_value_and_false_is_not(made_up):
    assert made_up.sober(threshold=0, **STATED).provenance["options"]["threshold_g_per_kg"] == 0
    assert made_up.fit(fix={"ka": 18}, interval="none", summary=False).provenance["options"]["fix"] == ["ka=18"]


def test_a_study_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(pm.StudyError) as caught:
        pm.read_study(tmp_path / "nothing")
    assert caught.value.code == "E_NO_SUCH_STUDY"
    (tmp_path / "empty").mkdir()
    with pytest.raises(pm.StudyError) as caught:
        pm.read_study(tmp_path / "empty").fit()
    assert caught.value.code.startswith("E_")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.code, copy.findings) == (str(caught.value), caught.value.code, caught.value.findings)


def test_files_of_a_study_have_lines_and_columns(tmp_path):
    for name in ("subjects", "drinks"):
        (tmp_path / f"{name}.csv").write_text((DATASETS / "nacar-2021" / f"{name}.csv").read_text())
    (tmp_path / "readings.csv").write_text("subject,time_min,bac_g_per_kg\n1,10,0.3\n1,20,-1\n")
    found = pm.read_study(tmp_path).check().warnings
    error = next(finding for finding in found if finding.severity == "error")
    assert error.code == "E_RANGE"
    assert str(error.place).endswith("readings.csv:3:6")
    assert error.remedy


def test_a_missing_command_is_named(made_up, monkeypatch, tmp_path):
    monkeypatch.setenv("PROMILLE_COMMAND", str(tmp_path / "promille"))
    with pytest.raises(pm.CommandError, match="cannot be run") as caught:
        made_up.check()
    assert caught.value.code == "E_COMMAND_MISSING"
    broken = tmp_path / "promille"
    broken.write_text("no program")
    broken.chmod(0o755)
    with pytest.raises(pm.CommandError, match="cannot be started"):
        made_up.check()
    broken.write_text("#!/bin/sh\nkill -SEGV $$\n")
    with pytest.raises(pm.CommandError, match="ended by signal 11") as caught:
        made_up.check()
    assert caught.value.code == "E_ENDED"
    broken.write_text("#!/bin/sh\necho 'not json'\n")
    with pytest.raises(ValueError, match="Expecting value"):
        made_up.check()


def children():
    """The processes of the command that this one started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if "promille" in line]


def test_an_interrupted_call_ends_the_process(made_up):
    timer = threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        made_up.fit(interval="parametric-bootstrap", replicates=100_000)
    assert time.monotonic() - start < 10
    assert not children()
    assert len(made_up.check().frame) == 30


def test_nothing_is_left_open(made_up, frames):
    study = pm.Study.from_frames(**frames)
    study.check()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        study.check()
        with pytest.raises(pm.OptionError):
            study.fit(estimate="x")
    assert len(os.listdir("/proc/self/fd")) == before


def test_threads_can_ask_at_once(made_up):
    results = checked_by_threads(made_up)
    assert len(results) == 8
    assert all(result.equals(results[0]) for result in results)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="progress needs a pseudo-terminal")
def test_progress_is_shown_with_tqdm(made_up, monkeypatch, capsys, tmp_path):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    # The numbers are the same, and the findings.
    plain = made_up.fit(interval="wald")
    assert {finding.code for finding in plain.warnings} >= {"W_BREATH_RATIO_ASSUMED", "W_KA_RANGE"}
    slow = tmp_path / "promille"
    slow.write_text(f"""#!/bin/sh
[ -t 2 ] || exit 70
for done in 3 9 24; do printf '\\r%d of 30 series, 7 series/s, 2 s left\\033[K' $done >&2; sleep 0.6; done
printf '\\r\\033[K' >&2
exec {pm.command()} "$@"
""")
    slow.chmod(0o755)
    monkeypatch.setenv("PROMILLE_COMMAND", str(slow))
    again = made_up.fit(interval="wald")
    assert again.arrow().equals(plain.arrow())
    assert again.warnings == plain.warnings
    assert again.remarks == plain.remarks
    assert "9/30" in capsys.readouterr().err


# Pictures and pages.


def test_a_fit_is_drawn_from_the_values_of_the_report(fits):
    axes = fits.plot()
    assert [each.get_title(loc="left") for each in axes] == [
        f"{subject}/{occasion}" for subject, occasion in zip(fits.frame["subject"], fits.frame["occasion"], strict=True)
    ]
    drawing = axes[0].figure
    legend = {text.get_text() for text in drawing.legends[0].get_texts()}
    assert {"fitted curve", "reading", "widmark", "seidl"} <= legend
    assert (drawing.get_supxlabel(), drawing.get_supylabel()) == (
        "time since the first drink, h",
        "blood alcohol, g/kg",
    )
    # Rows below zero have no numbers, and in a chart of its own their names.
    assert min(axes[0].get_yticks()) == 0
    alone = fits.plot("p03/2")
    names = [text.get_text() for text in alone.get_yticklabels()]
    assert names[-5:] == ["widmark", "watson", "forrest", "seidl", "ulrich"]
    assert alone.get_xlabel() == "time since the first drink, min"
    assert "reading, with its SD" in {text.get_text() for text in alone.figure.legends[0].get_texts()}
    assert fits.plot("p03").get_xlim() != alone.get_xlim()
    assert fits.plot(ax=alone) is alone
    with pytest.raises(pm.OptionError, match="there is no chart 'p99'; choose from people, "):
        fits.plot("p99")
    drawn = fits.figures()
    assert drawn["people"][0].lstrip().startswith(("<?xml", "<svg"))


def test_a_plot_has_the_values_of_the_command(made_up, fits):
    """Every line is the command's, to the last bit, in its colour."""
    line = ["--interval", "wald", "--blood-breath-ratio", "2100", "--subject", "p03", "--occasion", "2"]
    rows = list(csv.DictReader(told("plot", made_up._path, "-o", "-", "--format=csv", *line).decode().splitlines()))
    lines = fits.plot("p03/2").get_lines()
    for name in ("fitted curve", "widmark", "ulrich"):
        mine = [row for row in rows if row["layer"] == name and row["shape"] == "line"]
        values = [[float(row["x"]), float(row["y"])] for row in mine]
        color = mine[0]["color"]
        assert any(each.get_xydata().tolist() == values and each.get_color() == color for each in lines), name


def test_a_result_is_printed_as_the_command_says_it(made_up, fits):
    said = told("fit", made_up._path, "--interval", "wald", "--blood-breath-ratio", "2100", "--format=table").decode()
    assert str(fits) == said.rstrip("\n")
    assert repr(fits) == "<promille fit: 30 rows>"
    assert fits.answer.split(" ", 1)[1] in " ".join(said.split())
    assert len(fits.frame.columns) < 40
    case = pm.case.back(
        measured=95, unit="bac_mg_per_100ml", measured_at="02:30+1", drinking_ended="22:00", at="00:30+1"
    )
    assert case.answer.startswith("At 00:30")
    assert "+ 2 h x 19" in str(case)
    assert "most likely" in case._repr_html_()


def test_a_frame_in_the_place_of_a_path_is_named(made_up, frames):
    with pytest.raises(pm.StudyError, match=r"pm\.Study\.from_frames") as caught:
        pm.read_study(frames["readings"])
    assert caught.value.code == "E_FRAME"
    with pytest.raises(pm.OptionError, match="prior= is a data frame"):
        made_up.fit(prior=frames["readings"])


def test_everything_else_is_drawn_too(made_up, frames):
    assert made_up.simulate(every=10).plot("p02/1").lines
    assert made_up.forecast(prior="fasted", draws=100, **STATED).plot().collections
    errors = made_up.sober(**STATED).plot()
    assert errors.get_xlabel().startswith("error")
    assert len(made_up.sober(r_factor="watson", summary=True, **STATED).plot().get_yticks()) == 1
    assert [text.get_text() for text in errors.get_yticklabels()] == ["widmark", "watson", "forrest", "seidl", "ulrich"]
    assert pm.case.sober(measured=95, unit="bac_mg_per_100ml", measured_at="23:30", limit=50).plot().lines
    assert pm.Study.from_frames(**frames).fit(interval="wald").plot("p02").lines
    population = made_up.population(starts=1, diagnostics=True, simulations=100, **STATED)
    assert len(population.plot()) > 1
    with pytest.raises(pm.CommandError, match="draws no figures"):
        made_up.check().plot()


def test_notebooks_show_a_table_and_the_picture_of_the_report(fits, made_up):
    page = fits._repr_html_()
    assert "<table>" in page
    assert "<svg" in page
    assert all(f"<th>{name}</th>" in page for name in ("status", "r", "ka_per_h", "ka_low", "beta_high"))
    assert "<svg" not in made_up.check()._repr_html_()
    assert "more rows" in made_up.simulate()._repr_html_()


def test_a_report_is_a_page(made_up, frames, tmp_path):
    report = made_up.report(tmp_path / "report.html", estimate=("ka", "beta", "r"), figures=2, derived="none")
    assert report.path.read_text() == report.html
    assert "iframe" in report._repr_html_()
    page = pm.Study.from_frames(**frames).report(figures=0, derived="none")
    assert page.html.startswith("<!DOCTYPE html>")
    with pytest.raises(pm.PromilleError):
        made_up.report(tmp_path / "no" / "folder" / "report.html")


def test_frames_are_of_what_is_installed():
    script = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {hidden!r} else find(name, *more)
import promille as pm
print(type(pm.read_study({study!r}).check().frame).__module__)
"""
    expected = {(): "pandas", ("pandas",): "polars", ("pandas", "polars"): "pyarrow"}
    for hidden, module in expected.items():
        text = script.format(hidden=list(hidden), study=str(DATASETS / "made-up-24"))
        path = os.pathsep.join([str(pathlib.Path(pm.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": path},
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stdout.startswith(module)


def test_codes_are_explained():
    assert "Jones" in pm.explain("W_BETA_RANGE")
    with pytest.raises(pm.OptionError):
        pm.explain("W_NONSENSE")
