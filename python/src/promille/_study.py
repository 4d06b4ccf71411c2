"""A study, and what can be asked of it."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ._errors import Finding, OptionError, Place, PromilleError, StudyError, finding, warn
from ._frames import Tables, models, read
from ._process import Answer, Memory, Session, named, run
from ._results import Curves, Figures, Report, Result, draw

Names: TypeAlias = str | Sequence[str]
Fixed: TypeAlias = Mapping[str, float]
Methods: TypeAlias = str | float | Sequence[str | float]
Predictions: TypeAlias = Mapping[str, Any] | str | os.PathLike[str]

# Options that are repeated, where others take a list separated by commas.
_REPEATED = frozenset(
    "fix bound map covariate predict_with measured drink later_drink limit exclude_day_with forbid predictions".split()
)
# What the package decides itself.
_RESERVED = frozenset("format output o color decimal error_format input_format help version keep_plots table".split())
# Commands whose main table is what is mostly wanted: it comes as an Arrow stream, and the rest when it is asked for.
_ROWS = frozenset({"fit", "compare", "sober"})


def flags(options: Mapping[str, Any]) -> list[str | Memory]:
    """Write keyword arguments as the options of the command: `r_factor` is ``--r-factor``.

    None and False leave an option out; a mapping is ``name=value``; a result in the place of a file is what the
    command wrote.
    """
    line: list[str | Memory] = []
    for name, value in options.items():
        if name in _RESERVED:
            raise OptionError(Finding("error", "E_OPTION", f"{name}= is decided by the package", "leave it out"))
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        if value is True:
            line.append(flag)
        elif isinstance(value, Result):
            line += [flag, Memory(value.json.encode(), name)]
        elif isinstance(value, Study):
            line += [*value._reading, flag, value._place]
        elif isinstance(value, Mapping):
            for key, item in value.items():
                before = f"{flag}={key}="
                line += [replace(item, before=before) if isinstance(item, Memory) else before + _text(item)]
        elif isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
            texts = [_text(item) for item in value]
            line += [f"{flag}={text}" for text in (texts if name in _REPEATED else [",".join(texts)])]
        else:
            line += [f"{flag}={_text(value)}"]
    return line


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ":".join(_text(item) for item in value)
    if isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
        return ",".join(_text(item) for item in value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="minutes")
    if not isinstance(value, str) and hasattr(value, "item"):
        value = value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class Study:
    """People, what they drank, and what was measured; made by `read_study` or `Study.from_frames`.

    Every method asks the command once: a process, or a request to the `Session`. Keyword arguments that a method does
    not name are the command's other options, with underscores: ``study.fit(start_seed=3)`` is ``promille fit STUDY
    --start-seed 3``; ``promille fit --help-all`` lists them. None leaves an option out, True states one that has no
    value.
    """

    def __init__(
        self, path: str | None, tables: Tables | None, options: Mapping[str, Any], session: Session | None = None
    ) -> None:
        self._path = path
        self._tables = tables
        self._options = options
        self._session = session

    @classmethod
    def from_frames(
        cls,
        subjects: Any = None,
        drinks: Any = None,
        readings: Any = None,
        *,
        unit: str | None = None,
        time_zone: str | None = None,
        strict: bool = True,
        session: Session | None = None,
    ) -> Study:
        """Make a study of frames: of pandas, Polars, pyarrow, or others with the Arrow PyCapsule interface.

        Columns are those of the files of a study; an index with a name is a column.

        Parameters
        ----------
        subjects : frame, optional
            ``subject``, and ``sex``, ``age_y``, ``height_cm``, ``weight_kg`` as far as they are known. Other columns
            are covariates.
        drinks : frame
            ``subject``, ``time_min``, the dose as ``ethanol_g``, ``ethanol_g_per_kg``, ``volume_ml`` and
            ``abv_percent``, or ``volume_ml`` and ``drink`` (a name of ``promille drinks``), and as needed ``occasion``,
            ``duration_min``, ``route``. Instead of ``time_min`` drinks and readings may have ``datetime``, dates with
            times.
        readings : frame, optional
            ``subject``, ``time_min``, one concentration, and as needed ``occasion``, ``lod``, ``exclude``. The name of
            the concentration is its unit (``brac_mg_per_l``), or it is ``value`` and `unit` says it.
        unit : str, optional
            Unit of ``value``: ``"mg/100 ml"``, ``"serum g/L"``, ``"breath mg/L"``, or the name of a column.
        time_zone : str, optional
            Where the clocks of ``datetime`` are, as ``"Europe/Berlin"``; a column with a time zone says it itself.
        strict : bool
            Raise for the first error in the data. Otherwise a subject with an error has a row in each result that
            says so.
        session : Session, optional
            Whom to ask; that which is active, or else a process for each call.

        Returns
        -------
        Study
            The study, which every method hands to the command.

        Raises
        ------
        StudyError
            If something is wrong in a frame; `place` has the label of the row and the name of the column.
        """
        if drinks is None:
            raise StudyError(Finding("error", "E_FRAME", "there is no frame of drinks", "give drinks="))
        given = {"subjects": subjects, "drinks": drinks, "readings": readings}
        frames = {name: read(name, data) for name, data in given.items() if data is not None}
        study = cls(None, Tables(frames, unit), {"time_zone": time_zone}, session)
        found = study._found() if strict else []
        study._refuse(found)
        warn(found)
        return study

    def _found(self) -> list[Finding]:
        """Return everything that is wrong in the frames."""
        assert self._tables is not None
        line = self._line("check", {})
        rows = json.loads(self._run([line[0], "--format=json", *line[1:]]).output)["findings"]
        return [self._tables.placed(finding(row)) for row in rows]

    @staticmethod
    def _refuse(found: Sequence[Finding]) -> None:
        """Raise the first error."""
        for each in found:
            if each.severity == "error":
                raise StudyError(each, found)

    def __repr__(self) -> str:
        """Show where it comes from."""
        return f"<promille.Study {self._path or self._tables}>"

    # How it calls.

    @property
    def _place(self) -> str | Memory:
        """What the command reads."""
        if self._tables is not None:
            return self._tables.arrow
        assert self._path is not None
        return self._path

    @property
    def _reading(self) -> list[str]:
        """How the command reads it."""
        return [] if self._tables is None else ["--input-format=arrow-tables"]

    def _line(self, command: str, options: Mapping[str, Any]) -> list[str | Memory]:
        stated = {name: value for name, value in self._options.items() if value is not None}
        line = [command, *flags({**stated, **options})]
        return [*line, *(word for word in self._reading if word not in line), "--", self._place]

    def _run(self, line: Sequence[str | Memory]) -> Answer:
        """Run the command; what it finds has its place in the frames, if the study is of frames."""
        # A check answers with 65 if there are errors, which are what was asked for.
        accept = (0, 1, 65) if line[0] == "check" else (0, 1)
        if self._tables is None:
            return run(line, accept=accept, session=self._session)
        try:
            answer = run(line, accept=accept, session=self._session)
        except PromilleError as error:
            placed = [self._tables.placed(finding) for finding in error.findings]
            raise type(error)(self._tables.placed(error._first), placed) from None
        return replace(answer, findings=[self._tables.placed(finding) for finding in answer.findings])

    def _ask(self, command: str, options: Mapping[str, Any], figures: Figures | None = None) -> Result:
        line = self._line(command, options)
        document = [line[0], "--format=json", *line[1:]]
        if command in _ROWS:
            answer = self._run([line[0], "--format=arrow", *line[1:]])
            return Result(answer, figures, document=lambda: self._run(document))
        return Result(self._run(document), figures, self._tables.placed if self._tables else None)

    def _figures(self, options: Mapping[str, Any], _: str) -> dict[str, Any]:
        line = self._line("report", dict(options) | {"figures": 1_000_000})
        return draw(
            [line[0], "-o", "/dev/null", "--format=html", *line[1:-2]], "--keep-plots", line[-2:], self._session
        )

    # Verbs.

    def check(self, **options: Any) -> Result:
        """Show what the study contains and what is wrong with it.

        Parameters
        ----------
        **options
            Further options of ``promille check``.

        Returns
        -------
        Result
            A row for each series; `warnings` has every finding, errors included.
        """
        return self._ask("check", options)

    def fit(
        self,
        *,
        estimate: Names | None = None,
        model: str | None = None,
        error: str | None = None,
        prior: str | os.PathLike[str] | Result | None = None,
        learn: str | None = None,
        learn_from: str | os.PathLike[str] | Study | None = None,
        fix: Fixed | None = None,
        r_factor: str | float | None = None,
        interval: str | None = None,
        derived: Names | None = None,
        threshold: float | None = None,
        details: bool = False,
        blood_breath_ratio: float | None = None,
        **options: Any,
    ) -> Result:
        """Estimate k_a, beta and other parameters of each subject, with intervals.

        Parameters
        ----------
        estimate : str or sequence of str, optional
            ``("ka", "beta", "r")`` and others; k_a and beta unless given.
        model : str, optional
            ``"widmark"``, ``"michaelis-menten"``, ``"first-order"`` or ``"all"``.
        error : str, optional
            ``"additive"``, ``"proportional"``, ``"combined"``, ``"instrument"``, with values as in
            ``"proportional:0.05"``.
        prior : str, path or Result, optional
            ``"fasted"``, ``"fed"``, ``"unknown"``, a file, or the result of `population` or `prior`.
        learn : str, optional
            Whose completed series the prior learns from: ``"others"``, or ``"before"``, those who were there earlier.
        learn_from : path or Study, optional
            Another study to learn from, in a folder or database.
        fix : mapping, optional
            Parameters held at a value: ``{"ka": 18}``.
        r_factor : str or float, optional
            Where r comes from unless it is estimated.
        interval : str, optional
            ``"profile"``, ``"wald"``, ``"residual-bootstrap"``, ``"parametric-bootstrap"`` or ``"none"``.
        derived : str or sequence of str, optional
            Quantities of the curve: ``"all"`` or names.
        threshold : float, optional
            Concentration in g/kg whose time is wanted.
        details : bool, optional
            Whether rows have all columns: tests of residuals, how the search went, parameters that are not estimated.
        blood_breath_ratio : float, optional
            State it for breath readings.
        **options
            Further options of ``promille fit``.

        Returns
        -------
        Result
            A row for each series.
        """
        stated = _given(locals())
        drawn = {name: value for name, value in stated.items() if name != "details"}
        return self._ask("fit", stated, partial(self._figures, drawn))

    def compare(
        self,
        *,
        r_factor: Methods | None = None,
        predictions: Predictions | None = None,
        parameters: str | None = None,
        threshold: float | None = None,
        ka: float | None = None,
        beta: float | None = None,
        summary: bool = False,
        blood_breath_ratio: float | None = None,
        **options: Any,
    ) -> Result:
        """Compare r-factor methods: which predicts best, and how far it is off.

        Parameters
        ----------
        r_factor : str, float or sequence of them, optional
            Methods, values of r in kg/kg, and columns of the study that hold the r of each subject:
            ``["watson", 0.65, "column:r_dexa"]``. Default: those of Nacar (2021).
        predictions : mapping of str to frame or path, optional
            Predictions of your own models by name: ``{"My app": frame, "Other": "other.csv"}``. A table holds either
            curves (``subject``, ``time_min``, a concentration such as ``bac_g_per_l``, and optionally ``low`` and
            ``high``, or ``sd``) or times to sobriety (``subject``, ``sober_min``, and optionally ``low_min`` and
            ``high_min``, ``threshold_g_per_kg``). If the study has occasions, add ``occasion``. An index with a name
            is a column. Each model gets rows beside the r methods; the column ``method`` has its name.
        parameters : str, optional
            Where k_a and beta come from: ``"given"``, ``"fitted"`` or ``"left-out"``.
        threshold : float, optional
            Concentration in g/kg at or below which a subject counts as sober.
        ka, beta : float, optional
            Values of k_a in 1/h and of beta in g/kg/h.
        summary : bool
            A row for each method instead of subject and method.
        blood_breath_ratio : float, optional
            State it for breath readings.
        **options
            Further options of ``promille compare``.

        Returns
        -------
        Result
            A row for each series and method, or for each method with `summary`.
        """
        stated = _given(locals())
        drawn = {name: value for name, value in stated.items() if name not in ("summary", "r_factor")}
        return self._ask("compare", stated, partial(self._figures, drawn | {"methods": r_factor}))

    def sober(
        self,
        *,
        r_factor: Methods | None = None,
        predictions: Predictions | None = None,
        parameters: str | None = None,
        threshold: float | None = None,
        ka: float | None = None,
        beta: float | None = None,
        summary: bool = False,
        blood_breath_ratio: float | None = None,
        **options: Any,
    ) -> Result:
        """Compare predicted and measured time to sobriety, in minutes and percent.

        Parameters
        ----------
        r_factor, predictions, parameters, threshold, ka, beta, summary, blood_breath_ratio : optional
            As in `compare`.
        **options
            Further options of ``promille sober``.

        Returns
        -------
        Result
            A row for each series and method, or for each method with `summary`.
        """
        stated = _given(locals())
        drawn = {name: value for name, value in stated.items() if name not in ("summary", "r_factor")}
        return self._ask("sober", stated, partial(self._figures, drawn | {"methods": r_factor}))

    def design(
        self,
        *,
        readings: Sequence[float] | None = None,
        count: int | None = None,
        goal: Names | None = None,
        people: str | None = None,
        occasions: int | None = None,
        prior: str | Result | None = None,
        **options: Any,
    ) -> Result:
        """Plan when to take readings of such people, or how many people to measure.

        Parameters
        ----------
        readings : sequence of float, optional
            Times that are planned, in minutes, to compare with.
        count : int, optional
            How many readings to place.
        goal : str or sequence of str, optional
            What is to be certain (``--for``): ``"all"``, parameters, or a derived quantity.
        people : str, optional
            How many people: ``"rse:10"``; two r methods to tell apart, ``"watson:widmark"``; or an effect,
            ``"beta=sex:15"``.
        occasions : int, optional
            With `people`: on how many occasions everybody is measured.
        prior : str or Result, optional
            What is known of people before they are measured, as in `fit`.
        **options
            Further options of ``promille design``.

        Returns
        -------
        Result
            A row for each parameter, or for each number of people.
        """
        stated = _given(locals())
        return self._ask("design", {"for" if name == "goal" else name: value for name, value in stated.items()})

    def population(
        self,
        *,
        random: Names | None = None,
        r_factor: Names | None = None,
        covariate: Mapping[str, Names] | None = None,
        covariance: str | None = None,
        error: str | None = None,
        method: str | None = None,
        blood_breath_ratio: float | None = None,
        **options: Any,
    ) -> Result:
        """Estimate typical values and the spread between people, from everybody at once.

        Parameters
        ----------
        random : str or sequence of str, optional
            Parameters in which people differ.
        r_factor : str or sequence of str, optional
            Methods whose prediction is a person's typical r.
        covariate : mapping, optional
            Covariates of typical values: ``{"beta": ["sex", "weight_kg"]}``.
        covariance : str, optional
            ``"diagonal"`` or ``"full"``.
        error : str, optional
            As in `fit`.
        method : str, optional
            ``"focei"``, ``"foce"``, ``"fo"``, ``"laplace"`` or ``"quadrature"``.
        blood_breath_ratio : float, optional
            State it for breath readings.
        **options
            Further options of ``promille population``.

        Returns
        -------
        Result
            A row for each model; `tables` has typical values, spread and people. It can be the `prior` of `fit` and
            `forecast`.
        """
        stated = _given(locals())
        line = self._line("population", stated)
        return self._ask("population", stated, lambda _: draw(line[:-2], "--plot", line[-2:], self._session))

    def prior(
        self,
        *,
        prior: str | os.PathLike[str] | Result,
        draws: int | None = None,
        seed: int | None = None,
        blood_breath_ratio: float | None = None,
        **options: Any,
    ) -> Result:
        """Update a prior with the completed people of the study.

        Parameters
        ----------
        prior : str, path or Result
            ``"fasted"``, ``"fed"``, ``"unknown"``, a file, or the result of `population` or `prior`.
        draws, seed : int, optional
            Draws of each person, and their seed.
        blood_breath_ratio : float, optional
            State it for breath readings.
        **options
            Further options of ``promille prior``.

        Returns
        -------
        Result
            A row for each parameter, before and after. It can be the `prior` of `fit` and `forecast`.
        """
        return self._ask("prior", _given(locals()))

    def forecast(
        self,
        *,
        prior: str | os.PathLike[str] | Result,
        learn: str | None = None,
        learn_from: str | os.PathLike[str] | Study | None = None,
        after: str | float | None = None,
        threshold: float | None = None,
        at: float | None = None,
        draws: int | None = None,
        seed: int | None = None,
        score: bool = False,
        holdout: str | None = None,
        blood_breath_ratio: float | None = None,
        **options: Any,
    ) -> Result:
        """Forecast the curve ahead and the time to a threshold, from a prior and the readings so far.

        Parameters
        ----------
        prior : str, path or Result
            ``"fasted"``, ``"fed"``, ``"unknown"``, a file, or the result of `population` or `prior`.
        learn : str, optional
            Whose completed series the prior learns from: ``"others"``, or ``"before"``, those who were there earlier.
        learn_from : path or Study, optional
            Another study to learn from, in a folder or database.
        after : str or float, optional
            Which readings are known: ``"all"``, ``"first:3"``, or minutes after the first drink.
        threshold : float, optional
            Concentration in g/kg.
        at : float, optional
            Minutes at which the probability to be below the threshold is wanted.
        draws, seed : int, optional
            Draws of each person, and their seed.
        score : bool
            Replay the study and score the forecasts.
        holdout : str, optional
            ``"subject"`` makes each prior from the others.
        blood_breath_ratio : float, optional
            State it for breath readings.
        **options
            Further options of ``promille forecast``.

        Returns
        -------
        Result
            A row for each series; the curve ahead is the table ``forecast_curve``.
        """
        return self._ask("forecast", _given(locals()))

    def simulate(
        self,
        *,
        r_factor: Names | None = None,
        ka: float | None = None,
        beta: float | None = None,
        every: float | None = None,
        until: float | str | None = None,
        band: bool = False,
        **options: Any,
    ) -> Curves:
        """Predict the curve of everybody.

        Parameters
        ----------
        r_factor : str or sequence of str, optional
            Methods; those of Nacar (2021) unless given.
        ka, beta : float, optional
            Values of k_a in 1/h and of beta in g/kg/h.
        every : float, optional
            Minutes between points; 1 unless given.
        until : float or str, optional
            A time in minutes, or ``"sober"``.
        band : bool
            Add the 90 % band of each curve.
        **options
            Further options of ``promille simulate``.

        Returns
        -------
        Curves
            A row for each series, method and time.
        """
        stated = _given(locals())
        answer = self._run(self._line("simulate", stated))
        return Curves(answer, {"tool": "promille", "command": "simulate", "options": stated})

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        estimate: Names | None = None,
        predictions: Predictions | None = None,
        **options: Any,
    ) -> Report:
        """Write a report: the answer, people, parameters, what was left out, methods.

        Parameters
        ----------
        path : path, optional
            Where to: ``.html`` or ``.md``. Without it the page is only returned.
        estimate : str or sequence of str, optional
            As in `fit`.
        predictions : mapping of str to frame or path, optional
            Predictions of your own models, as in `compare`.
        **options
            Further options of ``promille report``.

        Returns
        -------
        Report
            The page, which notebooks show.
        """
        line = self._line("report", {"estimate": estimate} | _with_models(predictions) | options)
        if path is None:
            answer = self._run([line[0], "-o", "-", "--format=html", *line[1:]])
            text, written = answer.output.decode(), None
        else:
            written = Path(path)
            answer = self._run([line[0], "-o", os.fspath(written), *line[1:]])
            text = written.read_text(encoding="utf-8")
            clean = named(text, answer.names, is_page=True)
            if clean != text:
                text = clean
                written.write_text(text, encoding="utf-8")
        warn(answer.findings)
        return Report(text, written)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a method as options."""
    left_out = ("self", "options", "__class__")
    stated = {
        name: value for name, value in values.items() if name not in left_out and not (value is None or value is False)
    }
    return {**stated, **_with_models(values.get("predictions")), **values["options"]}


