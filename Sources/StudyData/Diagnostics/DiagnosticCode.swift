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
  case fileFormat = "E_FILE_FORMAT"
  case descriptorKey = "W_DESCRIPTOR_KEY"
  case noReadings = "W_NO_READINGS"
  case subjectOrder = "W_SUBJECT_ORDER"
  case moreFindings = "W_MORE_FINDINGS"

  // MARK: A file's text

  case emptyFile = "E_EMPTY_FILE"
  case encoding = "E_ENCODING"
  case encodingConverted = "W_ENCODING_CONVERTED"
  case csv = "E_CSV"

  // MARK: Workbooks

  case hiddenRows = "W_HIDDEN_ROWS"
  case sheetLeftOut = "W_SHEET_LEFT_OUT"
  case cellValue = "W_CELL_VALUE"

  // MARK: Columns

  case columnMissing = "E_COLUMN_MISSING"
  case columnIgnored = "W_COLUMN_IGNORED"
  case columnAmbiguous = "E_COLUMN_AMBIGUOUS"
  case columnUnit = "E_COLUMN_UNIT"
  case columnMap = "E_COLUMN_MAP"
  case measureColumnMissing = "W_COLUMN_MISSING"

  // MARK: Values

  case number = "E_NUMBER"
  case range = "E_RANGE"
  case word = "E_WORD"
  case ambiguous = "E_AMBIGUOUS"
  case duplicate = "E_DUPLICATE"

  // MARK: Subjects

  case subject = "E_SUBJECT"
  case subjectCase = "W_SUBJECT_CASE"
  case subjectFilled = "W_SUBJECT_FILLED"
  case summaryRows = "W_SUMMARY_ROWS"
  case sex = "E_SEX"
  case weightPounds = "W_WEIGHT_POUNDS"
  case bodyMass = "W_BODY_MASS"
  case weightMissing = "W_WEIGHT_MISSING"
  case seriesReadings = "W_SERIES_READINGS"

  // MARK: Times

  case time = "E_TIME"
  case timeOrder = "W_TIME_ORDER"
  case clocksChanged = "W_TIME_CLOCKS"
  case timeGap = "W_TIME_GAP"
  case timeHours = "W_TIME_HOURS"

  // MARK: Doses

  case doseMissing = "E_DOSE_MISSING"
  case doseRepeated = "W_DOSE_REPEATED"
  case abvFraction = "W_ABV_FRACTION"
  case volumeLitres = "W_VOLUME_LITRES"
  case drink = "E_DRINK"
  case drinkAssumed = "W_DRINK_ASSUMED"
  case doseAtOnce = "W_DOSE_AT_ONCE"
  case duplicateDrink = "W_DUPLICATE_DRINK"

  // MARK: Readings

  case readingHigh = "W_READING_HIGH"
  case readingEarly = "W_READING_EARLY"
  case readingAtDose = "W_READING_AT_DOSE"
  case readingScale = "W_READING_SCALE"
  case breathAsBlood = "W_BREATH_AS_BLOOD"
  case matrixConverted = "W_MATRIX_CONVERTED"
  case repeatedReading = "W_DUPLICATE_READING"

  // MARK: UUIDs

  case uuid = "E_UUID"

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

  // MARK: Predictions that were computed elsewhere

  case predictionUnknown = "W_PREDICTION_UNKNOWN"
  case prediction = "E_PREDICTION"

  /// The code of a name, which may be one that an earlier version gave; nil if there is none.
  package init?(named name: String) {
    guard
      let code = Self(rawValue: name)
        ?? CodeExplanation.of(name).flatMap({ Self(rawValue: $0.code) })
    else { return nil }
    self = code
  }

  /// Decodes codes of earlier versions, too.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let code = Self(named: name) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(name) is no code")
    }
    self = code
  }

  /// Codes that begin with `E_` are errors, all others warnings.
  public var severity: Diagnostic.Severity { rawValue.hasPrefix("E_") ? .error : .warning }
}
