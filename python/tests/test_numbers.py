"""Every number equals the command's, to the last bit."""

import io
import json
import shutil
import struct

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import DATASETS, OTHERS, read_frames, read_table, told

import promille as pm

RATIO = {"blood_breath_ratio": 2100}
VERBS = {
    "check": {},
    "fit": {"estimate": ("ka", "beta", "r"), "interval": "wald", "derived": "all"},
    "compare": {"r_factor": "all"},
    "sober": {"threshold": 0, "summary": True, "replicates": 200},
    "population": {"starts": 1, "random": ("ka", "beta")},
    "forecast": {"prior": "fasted", "learn": "others", "after": "first:4", "draws": 200},
    "design": {"count": 5, "readings": "15,60,180", "simulations": 0, "r_factor": "widmark"},
}


def studies():
    found = sorted(OTHERS.glob("*")) if OTHERS.exists() else []
    folders = [DATASETS / "made-up-24", DATASETS / "nacar-2021", *found]
    folders = [folder for folder in folders if (folder / "drinks.csv").exists()]
    return pytest.mark.parametrize("folder", folders, ids=[folder.name for folder in folders])


def bits(value):
    return struct.pack("<d", value) if isinstance(value, float) else value


def line(options):
    arguments = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        arguments += [flag] if value is True else [flag, text]
    return arguments


@studies()
@pytest.mark.parametrize("verb", VERBS)
def test_every_table_is_that_of_the_command(folder, verb):
    text = told(verb, folder, *line(VERBS[verb]), "--format", "json")
    if not text:
        # A study that the command refuses.
        with pytest.raises(pm.PromilleError):
            getattr(pm.read_study(folder), verb)(**VERBS[verb])
        return
    document = json.loads(text)
    result = getattr(pm.read_study(folder), verb)(**VERBS[verb])
    for name, rows in document.items():
        if not isinstance(rows, list):
            continue
        table = result.arrow(name)
        assert len(table) == len(rows)
        for mine, its in zip(table.to_pylist(), rows, strict=True):
            assert {key: bits(value) for key, value in mine.items()} == {
                key: bits(float(value) if isinstance(mine[key], float) else value) for key, value in its.items()
            }
        frame = result[name]
        for column in table.column_names:
            if pa.types.is_floating(table[column].type):
                expected = [row[column] for row in rows]
                got = [None if pd.isna(value) else float(value) for value in frame[column]]
                assert list(map(bits, got)) == [None if value is None else bits(float(value)) for value in expected]


@studies()
def test_frames_give_what_files_give(folder, tmp_path):
    frames = read_frames(folder)
    # Frames do not say what the instrument is; options can.
    for name in frames:
        shutil.copy(folder / f"{name}.csv", tmp_path)
    study, files = pm.Study.from_frames(**frames), pm.read_study(tmp_path)
    assert study.check().arrow().equals(files.check().arrow())
    assert study.simulate(every=5).arrow().equals(files.simulate(every=5).arrow())
    for verb, options in (("fit", {"error": "combined"}), ("sober", {"threshold": 0.1})):
        mine = getattr(study, verb)(**options, exclude_after_drink=15, lod=0.02)
        assert mine.arrow().equals(getattr(files, verb)(**options, exclude_after_drink=15, lod=0.02).arrow()), verb


def test_every_kind_of_frame_gives_the_same(frames):
    expected = pm.Study.from_frames(**frames).fit(interval="wald").arrow()
    kinds = {
        "polars": pl.from_pandas,
        "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
        "columns": lambda frame: {name: frame[name].tolist() for name in frame},
        "rows": lambda frame: pa.Table.from_pandas(frame, preserve_index=False).to_pylist(),
        "index": lambda frame: frame.set_index("subject"),
        "categories": lambda frame: frame.astype({"subject": "category"}),
        "reader": lambda frame: pa.Table.from_pandas(frame, preserve_index=False).to_reader(),
        "nullable": lambda frame: frame.convert_dtypes(),
    }
    for kind, convert in kinds.items():
        study = pm.Study.from_frames(**{name: convert(frame) for name, frame in frames.items()})
        assert study.fit(interval="wald").arrow().equals(expected), kind


def test_a_unit_may_be_said_in_words(frames):
    named = frames["readings"].columns[-1]
    value = frames["readings"].rename(columns={named: "value"})
    study = pm.Study.from_frames(frames["subjects"], frames["drinks"], value, unit="breath mg/L")
    assert study.fit(interval="none").arrow().equals(pm.Study.from_frames(**frames).fit(interval="none").arrow())
    with pytest.raises(pm.StudyError, match="there is no unit 'mg/l'"):
        pm.Study.from_frames(frames["subjects"], frames["drinks"], value, unit="mg/l")


def test_curves_are_those_of_the_command(made_up):
    curves = made_up.simulate(every=10, r_factor="watson", band=True)
    text = told("simulate", DATASETS / "made-up-24", "--every", 10, "--r-factor", "watson", "--band")
    expected = read_table(io.BytesIO(text))
    pd.testing.assert_frame_equal(curves.frame, expected, check_exact=True, check_dtype=False)


