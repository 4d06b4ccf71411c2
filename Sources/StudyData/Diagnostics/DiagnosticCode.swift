/// The stable codes of everything that can be found wrong with a study's files.
///
/// ``CodeExplanation`` says what each stands for, and what to do about it.
public enum DiagnosticCode: String, CaseIterable, Codable, Hashable, Sendable {
  // MARK: The study as a whole

  case noSuchStudy = "E_NO_SUCH_STUDY"
  case notAFolder = "E_NOT_A_FOLDER"
  case fileMissing = "E_FILE_MISSING"
  case fileUnreadable = "E_FILE_UNREADABLE"
  case inputChanged = "E_INPUT_CHANGED"
  case descriptor = "E_DESCRIPTOR"
  case document = "E_DOCUMENT"
  case descriptorKey = "W_DESCRIPTOR_KEY"
  case catalogue = "E_CATALOGUE"
  case noReadings = "W_NO_READINGS"
  case subjectOrder = "W_SUBJECT_ORDER"
  case moreFindings = "W_MORE_FINDINGS"

  // MARK: A file's text

  case emptyFile = "E_EMPTY_FILE"
  case encoding = "E_ENCODING"
  case encodingConverted = "W_ENCODING_CONVERTED"
  case quote = "E_QUOTE"
  case lineEnd = "E_LINE_END"
  case fieldCount = "E_FIELD_COUNT"

  // MARK: Workbooks

  case workbook = "E_WORKBOOK"
  case hiddenRows = "W_HIDDEN_ROWS"
  case cellValue = "W_CELL_VALUE"

  // MARK: Arrow

  case arrow = "E_ARROW"
  case arrowType = "E_ARROW_TYPE"
  case arrowCompressed = "E_ARROW_COMPRESSED"

  // MARK: Columns

  case columnMissing = "E_COLUMN_MISSING"
  case columnDuplicate = "E_COLUMN_DUPLICATE"
  case unitMissing = "E_UNIT_MISSING"
  case unitAmbiguous = "E_UNIT_AMBIGUOUS"
  case occasionColumn = "E_OCCASION_COLUMN"
  case columnIgnored = "W_COLUMN_IGNORED"
  case columnAmbiguous = "E_COLUMN_AMBIGUOUS"
  case columnUnit = "E_COLUMN_UNIT"
  case columnMap = "E_COLUMN_MAP"
  case measureColumnMissing = "W_COLUMN_MISSING"

  // MARK: Subjects

  case subjectMissing = "E_SUBJECT_MISSING"
  case subjectFilled = "W_SUBJECT_FILLED"
  case summaryRows = "W_SUMMARY_ROWS"
  case subjectUnknown = "E_SUBJECT_UNKNOWN"
  case duplicateSubject = "E_DUPLICATE_SUBJECT"
  case sex = "E_SEX"
  case sexCode = "E_SEX_CODE"
  case food = "E_FOOD"
  case ageRange = "E_AGE_RANGE"
  case heightMetres = "E_HEIGHT_METRES"
  case heightRange = "E_HEIGHT_RANGE"
  case weightPounds = "W_WEIGHT_POUNDS"
  case bodyMass = "W_BODY_MASS"
  case weightRange = "E_WEIGHT_RANGE"
  case weightMissing = "W_WEIGHT_MISSING"
  case seriesReadings = "W_SERIES_READINGS"

  // MARK: Numbers

  case number = "E_NUMBER"
  case decimalComma = "E_DECIMAL_COMMA"
  case notFinite = "E_NOT_FINITE"

  // MARK: Times

  case timeMissing = "E_TIME_MISSING"
  case timeRange = "E_TIME_RANGE"
  case durationNegative = "E_DURATION_NEGATIVE"
  case route = "E_ROUTE"
  case timeOrder = "W_TIME_ORDER"
  case readingOrder = "E_READING_ORDER"
  case timeDay = "E_TIME_DAY"
  case dateOrder = "E_DATE_ORDER"
  case timeText = "E_TIME_TEXT"
  case timeClock = "E_TIME_CLOCK"
  case clockTwice = "E_TIME_CLOCKS"
  case clocksChanged = "W_TIME_CLOCKS"
  case timeApart = "E_TIME_APART"
  case timeGap = "W_TIME_GAP"
  case timeHours = "W_TIME_HOURS"

  // MARK: Doses

  case doseMissing = "E_DOSE_MISSING"
  case doseTime = "E_DOSE_TIME"
  case doseRepeated = "W_DOSE_REPEATED"
  case doseAmbiguous = "E_DOSE_AMBIGUOUS"
  case doseNegative = "E_DOSE_NEGATIVE"
  case doseRange = "E_DOSE_RANGE"
  case abvRange = "E_ABV_RANGE"
  case abvFraction = "W_ABV_FRACTION"
  case volumeLitres = "W_VOLUME_LITRES"
  case drinkUnknown = "E_DRINK_UNKNOWN"
  case drinkSize = "E_DRINK_SIZE"
  case drinkAssumed = "W_DRINK_ASSUMED"
  case doseAtOnce = "W_DOSE_AT_ONCE"
  case duplicateDrink = "W_DUPLICATE_DRINK"

  // MARK: Readings

  case readingNegative = "E_READING_NEGATIVE"
  case readingHigh = "W_READING_HIGH"
  case readingEarly = "W_READING_EARLY"
  case readingAtDose = "W_READING_AT_DOSE"
  case readingScale = "W_READING_SCALE"
  case breathAsBlood = "W_BREATH_AS_BLOOD"
  case matrixConverted = "W_MATRIX_CONVERTED"
  case detectionLimit = "E_LOD"
  case detectionConflict = "E_LOD_CONFLICT"
  case exclusion = "E_EXCLUDE"
  case repeatedReading = "W_DUPLICATE_READING"
  // Not given any more, but databases may hold it.
  case duplicateReading = "E_DUPLICATE_READING"

  // MARK: UUIDs

  case uuid = "E_UUID"
  case duplicateUUID = "E_DUPLICATE_UUID"

  // MARK: Vital signs

  case vitalIncomplete = "E_VITAL_INCOMPLETE"
  case vitalKind = "E_VITAL_KIND"
  case vitalTime = "E_VITAL_TIME"
  case vitalUnit = "E_VITAL_UNIT"
  case vitalRange = "E_VITAL_RANGE"

  // MARK: Tables of events

  case event = "E_EVENT"
  case rowsLeftOut = "W_ROWS_LEFT_OUT"
  case descriptionChanges = "W_DESCRIPTION_CHANGES"
  case subjectApart = "E_SUBJECT_APART"

  // MARK: Estimates

  case c0Range = "E_C0_RANGE"
  case rRange = "E_R_RANGE"
  case rAmbiguous = "E_R_AMBIGUOUS"
  case betaRange = "E_BETA_RANGE"

  // MARK: Predictions that were computed elsewhere

  case predictionUnknown = "W_PREDICTION_UNKNOWN"
  case predictionRepeated = "E_PREDICTION_REPEATED"
  case predictionThreshold = "E_PREDICTION_THRESHOLD"
  case predictionLimits = "E_PREDICTION_LIMITS"

  // MARK: Golden results

  case noGoldenResults = "E_NO_GOLDEN_RESULTS"
  case manifest = "E_MANIFEST"
  case duplicateKey = "E_DUPLICATE_KEY"

  /// Codes that begin with `E_` are errors, all others warnings.
  public var severity: Diagnostic.Severity {
    rawValue.hasPrefix("E_") ? .error : .warning
  }
}
