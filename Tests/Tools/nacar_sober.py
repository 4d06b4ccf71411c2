"""Predicted and measured time to sobriety of the subjects of datasets/nacar-2021.

Predicted: the last time the exact one-compartment curve comes down to the threshold. After a drink
at time 0 of a segment, with concentration c and gut content g, the curve is

    c + g (1 - exp(-k tau)) - beta tau,

which falls through L at tau = a/beta + W(-(k g/beta) exp(-k a/beta))/k, a = c + g - L, with the
principal branch of Lambert's W; root finding on the curve itself must give the same. A curve that
never rises above the threshold is sober at 0. All in 40 digits.

Measured: the middle of the first reading from which on all are at or below the threshold and the last above
it; errors against the first alone are the thesis'. Errors are predicted less measured, so a prediction that is
too early is negative. The interval
errors are 0 between those two readings and the distance to the nearer one outside.

The second table does the same with the predictions printed in the thesis' table 4.1.
"""

import sys
from dataclasses import dataclass
from functools import partial

from mpmath import exp, findroot, inf, lambertw, log, mp, mpf

from expectations import NACAR, Row, Table, Tolerance, deliver, new_parser, read_rows
from r_factors import METHODS
from study_folder import Series, read_study

mp.dps = 40

KA_PER_H = mpf(18)
BETA_G_PER_KG_H = mpf(15) / 100
HIGHER_THRESHOLDS = (0.2, 0.5)

MINUTES = Tolerance(absolute=1e-9)
PERCENT = Tolerance(absolute=1e-9)
TOLERANCES = {
    "r": Tolerance(relative=1e-14),
    "sober_predicted_min": MINUTES,
    "error_min": MINUTES,
    "error_pct_of_measured": PERCENT,
    "error_pct_of_predicted": PERCENT,
    "error_min_first_below": MINUTES,
    "error_pct_of_measured_first_below": PERCENT,
    "error_pct_of_predicted_first_below": PERCENT,
    "interval_error_min": MINUTES,
    "interval_error_pct_of_measured": PERCENT,
    "interval_error_pct_of_predicted": PERCENT,
}


@dataclass(frozen=True)
class Segment:
    """The curve from one drink to the next: start and length [h], concentration, gut content."""

    start: mpf
    length: mpf
    concentration: mpf
    gut: mpf

    def value(self, tau: mpf) -> mpf:
        """The concentration, were there no stop at zero."""
        return self.concentration + self.gut * (1 - exp(-KA_PER_H * tau)) - BETA_G_PER_KG_H * tau

    @property
    def peak_time(self) -> mpf:
        """When absorption has fallen to the rate of elimination, or the start."""
        ratio = KA_PER_H * self.gut / BETA_G_PER_KG_H
        return log(ratio) / KA_PER_H if ratio > 1 else mpf(0)

    def fall_through(self, threshold: mpf) -> mpf | None:
        """When the curve comes down to the threshold; None if it stays below or above."""
        if self.value(min(self.peak_time, self.length)) <= threshold:
            return None
        tau = self.lambert(threshold)
        self.confirm(tau, threshold)
        return self.start + tau if tau <= self.length else None

    def lambert(self, threshold: mpf) -> mpf:
        """The closed form of the time of falling through the threshold."""
        scaled = (self.concentration + self.gut - threshold) / BETA_G_PER_KG_H
        argument = -(KA_PER_H * self.gut / BETA_G_PER_KG_H) * exp(-KA_PER_H * scaled)
        return scaled + lambertw(argument).real / KA_PER_H

    def confirm(self, tau: mpf, threshold: mpf) -> None:
        """Raise ArithmeticError unless root finding on the curve ends at `tau`."""
        bracket = (self.peak_time, tau + 1)
        root = findroot(lambda x: self.value(x) - threshold, bracket, solver="anderson")
        if abs(root - tau) > mpf(10) ** -25:
            raise ArithmeticError(f"Lambert's W gives {tau}, root finding {root}")


