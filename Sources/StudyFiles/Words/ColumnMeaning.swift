package import AlcoholKinetics
import StudyData

package struct ColumnMeaning: Hashable, Sendable {
  /// The kinds of columns, of which a table has at most one each but for covariates and what is not used.
  package enum Kind: Hashable, Sendable {
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
    /// A prediction that was computed elsewhere.
    case predicted(Predicted)
    case covariate, unused

    /// The parts of a prediction: a time, its limits and deviation, and the threshold it is to.
    package enum Predicted: String, CaseIterable, Hashable, Sendable {
      case time = "sober"
      case low, high
      case deviation = "sd"
      case threshold
    }

    /// What happened, by what the vocabulary calls its time.
    package enum Whose: String, CaseIterable, Hashable, Sendable {
      case row = "when"
      case drink = "when drunk"
      case drinkEnd = "when finished"
      case reading = "when measured"

      /// What stands before the names of its times.
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

    /// Whether it says something of a drink, of which a row may have several.
    package var isOfDrink: Bool {
      switch self {
      case .strength, .duration, .route, .time(.drink), .time(.drinkEnd): true
      default: isDose
      }
    }
  }

  /// How a time is written, or a height: 5.11 may be 5 ft 11 in; a strength by weight.
  package enum Form: String, Sendable {
    case number, elapsed, clock, dateTime, feetAndInches, byWeight
  }

  /// The name by which `--map` states it.
  package private(set) var name = ""
  package let kind: Kind
  /// What the study's own files call such a column.
  package private(set) var studyName = ""
  /// What one of the column's units is in that of the study's own column.
  package private(set) var scale = 1.0
  package private(set) var form = Form.number
  package private(set) var order: DateOrder?
  package private(set) var unit: ConcentrationUnit?
  /// What numbers and letters stand for in a column of sexes.
  package var sexes: [String: String] = [:]
  /// Whether a dose that stands beside every reading was taken each time.
  package private(set) var isEach = false
  /// Whose sizes drinks have that are written without one; nil if that is not said.
  package private(set) var region: DrinkRegion?
  /// Which of the drinks of a row it is about; nil if that is not said.
  package private(set) var drinkNumber: Int?

  package static let unknownReading = ColumnMeaning(kind: .reading)
  package static let ignored = named("ignore") ?? ColumnMeaning(kind: .unused)

  private init(kind: Kind) { self.kind = kind }

  /// Takes a line of `columns.tsv`; nil if it is none.
  private init?(_ line: [String]) {
    guard line.count >= 7, let kind = Self.kinds[line[1]], let scale = Double(line[6]) else {
      return nil
    }
    self.kind = kind
    (name, studyName, self.scale) = (line[0], line[2], scale)
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

  /// The kinds by what `columns.tsv` calls them.
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

  /// The lines of `columns.tsv`, with those of concentrations in their place.
  static let table = Vocabulary.table(PackageResources.columns_tsv).flatMap { line in
    line == ["units"] ? ConcentrationUnit.Row.all.map(\.column) : [line]
  }

  static let all = table.compactMap { ColumnMeaning($0) }

  /// A meaning by its name, with the number of a drink (`volume_ml_2`) or `_each` at its end; nil if there is none.
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

  /// The number of a drink in a row; nil if no row has so many.
  package static func drinkNumber(_ text: some StringProtocol) -> Int? {
    guard (1...2).contains(text.utf8.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(text).flatMap { 1...20 ~= $0 ? $0 : nil }
  }

  /// The same of one of several drinks in a row; nil if it says nothing of a drink.
  package func ofDrink(_ number: Int) -> ColumnMeaning? {
    guard kind.isOfDrink, drinkNumber == nil, !isEach else { return nil }
    var meaning = self
    meaning.drinkNumber = number
    // The first drink of a row needs no number.
    if number > 1 { meaning.name = "\(name)_\(number)" }
    return meaning
  }

  /// The name of the same if it was drunk each time.
  package var nameOfEach: String { "\(name)_\(Self.each)" }

  static var names: [String] { all.map(\.name) }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

extension ConcentrationUnit.Row {
  /// The line of `columns.tsv` that it stands for.
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

  /// Whether it is a time of a row, a drink or a reading.
  package var isTime: Bool { if case .time = kind { true } else { false } }

  /// Whether a header of this name needs no words: a study's own, but for words that people use in another sense.
  package var isExactHeader: Bool {
    if case .predicted = kind { return false }
    // A column of dates may have times of day.
    return form != .clock && ![.matrix, .unit, .submission].contains(kind)
      && (kind != .date || order != nil)
  }

  package var holdsDate: Bool { kind == .date || kind == .birth || form == .dateTime }
}

/// Which part of a date such as 11/12/2026 stands first.
package enum DateOrder: Hashable, Sendable {
  case dayFirst, monthFirst
}

/// A name that `--map`, and `columns` in `datapackage.json`, take: what a column can be said to hold.
package struct ColumnName: Sendable {
  package enum Group: String, CaseIterable, Sendable {
    case people = "People"
    case times = "Times"
    case drinks = "Drinks"
    case readings = "Readings"
    case predictions = "Predictions"
    case other = "Other columns"
  }

  /// The name, as `weight_lb`.
  package let name: String
  package let group: Group
  /// What such a column holds, as `body weight`.
  package let meaning: String
  /// Its unit as people write it, as `pounds`; empty if it has none.
  package let unit: String

  /// Every name, by what it is about.
  package static let all: [ColumnName] = Group.allCases.flatMap { group in
    ColumnMeaning.all.map(ColumnName.init).filter { $0.group == group }
  }

  /// A name that is known; nil for any other.
  package init?(_ name: String) {
    guard let meaning = ColumnMeaning.named(name) else { return nil }
    self.init(meaning)
  }

  /// Whether it is a unit of readings.
  package var isReading: Bool { group == .readings && !unit.isEmpty }

  /// What a column of this name holds, with its unit, as `mg/100 ml of whole blood`.
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

/// What a column of a sheet was taken as.
package struct TakenColumn: Hashable, Sendable {
  /// The file, and the sheet if there are several.
  package var file: String
  /// The header as it is written.
  package var column: String
  /// What it was taken as, in the words of `--map`.
  package var takenAs: String
  /// Why, and what was converted.
  package var note: String

  /// What a column was taken as that nothing reads.
  package static let notUsed = "not used"

  package init(file: String, column: String, takenAs: String, note: String) {
    self.file = file
    self.column = column
    self.takenAs = takenAs
    self.note = note
  }
}
