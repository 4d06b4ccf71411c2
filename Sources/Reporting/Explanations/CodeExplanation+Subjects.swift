// Codes about subjects, and about identifiers and numbers of any table.

extension CodeExplanation {
  static let subjects: [CodeExplanation] = [
    CodeExplanation(
      code: "E_SUBJECT_MISSING",
      found: "A row names no subject.",
      why: "It is unclear whose drink or reading it is.",
      remedy: "Fill in the subject, or remove the row."),
    CodeExplanation(
      code: "E_SUBJECT_UNKNOWN",
      found: "A drink or reading names a subject that is not listed in subjects.csv.",
      why: "Nothing is known about this person, so the row cannot be used.",
      remedy: "Add the subject, or correct the spelling. Upper and lower case matter."),
    CodeExplanation(
      code: "E_DUPLICATE_SUBJECT",
      found: "A subject has two rows in subjects.csv or estimates.csv.",
      why: "It is unclear which description holds.",
      remedy: "Keep one row per subject."),
    CodeExplanation(
      code: "E_SEX",
      found: "A subject's sex is neither male nor female.",
      why: """
        The r formulas differ by sex. Numbers are not accepted, because 1 and 2 mean different \
        things in different tables.
        """,
      remedy: "Write male, m, man, female, f or woman, or leave the field empty."),
    CodeExplanation(
      code: "E_AGE_RANGE",
      found: "An age is outside 0 to 130 years.",
      why: "Watson's formula uses the age.",
      remedy: "Give the age in years."),
    CodeExplanation(
      code: "E_HEIGHT_METRES",
      found: "A height is below 3 and looks like metres.",
      why: "Several r formulas use the height in centimetres.",
      remedy: "Give the height in centimetres."),
    CodeExplanation(
      code: "E_HEIGHT_RANGE",
      found: "A height is outside 50 to 260 cm.",
      why: "The r formulas would give nonsense for this body.",
      remedy: "Give the height in centimetres."),
    CodeExplanation(
      code: "E_WEIGHT_RANGE",
      found: "A weight is outside 20 to 400 kg.",
      why: "The dose per kilogram, and with it every prediction, would be wrong.",
      remedy: "Give the weight in kilograms."),
    CodeExplanation(
      code: "W_WEIGHT_MISSING",
      found: "A subject whose drinks are given in grams has no weight.",
      why: "Without it nothing can be fitted or predicted for this subject.",
      remedy: "Fill in the weight, or give the dose in g per kg of body weight."),
    CodeExplanation(
      code: "W_SUBJECT_FILLED",
      found: """
        Rows of a sheet name no subject; they were taken as rows of the subject above.
        """,
      why: """
        In spreadsheets only the first of several merged cells keeps its text.
        """,
      remedy: """
        Check that the rows belong to the subject above, or name the subject in every row.
        """),
    CodeExplanation(
      code: "W_SUMMARY_ROWS",
      found: """
        Rows of a sheet are called Mean, SD and the like where a subject's name stands; they were left out.
        """,
      why: """
        They hold statistics of the rows above, and would be taken for people.
        """,
      remedy: """
        None, if they are. If one is the name of a person, write another in its place.
        """),
    CodeExplanation(
      code: "E_FOOD",
      found: """
        What a subject had eaten (the column food, or food in datapackage.json) is neither fasted nor fed.
        """,
      why:
        "It decides the typical k_a, beta and lag of predictions. A word that is not understood decides nothing.",
      remedy: """
        Write fasted or fed, or leave it out. Rename the column if it is about something else.
        """),
    CodeExplanation(
      code: "W_DOSE_REPEATED",
      found: """
        The same dose stands beside every reading of each subject of a sheet; it was taken as one drink.
        """,
      why: """
        A dose that was filled down looks like equal drinks, one at each reading, and the other way round.
        """,
      remedy: """
        If it was drunk each time, say so with the --map option that the message shows.
        """),
    CodeExplanation(
      code: "E_SEX_CODE",
      found: """
        The sexes in a sheet are written as 0 and 1, or by one code alone: only 1, or only M under Spanish headers.
        """,
      why: """
        Either number can mean male, and M is mujer beside H for hombre.
        """,
      remedy: """
        Add one of the --map options that the message shows.
        """),
    CodeExplanation(
      code: "W_WEIGHT_POUNDS",
      found: """
        With the height, a weight gives a body mass index of 45 kg/m2 or more, but as pounds 16 to 35.
        """,
      why: """
        Pounds taken as kilograms make every dose per kilogram 2.2 times too small.
        """,
      remedy: """
        Convert the weight: 1 kg is 2.2046 lb. In a sheet, name the column weight_lb with --map.
        """),
    CodeExplanation(
      code: "W_BODY_MASS",
      found: """
        Weight and height give a body mass index below 12 or above 70 kg/m2, which hardly anybody has.
        """,
      why: """
        One of the two is in another unit, or was written wrongly; predictions of r depend on both.
        """,
      remedy: """
        Check both. 1 kg is 2.2046 lb, 1 inch 2.54 cm. In a sheet, name the column height_in or weight_lb with --map.
        """),
    CodeExplanation(
      code: "W_SERIES_READINGS",
      found: "A subject has no readings on an occasion, although the study has readings.",
      why: "The drinks of this occasion cannot be compared with anything.",
      remedy: "Add the readings, or correct the subject or occasion in their rows."),
  ]

  static let identifiers: [CodeExplanation] = [
    CodeExplanation(
      code: "E_UUID",
      found: "The UUID of a drink or reading is malformed.",
      why: "Records are matched by it when a study is imported again.",
      remedy: "Write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty."),
    CodeExplanation(
      code: "E_DUPLICATE_UUID",
      found: "Two drinks or readings of a study have the same UUID.",
      why: "They could not be told apart when the study is imported again.",
      remedy: "Give each its own, or leave the fields empty."),
  ]

  static let numbers: [CodeExplanation] = [
    CodeExplanation(
      code: "E_NUMBER",
      found: "A field that should hold a number holds something else.",
      why: "The row was not used.",
      remedy: """
        Write a plain number such as 0.45, or leave the field empty. A reading below the limit \
        of detection (LOD, LLOQ) may be written <0.05.
        """),
    CodeExplanation(
      code: "E_DECIMAL_COMMA",
      found: "A number is written with a comma in a table whose fields are separated by commas.",
      why: "0,45 could be read as two fields.",
      remedy: "Write a decimal point, or separate the fields with semicolons or tabs."),
    CodeExplanation(
      code: "E_NOT_FINITE",
      found: "A number is infinite, not a number, or too large to represent.",
      why: "Nothing can be computed from it.",
      remedy: "Write a plain number, or leave the field empty."),
  ]
}
