"""What is wrong in a frame is an exception that names the row and the column of the frame."""

import datetime
import decimal
import time

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import promille as pm

SUBJECTS = {
    "subject": ["a", "b"],
    "sex": ["male", "female"],
    "age_y": [30, 40],
    "height_cm": [180, 165],
    "weight_kg": [80, 60],
}
DRINKS = {"subject": ["a", "b"], "time_min": [0.0, 10.0], "ethanol_g": [30.0, 20.0]}
READINGS = {
    "subject": ["a"] * 4 + ["b"] * 4,
    "time_min": [30.0, 60, 120, 180, 40, 70, 130, 190],
    "bac_g_per_kg": [0.3, 0.4, 0.25, 0.1, 0.35, 0.4, 0.28, 0.12],
}


def frames(index=None, **changes):
    """The three frames with single values changed: ``readings=("time_min", 3, nan)``."""
    made = {"subjects": SUBJECTS, "drinks": DRINKS, "readings": READINGS}
    made = {name: pd.DataFrame(columns) for name, columns in made.items()}
    for name, (column, row, value) in changes.items():
        values = list(made[name].get(column, [None] * len(made[name])))
        values[row] = value
        made[name][column] = values
    if index:
        for frame in made.values():
            frame.index = [f"row-{number}" for number in range(len(frame))]
    return made


def refusal(**given):
    with pytest.raises(pm.StudyError) as caught:
        pm.Study.from_frames(**given)
    error = caught.value
    assert error.code
    assert error.message
    assert error.findings
    assert error.code in str(error)
    return error


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("name", "column", "row", "value", "code"),
    [
        ("readings", "time_min", 3, float("nan"), "E_TIME"),
        ("readings", "time_min", 3, float("inf"), "E_NUMBER"),
        ("readings", "bac_g_per_kg", 5, -0.1, "E_RANGE"),
        ("readings", "bac_g_per_kg", 5, float("inf"), "E_NUMBER"),
        ("readings", "time_min", 5, 1e9, "E_RANGE"),
        ("readings", "subject", 2, "nobody", "E_SUBJECT"),
        ("readings", "subject", 2, None, "E_SUBJECT"),
        ("readings", "lod", 6, -1.0, None),
        ("drinks", "time_min", 1, float("nan"), "E_TIME"),
        ("drinks", "ethanol_g", 1, -20.0, None),
        ("drinks", "ethanol_g", 1, float("nan"), "E_DOSE_MISSING"),
        ("drinks", "duration_min", 0, -5.0, None),
        ("drinks", "route", 0, "nose", None),
        ("subjects", "sex", 1, "unknown", "E_SEX"),
        ("subjects", "weight_kg", 1, -60.0, None),
        ("subjects", "age_y", 0, float("inf"), "E_NUMBER"),
        ("subjects", "food", 0, "breakfast", "E_WORD"),
        ("subjects", "subject", 1, "a", "E_DUPLICATE"),
        ("subjects", "subject", 1, "", "E_SUBJECT"),
        ("subjects", "subject", 1, "NA", "E_SUBJECT"),
    ],
)
def test_a_broken_value_has_its_row_and_column(convert, name, column, row, value, code):
    given = {key: convert(frame) for key, frame in frames(**{name: (column, row, value)}).items()}
    if convert is not pl.from_pandas and column == "lod":
        given["readings"][column] = given["readings"][column].astype(float)
    error = refusal(**given)
    assert code in (None, error.code)
    assert (error.place.source, error.place.row, error.place.column) == (name, row, column), error
    assert error.remedy
    assert "TIME" not in error.message
    assert "hours" not in error.remedy


def test_rows_have_the_labels_of_the_index():
    error = refusal(**frames(index=True, readings=("bac_g_per_kg", 5, -0.1)))
    assert str(error).startswith("readings, row 'row-5', column 'bac_g_per_kg': E_RANGE: bac_g_per_kg is")


