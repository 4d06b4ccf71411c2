/// The stable codes of everything that can be found wrong with a study's files.
///
/// Codes are never renamed or reused: scripts rely on them. The explanations in the module
/// Reporting say what to do about each.
public enum DiagnosticCode: String, CaseIterable, Codable, Hashable, Sendable {
  // MARK: The study as a whole

  /// There is nothing at the study's path, or nothing that can be reached.
  case noSuchStudy = "E_NO_SUCH_STUDY"
  /// The study is a file without a column ID, or neither file nor folder.
  case notAFolder = "E_NOT_A_FOLDER"
  /// The folder lacks a file that every study needs.
  case fileMissing = "E_FILE_MISSING"
  /// A file is there but cannot be opened, or is no regular file.
  case fileUnreadable = "E_FILE_UNREADABLE"
  /// A file was written to while it was read.
  case inputChanged = "E_INPUT_CHANGED"
  /// `datapackage.json` is not JSON, or a value in it is of the wrong type or out of range.
  case descriptor = "E_DESCRIPTOR"
  /// A JSON document is no study: it is not JSON, or something in it is missing or of the wrong type.
  case document = "E_DOCUMENT"
  /// `datapackage.json` has a key under `promille` that nothing reads.
  case descriptorKey = "W_DESCRIPTOR_KEY"
  /// The catalogue of drinks is not JSON, or a drink in it is not as it must be.
  case catalogue = "E_CATALOGUE"
  /// The study has no readings: it can be simulated, but nothing can be fitted.
  case noReadings = "W_NO_READINGS"
  /// The tables do not have the subjects in the same order, so that all of them were read at once.
  case subjectOrder = "W_SUBJECT_ORDER"
  /// A file has more findings than are listed.
  case moreFindings = "W_MORE_FINDINGS"

  // MARK: A file's text

  /// A table has no header, or `subjects.csv` or `estimates.csv` no row.
  case emptyFile = "E_EMPTY_FILE"
  /// A file is no text in an encoding that is read, or holds a NUL byte.
  case encoding = "E_ENCODING"
  /// A table was not UTF-8, and was converted.
  case encodingConverted = "W_ENCODING_CONVERTED"
  /// A quote is not closed, has text after it, or stands in a field that is not quoted.
  case quote = "E_QUOTE"
  /// A carriage return stands alone.
  case lineEnd = "E_LINE_END"
  /// A row has more or fewer fields than the header.
  case fieldCount = "E_FIELD_COUNT"

  // MARK: Workbooks

  /// A file is not a readable workbook: it is damaged, encrypted, too large or of another kind.
  case workbook = "E_WORKBOOK"
  /// Rows of a sheet are hidden, as by a filter; they were read like the others.
  case hiddenRows = "W_HIDDEN_ROWS"
  /// A cell of a workbook holds an error, or a formula whose result is not stored.
  case cellValue = "W_CELL_VALUE"

  // MARK: Arrow

  /// An input that should be an Arrow stream is something else, is damaged, ends without its end mark, or goes on
  /// behind it.
  case arrow = "E_ARROW"
  /// A column of an Arrow stream has a type that is not read, or a whole number beyond 64 bits with a sign, or a
  /// dictionary comes in pieces.
  case arrowType = "E_ARROW_TYPE"
  /// The batches of an Arrow stream are compressed.
  case arrowCompressed = "E_ARROW_COMPRESSED"

  // MARK: Columns

  /// A table lacks a column that it needs.
  case columnMissing = "E_COLUMN_MISSING"
  /// A table has two columns of one name.
  case columnDuplicate = "E_COLUMN_DUPLICATE"
  /// `readings.csv` has no column whose name is a unit of concentration.
  case unitMissing = "E_UNIT_MISSING"
  /// `readings.csv` has several columns whose names are units.
  case unitAmbiguous = "E_UNIT_AMBIGUOUS"
  /// Only one of `drinks.csv` and `readings.csv` has the column `occasion`.
  case occasionColumn = "E_OCCASION_COLUMN"
  /// `drinks.csv` or `readings.csv` has a column that nothing reads.
  case columnIgnored = "W_COLUMN_IGNORED"
  /// Two columns of a sheet have the same meaning, or its headers do not fit together.
  case columnAmbiguous = "E_COLUMN_AMBIGUOUS"
  /// A column of a sheet states no unit, or none that is known, and its values do not tell it.
  case columnUnit = "E_COLUMN_UNIT"
  /// What is said of the columns, or `columns` in `datapackage.json`, names a column that no table has.
  case columnMap = "E_COLUMN_MAP"
  /// `subjects.csv` or `estimates.csv` lacks the column of a body measure.
  case measureColumnMissing = "W_COLUMN_MISSING"

  // MARK: Subjects

