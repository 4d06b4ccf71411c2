import AlcoholKinetics

/// What a column of a sheet can hold.
struct ColumnMeaning: Hashable, Sendable {
  /// The kinds of columns, of which a table has at most one each but for covariates and what is not used.
  enum Kind: Hashable, Sendable {
    case subject, occasion, sex, age, birth, height, weight
    case date
    /// When something happened: the drink, the reading, or whatever the row has.
    case time(Whose)
    case duration, ethanol, perKilogram, volume, strength, drink, count, route
    case reading, detectionLimit, exclusion, uuid
    /// What the sample of a row is of, its number, and the unit of another column.
    case matrix, sampleNumber, unit
    /// When a form was sent.
    case submission
    case covariate, unused

    enum Whose: Hashable, Sendable { case row, drink, reading }
  }

  /// How a time is written, or a height: 5.11 may be 5 ft 11 in.
  enum Form: Hashable, Sendable { case number, elapsed, clock, dateTime, feetAndInches }

  /// The name by which `--map` states it.
  let name: String
  let kind: Kind
  /// What one of the column's units is in that of the study's own column.
  var scale = 1.0
  var form = Form.number
  /// Which part of a date stands first.
  var order: DateOrder?
  /// The unit of readings.
  var unit: ConcentrationUnit?
  /// What numbers and letters stand for in a column of sexes.
  var sexes: [String: String] = [:]
  /// Whether a dose that stands beside every reading was taken each time.
  var isEach = false

  init(
    _ name: String, _ kind: Kind, scale: Double = 1, form: Form = .number,
    order: DateOrder? = nil, unit: ConcentrationUnit? = nil, sexes: [String: String] = [:],
    isEach: Bool = false
  ) {
    (self.name, self.kind, self.scale, self.form) = (name, kind, scale, form)
    (self.order, self.unit, self.sexes, self.isEach) = (order, unit, sexes, isEach)
  }

  /// A meaning by its name; nil if there is none of that name.
  static func named(_ name: String) -> ColumnMeaning? { byName[name.lowercased()] }

  /// The names of all meanings.
  static var names: [String] { all.map(\.name) }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// One pound in kg, and one inch in cm: exact by definition (NIST SP 811, 2008).
  static let (poundInKilograms, inchInCentimetres) = (0.45359237, 2.54)

  /// Every meaning that a column can be said to have.
  static let all: [ColumnMeaning] =
    people + times + drinks
    + ConcentrationUnit.allCases.map { ColumnMeaning($0.rawValue, .reading, unit: $0) }
    + concentrations
    + [
      ColumnMeaning("lod", .detectionLimit), ColumnMeaning("exclude", .exclusion),
      ColumnMeaning("uuid", .uuid), ColumnMeaning("matrix", .matrix),
      ColumnMeaning("sample_id", .sampleNumber), ColumnMeaning("unit", .unit),
      ColumnMeaning("submitted", .submission, form: .dateTime),
      ColumnMeaning("submitted_dmy", .submission, form: .dateTime, order: .dayFirst),
      ColumnMeaning("submitted_mdy", .submission, form: .dateTime, order: .monthFirst),
      ColumnMeaning("covariate", .covariate),
      ColumnMeaning("ignore", .unused),
    ]

  /// A millimole of ethanol in g: its molar mass is 46.0684 g/mol (NIST Chemistry WebBook).
  static let millimoleInGrams = 0.046_068_4

  /// Concentrations in units that study files do not have.
  static let concentrations = [
    ColumnMeaning("bac_mg_per_l", .reading, scale: 0.001, unit: .bloodGramsPerLitre),
    ColumnMeaning("bac_mmol_per_l", .reading, scale: millimoleInGrams, unit: .bloodGramsPerLitre),
    ColumnMeaning("serum_mg_per_l", .reading, scale: 0.001, unit: .serumGramsPerLitre),
    ColumnMeaning("serum_mmol_per_l", .reading, scale: millimoleInGrams, unit: .serumGramsPerLitre),
    ColumnMeaning("brac_ug_per_l", .reading, scale: 0.001, unit: .breathMilligramsPerLitre),
  ]