def test_an_index_with_the_same_label_twice_is_refused():
    given = frames()
    given["readings"] = pd.concat([given["readings"][:4], given["readings"][4:].reset_index(drop=True)])
    error = refusal(**given)
    assert (error.code, error.place.source, error.place.row) == ("E_FRAME_INDEX", "readings", 0)


def test_errors_need_not_be_exceptions():
    study = pm.Study.from_frames(**frames(readings=("bac_g_per_kg", 5, -0.1)), strict=False)
    assert study.fit().arrow()["status"].to_pylist()[1] == "failed"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (pd.date_range("2024-03-01", periods=8, freq="h", tz="Europe/Prague"), "E_FRAME_TYPE"),
        (pd.to_timedelta(range(8), unit="h"), "E_FRAME_TYPE"),
        ([datetime.time(20, 0)] * 8, "E_FRAME_TYPE"),
        ([str(number) for number in range(8)], "E_FRAME_TYPE"),
        ([object()] * 8, "E_FRAME_TYPE"),
        ([[1]] * 8, "E_FRAME_TYPE"),
        ([1 + 2j] * 8, "E_FRAME_TYPE"),
        ([2**70] * 8, "E_FRAME_TYPE"),
    ],
)
def test_times_of_a_wrong_type_are_refused(values, code):
    given = frames()
    given["readings"]["time_min"] = values
    error = refusal(**given)
    assert (error.code, error.place.source, error.place.column) == (code, "readings", "time_min")


def test_object_columns_with_limits_are_read():
    given = frames()
    given["readings"]["bac_g_per_kg"] = given["readings"]["bac_g_per_kg"].astype(object)
    given["readings"].loc[3, "bac_g_per_kg"] = "<0.2"
    plain = frames(readings=("lod", 3, 0.2))
    plain["readings"].loc[3, "bac_g_per_kg"] = 0.0
    mine, expected = (pm.Study.from_frames(**each).fit(estimate="beta").arrow() for each in (given, plain))
    assert mine.equals(expected)
    given["readings"].loc[2, "bac_g_per_kg"] = datetime.date(2024, 3, 1)
    error = refusal(**given)
    assert (error.place.row, error.place.column) == (2, "bac_g_per_kg")


def test_odd_types_that_are_numbers_are_read():
    given = frames()
    expected = pm.Study.from_frames(**given).fit().arrow()
    given["readings"]["time_min"] = [decimal.Decimal(int(number)) for number in given["readings"]["time_min"]]
    given["drinks"]["ethanol_g"] = given["drinks"]["ethanol_g"].astype("float32")
    given["subjects"]["age_y"] = given["subjects"]["age_y"].astype("int8")
    assert pm.Study.from_frames(**given).fit().arrow().equals(expected)
    given["readings"]["exclude"] = [False] * 8
    given["readings"].columns = [f" {name.upper()} " for name in given["readings"].columns]
    assert pm.Study.from_frames(**given).fit().arrow().equals(expected)


def test_numbers_as_names_are_written_without_a_point():
    given = frames()
    for frame, kind in zip(given.values(), ("int64", "float64", "int32"), strict=True):
        frame["subject"] = frame["subject"].map({"a": 1, "b": 2}).astype(kind)
    assert pm.Study.from_frames(**given).fit().frame["subject"].tolist() == ["1", "2"]
    given["drinks"]["subject"] = [1.5, 2.0]
    assert refusal(**given).place.column == "subject"


@pytest.mark.parametrize(
    "name", ["a,b", 'say "hi"', "Žofie", "a;b", "-o", "--help", "$(rm)", "../x", "c", "\n", "a\nb", "é" * 500, "😀"]
)
def test_hostile_names_come_back(name):
    given = frames()
    for frame in given.values():
        frame["subject"] = frame["subject"].replace("a", name)
    study = pm.Study.from_frames(**given)
    assert study.fit().arrow()["subject"].to_pylist() == [name, "b"]
    assert set(study.simulate(until=60).arrow()["subject"].to_pylist()) == {name, "b"}
    html = study.check()._repr_html_()
    assert "<script" not in html