  /// A row names no subject.
  case subjectMissing = "E_SUBJECT_MISSING"
  /// Rows of a sheet name no subject, and were taken as rows of the subject above.
  case subjectFilled = "W_SUBJECT_FILLED"
  /// Rows of a sheet hold statistics of the others, as their mean, and were left out.
  case summaryRows = "W_SUMMARY_ROWS"
  /// A drink or reading names a subject that is not in `subjects.csv`.
  case subjectUnknown = "E_SUBJECT_UNKNOWN"
  /// A subject has two rows in `subjects.csv` or `estimates.csv`.
  case duplicateSubject = "E_DUPLICATE_SUBJECT"
  /// A subject's sex is neither male nor female.
  case sex = "E_SEX"
  /// Sexes are written as 0 and 1, or by one code alone, which mean different things in different tables.
  case sexCode = "E_SEX_CODE"
  /// What a subject had eaten is neither fasted nor fed.
  case food = "E_FOOD"
  /// An age is outside 0 to 130 years.
  case ageRange = "E_AGE_RANGE"
  /// A height is below 3 and looks like metres.
  case heightMetres = "E_HEIGHT_METRES"
  /// A height is outside 50 to 260 cm.
  case heightRange = "E_HEIGHT_RANGE"
  /// A weight looks like pounds: with the height it gives a body mass index of 45 or more, and a usual one as
  /// pounds.
  case weightPounds = "W_WEIGHT_POUNDS"
  /// Weight and height give a body mass index that hardly anybody has.
  case bodyMass = "W_BODY_MASS"
  /// A weight is outside 20 to 400 kg.
  case weightRange = "E_WEIGHT_RANGE"
  /// A subject whose drinks are in g has no weight, in a table that has weights.
  case weightMissing = "W_WEIGHT_MISSING"
  /// A subject has no readings on an occasion, in a study that has readings.
  case seriesReadings = "W_SERIES_READINGS"

  // MARK: Numbers

  /// A field that should hold a number holds something else.
  case number = "E_NUMBER"
  /// A number is written with a comma.
  case decimalComma = "E_DECIMAL_COMMA"
  /// A number is infinite, not a number, or too large for one.
  case notFinite = "E_NOT_FINITE"

  // MARK: Times

  /// A drink or reading has no time.
  case timeMissing = "E_TIME_MISSING"
  /// A time or duration is further off than a million minutes.
  case timeRange = "E_TIME_RANGE"
  /// A drink's duration is negative.
  case durationNegative = "E_DURATION_NEGATIVE"
  /// The route of a dose is neither oral nor intravenous.
  case route = "E_ROUTE"
  /// The rows of a series are not in order of time; they were sorted.
  case timeOrder = "W_TIME_ORDER"
  /// The readings of a series that a program put together are not in order of time.
  case readingOrder = "E_READING_ORDER"
  /// Times jump back by about a day, as where a night is written past midnight, or alcohol is measured
  /// half a day before the first drink.
  case timeDay = "E_TIME_DAY"
  /// A date such as 11/12/2026 can be read in two ways, or some dates have the day first and others the month.
  case dateOrder = "E_DATE_ORDER"
  /// A cell of a sheet that should hold a time or a date holds something else.
  case timeText = "E_TIME_TEXT"
  /// Times of day without dates are in an order that fits no single occasion.
  case timeClock = "E_TIME_CLOCK"
  /// A series goes on with a drink two days or more later, or with rows of another occasion.
  case timeApart = "E_TIME_APART"
  /// Half a day or more of a series has neither drink nor reading, and nobody was sober before.
  case timeGap = "W_TIME_GAP"
  /// Four or more readings lie so close together that the times look like another unit.
  case timeHours = "W_TIME_HOURS"

  // MARK: Doses

  /// A drink has no dose, a subject no drink, readings have no drink before or after them, or the
  /// dose behind an estimate is 0.
  case doseMissing = "E_DOSE_MISSING"
  /// Readings have times of day, and no column says when the drinks were taken.
  case doseTime = "E_DOSE_TIME"
  /// The same dose stands beside every reading of a subject of a sheet; it was taken as one drink.
  case doseRepeated = "W_DOSE_REPEATED"
  /// A drink's dose is given in more than one way, or a sheet does not tell whether it was drunk once or several times.
  case doseAmbiguous = "E_DOSE_AMBIGUOUS"
  /// A mass, a volume or a dose per kg is negative.
  case doseNegative = "E_DOSE_NEGATIVE"
  /// A drink holds more than 5000 g, or 50 g/kg, of ethanol.
  case doseRange = "E_DOSE_RANGE"
  /// An alcohol content is outside 0 to 100 percent.
  case abvRange = "E_ABV_RANGE"
  /// An alcohol content below 1 percent, of a drink with less than 1 g of ethanol, looks like a
  /// fraction.
  case abvFraction = "W_ABV_FRACTION"
  /// A volume below 5 ml looks like litres.
  case volumeLitres = "W_VOLUME_LITRES"
  /// A drink is named that the catalogue has not, and its dose is not given otherwise.
  case drinkUnknown = "E_DRINK_UNKNOWN"
  /// A drink of a sheet is written without its size, as "3 beers".
  case drinkSize = "E_DRINK_SIZE"
  /// The strength of a drink of a sheet, or its size, is not written and was assumed.
  case drinkAssumed = "W_DRINK_ASSUMED"
  /// More than a litre was drunk at one moment, without a duration.
  case doseAtOnce = "W_DOSE_AT_ONCE"
  /// Two drinks of a series are the same in time, duration and dose.
  case duplicateDrink = "W_DUPLICATE_DRINK"

