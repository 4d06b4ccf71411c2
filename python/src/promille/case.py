"""One question about one person: back, forward, drinks, later drinking, sober.

Times are ``"23:40"``, ``"01:30+1"`` (the next day), ``"2024-03-01 23:40"``, or `datetime.datetime`. A distribution is a
number, or ``"normal:MEAN,SD"``, ``"lognormal:MEDIAN,CV"``, ``"uniform:LOW,HIGH"``, ``"range:LOW,LIKELIEST,HIGH"``. A
drink is ``"21:00=500ml@5%"``, ``"21:00..22:30=500ml@5%"`` or ``"21:00=20g"``. Keyword arguments that a function does
not name are the other options of ``promille case``; ``promille case --help-all`` lists them. `study` may be a `Study`.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, TypeAlias

from ._process import run
from ._results import Result
from ._study import Study, _given, flags

__all__ = ["back", "drinks", "forward", "later", "sober"]

Time: TypeAlias = str | datetime.datetime
Numbers: TypeAlias = float | Sequence[float]
Texts: TypeAlias = str | Sequence[str]


def _ask(question: str, values: dict[str, Any]) -> Result:
    options = _given(values)
    line = ["case", question, "--format=json", *flags(options)]
    study = options.get("study")
    return Result(study._run(line) if isinstance(study, Study) else run(line))


def back(
    *,
    measured: Numbers | None = None,
    unit: str | None = None,
    measured_at: Time | None = None,
    at: Time | None = None,
    drinking_ended: Time | None = None,
    limit: Numbers | None = None,
    mode: str | None = None,
    **options: Any,
) -> Result:
    """Ask for the concentration at a time before a measurement.

    Parameters
    ----------
    measured : float or sequence of float
        The measured concentration, or samples taken at one time.
    unit : str
        Its unit, such as ``"bac_mg_per_100ml"``.
    measured_at, at : str or datetime
        When it was measured, and the time asked about.
    drinking_ended : str or datetime
        When drinking ended.
    limit : float or sequence of float, optional
        Limits, in the unit of the answer.
    mode : str, optional
        ``"guideline"`` or ``"monte-carlo"``.
    **options
        Further options of ``promille case``.

    Returns
    -------
    Result
        The answer; the table ``band`` is drawn by `plot`.
    """
    return _ask("back", locals())


def forward(
    *,
    sex: str | None = None,
    age: float | None = None,
    height: float | str | None = None,
    weight: float | str | None = None,
    drink: Texts | None = None,
    at: Time | None = None,
    limit: Numbers | None = None,
    mode: str | None = None,
    **options: Any,
) -> Result:
    """Ask for the concentration that drinks give at a time.

    Parameters
    ----------
    sex : str
        ``"male"`` or ``"female"``.
    age, height, weight : float
        In years, cm and kg.
    drink : str or sequence of str
        The drinks.
    at : str or datetime
        The time asked about.
    limit, mode : optional
        As in `back`.
    **options
        Further options of ``promille case``.

    Returns
    -------
    Result
        The concentration, with its range.
    """
    return _ask("forward", locals())


def drinks(
    *,
    sex: str | None = None,
    age: float | None = None,
    height: float | str | None = None,
    weight: float | str | None = None,
    measured: Numbers | None = None,
    unit: str | None = None,
    measured_at: Time | None = None,
    drinking_began: Time | None = None,
    drinking_ended: Time | None = None,
    mode: str | None = None,
    **options: Any,
) -> Result:
    """Ask how much was drunk, from a measurement.

    Parameters
    ----------
    sex, age, height, weight : optional
        As in `forward`.
    measured, unit, measured_at : optional
        As in `back`.
    drinking_began, drinking_ended : str or datetime
        When drinking began and ended.
    mode : str, optional
        As in `back`.
    **options
        Further options of ``promille case``.

    Returns
    -------
    Result
        How much was drunk, with its range.
    """
    return _ask("drinks", locals())


def later(
    *,
    sex: str | None = None,
    age: float | None = None,
    height: float | str | None = None,
    weight: float | str | None = None,
    measured: Numbers | None = None,
    unit: str | None = None,
    measured_at: Time | None = None,
    at: Time | None = None,
    later_drink: Texts | None = None,
    drinking_ended: Time | None = None,
    mode: str | None = None,
    **options: Any,
) -> Result:
    """Ask for the concentration at an event, without what was drunk after it.

    Parameters
    ----------
    sex, age, height, weight : optional
        As in `forward`.
    measured, unit, measured_at, at : optional
        As in `back`; `at` is the time of the event.
    later_drink : str or sequence of str
        Drinks after the event.
    drinking_ended : str or datetime
        When drinking before the event ended.
    mode : str, optional
        As in `back`.
    **options
        Further options of ``promille case``.

    Returns
    -------
    Result
        The concentration at the event, with its range.
    """
    return _ask("later", locals())


def sober(
    *,
    measured: Numbers | None = None,
    unit: str | None = None,
    measured_at: Time | None = None,
    sex: str | None = None,
    age: float | None = None,
    height: float | str | None = None,
    weight: float | str | None = None,
    drink: Texts | None = None,
    limit: Numbers | None = None,
    mode: str | None = None,
    **options: Any,
) -> Result:
    """Ask when the concentration is at a limit or below, from a measurement or from drinks.

    Parameters
    ----------
    measured, unit, measured_at : optional
        As in `back`.
    sex, age, height, weight, drink : optional
        As in `forward`.
    limit, mode : optional
        As in `back`.
    **options
        Further options of ``promille case``.

    Returns
    -------
    Result
        The time, with its range.
    """
    return _ask("sober", locals())