  private static let people = [
    ColumnMeaning("subject", .subject), ColumnMeaning("occasion", .occasion),
    ColumnMeaning("sex", .sex),
    ColumnMeaning("sex_1m2f", .sex, sexes: ["1": "male", "2": "female"]),
    ColumnMeaning("sex_1f2m", .sex, sexes: ["1": "female", "2": "male"]),
    ColumnMeaning("sex_0m1f", .sex, sexes: ["0": "male", "1": "female"]),
    ColumnMeaning("sex_0f1m", .sex, sexes: ["0": "female", "1": "male"]),
    // Hombre and mujer beside masculino and femenino.
    ColumnMeaning("sex_mf", .sex, sexes: ["M": "male", "m": "male", "F": "female", "f": "female"]),
    ColumnMeaning("sex_hm", .sex, sexes: ["H": "male", "h": "male", "M": "female", "m": "female"]),
    ColumnMeaning("age_y", .age), ColumnMeaning("birth_date", .birth),
    ColumnMeaning("birth_date_dmy", .birth, order: .dayFirst),
    ColumnMeaning("birth_date_mdy", .birth, order: .monthFirst),
    ColumnMeaning("height_cm", .height), ColumnMeaning("height_m", .height, scale: 100),
    ColumnMeaning("height_in", .height, scale: inchInCentimetres),
    ColumnMeaning("height_ft", .height, scale: 12 * inchInCentimetres),
    ColumnMeaning("height_ft_in", .height, scale: 12 * inchInCentimetres, form: .feetAndInches),
    ColumnMeaning("weight_kg", .weight),
    ColumnMeaning("weight_lb", .weight, scale: poundInKilograms),
    ColumnMeaning("weight_st", .weight, scale: 14 * poundInKilograms),
  ]

  private static let times: [ColumnMeaning] = {
    let ofRows: [(String, Kind.Whose)] = [("", .row), ("drink_", .drink), ("reading_", .reading)]
    let times = ofRows.flatMap { prefix, whose in
      [
        ColumnMeaning(prefix + "time", .time(whose), form: .clock),
        ColumnMeaning(prefix + "time_min", .time(whose)),
        ColumnMeaning(prefix + "time_h", .time(whose), scale: 60),
        ColumnMeaning(prefix + "time_s", .time(whose), scale: 1.0 / 60),
        ColumnMeaning(prefix + "time_h_min", .time(whose), form: .elapsed),
        ColumnMeaning(prefix + "datetime", .time(whose), form: .dateTime),
        ColumnMeaning(prefix + "datetime_dmy", .time(whose), form: .dateTime, order: .dayFirst),
        ColumnMeaning(prefix + "datetime_mdy", .time(whose), form: .dateTime, order: .monthFirst),
      ]
    }
    return times + [
      ColumnMeaning("date", .date), ColumnMeaning("date_dmy", .date, order: .dayFirst),
      ColumnMeaning("date_mdy", .date, order: .monthFirst),
      ColumnMeaning("duration_min", .duration), ColumnMeaning("duration_h", .duration, scale: 60),
      ColumnMeaning("duration_s", .duration, scale: 1.0 / 60),
    ]
  }()

  private static let drinks = [
    ColumnMeaning("ethanol_g", .ethanol), ColumnMeaning("ethanol_mg", .ethanol, scale: 0.001),
    ColumnMeaning("ethanol_g_per_kg", .perKilogram),
    ColumnMeaning("volume_ml", .volume), ColumnMeaning("volume_cl", .volume, scale: 10),
    ColumnMeaning("volume_l", .volume, scale: 1000),
    // A fluid ounce of the US (NIST SP 811).
    ColumnMeaning("volume_us_fl_oz", .volume, scale: 29.573_529_562_5),
    ColumnMeaning("abv_percent", .strength), ColumnMeaning("abv_us_proof", .strength, scale: 0.5),
    ColumnMeaning("drink", .drink), ColumnMeaning("drink_count", .count),
    ColumnMeaning("route", .route),
    ColumnMeaning("ethanol_g_each", .ethanol, isEach: true),
    ColumnMeaning("ethanol_g_per_kg_each", .perKilogram, isEach: true),
    ColumnMeaning("volume_ml_each", .volume, isEach: true),
    ColumnMeaning("drink_each", .drink, isEach: true),
  ]
}
