"""Compute r factors and curves of many people at once, without a process for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from ._errors import Finding, OptionError
from ._frames import to_frame
from ._process import Answer, run
from ._results import Curves
from ._study import Study, _given, flags


def _vector(value: Any) -> list[Any] | None:
    """Return the values of a vector; None if it is one value."""
    if value is None or isinstance(value, (str, int, float)) or getattr(value, "ndim", 1) == 0:
        return None
    return list(value.to_pylist() if hasattr(value, "to_pylist") else value)


def _people(**measures: Any) -> tuple[pa.Table, int]:
    """Return measures as a frame of subjects; one value goes for everybody. And how many there are, 0 for no vector."""
    vectors = {name: _vector(value) for name, value in measures.items()}
    lengths = {len(values) for values in vectors.values() if values is not None}
    if len(lengths) > 1:
        sizes = ", ".join(f"{name} {len(values)}" for name, values in vectors.items() if values is not None)
        raise OptionError(Finding("error", "E_LENGTH", f"vectors differ in length: {sizes}", "give one value for each"))
    count = lengths.pop() if lengths else 0
    names = {"age": "age_y", "height": "height_cm", "weight": "weight_kg"}
    columns: dict[str, Any] = {"subject": pa.array([str(row) for row in range(count or 1)], pa.string())}
    for name, value in measures.items():
        values = vectors[name]
        values = [value] * (count or 1) if values is None else values
        columns[names.get(name, name)] = pa.array(values, from_pandas=True)
    return pa.table(columns), count


def _answer(command: str, options: dict[str, Any], people: pa.Table, doses: pa.Table) -> Answer:
    """Ask about people without readings, of which nobody has to be warned, in one call."""
    study = Study.from_frames(people, doses, strict=False)
    answer = study._run(study._line(command, {"quiet": True} | options))
    study._refuse(answer.findings)
    return answer


def r_factors(
    *, sex: Any, age: Any = None, height: Any = None, weight: Any = None, r_factor: str | Sequence[str] = "all",
    **options: Any,
) -> Any:  # fmt: skip
    """Compute r by several methods, for one person or many, in one process.

    Parameters
    ----------
    sex : str or sequence of str
        ``"male"`` or ``"female"``.
    age, height, weight : float or sequence of float, optional
        In years, cm and kg. One value goes for everybody.
    r_factor : str or sequence of str
        Methods; those of Nacar (2021) unless given.
    **options
        Further options of ``promille sober`` that r depends on: `blood_water`, `preset`.

    Returns
    -------
    frame
        A row for each person and a column for each method, without a value where a method has no formula for the
        person or lacks a measure.
    """
    people, _ = _people(sex=sex, age=age, height=height, weight=weight)
    if not len(people):
        return to_frame(pa.table({}))
    # What is drunk has no effect on r, but a study needs it.
    ones = pa.array([1.0] * len(people))
    dose = pa.table({"subject": people["subject"], "time_min": ones, "ethanol_g": ones})
    answer = _answer("sober", {"r_factor": r_factor} | options, people, dose)
    times = pa_csv.read_csv(pa.py_buffer(answer.output))
    rows = times.select(["subject", "r_factor", "r"]).to_pylist()
    columns: dict[str, list[float | None]] = {row["r_factor"]: [None] * len(people) for row in rows}
    for row in rows:
        columns[row["r_factor"]][int(row["subject"])] = row["r"]
    return to_frame(pa.table({name: pa.array(values, pa.float64()) for name, values in columns.items()}))


def curve(
    drinks: str | Sequence[tuple[float, float]],
    *,
    sex: Any = None,
    age: Any = None,
    height: Any = None,
    weight: Any = None,
    r_factor: str | float | Sequence[str] | None = None,
    ka: float | None = None,
    beta: float | None = None,
    every: float | None = None,
    until: float | str | None = None,
    **options: Any,
) -> Curves:
    """Predict curves on a grid of minutes, for one person or many, in one process.

    Parameters
    ----------
    drinks : str or sequence of (float, float)
        Minutes and grams of ethanol, ``[(0, 20), (55, 6)]``; for one person also as the command takes them,
        ``"0:500ml@4.4%,55:20ml@40%"``.
    sex, age, height, weight : optional
        As in `r_factors`.
    r_factor : str, float or sequence, optional
        Methods; those of Nacar (2021) unless given.
    ka, beta : float, optional
        Values of k_a in 1/h and of beta in g/kg/h.
    every : float, optional
        Minutes between points; 1 unless given.
    until : float or str, optional
        A time in minutes, or ``"sober"``.
    **options
        Further options of ``promille simulate``.

    Returns
    -------
    Curves
        A row for each person, method and minute; `subject` is the place in the vectors, from 0.
    """
    stated = _given(
        {key: value for key, value in locals().items() if key not in ("drinks", "sex", "age", "height", "weight")}
    )
    people, count = _people(sex=sex, age=age, height=height, weight=weight)
    if not count:
        text = drinks if isinstance(drinks, str) else ",".join(f"{time}:{grams}g" for time, grams in drinks)
        person = {"drinks": text, "sex": sex, "age": age, "height": height, "weight": weight}
        answer = run(["simulate", *flags(person | stated)])
        return Curves(answer, {"tool": "promille", "command": "simulate", "options": person | stated})
    if isinstance(drinks, str):
        remedy = "give minutes and grams, as in [(0, 20)]"
        raise OptionError(Finding("error", "E_DRINKS", "drinks in words are for one person", remedy))
    pairs = [(subject, time, grams) for subject in people["subject"].to_pylist() for time, grams in drinks]
    names = ("subject", "time_min", "ethanol_g")
    doses = pa.table({name: [pair[place] for pair in pairs] for place, name in enumerate(names)})
    answer = _answer("simulate", stated, people, doses)
    return Curves(answer, {"tool": "promille", "command": "simulate", "options": stated})
