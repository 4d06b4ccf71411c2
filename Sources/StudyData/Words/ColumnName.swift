import AlcoholKinetics

/// A name that `--map`, and `columns` in `datapackage.json`, take: what a column can be said to hold.
public struct ColumnName: Hashable, Sendable {
  /// What names are about.
  public enum Group: String, CaseIterable, Sendable {
    /// Who somebody is.
    case people = "People"
    /// When something happened.
    case times = "Times"
    /// What was drunk.
    case drinks = "Drinks"
    /// What was measured.
    case readings = "Readings"
    /// What a model says that was computed elsewhere.
    case predictions = "Predictions"
    /// Everything else.
    case other = "Other columns"
  }

  /// The name, as `weight_lb`.
  public let name: String
  /// What it is about.
  public let group: Group
  /// What such a column holds, as `body weight`.
  public let meaning: String
  /// Its unit as people write it, as `pounds`; empty if it has none.
  public let unit: String

  /// Every name, by what it is about.
  public static let all: [ColumnName] = Group.allCases.flatMap { group in
    ColumnMeaning.all.map(ColumnName.init).filter { $0.group == group }
  }

  /// A name that is known; nil for any other.
  public init?(_ name: String) {
    guard let meaning = ColumnMeaning.named(name) else { return nil }
    self.init(meaning)
  }

  /// Whether it is a unit of readings.
  public var isReading: Bool { group == .readings && !unit.isEmpty }

  /// What a column of this name holds, with its unit, as `mg/100 ml of whole blood`.
  public var words: String {
    guard !isReading else { return "\(unit) of \(meaning)" }
    return unit.isEmpty ? meaning : "\(meaning), \(unit)"
  }
}

extension ColumnName {
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
public struct TakenColumn: Hashable, Sendable {
  /// The file, and the sheet if there are several.
  public var file: String
  /// The header as it is written.
  public var column: String
  /// What it was taken as, in the words of `--map`.
  public var takenAs: String
  /// Why, and what was converted.
  public var note: String

  /// What a column was taken as that nothing reads.
  public static let notUsed = "not used"

  package init(file: String, column: String, takenAs: String, note: String) {
    self.file = file
    self.column = column
    self.takenAs = takenAs
    self.note = note
  }
}