@pytest.mark.parametrize("value", ["x", 1.5, True, datetime.date(2024, 3, 1), b"x"])
def test_covariates_may_have_any_name_and_plain_values(value):
    for name in ("Rate", "site <b>", "AMT", "#"):
        assert pm.Study.from_frames(**frames(subjects=(name, 0, value))).check().frame.shape[0] == 2
    assert refusal(**frames(subjects=("list", 0, [1]))).place.column == "list"


def test_drinks_may_have_volumes_and_names():
    given = frames()
    both = ["subject", "time_min"]
    drinks = pd.concat([given["drinks"][both], pd.DataFrame({"subject": ["b"], "time_min": [40.0]})], ignore_index=True)
    grams = drinks.assign(ethanol_g=[500 * 0.044 * 0.789, 40 * 0.4 * 0.789, 5.0])
    expected = pm.Study.from_frames(given["subjects"], grams, given["readings"]).fit(interval="none").frame
    drinks["volume_ml"] = [500, 40, None]
    drinks["abv_percent"] = [4.4, None, None]
    drinks["drink"] = [None, "vodka", None]
    drinks["ethanol_g"] = [None, None, 5.0]
    for kind in (lambda frame: frame, pl.from_pandas):
        mine = pm.Study.from_frames(given["subjects"], kind(drinks), given["readings"]).fit(interval="none").frame
        pd.testing.assert_frame_equal(mine, expected, rtol=1e-6)
    for column, row, value, code in [("drink", 1, "vodca", "E_DRINK"), ("volume_ml", 0, -500.0, None)]:
        wrong = drinks.copy()
        wrong.loc[row, column] = value
        error = refusal(**given | {"drinks": wrong})
        assert code in (None, error.code)
        assert (error.place.source, error.place.row, error.place.column) == ("drinks", row, column)


@pytest.mark.parametrize("empty", [pd.DataFrame(), pl.DataFrame(), pa.table({}), {}, []])
def test_a_frame_without_columns_is_refused(empty):
    for name in ("subjects", "drinks", "readings"):
        error = refusal(**{**frames(), name: empty})
        assert (error.code, error.place.source) == ("E_COLUMN_MISSING", name)


def test_frames_without_rows_are_read():
    given = frames()
    study = pm.Study.from_frames(given["subjects"], given["drinks"], given["readings"][:0])
    assert study.fit().arrow()["status"].to_pylist() == ["failed", "failed"]
    assert refusal(**{name: frame[:0] for name, frame in given.items()}).code.startswith("E_")
    assert refusal(subjects=given["subjects"], drinks=given["drinks"][:0]).code == "E_DOSE_MISSING"


@pytest.mark.parametrize(
    "thing", [1, "readings.csv", object(), pd.Series([1]), None, [1, 2], {"subject": 1}, pl.LazyFrame()]
)
def test_what_is_no_frame_is_refused(thing):
    with pytest.raises(pm.StudyError) as caught:
        pm.Study.from_frames(SUBJECTS, thing, READINGS)
    assert caught.value.code in ("E_FRAME", "E_COLUMN_MISSING")


def test_columns_that_are_missing_or_double_are_named():
    given = frames()
    assert refusal(**{**given, "readings": given["readings"].drop(columns="time_min")}).code == "E_COLUMN_MISSING"
    assert refusal(**{**given, "readings": given["readings"].drop(columns="bac_g_per_kg")}).code == "E_COLUMN_MISSING"
    two = given["readings"].assign(brac_mg_per_l=0.1)
    assert refusal(**{**given, "readings": two}).code == "E_COLUMN_AMBIGUOUS"
    two = pd.concat([given["drinks"], given["drinks"][["ethanol_g"]]], axis=1)
    assert refusal(**{**given, "drinks": two}).code == "E_COLUMN_AMBIGUOUS"
    volumes = given["drinks"].rename(columns={"ethanol_g": "volume_ml"})
    assert refusal(**{**given, "drinks": volumes}).code == "E_COLUMN_MISSING"
    both = given["drinks"].assign(volume_ml=500, abv_percent=5)
    assert refusal(**{**given, "drinks": both}).code == "E_AMBIGUOUS"