def test_one_curve_and_many_are_the_same():
    people = {"sex": ["male", "female"], "age": [30, 41], "height": [180, 165.5], "weight": [80, 61]}
    many = pm.curve([(0, 20), (55, 6.5)], **people, r_factor="watson", until=200).arrow().to_pylist()
    for number in range(2):
        person = {name: values[number] for name, values in people.items()}
        one = pm.curve([(0, 20), (55, 6.5)], **person, r_factor="watson", until=200).arrow().to_pylist()
        mine = [row["bac_g_per_kg"] for row in many if row["subject"] == str(number)]
        assert mine == [row["bac_g_per_kg"] for row in one]
        assert len(mine) == 201
    assert len(pm.curve("0:500ml@4.4%,55:20ml@40%", sex="male", age=30, height=180, weight=80).frame) > 100


def test_r_factors_are_those_of_the_command(made_up):
    rows = made_up.compare(**RATIO).arrow().to_pylist()
    people = {row["subject"]: row for row in made_up.check().arrow().to_pylist()}
    measures = {"sex": "sex", "age": "age_y", "height": "height_cm", "weight": "weight_kg"}
    table = pm.r_factors(**{name: [row[column] for row in people.values()] for name, column in measures.items()})
    for subject, (_, mine) in zip(people, table.iterrows(), strict=True):
        for row in rows:
            if row["subject"] == subject:
                got = None if pd.isna(mine[row["r_factor"]]) else mine[row["r_factor"]]
                assert bits(got) == bits(row["r"])
    assert pm.r_factors(sex="female", weight=60)["ulrich"].isna().all()
    with pytest.raises(pm.StudyError, match="subjects, row 1, column 'sex': E_SEX"):
        pm.r_factors(sex=["male", "neither"], weight=60)
    with pytest.raises(pm.OptionError, match="vectors differ in length: sex 2, weight 3"):
        pm.r_factors(sex=["male", "female"], weight=[60, 70, 80])


def test_many_people_need_no_process_each(recwarn):
    count = 2_000
    sexes, weights = ["male", "female"] * (count // 2), [50 + number % 60 for number in range(count)]
    assert len(pm.r_factors(sex=sexes, age=30, height=175, weight=weights)) == count
    curves = pm.curve([(0, 20)], sex=sexes, age=30, height=175, weight=weights, r_factor="seidl", every=60, until=300)
    assert len(curves.arrow()) == 6 * count
    assert not recwarn.list


@pytest.mark.parametrize(
    ("ask", "options"),
    [
        (pm.case.back, {"measured": 95, "unit": "bac_mg_per_100ml", "measured_at": "02:30+1", "drinking_ended": "22:00",
                        "at": "00:30+1", "limit": [80, 50]}),
        (pm.case.forward, {"sex": "male", "age": 35, "height": 180, "weight": 80, "at": "23:00", "mode": "monte-carlo",
                           "drink": ["20:00..21:30=1000ml@5%"], "draws": 500}),
        (pm.case.drinks, {"sex": "female", "age": 30, "height": 170, "weight": 65, "measured": 95,
                          "unit": "bac_mg_per_100ml", "measured_at": "02:30+1", "drinking_began": "20:00",
                          "drinking_ended": "23:00"}),
        (pm.case.later, {"sex": "male", "age": 35, "height": 180, "weight": 80, "measured": 95,
                         "unit": "bac_mg_per_100ml", "measured_at": "02:30+1", "later_drink": "00:45+1=500ml@5%",
                         "drinking_ended": "22:00", "at": "00:30+1"}),
        (pm.case.sober, {"measured": 95, "unit": "bac_mg_per_100ml", "measured_at": "23:30", "limit": 50}),
    ],
)  # fmt: skip
def test_cases_are_those_of_the_command(ask, options):
    arguments = []
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            arguments += ["--" + name.replace("_", "-"), str(item)]
    document = json.loads(told("case", ask.__name__, *arguments, "--format", "json"))
    result = ask(**options)
    assert result.arrow().to_pylist()[0]["likeliest"] == document["answers"][0]["likeliest"]
    assert json.loads(result.json) == document


def test_a_population_is_a_prior(made_up, tmp_path):
    people = made_up.population(starts=1, **RATIO)
    assert people["typical"]["parameter"].tolist() == ["ka", "beta", "r"]
    file = tmp_path / "population.json"
    file.write_text(people.json)
    options = {"after": "first:3", "draws": 100, **RATIO}
    assert made_up.forecast(prior=people, **options).arrow().equals(made_up.forecast(prior=file, **options).arrow())


def test_a_prior_learns_from_a_study(made_up):
    study = pm.read_study(DATASETS / "made-up-24")
    learned = study.prior(prior="fasted", draws=100, **RATIO)
    assert learned["population"]["learned_from"].tolist()[0] > 0
    rows = study.fit(prior="fasted", learn_from=made_up, **RATIO).arrow().to_pylist()
    taught = learned["population"]["learned_from"].tolist()[0]
    # Nobody learns from themselves; whoever is not completed learns from all.
    assert {row["learned_from"] for row in rows} == {taught - 1, taught}
    assert made_up.forecast(prior=learned, after="first:3", draws=100, **RATIO).arrow().num_rows == len(rows)
