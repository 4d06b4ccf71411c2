"""Make the study files of datasets/nacar-2021 from the transcription of the thesis' table 4.1.

The readings and predictions are copied as printed; blanks, where a series had ended, are left out.
Subjects and drinks are those of section 4.2 of the thesis (see SOURCE.md there).
"""

import sys

from expectations import NACAR, Row, Table, deliver, new_parser, read_rows

SUBJECTS = [
    {"subject": 1, "sex": "male", "age_y": 23, "height_cm": 180, "weight_kg": 76},
    {"subject": 2, "sex": "male", "age_y": 24, "height_cm": 189, "weight_kg": 87},
    {"subject": 3, "sex": "male", "age_y": 23, "height_cm": 180, "weight_kg": 72},
    {"subject": 4, "sex": "female", "age_y": 22, "height_cm": 163, "weight_kg": 53},
]

BEER = {"time_min": 0, "volume_ml": 500, "abv_percent": 4.4}
SPIRIT = {"time_min": 55, "volume_ml": 20, "abv_percent": 40}
WINE = {"time_min": 0, "volume_ml": 200, "abv_percent": 12}
DRINKS = {"male": [BEER, SPIRIT], "female": [WINE]}


def drinks() -> list[Row]:
    """What every subject drank."""
    return [
        {"subject": subject["subject"], **drink}
        for subject in SUBJECTS
        for drink in DRINKS[subject["sex"]]
    ]


def column(table41: list[dict[str, str]], kind: str) -> list[Row]:
    """One kind of column of table 4.1, `tester` or `predicted`, in long form."""
    return [
        {"subject": number, "time_min": row["time_min"], "bac_g_per_kg": printed}
        for number in (subject["subject"] for subject in SUBJECTS)
        for row in table41
        if (printed := row[f"p{number}_{kind}"])
    ]


def main() -> int:
    """Write the files or check them, to the letter."""
    options = new_parser(__doc__.splitlines()[0], NACAR).parse_args()
    table41 = read_rows(options.output / "table41.csv")
    tables = [
        Table("subjects.csv", SUBJECTS),
        Table("drinks.csv", drinks()),
        Table("readings.csv", column(table41, "tester")),
        Table("thesis-predictions.csv", column(table41, "predicted")),
    ]
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
