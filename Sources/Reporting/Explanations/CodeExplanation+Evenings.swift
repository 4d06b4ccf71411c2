// Codes about what happened on an evening: times, drinks and readings.

extension CodeExplanation {
  static let times: [CodeExplanation] = [
    CodeExplanation(
      code: "E_TIME_MISSING",
      found: "A drink or reading has no time.",
      why: "It cannot be placed on the curve.",
      remedy: "Give the time in minutes, or remove the row."),
    CodeExplanation(
      code: "E_TIME_RANGE",
      found: "A time or duration is longer than a million minutes.",
      why: "It looks like a date or a time in seconds.",
      remedy: "Give minutes on the clock of the series."),
    CodeExplanation(
      code: "E_DURATION_NEGATIVE",
      found: "The duration of a drink is negative.",
      why: "A drink ends after it begins.",
      remedy: "Give the minutes from the first sip to the last."),
    CodeExplanation(
      code: "E_ROUTE",
      found: "The route of a dose is neither oral nor iv.",
      why: "What is drunk is absorbed from the gut; what is injected is in the blood at once.",
      remedy: "Write oral or iv, or leave the field empty for oral."),
    CodeExplanation(
      code: "W_TIME_ORDER",
      found: "The rows of a series are not in order of time. They were sorted.",
      why: "Rows out of order are often a typing mistake in a time.",
      remedy: "Check the time at the place named, which is the first in its series."),
    CodeExplanation(
      code: "W_TIME_HOURS",
      found: """
        Four or more readings lie so close together that their times look like hours: the \
        whole series lies within 30 minutes, with more than 10 g of ethanol, or readings at \
        different times are less than a minute apart on average.
        """,
      why: """
        Read as minutes, the whole curve would be compressed, and k_a and beta would be about 60 \
        times too high.
        """,
      remedy: "Give time_min in minutes, and TIME of a table of events in hours."),
    CodeExplanation(
      code: "E_DATE_ORDER",
      found: """
        A date such as 11/12/2026 can be read in two ways and no other date of the file tells which, or some dates have the day first and others the month.
        """,
      why: """
        The wrong order would move a date by months.
        """,
      remedy: """
        Write dates as 2026-11-21, or state the order with --map, as the message shows.
        """),
    CodeExplanation(
      code: "E_TIME_TEXT",
      found: """
        A cell of a sheet that should hold a time or a date holds something else.
        """,
      why: """
        The row was left out, and its series is not used.
        """,
      remedy: """
        Write 19:30 or 7:30 pm, and 2026-11-21 or 21.11.2026.
        """),
    CodeExplanation(
      code: "E_TIME_CLOCK",
      found: """
        Times of day without dates are in no order in which one evening can be told, or only some rows have a date.
        """,
      why: """
        A time of day means nothing without its day. The series is not used.
        """,
      remedy: """
        Sort the rows by time, add a column date, or give each evening its own occasion.
        """),
    CodeExplanation(
      code: "E_TIME_APART",
      found: """
        A series has a drink two days or more after everything before it, or rows of another evening on the same occasion.
        """,
      why: """
        Two evenings are not one curve.
        """,
      remedy: """
        Give each evening its own occasion, or check the day.
        """),
    CodeExplanation(
      code: "E_TIME_DAY",
      found: """
        Times jump back by about a day: a row of a series lies 12 to 36 h before the row above \
        it, at times where the series has no earlier row, or a reading above its limit of \
        detection, and above 0.02 g/kg in blood, lies 12 h or more before the first drink.
        """,
      why: """
        Times probably start again at 0 after midnight. The curve would be fitted to the wrong \
        times.
        """,
      remedy: """
        Let times run on after midnight (add 1440 min, or 24 h). If the times are right, sort \
        the rows by time.
        """),
    CodeExplanation(
      code: "W_TIME_GAP",
      found: """
        A series has no drink or reading for 12 h or more, although what came before was not a \
        reading of zero, and alcohol again after that.
        """,
      why: "A time may be wrong by a day, or two occasions were taken for one.",
      remedy: "Check the times at the place named, or give each evening its own occasion."),
  ]

  static let doses: [CodeExplanation] = [
    CodeExplanation(
      code: "E_DOSE_MISSING",
      found: "A drink has no dose, a subject has no drink, or an estimate has a dose of 0.",
      why: "Without a dose there is no curve.",
      remedy: """
        Fill in ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg, and list every \
        drink in drinks.csv.
        """),
    CodeExplanation(
      code: "E_DOSE_TIME",
      found: """
        The readings of a sheet have times of day, and no column says when the drinks were taken.
        """,
      why: """
        Without the time of the drink no curve can be computed.
        """,
      remedy: """
        Add a column with the time of the drink, or name it with --map.
        """),
    CodeExplanation(
      code: "E_DOSE_AMBIGUOUS",
      found: "The dose of a drink is given in more than one way.",
      why: "The ways may disagree.",
      remedy: "Keep one way and leave the other fields empty."),
    CodeExplanation(
      code: "E_DOSE_NEGATIVE",
      found: "A mass, a volume or a dose per kg is negative.",
      why: "An amount cannot be negative.",
      remedy: "Give the amount drunk; 0 is right for a placebo."),
    CodeExplanation(
      code: "E_DOSE_RANGE",
      found: "A drink contains more than 5000 g, or 50 g/kg, of ethanol.",
      why: "That is far beyond a lethal dose, so the unit is probably wrong.",
      remedy: "Check the unit of the dose."),
    CodeExplanation(
      code: "E_ABV_RANGE",
      found: "An alcohol content is outside 0 to 100 percent.",
      why: "The dose cannot be computed.",
      remedy: "Give the percentage by volume."),
    CodeExplanation(
      code: "W_ABV_FRACTION",
      found: "An alcohol content below 1 percent looks like a fraction.",
      why: "Read as a percentage, the dose is 100 times too small.",
      remedy: "Give the percentage by volume: write 5 for 0.05."),
    CodeExplanation(
      code: "W_VOLUME_LITRES",
      found: "A volume below 5 ml looks like litres.",
      why: "Read as millilitres, the dose is 1000 times too small.",
      remedy: "Give the volume in millilitres."),
    CodeExplanation(
      code: "E_DRINK_UNKNOWN",
      found: "A drink is not in the drink catalogue, and no dose is given.",
      why: "The dose cannot be computed.",
      remedy: "Correct the name, give the dose, or add the drink to a catalogue of your own."),
    CodeExplanation(
      code: "W_DUPLICATE_DRINK",
      found: "Two drinks of a series have the same time, duration and dose.",
      why: "If one was entered twice, the dose is too high.",
      remedy: "Remove one of them, unless there really were two."),
  ]

