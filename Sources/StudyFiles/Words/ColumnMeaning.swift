package import AlcoholKinetics
import StudyData

/// The meaning of a column: its kind, with the conversion to the unit of study files. The meanings are listed in
/// `columns.tsv`.
package struct ColumnMeaning: Hashable, Sendable {
  /// The kinds of columns. A table has at most one of each, except covariates and unused columns.
  package enum Kind: Hashable, Sendable {
    case subject, occasion, sex, age, birth, height, weight
    case date
    /// The time of the drink, of the reading, or of whatever the row holds.
    case time(Whose)
    case duration, ethanol, perKilogram, volume, strength, drink, count, route
    case reading, detectionLimit, exclusion, uuid
    /// The matrix of a row's sample, the number of the sample, and the unit of another column.
    case matrix, sampleNumber, unit
    /// The time at which a form was sent.
    case submission
    /// A prediction by another program.
    case predicted(Predicted)
    case covariate, unused

    /// The parts of a prediction: a time, its limits and standard deviation, and the threshold that it refers to.
    package enum Predicted: String, CaseIterable, Hashable, Sendable {
      case time = "sober"
      case low, high
      case deviation = "sd"
      case threshold
    }

    /// The event of a time; raw values are its names in the vocabulary.
    package enum Whose: String, CaseIterable, Hashable, Sendable {
      case row = "when"
      case drink = "when drunk"
      case drinkEnd = "when finished"
      case reading = "when measured"

      /// The prefix of the names of its times.
      package var prefix: String {
        switch self {
        case .row: ""
        case .drink: "drink_"
        case .drinkEnd: "drink_end_"
        case .reading: "reading_"
        }
      }
    }

    package var isDose: Bool {
      switch self {
      case .ethanol, .perKilogram, .volume, .drink: true
      default: false
      }
    }

    /// Whether it describes a drink, of which a row may have several.
    package var isOfDrink: Bool {
      switch self {
      case .strength, .duration, .route, .time(.drink), .time(.drinkEnd): true
      default: isDose
      }
    }
  }

  /// The form of a time, of a height in feet and inches (5.11 for 5 ft 11 in), or of a strength by weight.
  package enum Form: String, Sendable {
    case number, elapsed, clock, dateTime, feetAndInches, byWeight
  }

  /// The name in `--map`.
  package private(set) var name = ""
  package let kind: Kind
  /// The name of such a column in study files.
  package private(set) var studyName = ""
  /// The factor from the column's unit to that of study files.
  package private(set) var scale = 1.0
  package private(set) var form = Form.number
  package private(set) var order: DateOrder?
  package private(set) var unit: ConcentrationUnit?
  /// The meanings of numbers and letters in a column of sexes.
  package var sexes: [String: String] = [:]
  /// Whether a dose that is repeated in every row was taken each time.
  package private(set) var isEach = false
  /// The region whose sizes apply to drinks without a stated size; nil if it is not stated.
  package private(set) var region: DrinkRegion?
  /// The number of the drink in its row; nil if it is not stated.
  package private(set) var drinkNumber: Int?

  package static let unknownReading = ColumnMeaning(kind: .reading)
  package static let ignored = named("ignore") ?? ColumnMeaning(kind: .unused)

  private init(kind: Kind) { self.kind = kind }

  /// Parses a line of `columns.tsv`; nil if it is invalid.
  private init?(_ line: [String]) {
    guard line.count >= 7, let kind = Self.kinds[line[1]], let scale = Double(line[6]) else {
      return nil
    }
    self.kind = kind
    name = line[0]
    studyName = line[2]
    self.scale = scale
    order = name.hasSuffix("_dmy") ? .dayFirst : name.hasSuffix("_mdy") ? .monthFirst : nil
    let detail = line.dropFirst(7).first ?? ""
    form = Form(rawValue: detail) ?? .number
    unit = ConcentrationUnit(rawValue: detail)
    region = DrinkRegion(rawValue: detail)
    for code in detail.split(separator: " ").map({ $0.split(separator: "=").map(String.init) })
    where code.count == 2 {
      sexes[code[0]] = code[1]
    }
  }

  /// The kinds by their names in `columns.tsv`.
  private static let kinds: [String: Kind] = {
    let plain: [Kind] = [
      .subject, .occasion, .sex, .age, .birth, .height, .weight, .date, .duration, .ethanol,
      .perKilogram, .volume, .strength, .drink, .count, .route, .reading, .detectionLimit,
      .exclusion, .uuid, .matrix, .sampleNumber, .unit, .submission, .covariate, .unused,
    ]
    let all =
      plain.map { ("\($0)", $0) } + Kind.Whose.allCases.map { ($0.rawValue, .time($0)) }
      + Kind.Predicted.allCases.map { ("predicted \($0.rawValue)", .predicted($0)) }
    return Dictionary(uniqueKeysWithValues: all)
  }()

  /// The lines of `columns.tsv`, with one line for each unit of concentration inserted.
  static let table = Vocabulary.table(PackageResources.columns_tsv).flatMap { line in
    line == ["units"] ? ConcentrationUnit.Row.all.map(\.column) : [line]
  }

  static let all = table.compactMap { ColumnMeaning($0) }

  /// Returns the meaning of a name, which may end in the number of a drink (`volume_ml_2`) or in `_each`; nil if it is
  /// unknown.
  package static func named(_ name: String) -> ColumnMeaning? {
    let name = name.lowercased()
    if let meaning = byName[name] { return meaning }
    guard let end = name.lastIndex(of: "_") else { return nil }
    let ending = name[name.index(after: end)...]
    if ending == each {
      guard var meaning = named(String(name[..<end])), meaning.kind.isDose, !meaning.isEach else {
        return nil
      }
      meaning.isEach = true
      meaning.name = name
      return meaning
    }
    guard let number = drinkNumber(ending) else { return nil }
    return byName[String(name[..<end])]?.ofDrink(number)
  }

  private static let each = "each"

  /// Parses the number of a drink in a row; nil if it is not a number from 1 to 20.
  package static func drinkNumber(_ text: some StringProtocol) -> Int? {
    guard (1...2).contains(text.utf8.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(text).flatMap { 1...20 ~= $0 ? $0 : nil }
  }

  /// Returns the meaning for one of several drinks in a row; nil if the column does not describe a drink.
  package func ofDrink(_ number: Int) -> ColumnMeaning? {
    guard kind.isOfDrink, drinkNumber == nil, !isEach else { return nil }
    var meaning = self
    meaning.drinkNumber = number
    // The first drink of a row needs no number.
    if number > 1 { meaning.name = "\(name)_\(number)" }
    return meaning
  }

  /// The name of the meaning for a dose that was taken each time.
  package var nameOfEach: String { "\(name)_\(Self.each)" }

  static var names: [String] { all.map(\.name) }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

extension ConcentrationUnit.Row {
  /// The unit as a line of `columns.tsv`.
  fileprivate var column: [String] {
    let sample =
      switch matrix {
      case .blood: "whole blood"
      case .serum: "serum or plasma"
      case .breath: "breath"
      }
    return [name, "reading", keptIn, "Readings", sample, symbol, "\(scale)", keptIn]
  }
}

extension ColumnMeaning {
  package var holdsNumbers: Bool {
    switch kind {
    case .age, .height, .weight, .duration, .ethanol, .perKilogram, .volume, .strength, .count,
      .reading, .detectionLimit:
      true
    case .time: form == .number
    default: false
    }
  }

  /// Whether it is the time of a row, a drink or a reading.
  package var isTime: Bool { if case .time = kind { true } else { false } }

  /// Whether a header with exactly this name has this meaning; false for names that are also used in another sense.
  package var isExactHeader: Bool {
    if case .predicted = kind { return false }
    // A column of dates may have times of day.
    return form != .clock && ![.matrix, .unit, .submission].contains(kind)
      && (kind != .date || order != nil)
  }

  package var holdsDate: Bool { kind == .date || kind == .birth || form == .dateTime }
}

/// The order of day and month in a date such as 11/12/2026.
package enum DateOrder: Hashable, Sendable {
  case dayFirst, monthFirst
}

/// A name of a column's meaning for `--map` and for `columns` in `datapackage.json`, with its description.
package struct ColumnName: Sendable {
  package enum Group: String, CaseIterable, Sendable {
    case people = "People"
    case times = "Times"
    case drinks = "Drinks"
    case readings = "Readings"
    case predictions = "Predictions"
    case other = "Other columns"
  }

  /// The name, such as `weight_lb`.
  package let name: String
  package let group: Group
  /// The content of such a column, such as `body weight`.
  package let meaning: String
  /// The unit in words, such as `pounds`; empty if it has none.
  package let unit: String

  /// Every name, in the order of the groups.
  package static let all: [ColumnName] = Group.allCases.flatMap { group in
    ColumnMeaning.all.map(ColumnName.init).filter { $0.group == group }
  }

  /// Looks up a name; nil if it is unknown.
  package init?(_ name: String) {
    guard let meaning = ColumnMeaning.named(name) else { return nil }
    self.init(meaning)
  }

  /// Whether it is a unit of readings.
  package var isReading: Bool { group == .readings && !unit.isEmpty }

  /// The content of such a column with its unit, such as `mg/100 ml of whole blood`.
  package var words: String {
    guard !isReading else { return "\(unit) of \(meaning)" }
    return unit.isEmpty ? meaning : "\(meaning), \(unit)"
  }

  init(_ meaning: ColumnMeaning) {
    // A drink of a row may have a number, and a dose be one of each row.
    let line =
      Self.lines[meaning.name]
      ?? Self.lines[meaning.name.split(separator: "_").dropLast().joined(separator: "_")] ?? []
    name = meaning.name
    group = line.isEmpty ? .other : Group(rawValue: line[3]) ?? .other
    let order =
      switch meaning.order {
      case .dayFirst: ", the day before the month"
      case .monthFirst: ", the month before the day"
      case nil: ""
      }
    self.meaning =
      (line.isEmpty ? "" : line[4]) + order + (meaning.isEach ? ", anew in every row" : "")
    unit = line.isEmpty ? "" : line[5]
  }

  private static let lines = Dictionary(ColumnMeaning.table.map { ($0[0], $0) }) { first, _ in first
  }
}

/// The interpretation of a column of a sheet.
package struct TakenColumn: Hashable, Sendable {
  /// The file, and the sheet if there are several.
  package var file: String
  /// The header as written.
  package var column: String
  /// The name of its meaning in `--map`.
  package var takenAs: String
  /// The reason for the meaning, and conversions.
  package var note: String

  /// The value of ``takenAs`` for unused columns.
  package static let notUsed = "not used"

  package init(file: String, column: String, takenAs: String, note: String) {
    self.file = file
    self.column = column
    self.takenAs = takenAs
    self.note = note
  }
}
