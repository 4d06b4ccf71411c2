import StudyData

/// A number with a unit, parsed from text such as `1,82 m`, `185 lbs`, `5'11"`, `34 J.`, `12oz` or `1 h 30 min`.
///
/// Used for cells of sheets, options of the command and cases. Two parts are one number in the smaller unit: `5'11"` is
/// 71 in, `13 st 5 lb` is 187 lb, `1 h 30 min` is 90 min.
package struct ParsedQuantity: Hashable, Sendable {
  /// Whether a comma is the decimal point.
  package enum DecimalComma: Hashable, Sendable {
    case never
    /// Only if it cannot be a thousands separator: `0,95` and `1,5`, but not `1,250`.
    case ifCertain
    case always
  }

  package let number: Double
  /// The unit in lower case, without the point of an abbreviation; nil if there is none.
  package let unit: String?

  /// Parses a text; nil if it does not begin with a number, or if anything but a unit follows.
  package init?(_ text: String, decimalComma: DecimalComma = .ifCertain) {
    let text = text.trimmed
    if let number = Self.number(text, decimalComma) {
      self.number = number
      unit = nil
      return
    }
    guard let (number, unit, rest) = Self.part(Self.plain(text), decimalComma) else { return nil }
    guard !rest.isEmpty else {
      guard !unit.isEmpty else { return nil }
      self.number = number
      self.unit = unit
      return
    }
    guard let (lesser, lesserUnit, end) = Self.part(rest, decimalComma), end.isEmpty,
      let pair = Self.pairs.first(where: {
        $0.units.contains(unit) && ($0.parts.contains(lesserUnit) || lesserUnit.isEmpty)
      }),
      number.rounded() == number, lesser >= 0, lesser < pair.count
    else { return nil }
    self.number = number * pair.count + lesser
    self.unit = pair.parts[0]
  }

  static func number(_ text: String, _ decimalComma: DecimalComma) -> Double? {
    var text = text
    return text.withUTF8 { bytes in
      try? DecimalNumber.parse(
        UnsafeRawBufferPointer(bytes),
        mayHaveComma: decimalComma == .always
          || decimalComma == .ifCertain && isDecimal(bytes: bytes))
    }
  }

  /// Whether the comma cannot be a thousands separator: other than three digits follow it, or nothing or zero precedes it.
  private static func isDecimal(bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let comma = bytes.firstIndex(of: ASCII.comma) else { return false }
    let whole = bytes[..<comma].filter(ASCII.isDigit)
    return bytes.count - comma - 1 != 3 || whole.isEmpty || whole.first == ASCII.zero
  }

  /// Parses the first number with its unit, and returns them with the rest of the text.
  private static func part(
    _ text: String, _ decimalComma: DecimalComma
  ) -> (number: Double, unit: String, rest: String)? {
    let digits = text.prefix { $0.isASCIIDigit || ".,+-".contains($0) }
    guard let number = number(String(digits), decimalComma) else { return nil }
    let tail = text.dropFirst(digits.count).trimmed
    guard tail.first?.isASCIIDigit != true else { return nil }
    // A digit begins the next part, unless it belongs to the unit, as in mg/100 ml.
    let isPair = tail.prefix { !$0.isASCIIDigit && $0 != "/" }
    guard isPair.count < tail.count, !tail[isPair.endIndex...].hasPrefix("/"),
      pairs.contains(where: { $0.units.contains(isPair.trimmed) })
    else { return (number, unit(tail), "") }
    return (number, isPair.trimmed, tail[isPair.endIndex...].trimmed)
  }

  /// Returns a unit without the point of an abbreviation.
  private static func unit(_ text: String) -> String {
    var text = Substring(text)
    while text.hasSuffix(".") { text.removeLast() }
    return text.trimmed
  }

  /// Returns a text in lower case, with one sign each for feet and inches.
  private static func plain(_ text: String) -> String {
    var text = text.lowercased()
    for (sign, word) in [
      ("''", "\""), ("′′", "\""), ("′", "'"), ("’", "'"), ("‘", "'"), ("´", "'"), ("″", "\""),
      ("”", "\""), ("“", "\""),
    ] {
      text = text.replacing(sign, with: word)
    }
    return text
  }

  private static let pairs: [(units: [String], parts: [String], count: Double)] = [
    (["'", "ft", "ft.", "feet", "foot"], ["in", "\"", "in.", "inch", "inches"], 12),
    (["st", "stone"], ["lb", "lbs", "pounds"], 14),
    (["h", "hr", "hrs", "std", "std."], ["min", "mins", "m"], 60),
    (["m"], ["cm"], 100),
  ]

  package struct Measure: Sendable {
    /// The unit of numbers without one.
    package let unit: String
    /// Examples of accepted texts, for messages.
    package let examples: String
    fileprivate let word: ColumnWord

    package static let weight = Self(
      unit: "kg", examples: "80, 80kg, 180lb or 12st 8lb", word: .weight)
    package static let height = Self(
      unit: "cm", examples: "182, 1.82m, 71in or 5'11\"", word: .height)
    package static let age = Self(unit: "years", examples: "34 or 34y", word: .age)
    package static let volume = Self(
      unit: "ml", examples: "500, 500ml, 50cl, 0.5l or 12oz", word: .volume)
  }

  /// Returns the number in the unit of a measure; nil if its unit is not one of the measure.
  package func value(of measure: Measure) -> Double? {
    guard let unit else { return number }
    return measure.word.meaning(in: unit).map { $0.scale == 1 ? number : number * $0.scale }
  }
}
