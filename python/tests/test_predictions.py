"""Predictions of somebody's own model are compared like the methods."""

import json

import matplotlib as mpl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import DATASETS, told

import promille as pm

mpl.use("Agg")
STUDY = DATASETS / "made-up-24"
STATED = {"blood_breath_ratio": 2100}
LINE = ["--blood-breath-ratio", "2100", "--format", "json"]


@pytest.fixture(scope="module")
def curves(frames):
    """A curve of each occasion in steps of 10 min, with limits."""
    rows = []
    for subject, occasion in frames["readings"][["subject", "occasion"]].drop_duplicates().itertuples(index=False):
        for minutes in range(0, 901, 10):
            value = max(0.0, 0.8 - 0.0025 * minutes) if minutes else 0.0
            rows.append((subject, occasion, minutes, value, value - 0.1, value + 0.1))
    return pd.DataFrame(rows, columns=["subject", "occasion", "time_min", "bac_g_per_l", "low", "high"])


@pytest.fixture(scope="module")
def times(frames):
    """A time to sobriety of each occasion, with limits."""
    table = frames["readings"][["subject", "occasion"]].drop_duplicates().reset_index(drop=True)
    table["sober_min"] = [300.0 + number / 3 for number in range(len(table))]
    return table.assign(low_min=table["sober_min"] - 30, high_min=table["sober_min"] + 45)


@pytest.fixture(scope="module")
def files(curves, times, tmp_path_factory):
    folder = tmp_path_factory.mktemp("predictions")
    curves.to_csv(folder / "curves.csv", index=False)
    times.to_csv(folder / "times.csv", index=False)
    return {"My app": folder / "curves.csv", "Other": folder / "times.csv"}


def rows(verb, files, *more):
    """What the command says of the files."""
    given = [text for name, path in files.items() for text in ("--predictions", f"{name}={path}")]
    document = json.loads(told(verb, STUDY, *given, *LINE, *more))
    return next(value for value in document.values() if isinstance(value, list))


@pytest.mark.parametrize("verb", ["sober", "compare"])
@pytest.mark.parametrize("summary", [False, True])
def test_two_models_give_what_their_files_give(made_up, curves, times, files, verb, summary):
    ask = getattr(made_up, verb)
    result = ask(predictions={"My app": curves, "Other": times}, summary=summary, **STATED)
    table = result.arrow()
    assert {"My app", "Other", "watson"} <= set(table["method"].to_pylist())
    assert table["method"].equals(table["r_factor"])
    assert table.equals(ask(predictions=files, summary=summary, **STATED).arrow())
    expected = rows(verb, files, *(["--summary"] if summary else []))
    assert table.select(["method"]).to_pylist() == [{"method": row["method"]} for row in expected]
    for column in table.column_names:
        assert table[column].to_pylist() == [row[column] for row in expected], column


def test_every_kind_of_frame_gives_the_same(made_up, curves):
    expected = made_up.sober(predictions={"My app": curves}, **STATED).arrow()
    kinds = {
        "polars": pl.from_pandas,
        "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
        "columns": lambda frame: {name: frame[name].tolist() for name in frame},
        "reader": lambda frame: pa.Table.from_pandas(frame, preserve_index=False).to_reader(),
        "index": lambda frame: frame.set_index(["subject", "occasion"]),
        "categories": lambda frame: frame.astype({"subject": "category"}),
        "shuffled": lambda frame: frame.sample(frac=1, random_state=1),
    }
    for kind, convert in kinds.items():
        result = made_up.sober(predictions={"My app": convert(curves)}, **STATED)
        assert result.arrow().equals(expected), kind


def test_a_study_of_frames_and_a_session_take_models(frames, curves, times):
    given = {"My app": curves, "Other": times}
    study = pm.Study.from_frames(**frames)
    alone = study.sober(predictions=given, lod=0.02, **STATED).arrow()
    assert alone["status"].to_pylist().count("ok") > 60
    with pm.Session():
        assert study.sober(predictions=given, lod=0.02, **STATED).arrow().equals(alone)