def _with_models(given: Predictions | None) -> dict[str, Any]:
    """Return the option with the predictions of models, whose frames are read once."""
    return {} if given is None else {"predictions": models(given)}


def read_study(
    path: str | os.PathLike[str],
    *,
    map: Mapping[str, str] | None = None,
    dv_unit: str | None = None,
    drinks_catalogue: str | os.PathLike[str] | None = None,
    time_zone: str | None = None,
    session: Session | None = None,
) -> Study:
    """Take a study from a folder, a spreadsheet, a table of events or a database.

    Parameters
    ----------
    path : path
        Where it is; it is read by every method, and nothing is read before.
    map : mapping, optional
        What columns are: ``{"Weight (kg)": "weight_kg", "Device": "ignore"}``.
    dv_unit : str, optional
        Unit of ``DV`` in a table of events.
    drinks_catalogue : path, optional
        Another catalogue of drinks.
    time_zone : str, optional
        Where the clocks of a table with dates and times of day are, as ``"Europe/Berlin"``.
    session : Session, optional
        Whom to ask; that which is active, or else a process for each call.

    Returns
    -------
    Study
        The study; its methods read it.

    Raises
    ------
    StudyError
        If there is nothing at the path.
    """
    text = os.path.expanduser(os.fspath(path))
    if not os.path.exists(text):
        raise StudyError(Finding("error", "E_NO_SUCH_STUDY", "there is no such study", "check the path", Place(text)))
    options = {"map": map, "dv_unit": dv_unit, "drinks_catalogue": drinks_catalogue, "time_zone": time_zone}
    return Study(os.path.join(".", text) if text == "-" else text, None, options, session)
