"""Pharmacokinetics of alcohol: fit, compare and predict blood alcohol of measured people.

>>> import promille as pm
>>> study = pm.read_study("datasets/made-up-24")
>>> fits = study.fit(estimate=("ka", "beta", "r"), blood_breath_ratio=2100)
>>> fits.frame[["subject", "ka_per_h", "beta_g_per_kg_h", "r"]]

Nothing is computed here: every number is that of the command `promille`, which is part of the wheel.
"""

from importlib.metadata import PackageNotFoundError, version

from . import case
from ._errors import CommandError, Finding, OptionError, Place, PromilleError, PromilleWarning, StudyError
from ._people import curve, r_factors
from ._process import Session, command, run
from ._results import Curves, Report, Result
from ._study import Study, read_study

__all__ = [
    "CommandError",
    "Curves",
    "Finding",
    "OptionError",
    "Place",
    "PromilleError",
    "PromilleWarning",
    "Report",
    "Result",
    "Session",
    "Study",
    "StudyError",
    "case",
    "command",
    "curve",
    "explain",
    "r_factors",
    "read_study",
]

try:
    __version__ = version("promille")
except PackageNotFoundError:  # Run from the sources.
    __version__ = "0"


def explain(*codes: str) -> str:
    """Say what codes or columns mean.

    Parameters
    ----------
    *codes : str
        Such as ``"W_BETA_RANGE"``; all without any.

    Returns
    -------
    str
        What they mean, why it matters and what to do.
    """
    return run(["explain", *codes]).output.decode()