def test_a_column_that_nothing_reads_is_told():
    given = frames(readings=("comment", 0, "late"))
    with pytest.warns(pm.PromilleWarning, match=r"readings, column 'comment': W_COLUMN_IGNORED"):
        pm.Study.from_frames(**given)


def test_a_hundred_thousand_readings(record_property):
    people, each = 4_000, 25
    names = [f"p{number:05}" for number in range(people)]
    subjects = pd.DataFrame({"subject": names, "sex": "male", "age_y": 30, "height_cm": 180, "weight_kg": 80})
    drinks = pd.DataFrame({"subject": names, "time_min": 0, "ethanol_g": 40.0})
    minutes = [20.0 * number + 20 for number in range(each)] * people
    readings = pd.DataFrame({"subject": [name for name in names for _ in range(each)], "time_min": minutes})
    readings["bac_g_per_kg"] = (0.75 - 0.0025 * readings["time_min"]).clip(lower=0).round(3)
    start = time.perf_counter()
    study = pm.Study.from_frames(subjects, drinks, readings)
    made = time.perf_counter() - start
    assert len(study.check().frame) == people
    record_property("seconds", made)
    print(f"100,000 readings of {people} people: {made:.2f} s from frames")
    # Shuffled rows are the same study.
    shuffled = pm.Study.from_frames(subjects, drinks, readings.sample(frac=1, random_state=1))
    first, second = (each.check().arrow() for each in (study, shuffled))
    assert first.drop_columns(["warnings"]).equals(second.drop_columns(["warnings"]))


def test_a_case_takes_readings_from_frames():
    given = frames()
    study = pm.Study.from_frames(**given)
    options = {
        "measured": 30,
        "unit": "bac_mg_per_100ml",
        "measured_at": "23:00",
        "at": "22:00",
        "drinking_ended": "20:00",
    }
    result = pm.case.back(study=study, subject="a", prior="fasted", **options)
    assert result.arrow()["likeliest"][0].as_py() > 30
    assert [each["file"] for each in result.provenance["inputs"]][:3] == ["subjects", "drinks", "readings"]
    with pytest.raises(pm.StudyError, match="no such subject"):
        pm.case.back(study=study, subject="nobody", prior="fasted", **options)


@pytest.mark.parametrize("is_zoned", [False, True])
def test_dates_with_times_are_hours_that_passed(is_zoned):
    # In this night clocks are set back at 3 in Berlin.
    zone = "Europe/Berlin"
    start = pd.Timestamp("2024-10-26 20:00", tz=zone)
    given = frames()
    for name in ("drinks", "readings"):
        moments = start + pd.to_timedelta(4 * given[name].pop("time_min"), unit="min")
        given[name]["datetime"] = moments if is_zoned else moments.dt.tz_localize(None)
    study = pm.Study.from_frames(**given, time_zone=None if is_zoned else zone)
    assert study.check().arrow()["last_min"].to_pylist() == [720.0, 720.0]


def test_a_time_that_comes_twice_is_refused_in_its_row():
    given = frames(index=True)
    for name in ("drinks", "readings"):
        start = pd.Timestamp("2024-10-27 01:00")
        given[name]["datetime"] = start + pd.to_timedelta(given[name].pop("time_min"), unit="min")
    given["readings"].loc["row-3", "datetime"] = pd.Timestamp("2024-10-27 02:30")
    with pytest.raises(pm.StudyError) as caught:
        pm.Study.from_frames(**given, time_zone="Europe/Berlin")
    places = [
        (each.code, each.place.source, each.place.row) for each in caught.value.findings if each.severity == "error"
    ]
    assert ("E_TIME", "readings", "row-3") in places