  static let readings: [CodeExplanation] = [
    CodeExplanation(
      code: "E_READING_NEGATIVE",
      found: "A reading is negative.",
      why: "A concentration cannot be negative.",
      remedy: "Give 0 for a reading below detection, or exclude it."),
    CodeExplanation(
      code: "W_READING_HIGH",
      found: "A reading corresponds to more than 10 g/kg in blood.",
      why: "That is not survivable. The unit in the column name is probably wrong.",
      remedy: "Check the unit of the column."),
    CodeExplanation(
      code: "W_READING_EARLY",
      found: """
        A reading before the first drink, or at the same time, is above its limit of detection, and above \
        0.02 g/kg in blood.
        """,
      why: """
        A drink is missing, a clock was wrong, times start again at 0 after midnight, or the dose stands in the \
        row of the first reading and was taken earlier.
        """,
      remedy: "Check the times, and whether an earlier drink is missing."),
    CodeExplanation(
      code: "W_BREATH_AS_BLOOD",
      found: """
        The readings of blood of the whole study imply an r and a beta that people do not have and that they would \
        have if the readings were of breath. The same is looked at as for `W_READING_SCALE`.
        """,
      why: """
        Breath in mg/L is about half of the same concentration in blood in g/kg: the column may be breath.
        """,
      remedy: """
        If the readings are breath, name their column after its unit, as brac_mg_per_l. Otherwise check doses and \
        weights.
        """),
    CodeExplanation(
      code: "W_MATRIX_CONVERTED",
      found: """
        A sheet has readings of blood and of serum or breath; they were converted to one unit with the ratios that the \
        message names.
        """,
      why: """
        The readings of a study are in one unit. The ratios of serum and breath to blood differ between people.
        """,
      remedy: """
        If other ratios hold, convert these readings yourself, or keep the readings of each kind as a study of their own.
        """),
    CodeExplanation(
      code: "W_READING_SCALE",
      found: """
        Readings do not fit the drinks. Of the whole study: the median r, of dose and of the falling readings \
        extrapolated to the first drink, and the median beta, their slope, are not as people have them (about 0.5 \
        to 0.9, and 0.1 to 0.25 g/kg/h). Both off by one factor means the unit of the readings, r alone doses or \
        weights; the message names the factor and what would fit. Of one series: its highest reading is above 0.2 \
        g/kg and more than three times dose / (0.5 x weight), the most that the drinks could give; or it is less \
        than a fifth of dose / (0.65 x weight) less 0.15 g/kg for each hour since the first drink, although the dose \
        is 0.3 g/kg or more and there is a reading from 30 min to 3 h after the last drink.
        """,
      why:
        "A wrong unit, dose or weight is the usual cause. A fit would hide it in an implausible r.",
      remedy: "Check the unit of the column, the doses and the weight."),
    CodeExplanation(
      code: "E_LOD",
      found: "A limit of detection (LOD, LLOQ) is negative, or a reading is written <0.",
      why: "It cannot be used to treat a reading as censored.",
      remedy: "Give it in the unit of the reading, or leave it empty."),
    CodeExplanation(
      code: "E_LOD_CONFLICT",
      found: """
        A row contradicts itself about the limit of detection: <0.05 beside another limit, or \
        CENS 1 with a LIMIT that is not below DV.
        """,
      why: "It is unclear below which limit the reading lies.",
      remedy: "Keep one limit of detection."),
    CodeExplanation(
      code: "E_EXCLUDE",
      found: "exclude is neither yes nor no.",
      why: "It is unclear whether to use the reading.",
      remedy: "Write 1, true or yes to exclude it, and 0, false or no to keep it."),
    CodeExplanation(
      code: "W_DUPLICATE_READING",
      found: "Two readings of a series have the same time, or are identical. Both are used.",
      why: "Two samples taken at one time are fine; a row entered twice counts twice.",
      remedy: "Remove the row if it was entered twice."),
    CodeExplanation(
      code: "E_DUPLICATE_READING",
      found: """
        Two readings of a series had the same time. Current versions no longer report this; old \
        databases may contain it.
        """,
      why: "Older versions refused such readings.",
      remedy: "Import the study again."),
  ]
}
