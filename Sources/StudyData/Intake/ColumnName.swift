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
    name = meaning.name
    (group, self.meaning) = Self.description(of: meaning)
    unit = Self.unit(of: meaning)
  }

  private static func description(of meaning: ColumnMeaning) -> (Group, String) {
    let order =
      switch meaning.order {
      case .dayFirst: ", the day before the month"
      case .monthFirst: ", the month before the day"
      case nil: ""
      }
    let each = meaning.isEach ? ", anew in every row" : ""
    switch meaning.kind {
    case .subject: return (.people, "who: a name, a number or a code")
    case .occasion: return (.people, "the evening or session of a person")
    case .sex:
      // Letters stand for the same in both cases.
      let codes = meaning.sexes.filter { $0.key == $0.key.uppercased() }.sorted { $0.key < $1.key }
        .map { "\($0.key) is \($0.value)" }
      return (.people, "sex" + (codes.isEmpty ? "" : ": " + codes.joined(separator: ", ")))
    case .age: return (.people, "age")
    case .birth: return (.people, "date of birth" + order)
    case .height: return (.people, "body height")
    case .weight: return (.people, "body weight")
    case .date: return (.times, "date" + order)
    case .time(let whose): return (.times, time(meaning.form, of: whose) + order)
    case .duration: return (.times, "how long the drink took")
    case .ethanol: return (.drinks, "pure alcohol" + each)
    case .perKilogram: return (.drinks, "pure alcohol by body weight" + each)
    case .volume: return (.drinks, "volume of the drink" + each)
    case .strength: return (.drinks, "strength of the drink")
    case .drink:
      let words = meaning.region.map { "drinks as people write them; sizes of \($0.place)" }
      return (.drinks, (words ?? "the drink: its name, or as people write it") + each)
    case .count: return (.drinks, "how many of the drink in the row")
    case .route: return (.drinks, "oral or intravenous")
    case .reading: return (.readings, matrix(of: meaning))
    case .detectionLimit:
      return (.readings, "limit of detection, in its own unit or that of the readings")
    case .matrix:
      return (.readings, "what the sample of the row is of: blood, serum, plasma or breath")
    case .sampleNumber: return (.readings, "number of the sample")
    case .unit: return (.other, "unit of the column beside it, row by row")
    case .submission: return (.times, "when a form was sent" + order)
    case .exclusion: return (.readings, "yes for a reading that is not to be used")
    case .uuid: return (.other, "identifier of the row (UUID)")
    case .covariate: return (.other, "description of the person, kept under its own name")
    case .unused: return (.other, "not used: leave the column out")
    }
  }

  private static func time(_ form: ColumnMeaning.Form, of whose: ColumnMeaning.Kind.Whose)
    -> String
  {
    let what =
      switch whose {
      case .row: ""
      case .drink: " of the drink"
      case .drinkEnd: " of the end of drinking"
      case .reading: " of the reading"
      }
    return switch form {
    case .number, .feetAndInches: "time\(what) since the beginning"
    case .elapsed where whose == .drinkEnd: "time\(what), as 1:30 for 90 min"
    case .elapsed: "time\(what) since the beginning, as 1:30 for 90 min"
    case .clock: "time of day\(what), as 19:30"
    case .dateTime: "date and time\(what)"
    }
  }

  private static func matrix(of meaning: ColumnMeaning) -> String {
    switch meaning.unit?.matrix {
    case .breath: "breath"
    case .serum: "serum or plasma"
    case .blood, nil: "whole blood"
    }
  }

  // MARK: Units

  /// What stands before the unit in a name, by kind.
  private static func unit(of meaning: ColumnMeaning) -> String {
    let name = meaning.name.hasSuffix("_each") ? String(meaning.name.dropLast(5)) : meaning.name
    let hasUnit =
      switch meaning.kind {
      case .age, .height, .weight, .duration, .ethanol, .perKilogram, .volume, .strength, .reading:
        true
      case .time: meaning.form == .number
      default: false
      }
    guard hasUnit else { return "" }
    let stems = ["drink_end_time_", "drink_time_", "reading_time_"]
    let stem = stems.first(where: name.hasPrefix) ?? name.prefix { $0 != "_" } + "_"
    let code = String(name.dropFirst(stem.count))
    return units[code] ?? concentration(code)
  }

  private static let units = [
    "y": "years", "cm": "cm", "m": "m", "in": "inches", "ft": "decimal feet, or 5'11\"",
    "ft_in": "feet and inches, as 5.11",
    "kg": "kg",
    "lb": "pounds", "st": "stone", "min": "minutes", "h": "hours", "s": "seconds", "g": "g",
    "mg": "mg",
    "ml": "ml", "cl": "cl", "l": "litres", "us_fl_oz": "US fluid ounces", "percent": "% by volume",
    "us_proof": "US proof",
  ]

  /// `mg/100 ml` of `mg_per_100ml`.
  private static func concentration(_ code: String) -> String {
    code.replacing("_per_", with: "/").replacing(/\/l$/, with: "/L")
      .replacing(/([0-9])(ml|l)$/) { "\($0.output.1) \($0.output.2 == "l" ? "L" : "ml")" }
  }
}