def test_models_are_in_pictures_and_reports(made_up, curves, times, tmp_path):
    given = {"My app": curves, "Other": times}
    result = made_up.sober(predictions={"My app": pl.from_pandas(curves), "Other": times}, **STATED)
    assert {"My app", "Other", "watson"} <= {text.get_text() for text in result.plot().get_yticklabels()}
    assert "/proc/" not in str(result.provenance)
    assert "/proc/" not in result.json
    options = {"figures": 0, "derived": "none", **STATED}
    page = made_up.report(tmp_path / "report.html", predictions=given, **options)
    for html in (page.html, page.path.read_text(), made_up.report(predictions=given, **options).html):
        assert "My app" in html
        assert "/proc/" not in html


@pytest.mark.parametrize("name", ["My app", "App 2.0", 'the "best"', "Žofie", "readings"])
def test_a_bad_row_is_named(made_up, frames, curves, name):
    bad = curves[curves["time_min"] <= 600].copy()
    bad.index = [f"row-{number}" for number in range(len(bad))]
    bad.loc["row-3", "time_min"] = bad.loc["row-2", "time_min"]
    for study in (made_up, pm.Study.from_frames(**frames)):
        with pytest.warns(pm.PromilleWarning, match="E_DUPLICATE"):
            result = study.sober(predictions={name: bad}, **STATED)
        found = next(finding for finding in result.warnings if finding.code == "E_DUPLICATE")
        assert (found.place.row, found.place.column) == ("row-3", "time_min")
        assert str(found).startswith(f"predictions {name}, row 'row-3', column 'time_min': E_DUPLICATE: ")
        mine = [row for row in result.arrow().to_pylist() if row["method"] == name]
        assert [row["status"] for row in mine].count("failed") == 1


def test_a_table_that_cannot_be_used_is_an_error(made_up, curves):
    with pytest.raises(pm.StudyError) as caught:
        made_up.sober(predictions={"My app": curves.drop(columns="subject")}, **STATED)
    assert str(caught.value).startswith("predictions My app: E_COLUMN_MISSING: ")
    with pytest.raises(pm.StudyError) as caught:
        made_up.sober(predictions={"My app": curves.assign(time_min=pd.Timestamp("2024-03-01"))}, **STATED)
    assert (caught.value.code, caught.value.place.column) == ("E_FRAME_TYPE", "time_min")


@pytest.mark.parametrize(
    "bare", [lambda frame: frame, pl.from_pandas, lambda frame: frame.to_dict("list"), lambda frame: [frame]]
)
def test_a_frame_needs_the_name_of_its_model(made_up, times, bare):
    for ask in (made_up.sober, made_up.compare, made_up.report):
        with pytest.raises(pm.StudyError, match="have no name") as caught:
            ask(predictions=bare(times))
        assert caught.value.remedy == 'write predictions={"My app": frame}'


@pytest.mark.parametrize("name", ["", " ", "a=b"])
def test_a_name_that_the_command_would_not_understand_is_refused(made_up, times, name):
    with pytest.raises(pm.OptionError, match="cannot be the name of a model"):
        made_up.sober(predictions={name: times})


def test_a_name_of_a_method_is_refused(made_up, times):
    with pytest.raises(pm.OptionError, match="watson"):
        made_up.sober(predictions={"watson": times}, **STATED)


def test_r_may_come_from_a_column(frames):
    measured = frames["subjects"].assign(r_dexa=0.7)
    study = pm.Study.from_frames(measured, frames["drinks"], frames["readings"])
    options = {"lod": 0.02, **STATED}
    result = study.sober(r_factor=["watson", "column:r_dexa", 0.65], **options)
    table = result.arrow()
    assert set(table["method"].to_pylist()) == {"watson", "column:r_dexa", "0.65"}
    mine = [row for row in table.to_pylist() if row["method"] == "column:r_dexa"]
    assert {row["r"] for row in mine} == {0.7}
    expected = study.sober(r_factor=0.7, **options).arrow()
    assert [row["sober_predicted_min"] for row in mine] == expected["sober_predicted_min"].to_pylist()
    assert "column:r_dexa" in {text.get_text() for text in result.plot().get_yticklabels()}