  // MARK: Readings

  /// A reading is negative.
  case readingNegative = "E_READING_NEGATIVE"
  /// A reading stands for more than 10 g/kg in blood.
  case readingHigh = "W_READING_HIGH"
  /// A reading before the first drink, or at the same time, is above zero.
  case readingEarly = "W_READING_EARLY"
  /// The highest reading of a series is far from what the drinks give.
  case readingScale = "W_READING_SCALE"
  /// The readings of a study are about half of what the doses give, as breath taken for blood.
  case breathAsBlood = "W_BREATH_AS_BLOOD"
  /// A sheet has readings of blood and of serum or breath; they were converted to one of these.
  case matrixConverted = "W_MATRIX_CONVERTED"
  /// A limit of detection is negative, or 0 behind `<`.
  case detectionLimit = "E_LOD"
  /// What a row says of its limit of detection does not fit together: `<0.05` beside another limit,
  /// or `CENS` 1 with a `LIMIT` that is not below `DV`.
  case detectionConflict = "E_LOD_CONFLICT"
  /// `exclude` is neither yes nor no.
  case exclusion = "E_EXCLUDE"
  /// Two readings of a series have the same time, or are the same.
  case repeatedReading = "W_DUPLICATE_READING"
  /// Not given any more: two readings of a series had the same time. Databases may still hold it.
  case duplicateReading = "E_DUPLICATE_READING"

  // MARK: UUIDs

  /// The UUID of a drink or reading is not a UUID.
  case uuid = "E_UUID"
  /// Two drinks or readings of a study have the same UUID.
  case duplicateUUID = "E_DUPLICATE_UUID"

  // MARK: Vital signs

  /// A vital sign lacks its kind, its start or its value.
  case vitalIncomplete = "E_VITAL_INCOMPLETE"
  /// The kind of a vital sign is unknown.
  case vitalKind = "E_VITAL_KIND"
  /// Start and end of a vital sign are no moments in order.
  case vitalTime = "E_VITAL_TIME"
  /// The unit of a vital sign does not belong to its kind.
  case vitalUnit = "E_VITAL_UNIT"
  /// A vital sign is outside what can be true.
  case vitalRange = "E_VITAL_RANGE"

  // MARK: Tables of events

  /// A row is about something that is not known here, or a column says so.
  case event = "E_EVENT"
  /// Rows are marked as such that NONMEM leaves out; so they are here.
  case rowsLeftOut = "W_ROWS_LEFT_OUT"
  /// What is said of a subject changes from one row to the next.
  case descriptionChanges = "W_DESCRIPTION_CHANGES"
  /// Of a study that is read a subject at a time, rows of one subject are not together, or tables do not
  /// have the subjects in one order.
  case subjectApart = "E_SUBJECT_APART"

  // MARK: Estimates

  /// A C0 is not above 0, or is above 10 g/kg in blood or 5 mg/L in breath.
  case c0Range = "E_C0_RANGE"
  /// An observed r, given or from C0, is not above 0, or is above 5.
  case rRange = "E_R_RANGE"
  /// A subject has both a C0 and an observed r.
  case rAmbiguous = "E_R_AMBIGUOUS"
  /// An elimination rate is not above 0, or is above 2 g/kg/h.
  case betaRange = "E_BETA_RANGE"

  // MARK: Golden results

  /// There is no `manifest.json` where golden results are looked for.
  case noGoldenResults = "E_NO_GOLDEN_RESULTS"
  /// `manifest.json` is not JSON, or says something that cannot be.
  case manifest = "E_MANIFEST"
  /// Two rows of a table of results have the same key.
  case duplicateKey = "E_DUPLICATE_KEY"

  /// Codes that begin with `E_` are errors, all others warnings.
  public var severity: Diagnostic.Severity {
    rawValue.hasPrefix("E_") ? .error : .warning
  }
}