def segments_of(series: Series, r: float) -> list[Segment]:
    """The segments of a curve that does not reach zero between drinks.

    Raises ArithmeticError if it does: the closed form needs to know when it left zero again.
    """
    starts = [mpf(drink.start_h) for drink in series.drinks]
    ends = [*starts[1:], inf]
    concentration = gut = mpf(0)
    segments = []
    for drink, start, end in zip(series.drinks, starts, ends, strict=True):
        segment = Segment(start, end - start, concentration, gut + mpf(drink.dose_g_per_kg) / r)
        segments.append(segment)
        if end < inf:
            concentration = segment.value(segment.length)
            gut = segment.gut * exp(-KA_PER_H * segment.length)
        if concentration < 0:
            raise ArithmeticError(f"subject {series.subject} is at zero before the next drink")
    return segments


def predicted_minutes(series: Series, r: float, threshold: float) -> float:
    """The last time the curve falls through the threshold."""
    falls = [segment.fall_through(mpf(threshold)) for segment in segments_of(series, r)]
    return float(60 * max((fall for fall in falls if fall is not None), default=mpf(0)))


def measured_minutes(
    times_min: list[float], values: list[float], threshold: float
) -> tuple[float, float]:
    """The first reading from which on all are at or below the threshold, and the last above."""
    above = max(i for i, value in enumerate(values) if value > threshold)
    return times_min[above + 1], times_min[above]


def outcome(predicted: float, first_below: float, last_above: float) -> Row:
    """The columns every table ends with."""
    measured = (first_below + last_above) / 2
    nearest = sorted((last_above, predicted, first_below))[1]
    outside = predicted - nearest
    of_predicted = lambda error: 100 * error / predicted if predicted > 0 else None
    return {
        "sober_predicted_min": predicted,
        "sober_measured_min": measured,
        "sober_first_below_min": first_below,
        "sober_last_above_min": last_above,
        "error_min": predicted - measured,
        "error_pct_of_measured": 100 * (predicted - measured) / measured,
        "error_pct_of_predicted": of_predicted(predicted - measured),
        "error_min_first_below": predicted - first_below,
        "error_pct_of_measured_first_below": 100 * (predicted - first_below) / first_below,
        "error_pct_of_predicted_first_below": of_predicted(predicted - first_below),
        "interval_error_min": outside,
        "interval_error_pct_of_measured": 100 * outside / nearest,
        "interval_error_pct_of_predicted": of_predicted(outside),
    }


def method_rows(series: Series, threshold: float) -> list[Row]:
    """A row for every r method that exists for the subject."""
    times_min = [round(60 * time) for time in series.times_h]
    measured = measured_minutes(times_min, list(series.readings_g_per_kg), threshold)
    factors = {name: method(series.body) for name, method in METHODS.items()}
    return [
        {
            "subject": series.subject,
            "r_factor": name,
            "r": r,
            **outcome(predicted_minutes(series, r, threshold), *measured),
        }
        for name, r in factors.items()
        if r is not None
    ]


def sober_at_higher_thresholds(study: list[Series]) -> Table:
    """The table for thresholds above zero."""
    rows = [
        {"threshold_g_per_kg": threshold, **row}
        for threshold in HIGHER_THRESHOLDS
        for series in study
        for row in method_rows(series, threshold)
    ]
    return Table("nacar-2021-sober-thresholds.csv", rows, TOLERANCES)


def thesis_row(subject: str, predictions: list[dict[str, str]], series: Series) -> Row:
    """Printed prediction against reading: both by the first time from which on all are zero."""
    printed = [row for row in predictions if row["subject"] == subject]
    to_zero = partial(measured_minutes, threshold=0)
    predicted, _ = to_zero(
        [int(row["time_min"]) for row in printed], [float(row["bac_g_per_kg"]) for row in printed]
    )
    times_min = [round(60 * time) for time in series.times_h]
    return {
        "subject": subject,
        **outcome(predicted, *to_zero(times_min, list(series.readings_g_per_kg))),
    }


def main() -> int:
    """Make the three tables."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    study = read_study(NACAR)
    predictions = read_rows(NACAR / "thesis-predictions.csv")
    rows = [row for series in study for row in method_rows(series, 0)]
    printed = [thesis_row(series.subject, predictions, series) for series in study]
    tables = [
        Table("nacar-2021-sober.csv", rows, TOLERANCES),
        sober_at_higher_thresholds(study),
        Table("nacar-2021-thesis-sober.csv", printed, TOLERANCES),
    ]
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
