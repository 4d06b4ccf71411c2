extension CodeExplanation {
  /// Codes of the values of a study, and of golden results.
  static let values = #"""
    ## Times
    E_TIME_MISSING
      A drink or reading has no time.
      It cannot be placed on the curve.
      Give the time in minutes, or remove the row.
    E_TIME_RANGE
      A time or duration is longer than a million minutes.
      It looks like a date or a time in seconds.
      Give minutes on the clock of the series.
    E_DURATION_NEGATIVE
      The duration of a drink is negative.
      A drink ends after it begins.
      Give the minutes from the first sip to the last.
    E_ROUTE
      The route of a dose is neither oral nor iv.
      What is drunk is absorbed from the gut; what is injected is in the blood at once.
      Write oral or iv, or leave the field empty for oral.
    W_TIME_ORDER
      The rows of a series are not in order of time. They were sorted.
      Rows out of order are often a typing mistake in a time.
      Check the time at the place named, which is the first in its series.
    W_TIME_HOURS
      Four or more readings lie so close together that their times look like hours: the whole series lies within 30 minutes, with more than 10 g of ethanol, or readings at different times are less than a minute apart on average.
      Read as minutes, the whole curve would be compressed, and k_a and beta would be about 60 times too high.
      Give time_min in minutes, and TIME of a table of events in hours.
    E_DATE_ORDER
      A date such as 11/12/2026 can be read in two ways and no other date of the file tells which, or some dates have the day first and others the month.
      The wrong order would move a date by months.
      Write dates as 2026-11-21, or state the order with --map, as the message shows.
    E_TIME_TEXT
      A cell of a sheet that should hold a time or a date holds something else.
      The row was left out, and its series is not used.
      Write 19:30 or 7:30 pm, and 2026-11-21 or 21.11.2026.
    E_TIME_CLOCK
      Times of day without dates are in no order in which one evening can be told, or only some rows have a date.
      A time of day means nothing without its day. The series is not used.
      Sort the rows by time, add a column date, or give each evening its own occasion.
    E_TIME_APART
      A series has a drink two days or more after everything before it, or rows of another evening on the same occasion.
      Two evenings are not one curve.
      Give each evening its own occasion, or check the day.
    E_TIME_DAY
      Times jump back by about a day: a row of a series lies 12 to 36 h before the row above it, at times where the series has no earlier row, or a reading above its limit of detection, and above 0.02 g/kg in blood, lies 12 h or more before the first drink.
      Times probably start again at 0 after midnight. The curve would be fitted to the wrong times.
      Let times run on after midnight (add 1440 min, or 24 h). If the times are right, sort the rows by time.
    W_TIME_GAP
      A series has no drink or reading for 12 h or more, although what came before was not a reading of zero, and alcohol again after that.
      A time may be wrong by a day, or two occasions were taken for one.
      Check the times at the place named, or give each evening its own occasion.

    ## Doses
    E_DOSE_MISSING
      A drink has no dose, a subject has no drink, or an estimate has a dose of 0.
      Without a dose there is no curve.
      Fill in ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg, and list every drink in drinks.csv.
    E_DOSE_TIME
      The readings of a sheet have times of day, and no column says when the drinks were taken.
      Without the time of the drink no curve can be computed.
      Add a column with the time of the drink, or name it with --map.
    E_DOSE_AMBIGUOUS
      The dose of a drink is given in more than one way, or a sheet does not tell whether it was drunk once or several\ntimes.
      The ways may disagree, and several equal doses may be one that was filled down.
      Keep one way and leave the other fields empty; of a sheet, say what it is with the --map option that the message\nshows.
    E_DOSE_NEGATIVE
      A mass, a volume or a dose per kg is negative.
      An amount cannot be negative.
      Give the amount drunk; 0 is right for a placebo.
    E_DOSE_RANGE
      A drink contains more than 5000 g, or 50 g/kg, of ethanol.
      That is far beyond a lethal dose, so the unit is probably wrong.
      Check the unit of the dose.
    E_ABV_RANGE
      An alcohol content is outside 0 to 100 percent.
      The dose cannot be computed.
      Give the percentage by volume.
    W_ABV_FRACTION
      An alcohol content below 1 percent looks like a fraction.
      Read as a percentage, the dose is 100 times too small.
      Give the percentage by volume: write 5 for 0.05.
    W_VOLUME_LITRES
      A volume below 5 ml looks like litres.
      Read as millilitres, the dose is 1000 times too small.
      Give the volume in millilitres.
    E_DRINK_UNKNOWN
      A drink is not in the drink catalogue, and no dose is given.
      The dose cannot be computed.
      Correct the name, give the dose, or add the drink to a catalogue of your own.
    E_DRINK_SIZE
      A drink of a sheet is written without its size, as 3 beers.
      A beer is 355 ml in one country and 568 ml in another; no dose can be computed from the number alone.
      Write the size behind the drink, as 3 beers (330 ml, 5 %), or say whose sizes they are with one of the --map\noptions that the message shows: drink_us, drink_uk, drink_eu or drink_au.
    W_DRINK_ASSUMED
      The strength of a drink of a sheet, or its size, is not written and was assumed; the message shows as what.
      The dose is as wrong as what was assumed: beer has from 3 to 8 %.
      If it was another, write size and strength behind the drink, as 2 beers (0.5 l, 4.2 %).
    W_DOSE_AT_ONCE
      More than a litre was drunk at one moment, without a duration.
      Nobody drinks so much at once. If the drinking took half an hour, a dose at its beginning makes the absorption\nlook slower and the rate constant too small.
      Give the duration in duration_min, or in a sheet a column with the end of drinking.
    W_DUPLICATE_DRINK
      Two drinks of a series have the same time, duration and dose.
      If one was entered twice, the dose is too high.
      Remove one of them, unless there really were two.

    ## Readings
    E_READING_NEGATIVE
      A reading is negative.
      A concentration cannot be negative.
      Give 0 for a reading below detection, or exclude it.
    W_READING_HIGH
      A reading corresponds to more than 10 g/kg in blood.
      That is not survivable. The unit in the column name is probably wrong.
      Check the unit of the column.
    W_READING_EARLY
      A reading before the first drink, or at the same time, is above its limit of detection, and above 0.02 g/kg in blood.
      A drink is missing, a clock was wrong, times start again at 0 after midnight, or the dose stands in the row of the first reading and was taken earlier.
      Check the times, and whether an earlier drink is missing.
    W_BREATH_AS_BLOOD
      The readings of blood of the whole study imply an r and a beta that people do not have and that they would have if the readings were of breath. The same is looked at as for W_READING_SCALE.
      Breath in mg/L is about half of the same concentration in blood in g/kg: the column may be breath.
      If the readings are breath, name their column after its unit, as brac_mg_per_l. Otherwise check doses and weights.
    W_MATRIX_CONVERTED
      A sheet has readings of blood and of serum or breath; they were converted to one unit with the ratios that the message names.
      The readings of a study are in one unit. The ratios of serum and breath to blood differ between people.
      If other ratios hold, convert these readings yourself, or keep the readings of each kind as a study of their own.
    W_READING_SCALE
      Readings do not fit the drinks. Of the whole study: the median r, of dose and of the falling readings extrapolated to the first drink, and the median beta, their slope, are not as people have them (about 0.5 to 0.9, and 0.1 to 0.25 g/kg/h). Both off by one factor means the unit of the readings, r alone doses or weights; the message names the factor and what would fit. Of one series: its highest reading is above 0.2 g/kg and more than three times dose / (0.5 x weight), the most that the drinks could give; or it is less than a fifth of dose / (0.65 x weight) less 0.15 g/kg for each hour since the first drink, although the dose is 0.3 g/kg or more and there is a reading from 30 min to 3 h after the last drink.
      A wrong unit, dose or weight is the usual cause. A fit would hide it in an implausible r.
      Check the unit of the column, the doses and the weight.
    E_LOD
      A limit of detection (LOD, LLOQ) is negative, or a reading is written <0.
      It cannot be used to treat a reading as censored.
      Give it in the unit of the reading, or leave it empty.
    E_LOD_CONFLICT
      A row contradicts itself about the limit of detection: <0.05 beside another limit, or CENS 1 with a LIMIT that is not below DV.
      It is unclear below which limit the reading lies.
      Keep one limit of detection.
    E_EXCLUDE
      exclude is neither yes nor no.
      It is unclear whether to use the reading.
      Write 1, true or yes to exclude it, and 0, false or no to keep it.
    W_DUPLICATE_READING
      Two readings of a series have the same time, or are identical. Both are used.
      Two samples taken at one time are fine; a row entered twice counts twice.
      Remove the row if it was entered twice.
    E_DUPLICATE_READING
      Two readings of a series had the same time. Current versions no longer report this; old databases may contain it.
      Older versions refused such readings.
      Import the study again.

    ## Identifiers
    E_UUID
      The UUID of a drink or reading is malformed.
      Records are matched by it when a study is imported again.
      Write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty.
    E_DUPLICATE_UUID
      Two drinks or readings of a study have the same UUID.
      They could not be told apart when the study is imported again.
      Give each its own, or leave the fields empty.

    ## Vital signs
    E_VITAL_INCOMPLETE
      A vital sign lacks its kind, start or value.
      It was not imported.
      Fill in the field, or remove the row.
    E_VITAL_KIND
      The kind of a vital sign is unknown.
      It was not imported.
      Write it as Apple Health does, for example HeartRate.
    E_VITAL_TIME
      The start or end of a vital sign is not a valid moment, or the end lies before the start.
      It was not imported, because it cannot be assigned to a day.
      Write a day as 2024-05-01 or a moment as 2024-05-01 20:15:00 +0200.
    E_VITAL_UNIT
      The unit of a vital sign does not belong to its kind.
      It was not imported.
      Use one of the units listed for the kind.
    E_VITAL_RANGE
      A vital sign is outside what is physiologically possible.
      It was not imported.
      Correct the value or its unit.

    ## Tables of events
    E_EVENT
      A row of a table of events means something that is not supported: EVID other than 0, 1 or 2, MDV, CENS or BLQ other than 0 or 1, ADDL, II or SS other than 0, a negative rate, an unknown unit, a dose into another compartment than the first, or readings of several compartments (CMT, DVID).
      Ignoring it would change the dose or the readings.
      Write every drink as a row of its own, with its route in a column ROUTE, and keep the readings of ethanol alone.
    W_ROWS_LEFT_OUT
      Rows are marked to be ignored, as NONMEM does. They were left out.
      A covariate named C also marks rows in NONMEM.
      Nothing, if that is intended. Otherwise remove the mark, or rename the column.
    W_DESCRIPTION_CHANGES
      The description of a subject changes from one row to the next. The first row was used.
      A covariate that changes with time is not supported.
      Nothing, if the first row is right.
    E_SUBJECT_APART
      Rows of one subject are not together, or not in the order of subjects.csv.
      A table from standard input, and a study too large to be read ahead, is read one subject at a time. The subject's earlier rows are already gone, so nothing more is written.
      Sort the rows of every table by subject, or ask for a table or JSON, which read the whole study first.

    ## Estimates
    E_C0_RANGE
      A C0 is not above 0, or is above 10 g/kg in blood or 5 mg/L in breath.
      An observed r computed from it would be meaningless.
      Check the unit in the column name.
    E_R_RANGE
      An observed r, given or computed from C0, is not above 0 or is above 5.
      It cannot be a distribution factor.
      Give it in kg/kg, for example 0.68, and check the units of C0, dose and weight.
    E_R_AMBIGUOUS
      A subject has both a C0 and an observed r.
      They may disagree.
      Keep one of them and leave the other empty.
    E_BETA_RANGE
      An elimination rate is not above 0, or is above 2 g/kg/h.
      It cannot be right for a person.
      Check the unit in the column name.

    ## Golden results
    E_NO_GOLDEN_RESULTS
      There is no manifest.json where golden results are expected.
      Nothing was compared.
      Name a folder that holds manifest.json or golden/manifest.json.
    E_MANIFEST
      manifest.json is not valid JSON, or an entry in it is not allowed.
      Nothing was run.
      Correct the entry at the line and column given.
    E_DUPLICATE_KEY
      Two rows of a result table have the same key.
      They could not be matched with the rows of the other table.
      Name more columns in key, or remove one of the rows.
    W_UPDATE_INTERRUPTED
      An earlier regress --update was interrupted. It was completed, or undone.
      Golden tables are replaced all together or not at all.
      Nothing. Check the difference before you commit it.
    E_UPDATE_BUSY
      Another regress --update is changing the same golden tables.
      Nothing was changed.
      Wait until it is done and try again.
    E_GOLDEN
      A result could not be compared with its golden numbers.
      The comparison counts as failed.
      Read the message. After an intended change, promille regress --update rewrites the golden numbers.
    """#
}
