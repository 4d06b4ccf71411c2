package import AlcoholKinetics
import StudyData

/// The meaning of the words of a header, without the unit.
package enum ColumnWord: Hashable, Sendable {
  /// The subject; the smaller the rank, the surer.
  case subject(rank: Int)
  case occasion, sex, age, birth, height, weight
  case date
  case dateTime
  case time(ColumnMeaning.Kind.Whose)
  /// Time since the beginning, never a time of day.
  case elapsed
  case duration, ethanol, volume, strength, drink, route, detectionLimit, exclusion, uuid
  /// A concentration in blood, breath or serum; nil if the header does not state the matrix.
  case alcohol(Matrix?)
  /// The matrix of a row's sample, the number of the sample, and the unit of another column.
  case matrix, sampleNumber, unit
  /// The time at which a form was sent, which may be long after the events in it.
  case submission

  package typealias Matrix = ConcentrationUnit.Matrix

  /// Returns the meaning of the words of a header without its unit; nil if they are unknown.
  package static func called(_ words: String) -> ColumnWord? {
    if let word = synonyms[words] { return word }
    // A fast path, because a sheet may have many headers: only several words can be combined otherwise.
    return words.utf8.contains { $0 == ASCII.space || $0 == ASCII.slash }
      ? timeOfEither(words) : nil
  }

  /// Parses headers such as `time of drink / reading`, which is the time of the row, and `BAC time`.
  private static func timeOfEither(_ words: String) -> ColumnWord? {
    guard words.utf8.count <= 60 else { return nil }
    let parts = words.split(separator: " ").map(String.init)
    let isTime = { (word: String) in synonyms[word] == .time(.row) }
    if let last = parts.last, isTime(last),
      case .alcohol? = synonyms[parts.dropLast().joined(separator: " ")]
    {
      return .time(.reading)
    }
    if parts.count > 2, isTime(parts[0]), ["of", "de", "der", "des", "at"].contains(parts[1]),
      case .alcohol? = synonyms[parts.dropFirst(2).joined(separator: " ")]
    {
      return .time(.reading)
    }
    for separator in ["/", " or ", " and ", " oder ", " und "] {
      let parts = words.split(separator: separator).map(\.trimmed)
      guard parts.count == 2, case .time(let first)? = synonyms[parts[0]], first != .row else {
        continue
      }
      let second = synonyms[parts[1]] ?? synonyms["time of \(parts[1])"]
      switch second {
      case .time(let event) where event != first: return .time(.row)
      case .drink where first == .reading, .alcohol where first == .drink: return .time(.row)
      default: continue
      }
    }
    return nil
  }

  /// Returns the possible meanings, as names of `--map`, of a header that is only a unit; nil for other headers.
  package static func choices(ofUnit unit: String) -> [String]? {
    // A fast path: most headers are not units.
    guard unit.utf8.count <= 12 else { return nil }
    if let choices = choicesByUnit[unit] { return choices }
    return unit.contains("/") ? choicesByUnit[concentrationKey(unit)] : nil
  }

  private static let choicesByUnit = Vocabulary.meanings("unit alone").mapValues {
    $0.split(separator: ",").map(String.init)
  }

  /// The words by their names in the vocabulary; those that need no unit have the name of a ``ColumnMeaning``.
  private static let byCode: [String: ColumnWord] = [
    "subject": .subject(rank: 0), "subject 1": .subject(rank: 1), "subject 2": .subject(rank: 2),
    "subject 3": .subject(rank: 3), "occasion": .occasion, "sex": .sex, "age_y": .age,
    "birth_date": .birth, "height": .height, "weight": .weight, "date": .date,
    "datetime": .dateTime, "submitted": .submission, "matrix": .matrix,
    "sample_id": .sampleNumber, "unit": .unit, "elapsed": .elapsed, "duration": .duration,
    "ethanol": .ethanol, "volume": .volume, "abv_percent": .strength, "drink": .drink,
    "route": .route, "blood": .alcohol(.blood), "breath": .alcohol(.breath),
    "serum": .alcohol(.serum), "alcohol": .alcohol(nil), "lod": .detectionLimit,
    "exclude": .exclusion, "uuid": .uuid,
  ].merging(
    ColumnMeaning.Kind.Whose.allCases.map { ($0.rawValue, .time($0)) }, uniquingKeysWith: { $1 })
  private static let codes = Dictionary(uniqueKeysWithValues: byCode.map { ($1, $0) })
  private static let synonyms = Vocabulary.meanings("column").compactMapValues { byCode[$0] }

  /// The meaning of the word without a unit; nil if it needs one.
  package var plain: ColumnMeaning? {
    Self.codes[self].flatMap { ColumnMeaning.named($0.prefix { $0 != " " }.description) }
  }

  // MARK: Units

  /// The names of meanings by unit, for each measured quantity.
  private static let units = Dictionary(
    uniqueKeysWithValues: [
      "weight", "height", "age_y", "ethanol", "volume", "abv_percent", "sex", "time", "date",
      "blood",
      "breath", "serum", "alcohol",
    ].map { ($0, Vocabulary.meanings("unit of \($0)")) })

  /// The units of time by their words, as the endings of names.
  package static let times = (units["time"] ?? [:]).filter { $1 != "time" }
    .mapValues { String($0.dropFirst(time.count)) }

  private static let time = "time_"

  /// Returns the unit of a time as in ``times``; nil if it has none.
  package static func unit(of time: ColumnMeaning) -> String? {
    ["min", "h", "s", "d"].first { ColumnMeaning.named(Self.time + $0)?.scale == time.scale }
  }

  /// Returns the minutes in one unit of ``times``.
  package static func minutes(of unit: String) -> Double {
    ColumnMeaning.named(time + unit)?.scale ?? 1
  }

  /// Returns the meaning of the word in a unit; nil if the unit does not fit.
  package func meaning(in unit: String) -> ColumnMeaning? {
    let name: String?
    switch self {
    case .alcohol(let matrix): return Self.concentration(of: matrix, in: unit)
    // The matrix is that of the readings.
    case .detectionLimit: return Self.isConcentration(unit) ? plain : nil
    case .submission: return ColumnWord.dateTime.meaning(in: unit) == nil ? nil : plain
    case .time(let whose): name = Self.units["time"]?[unit].map { whose.prefix + $0 }
    case .elapsed: name = Self.units["time"]?[unit]
    case .duration: name = Self.times[unit].map { "duration_\($0)" }
    case .date: name = Self.units["date"]?[unit]
    case .birth: name = Self.units["date"]?[unit].map { "birth_\($0)" }
    case .dateTime:
      let order = Self.units["date"]?[unit.prefix(while: { $0 != " " }).description]
      name = order.map { $0.replacing("date", with: "datetime") }
    // "Drink 2 (ml)" is a volume.
    case .drink: return ColumnWord.volume.meaning(in: unit)
    default: name = Self.codes[self].flatMap { Self.units[$0]?[unit] }
    }
    return name.flatMap(ColumnMeaning.named)
  }

  /// Returns the possible meanings, as names of `--map`, in an ambiguous unit; nil for other units.
  package func choices(in unit: String) -> [String]? {
    Self.codes[self].flatMap { Self.shared[$0]?[unit] }
  }

  private static let shared = Dictionary(
    uniqueKeysWithValues: ["ethanol", "volume", "alcohol", "abv_percent"].map { code in
      let choices = Vocabulary.meanings("choices of \(code)")
      return (code, choices.mapValues { $0.split(separator: ",").map(String.init) })
    })

  /// Whether a text in brackets looks like a unit, known or not.
  package static func isUnit(_ text: String) -> Bool {
    allUnits.contains(text) || isConcentration(text)
      || text.contains { "/%‰".contains($0) } || text.first.map(\.isASCIIDigit) ?? false
  }

  private static let allUnits: Set<String> = {
    var all = Set(units.values.flatMap(\.keys))
    all.formUnion(shared.values.flatMap(\.keys))
    all.formUnion(Vocabulary.words("other unit", "any"))
    return all
  }()

  /// The units in which a column of this word can be read, for advice.
  package var unitsToConvertTo: [String] {
    choices.compactMap { ColumnName($0)?.unit }.filter { !$0.isEmpty }.uniqued
  }

  /// The possible meanings of the word without a unit, as names of `--map`.
  package var choices: [String] {
    switch self {
    case .time(let whose): Vocabulary.words("choice", "when").map { whose.prefix + $0 }
    case .alcohol(let matrix):
      ConcentrationUnit.allCases.filter { matrix == nil || $0.matrix == matrix }.map(\.rawValue)
    default: Self.codes[self].map { Vocabulary.words("choice", $0) } ?? []
    }
  }

  /// Returns the meaning of a concentration; without a matrix the unit may imply it; nil if neither does.
  package static func concentration(of matrix: Matrix?, in unit: String) -> ColumnMeaning? {
    units[matrix?.rawValue ?? "alcohol"]?[concentrationKey(unit)].flatMap(ColumnMeaning.named)
  }

  /// Returns the meanings of a unit of concentration, one for each matrix in which it is used.
  package static func concentrations(in unit: String) -> [ColumnMeaning] {
    [Matrix.blood, .serum, .breath].compactMap { concentration(of: $0, in: unit) }
  }

  package static func isConcentration(_ unit: String) -> Bool { !concentrations(in: unit).isEmpty }

  /// The matrix of a concentration; nil if the header does not state it.
  package var matrix: Matrix? { if case .alcohol(let matrix) = self { matrix } else { nil } }

  /// Returns the word that fits a unit: `Size (ml)` is the volume of a drink and not a height.
  package func fitting(_ unit: String?) -> ColumnWord {
    self == .height && unit.flatMap(ColumnWord.volume.meaning) != nil ? .volume : self
  }

  /// Whether a unit fits the word. Ethanol may have a unit of concentration: then it is a reading and not a dose.
  package func takes(_ unit: String) -> Bool {
    switch self {
    case .alcohol, .ethanol:
      meaning(in: unit) != nil || Self.isConcentration(unit) || choices(in: unit) != nil
    default: meaning(in: unit) != nil || choices(in: unit) != nil
    }
  }

  /// Returns a unit of concentration in its normalised spelling.
  private static func concentrationKey(_ unit: String) -> String {
    var key = unit.replacing("µ", with: "u").replacing("μ", with: "u").replacing(" per ", with: "/")
      .filter { !$0.isWhitespace && $0 != "_" }
    for (word, short) in [
      ("liters", "l"), ("litres", "l"), ("liter", "l"), ("litre", "l"), ("mcg", "ug"),
    ] {
      key = key.replacing(word, with: short)
    }
    return key
  }
}
