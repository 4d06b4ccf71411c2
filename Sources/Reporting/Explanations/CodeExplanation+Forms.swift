// Codes about what stands beside a study, and about other forms of one.

extension CodeExplanation {
  static let vitals: [CodeExplanation] = [
    CodeExplanation(
      code: "E_VITAL_INCOMPLETE",
      found: "A vital sign lacks its kind, start or value.",
      why: "It was not imported.",
      remedy: "Fill in the field, or remove the row."),
    CodeExplanation(
      code: "E_VITAL_KIND",
      found: "The kind of a vital sign is unknown.",
      why: "It was not imported.",
      remedy: "Write it as Apple Health does, for example HeartRate."),
    CodeExplanation(
      code: "E_VITAL_TIME",
      found: """
        The start or end of a vital sign is not a valid moment, or the end lies before the \
        start.
        """,
      why: "It was not imported, because it cannot be assigned to a day.",
      remedy: "Write a day as 2024-05-01 or a moment as 2024-05-01 20:15:00 +0200."),
    CodeExplanation(
      code: "E_VITAL_UNIT",
      found: "The unit of a vital sign does not belong to its kind.",
      why: "It was not imported.",
      remedy: "Use one of the units listed for the kind."),
    CodeExplanation(
      code: "E_VITAL_RANGE",
      found: "A vital sign is outside what is physiologically possible.",
      why: "It was not imported.",
      remedy: "Correct the value or its unit."),
  ]

  static let events: [CodeExplanation] = [
    CodeExplanation(
      code: "E_EVENT",
      found: """
        A row of a table of events means something that is not supported: EVID other than 0, 1 \
        or 2, MDV, CENS or BLQ other than 0 or 1, ADDL, II or SS other than 0, a negative rate, an \
        unknown unit, a dose into another compartment than the first, or readings of several \
        compartments (CMT, DVID).
        """,
      why: "Ignoring it would change the dose or the readings.",
      remedy: """
        Write every drink as a row of its own, with its route in a column ROUTE, and keep the readings of \
        ethanol alone.
        """),
    CodeExplanation(
      code: "W_ROWS_LEFT_OUT",
      found: "Rows are marked to be ignored, as NONMEM does. They were left out.",
      why: "A covariate named C also marks rows in NONMEM.",
      remedy: "Nothing, if that is intended. Otherwise remove the mark, or rename the column."),
    CodeExplanation(
      code: "W_DESCRIPTION_CHANGES",
      found: """
        The description of a subject changes from one row to the next. The first row was used.
        """,
      why: "A covariate that changes with time is not supported.",
      remedy: "Nothing, if the first row is right."),
    CodeExplanation(
      code: "E_SUBJECT_APART",
      found: "Rows of one subject are not together, or not in the order of subjects.csv.",
      why: """
        A table from standard input, and a study too large to be read ahead, is read one subject \
        at a time. The subject's earlier rows are already gone, so nothing more is written.
        """,
      remedy: """
        Sort the rows of every table by subject, or ask for a table or JSON, which read the \
        whole study first.
        """),
  ]

  static let estimates: [CodeExplanation] = [
    CodeExplanation(
      code: "E_C0_RANGE",
      found: "A C0 is not above 0, or is above 10 g/kg in blood or 5 mg/L in breath.",
      why: "An observed r computed from it would be meaningless.",
      remedy: "Check the unit in the column name."),
    CodeExplanation(
      code: "E_R_RANGE",
      found: "An observed r, given or computed from C0, is not above 0 or is above 5.",
      why: "It cannot be a distribution factor.",
      remedy: "Give it in kg/kg, for example 0.68, and check the units of C0, dose and weight."),
    CodeExplanation(
      code: "E_R_AMBIGUOUS",
      found: "A subject has both a C0 and an observed r.",
      why: "They may disagree.",
      remedy: "Keep one of them and leave the other empty."),
    CodeExplanation(
      code: "E_BETA_RANGE",
      found: "An elimination rate is not above 0, or is above 2 g/kg/h.",
      why: "It cannot be right for a person.",
      remedy: "Check the unit in the column name."),
  ]

  static let golden: [CodeExplanation] = [
    CodeExplanation(
      code: "E_NO_GOLDEN_RESULTS",
      found: "There is no manifest.json where golden results are expected.",
      why: "Nothing was compared.",
      remedy: "Name a folder that holds manifest.json or golden/manifest.json."),
    CodeExplanation(
      code: "E_MANIFEST",
      found: "manifest.json is not valid JSON, or an entry in it is not allowed.",
      why: "Nothing was run.",
      remedy: "Correct the entry at the line and column given."),
    CodeExplanation(
      code: "E_DUPLICATE_KEY",
      found: "Two rows of a result table have the same key.",
      why: "They could not be matched with the rows of the other table.",
      remedy: "Name more columns in key, or remove one of the rows."),
    CodeExplanation(
      code: "W_UPDATE_INTERRUPTED",
      found: "An earlier regress --update was interrupted. It was completed, or undone.",
      why: "Golden tables are replaced all together or not at all.",
      remedy: "Nothing. Check the difference before you commit it."),
    CodeExplanation(
      code: "E_UPDATE_BUSY",
      found: "Another regress --update is changing the same golden tables.",
      why: "Nothing was changed.",
      remedy: "Wait until it is done and try again."),
    CodeExplanation(
      code: "E_GOLDEN",
      found: "A result could not be compared with its golden numbers.",
      why: "The comparison counts as failed.",
      remedy: """
        Read the message. After an intended change, promille regress --update rewrites the \
        golden numbers.
        """),
  ]
}
